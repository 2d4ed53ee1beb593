import type { StreamReader, Usage } from '../../src/providers/dialect.ts';
import type { StreamFormat } from '../../src/streams/frame.ts';
import { decodeStream } from './decode-stream.ts';

/** The content of a stream after all of it was read. */
export interface ReadStream {
  /** The text of each channel, pieces joined. */
  readonly texts: Readonly<Record<string, string>>;
  readonly usage: Usage | undefined;
  readonly done: boolean;
  readonly failed: boolean;
}

export function readStream(
  format: StreamFormat,
  reader: StreamReader,
  chunks: readonly Buffer[],
): ReadStream {
  const texts: Record<string, string> = {};
  let usage: Usage | undefined;
  let done = false;
  let failed = false;
  for (const frame of decodeStream(format, chunks)) {
    const event = reader.read(frame);
    for (const { channel, text } of event.deltas) texts[channel] = (texts[channel] ?? '') + text;
    usage = event.usage ?? usage;
    done ||= event.done === true;
    failed ||= event.failed === true;
  }
  return { texts, usage, done, failed };
}

/** Reads a stream once for every place where it can be cut in two; returns every distinct result. */
export function readCutAtEachByte(
  format: StreamFormat,
  createReader: () => StreamReader | undefined,
  bytes: Buffer,
): ReadStream[] {
  const results = new Map<string, ReadStream>();
  for (let cut = 0; cut <= bytes.length; cut += 1) {
    const reader = createReader();
    if (reader === undefined) throw new Error('this dialect does not stream');
    const result = readStream(format, reader, [bytes.subarray(0, cut), bytes.subarray(cut)]);
    results.set(JSON.stringify(result), result);
  }
  return [...results.values()];
}
