import { GatewayError } from '../errors.ts';

/** Bytes of an unfinished frame. Kept in pieces, so that tiny chunks take only linear time. */
export class PendingBytes {
  readonly #maxBytes: number;
  #pieces: Buffer[] = [];
  #size = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get length(): number {
    return this.#size;
  }

  /** @throws GatewayError upstream_unavailable if the frame is too long */
  add(piece: Buffer): void {
    if (piece.length === 0) return;
    this.#size += piece.length;
    if (this.#size > this.#maxBytes) throw frameTooLarge(this.#maxBytes);
    this.#pieces.push(piece);
  }

  /** Returns and removes all bytes. */
  take(): Buffer {
    const [only] = this.#pieces;
    const whole = this.#pieces.length === 1 && only !== undefined ? only : Buffer.concat(this.#pieces);
    this.#pieces = [];
    this.#size = 0;
    return whole;
  }

  /**
   * Returns and removes all bytes, followed by a last piece.
   * @throws GatewayError upstream_unavailable if the frame is too long
   */
  endWith(piece: Buffer): Buffer {
    if (this.#size === 0 && piece.length <= this.#maxBytes) return piece;
    this.add(piece);
    return this.take();
  }
}

export function frameTooLarge(maxBytes: number): GatewayError {
  return new GatewayError(
    'upstream_unavailable',
    `The provider's stream has a frame of more than ${maxBytes} bytes.`,
  );
}
