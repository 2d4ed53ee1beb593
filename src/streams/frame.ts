import { isUtf8 } from 'node:buffer';
import { GatewayError } from '../errors.ts';
import type { ReadDocument } from '../json/document-shape.ts';

/**
 * An SSE event, an AWS event-stream message, a line of NDJSON or an element of a JSON array. `raw` holds the
 * provider's bytes, which an unchanged frame forwards.
 */
export interface Frame {
  readonly raw: Buffer;
  /** SSE `event:` name; AWS `:event-type` or `:exception-type`. */
  readonly event?: string;
  /** SSE `data:` lines joined by LF, otherwise JSON text. Absent in comments and blank frames. */
  readonly data?: string;
  /** The payload of a long frame, read in steps. Outdated once `data` is replaced. */
  readonly document?: ReadDocument;
  /** Other content of `raw` with possible text: comments, ids, unusual headers, broken remains. */
  readonly sideband?: string;
  /** The stream ended within this frame. */
  readonly open?: true;
  /** Inserted by the gateway. */
  readonly added?: true;
}

/** Splits bytes into frames at any chunk boundaries. Throws beyond `maxFrameBytes`. */
export interface FrameDecoder {
  push(chunk: Buffer): Frame[];
  /** Returns an unterminated rest as a frame. */
  end(): Frame[];
}

/** Ends a stream. */
export interface ClosingFrame {
  /** SSE `event:` name, or AWS `:exception-type`. */
  readonly event?: string;
  readonly data: string;
  /** For event streams: a last line outside any event. */
  readonly line?: string;
}

/** Writes a readable stream even if frames were dropped or added. */
export interface FrameWriter {
  /** Returns the frame's bytes, separated from earlier frames. */
  write(frame: Frame): Buffer;
  /** Returns the gateway's frames and the end of the stream. */
  cut(frames: readonly ClosingFrame[]): Buffer;
  /** Returns the remaining bytes at the regular end of the stream. */
  end(): Buffer;
}

export interface StreamFormat {
  readonly name: 'sse' | 'aws-event-stream' | 'ndjson' | 'json-array';
  createDecoder(options: { readonly maxFrameBytes: number }): FrameDecoder;
  createWriter(): FrameWriter;
  /** Replaces the payload; event name, id, line ends and AWS headers stay. */
  withData(frame: Frame, data: string): Buffer;
  /** Returns a frame with this one's event name and only the given payload. */
  copy(frame: Frame, data: string): Buffer;
  /**
   * Replaces invalid UTF-8 by U+FFFD, as in the payload.
   * @throws GatewayError upstream_unavailable for text in another encoding
   */
  readable(frame: Frame): Frame;
  /** Returns a comment that clients skip; only SSE has them. */
  comment?(text: string): Buffer;
}

export function readableText(frame: Frame): Frame {
  // JSON has no NUL; UTF-16, which is not supported, has one beside each letter.
  if (frame.raw.includes(0)) {
    throw new GatewayError('upstream_unavailable', 'the provider sent a stream that is not text in UTF-8');
  }
  return isUtf8(frame.raw) ? frame : { ...frame, raw: Buffer.from(frame.raw.toString('utf8')) };
}
