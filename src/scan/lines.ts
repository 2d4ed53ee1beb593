import { GrowingBytes } from '../streams/growing-bytes.ts';

/** A line of a stream, numbered from 1, or the reason why the line cannot be read. */
export type Line =
  { readonly number: number; readonly text: string } | { readonly number: number; readonly problem: string };

/** Maximum size of a line, or of a whole text. */
export const MAX_INPUT_BYTES = 16 * 1_048_576;
const TOO_LONG = 'is longer than 16 MiB';
const NOT_UTF8 = 'is not UTF-8';

const NEWLINE = 10;

/** Skips blank lines, but counts them. Reports lines that are too long or not UTF-8. Holds one line in memory. */
export async function* readLines(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Line> {
  const held = new GrowingBytes(MAX_INPUT_BYTES);
  let number = 0;
  for await (const chunk of bytes) {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      held.add(chunk, start, end);
      start = end + 1;
      const line = lineOf(held.take(), ++number);
      if (line !== undefined) yield line;
    }
    held.add(chunk, start);
  }
  const last = lineOf(held.take(), number + 1);
  if (last !== undefined) yield last;
}

/**
 * @param name identifies the stream in errors
 * @throws Error if the stream is too long or not UTF-8
 */
export async function readInputText(bytes: AsyncIterable<Uint8Array>, name: string): Promise<string> {
  const held = new GrowingBytes(MAX_INPUT_BYTES);
  for await (const chunk of bytes) {
    held.add(chunk);
    // Further bytes would not change the result.
    if (held.isTooLong) break;
  }
  const text = textOf(held.take());
  if ('problem' in text) throw new Error(`${name} ${text.problem}`);
  return text.text;
}

function lineOf(bytes: Buffer | undefined, number: number): Line | undefined {
  const text = textOf(bytes);
  return 'text' in text && text.text.trim() === '' ? undefined : { number, ...text };
}

function textOf(bytes: Buffer | undefined): { readonly text: string } | { readonly problem: string } {
  if (bytes === undefined) return { problem: TOO_LONG };
  try {
    // A byte order mark is part of the text, so offsets include it.
    return { text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes) };
  } catch {
    return { problem: NOT_UTF8 };
  }
}
