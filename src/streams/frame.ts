import { isUtf8 } from 'node:buffer';
import { GatewayError } from '../errors.ts';

/**
 * One unit of a streamed answer: an SSE event, an AWS event-stream message, a line of NDJSON or an element of
 * a JSON array. `raw` is exactly what came from the provider, so that an untouched frame goes out byte for byte.
 */
export interface Frame {
  readonly raw: Buffer;
  /** SSE `event:` name, or the `:event-type` of an AWS message (`:exception-type` for exceptions). */
  readonly event?: string;
  /** The payload: SSE `data:` lines joined by LF, the JSON text of the others. Absent in comments and blanks. */
  readonly data?: string;
  /** What stands in `raw` beside payload and plain names, and may be words: comments, ids, odd headers, broken rests. */
  readonly sideband?: string;
  /** The stream ended before this frame did. */
  readonly open?: true;
  /** The gateway's own, among the provider's. */
  readonly added?: true;
}

/** Splits a byte stream into frames, whatever the chunk boundaries; bounded, and throws over `maxFrameBytes`. */
export interface FrameDecoder {
  push(chunk: Buffer): Frame[];
  /** What was left when the stream ended without a terminator; also given as a frame, never dropped. */
  end(): Frame[];
}

/** What the gateway ends a stream with. */
export interface ClosingFrame {
  /** SSE `event:` name, or AWS `:exception-type`. */
  readonly event?: string;
  readonly data: string;
  /** In an event stream, a last line that is part of no event; not written elsewhere. */
  readonly line?: string;
}

/** Puts frames one after the other so that clients can read them, whichever of the provider's were left out or added. */
export interface FrameWriter {
  /** The frame's own bytes, with what separates it from those before. */
  write(frame: Frame): Buffer;
  /** Frames of the gateway's own, and the end of the stream. */
  cut(frames: readonly ClosingFrame[]): Buffer;
  /** What is left to write where the stream ends by itself. */
  end(): Buffer;
}

/** A stream format: how frames are read, and how a changed one is written. */
export interface StreamFormat {
  readonly name: 'sse' | 'aws-event-stream' | 'ndjson' | 'json-array';
  createDecoder(options: { readonly maxFrameBytes: number }): FrameDecoder;
  createWriter(): FrameWriter;
  /** The frame's bytes with its payload replaced; keeps event name, id, line ends, AWS headers. */
  withData(frame: Frame, data: string): Buffer;
  /** Another frame of this one's event name, with this payload and nothing beside. */
  copy(frame: Frame, data: string): Buffer;
  /**
   * The frame with U+FFFD in the place of bytes that are no UTF-8, as its payload has them already.
   * @throws GatewayError upstream_unavailable where it is text in another encoding
   */
  readable(frame: Frame): Frame;
  /** A comment that clients skip, or undefined where the format has none (only SSE has). */
  comment(text: string): Buffer | undefined;
}

/** A frame of a format that is text all through, as every decoder of UTF-8 reads it. */
export function readableText(frame: Frame): Frame {
  // Of no use in JSON, and between the letters in UTF-16, which nobody here reads.
  if (frame.raw.includes(0)) {
    throw new GatewayError('upstream_unavailable', 'the provider sent a stream that is not text in UTF-8');
  }
  return isUtf8(frame.raw) ? frame : { ...frame, raw: Buffer.from(frame.raw.toString('utf8')) };
}
