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
}

/** Splits a byte stream into frames, whatever the chunk boundaries; bounded, and throws over `maxFrameBytes`. */
export interface FrameDecoder {
  push(chunk: Buffer): Frame[];
  /** What was left when the stream ended without a terminator; also given as a frame, never dropped. */
  end(): Frame[];
}

/** A stream format: how frames are read, and how a changed one is written. */
export interface StreamFormat {
  readonly name: 'sse' | 'aws-event-stream' | 'ndjson' | 'json-array';
  createDecoder(options: { readonly maxFrameBytes: number }): FrameDecoder;
  /** The frame's bytes with its payload replaced; keeps event name, id, line ends, AWS headers. */
  withData(frame: Frame, data: string): Buffer;
  /** The bytes to send in place of a frame that is dropped (empty, except where separators matter). */
  dropped(frame: Frame): Buffer;
  /** A comment that clients skip, or undefined where the format has none (only SSE has). */
  comment(text: string): Buffer | undefined;
}
