import { describe, expect, it } from 'vitest';
import { MAX_INPUT_BYTES, readLines, readInputText, type Line } from '../../../src/scan/lines.ts';

async function* pieces(text: string | Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function lines(text: string | Uint8Array, size = 65_536): Promise<Line[]> {
  const read: Line[] = [];
  for await (const line of readLines(pieces(text, size))) read.push(line);
  return read;
}

describe('reading lines', () => {
  it('is the same wherever the stream is cut', async () => {
    const text = 'first\nsecond 🙂 é\r\n\n  \nlast without an end';
    const whole = await lines(text);
    expect(whole).toEqual([
      { number: 1, text: 'first' },
      { number: 2, text: 'second 🙂 é\r' },
      { number: 5, text: 'last without an end' },
    ]);
    for (let size = 1; size <= Buffer.byteLength(text); size++)
      expect(await lines(text, size)).toEqual(whole);
  });

  it('of an empty stream has no lines', async () => {
    expect(await lines('')).toEqual([]);
    expect(await lines('\n\r\n')).toEqual([]);
  });

  it('reports a line that is not UTF-8, and continues', async () => {
    const bytes = Buffer.concat([
      Buffer.from('one\n'),
      Buffer.from([0x66, 0xff, 0x0a]),
      Buffer.from('three'),
    ]);
    expect(await lines(bytes)).toEqual([
      { number: 1, text: 'one' },
      { number: 2, problem: 'is not UTF-8' },
      { number: 3, text: 'three' },
    ]);
  });

  it('accepts a line of exactly the maximum, and not one byte more', async () => {
    const longest = 'a'.repeat(MAX_INPUT_BYTES);
    const read = await lines(`${longest}\n${longest}a\nnext\n`);
    expect(read.map((line) => ('text' in line ? line.text.length : line.problem))).toEqual([
      MAX_INPUT_BYTES,
      'is longer than 16 MiB',
      4,
    ]);
  });
});

describe('reading a text', () => {
  it('does not change it', async () => {
    const text = '\uFEFFa\r\nb\n\n\u{1F642}\u0000';
    for (let size = 1; size < 5; size++) expect(await readInputText(pieces(text, size), 'it')).toBe(text);
    expect(await readInputText(pieces('', 1), 'it')).toBe('');
  });

  it('stops at the maximum', async () => {
    let given = 0;
    async function* endless(): AsyncGenerator<Uint8Array> {
      for (;;) {
        given++;
        yield Buffer.alloc(1_048_576);
      }
    }
    await expect(readInputText(endless(), 'it')).rejects.toThrow('it is longer than 16 MiB');
    expect(given).toBe(17);
  });

  it('refuses a text that is not UTF-8', async () => {
    await expect(readInputText(pieces(Buffer.from([0xc3]), 1), 'it')).rejects.toThrow('it is not UTF-8');
  });
});
