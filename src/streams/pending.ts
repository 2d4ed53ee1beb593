import { GatewayError } from '../errors.ts';

/** The bytes of a frame that has begun and not ended: kept in pieces, so that tiny chunks cost linear time. */
export class PendingBytes {
  private readonly maxBytes: number;
  private pieces: Buffer[] = [];
  private size = 0;

  constructor(maxBytes: number) {
    this.maxBytes = maxBytes;
  }

  get length(): number {
    return this.size;
  }

  /** Throws GatewayError upstream_unavailable where the frame grows over its bound. */
  add(piece: Buffer): void {
    if (piece.length === 0) return;
    this.size += piece.length;
    if (this.size > this.maxBytes) throw frameTooLarge(this.maxBytes);
    this.pieces.push(piece);
  }

  /** Everything so far as one buffer; nothing is pending afterwards. */
  take(): Buffer {
    const [only] = this.pieces;
    const whole = this.pieces.length === 1 && only !== undefined ? only : Buffer.concat(this.pieces);
    this.pieces = [];
    this.size = 0;
    return whole;
  }
}

export function frameTooLarge(maxBytes: number): GatewayError {
  return new GatewayError(
    'upstream_unavailable',
    `The provider's stream has a frame of over ${maxBytes} bytes.`,
  );
}
