import { GatewayError } from '../errors.ts';

/** The bytes of an unfinished frame, kept in pieces so that tiny chunks cost linear time. */
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

  /** @throws GatewayError upstream_unavailable if the frame exceeds its bound */
  add(piece: Buffer): void {
    if (piece.length === 0) return;
    this.#size += piece.length;
    if (this.#size > this.#maxBytes) throw frameTooLarge(this.#maxBytes);
    this.#pieces.push(piece);
  }

  /** Returns everything so far as one buffer; nothing is pending afterwards. */
  take(): Buffer {
    const [only] = this.#pieces;
    const whole = this.#pieces.length === 1 && only !== undefined ? only : Buffer.concat(this.#pieces);
    this.#pieces = [];
    this.#size = 0;
    return whole;
  }

  /**
   * Returns everything so far and the last piece as one buffer; nothing is pending afterwards.
   *
   * @throws GatewayError upstream_unavailable if the frame exceeds its bound
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
    `The provider's stream has a frame of over ${maxBytes} bytes.`,
  );
}
