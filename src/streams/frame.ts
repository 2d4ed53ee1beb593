import { isUtf8 } from 'node:buffer';
import { GatewayError } from '../errors.ts';
import type { ReadDocument } from '../json/document-shape.ts';

/**
 * One unit of a streamed answer: an SSE event, an AWS event-stream message, a line of NDJSON or an element of
 * a JSON array. `raw` is exactly what the provider sent, so that an unchanged frame is forwarded byte for
 * byte.
 */
export interface Frame {
  readonly raw: Buffer;
  /** SSE `event:` name, or the `:event-type` of an AWS message (`:exception-type` for exceptions). */
  readonly event?: string;
  /**
   * The payload: SSE `data:` lines joined by LF, otherwise the JSON text. Absent in comments and blank
   * frames.
   */
  readonly data?: string;
  /** The payload of a long frame, read in steps. Outdated if `data` was replaced. */
  readonly document?: ReadDocument;
  /** Other content of `raw` that may contain text: comments, ids, unusual headers, broken remains. */
  readonly sideband?: string;
  /** The stream ended before this frame did. */
  readonly open?: true;
  /** Inserted by the gateway. */
  readonly added?: true;
}

/** Splits a byte stream into frames at any chunk boundaries. Bounded: throws over `maxFrameBytes`. */
export interface FrameDecoder {
  push(chunk: Buffer): Frame[];
  /** Returns what was left when the stream ended without a terminator, as a frame. */
  end(): Frame[];
}

/** The frame with which the gateway ends a stream. */
export interface ClosingFrame {
  /** SSE `event:` name, or AWS `:exception-type`. */
  readonly event?: string;
  readonly data: string;
  /** In an event stream, a last line outside any event; ignored in other formats. */
  readonly line?: string;
}

/** Writes frames as a readable stream, also if some were dropped or added. */
export interface FrameWriter {
  /** Returns the frame's bytes, with the separator from earlier frames. */
  write(frame: Frame): Buffer;
  /** Returns the gateway's own frames and the end of the stream. */
  cut(frames: readonly ClosingFrame[]): Buffer;
  /** Returns the remaining bytes when the stream ends normally. */
  end(): Buffer;
}

/** A stream format: reads frames and writes changed ones. */
export interface StreamFormat {
  readonly name: 'sse' | 'aws-event-stream' | 'ndjson' | 'json-array';
  createDecoder(options: { readonly maxFrameBytes: number }): FrameDecoder;
  createWriter(): FrameWriter;
  /** Replaces the payload; keeps event name, id, line ends and AWS headers. */
  withData(frame: Frame, data: string): Buffer;
  /** Returns another frame with this one's event name and the given payload only. */
  copy(frame: Frame, data: string): Buffer;
  /**
   * Replaces bytes that are not UTF-8 with U+FFFD, as in the payload.
   * @throws GatewayError upstream_unavailable for text in another encoding
   */
  readable(frame: Frame): Frame;
  /** Returns a comment that clients skip; undefined if the format has none (only SSE has). */
  comment(text: string): Buffer | undefined;
}

/** Returns a text frame as every UTF-8 decoder reads it. */
export function readableText(frame: Frame): Frame {
  // NUL has no use in JSON and appears between letters in UTF-16, which is not supported.
  if (frame.raw.includes(0)) {
    throw new GatewayError('upstream_unavailable', 'the provider sent a stream that is not text in UTF-8');
  }
  return isUtf8(frame.raw) ? frame : { ...frame, raw: Buffer.from(frame.raw.toString('utf8')) };
}
