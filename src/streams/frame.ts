import { isUtf8 } from 'node:buffer';
import { GatewayError } from '../errors.ts';
import type { ReadDocument } from '../json/document-shape.ts';

/** An SSE event, AWS event-stream message, NDJSON line or JSON array element. If unchanged, `raw` is forwarded. */
export interface Frame {
  readonly raw: Buffer;
  /** SSE `event:` name; AWS `:event-type`, `:exception-type` or `:error-code`. */
  readonly event?: string;
  /** SSE `data:` lines joined by LF, otherwise JSON text. Absent in comments and empty frames. */
  readonly data?: string;
  /** The parsed payload of a long frame. Stale once `data` is replaced. */
  readonly document?: ReadDocument;
  /** Other content of `raw` that may contain text: comments, ids, unusual headers, malformed data. */
  readonly sideband?: string;
  /** The stream ended within this frame. */
  readonly open?: true;
  readonly added?: true;
}

/** Splits bytes into frames, regardless of chunk boundaries. Throws if a frame exceeds `maxFrameBytes`. */
export interface FrameDecoder {
  push(chunk: Buffer): Frame[];
  /** Returns the unterminated remainder as a frame. */
  end(): Frame[];
}

export interface ClosingFrame {
  /** SSE `event:` name, or AWS `:exception-type`. */
  readonly event?: string;
  readonly data: string;
  /** SSE only: a last line outside any event. */
  readonly line?: string;
}

/** Writes frames as a valid stream, even if some were removed or added. */
export interface FrameWriter {
  /** Returns the frame's bytes, preceded by any separator that they need. */
  write(frame: Frame): Buffer;
  /** Returns the closing frames and the end of the stream. */
  cut(frames: readonly ClosingFrame[]): Buffer;
  /** Returns the remaining bytes at the regular end of the stream. */
  end(): Buffer;
}

export interface StreamFormat {
  readonly name: 'sse' | 'aws-event-stream' | 'ndjson' | 'json-array';
  createDecoder(options: { readonly maxFrameBytes: number }): FrameDecoder;
  createWriter(): FrameWriter;
  /** Returns the frame's bytes with another payload. Event name, id, line endings and AWS headers are kept. */
  withData(frame: Frame, data: string): Buffer;
  /** Returns the bytes of a new frame with the same event name and only this payload. */
  copy(frame: Frame, data: string): Buffer;
  /** Replaces invalid UTF-8 in `raw` with U+FFFD, as in `data`. Throws GatewayError for text in another encoding. */
  readable(frame: Frame): Frame;
  /** Returns a comment, which clients skip. Only SSE has comments. */
  comment?(text: string): Buffer;
}

export function readableText(frame: Frame): Frame {
  // JSON contains no NUL bytes. UTF-16, which is not supported, has one next to each Latin letter.
  if (frame.raw.includes(0)) {
    throw new GatewayError('upstream_unavailable', 'the provider sent a stream that is not UTF-8 text');
  }
  return isUtf8(frame.raw) ? frame : { ...frame, raw: Buffer.from(frame.raw.toString('utf8')) };
}

/** Bytes of an incomplete frame, kept in pieces so that many tiny chunks take only linear time. */
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

  take(): Buffer {
    const [only] = this.#pieces;
    const whole = this.#pieces.length === 1 && only !== undefined ? only : Buffer.concat(this.#pieces);
    this.#pieces = [];
    this.#size = 0;
    return whole;
  }

  /** Removes and returns all bytes, followed by `piece`. Throws GatewayError if the frame is too long. */
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
