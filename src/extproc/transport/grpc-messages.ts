import { uint32 } from '../../http2/frame.ts';

/** Message prefix: compression flag and length (gRPC over HTTP/2, "Length-Prefixed-Message"). */
const PREFIX_BYTES = 5;
/** Initial buffer size for a split message. The buffer grows only as bytes arrive. */
const FIRST_BYTES = 65_536;

export interface MessageEvents {
  /** The message is `bytes[from, to)`. */
  message(bytes: Buffer, from: number, to: number): void;
  /** Called when the peer has finished and every message has been delivered. */
  finished(): void;
  /** Called on a fault. No event follows. */
  broken(why: 'compressed' | 'too long' | 'cut'): void;
}

interface ByteRange {
  readonly bytes: Buffer;
  readonly from: number;
  readonly to: number;
}

/**
 * Splits the body of a gRPC stream into messages. A message that arrives in one piece is delivered without copying.
 * While paused, the reader buffers input, within the stream's window.
 */
export class MessageReader {
  readonly #events: MessageEvents;
  readonly #maxBytes: number;
  readonly #prefix = Buffer.alloc(PREFIX_BYTES);
  #prefixBytes = 0;
  /** Received part of a split message of `#length` octets. */
  #partial: Buffer | undefined;
  #length = 0;
  #filled = 0;
  readonly #held: ByteRange[] = [];
  #isPaused = false;
  #isReading = false;
  #hasEnded = false;
  #isOver = false;

  constructor(maxBytes: number, events: MessageEvents) {
    this.#maxBytes = maxBytes;
    this.#events = events;
  }

  push(bytes: Buffer, from: number, to: number): void {
    if (this.#isOver) return;
    if (this.#isPaused || this.#isReading || this.#held.length > 0) this.#hold({ bytes, from, to });
    else this.#read({ bytes, from, to });
  }

  end(): void {
    this.#hasEnded = true;
    this.#goOn();
  }

  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
    this.#goOn();
  }

  stop(): void {
    this.#isOver = true;
    this.#held.length = 0;
    this.#partial = undefined;
  }

  #goOn(): void {
    while (!this.#isPaused && !this.#isReading && !this.#isOver) {
      const slice = this.#held.shift();
      if (slice === undefined) break;
      this.#read(slice);
    }
    if (!this.#hasEnded || this.#isPaused || this.#isReading || this.#isOver) return;
    if (this.#partial !== undefined || this.#prefixBytes > 0) this.#break('cut');
    else {
      this.stop();
      this.#events.finished();
    }
  }

  /** Copies a small part of a large buffer, so that the buffer can be freed. */
  #hold({ bytes, from, to }: ByteRange): void {
    const isSmall = to - from < bytes.length / 4;
    const slice = isSmall
      ? { bytes: Buffer.from(bytes.subarray(from, to)), from: 0, to: to - from }
      : { bytes, from, to };
    this.#held.push(slice);
  }

  #read({ bytes, from, to }: ByteRange): void {
    this.#isReading = true;
    let at = from;
    while (at < to && !this.#isOver) {
      if (this.#isPaused) {
        this.#held.unshift({ bytes, from: at, to });
        break;
      }
      at =
        this.#partial === undefined ? this.#begin(bytes, at, to) : this.#fill(this.#partial, bytes, at, to);
    }
    this.#isReading = false;
  }

  /** Reads a prefix, and its message if complete. Returns the offset after the bytes read. */
  #begin(bytes: Buffer, from: number, to: number): number {
    if (this.#prefixBytes > 0 || to - from < PREFIX_BYTES) return this.#fillPrefix(bytes, from, to);
    const begin = from + PREFIX_BYTES;
    if (!this.#announced(bytes, from)) return to;
    if (this.#length > to - begin) {
      this.#expect();
      return begin;
    }
    const end = begin + this.#length;
    this.#events.message(bytes, begin, end);
    return end;
  }

  #fillPrefix(bytes: Buffer, from: number, to: number): number {
    const taken = Math.min(PREFIX_BYTES - this.#prefixBytes, to - from);
    bytes.copy(this.#prefix, this.#prefixBytes, from, from + taken);
    this.#prefixBytes += taken;
    if (this.#prefixBytes < PREFIX_BYTES) return to;
    this.#prefixBytes = 0;
    if (!this.#announced(this.#prefix, 0)) return to;
    if (this.#length === 0) this.#events.message(this.#prefix, 0, 0);
    else this.#expect();
    return from + taken;
  }

  #announced(bytes: Buffer, at: number): boolean {
    this.#length = bytes.readUInt32BE(at + 1);
    if (bytes[at] === 0 && this.#length <= this.#maxBytes) return true;
    this.#break(bytes[at] === 0 ? 'too long' : 'compressed');
    return false;
  }

  #expect(): void {
    this.#partial = Buffer.allocUnsafeSlow(Math.min(this.#length, FIRST_BYTES));
    this.#filled = 0;
  }

  #fill(partial: Buffer, bytes: Buffer, from: number, to: number): number {
    const taken = Math.min(this.#length - this.#filled, to - from);
    const room = this.#roomFor(partial, taken);
    bytes.copy(room, this.#filled, from, from + taken);
    this.#filled += taken;
    if (this.#filled === this.#length) {
      this.#partial = undefined;
      this.#events.message(room, 0, this.#length);
    }
    return from + taken;
  }

  /** Doubles a full buffer, so that growth copies each octet only about once. */
  #roomFor(partial: Buffer, more: number): Buffer {
    const needed = this.#filled + more;
    if (needed <= partial.length) return partial;
    const larger = Buffer.allocUnsafeSlow(Math.min(this.#length, Math.max(needed, 2 * partial.length)));
    partial.copy(larger, 0, 0, this.#filled);
    this.#partial = larger;
    return larger;
  }

  #break(why: 'compressed' | 'too long' | 'cut'): void {
    this.stop();
    this.#events.broken(why);
  }
}

/** Returns the prefix of an uncompressed message, in latin1. */
export function messagePrefix(length: number): string {
  return `\0${uint32(length)}`;
}
