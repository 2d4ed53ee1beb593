import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GatewayError } from '../../../src/errors.ts';
import { strictFrame } from '../../../src/answers/unambiguous-frame.ts';
import { ndjson } from '../../../src/streams/ndjson.ts';

const strict = (data: string): string =>
  strictFrame(ndjson, { raw: Buffer.from(`${data}\n`), data }).data ?? '';

/** Follows the grammar: skips strings, and matches whole words. */
const REFERENCE = /"(?:[^"\\]+|\\[^]?)*"?|-?\bInfinity\b|\bNaN\b/g;
const replaced = (text: string): string =>
  text.replace(REFERENCE, (found) => (found.startsWith('"') ? found : 'null'));

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

describe('strictFrame', () => {
  it.each<[string, string]>([
    ['{"p":NaN}', '{"p":null}'],
    ['[NaN,-Infinity,Infinity,NaN]', '[null,null,null,null]'],
    ['{"a":"NaN \\" Infinity","b":NaN}', '{"a":"NaN \\" Infinity","b":null}'],
    ['NaN', 'null'],
    ['-Infinity', 'null'],
    ['{"a":"\\\\","b":NaN,"NaN":"-Infinity"}', '{"a":"\\\\","b":null,"NaN":"-Infinity"}'],
  ])('makes %s %s', (data, expected) => {
    const frame = strictFrame(ndjson, { raw: Buffer.from(`${data}\n`), data });
    expect(frame.data).toBe(expected);
    expect(frame.raw.toString().trim()).toBe(expected);
  });

  it.each([
    '{"a":"NaN"}',
    '[-NaN]',
    '[aNaN]',
    '[NaNs]',
    '[1NaN]',
    '[_Infinity]',
    '[NaN',
    '"NaN',
    '{"a":NaN,}',
    'NaN is not a number',
  ])('leaves %s unchanged', (data) => {
    const frame = { raw: Buffer.from(`${data}\n`), data };
    expect(strictFrame(ndjson, frame)).toBe(frame);
  });

  it('has the same replacements as a search for strings and words', () => {
    const piece = fc.constantFrom(
      'NaN',
      '-Infinity',
      'Infinity',
      '"',
      '\\',
      '\\"',
      ',',
      '[',
      ']',
      '-',
      'a',
      '_',
      ' ',
      '1',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 24 }), (pieces) => {
        for (const text of [pieces.join(''), `[${pieces.join(',')}]`]) {
          const expected = replaced(text);
          expect(strict(text)).toBe(isJson(expected) ? expected : text);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('refuses a frame with too many such numbers', () => {
    expect(() => strict(`[${'NaN,'.repeat(100_000)}NaN]`)).toThrow(GatewayError);
    expect(strict(`[${'NaN,'.repeat(10_000)}NaN]`)).toBe(`[${'null,'.repeat(10_000)}null]`);
  });

  it.each<[string, string]>([
    ['texts', `[NaN,${'"ab",'.repeat(200_000)}"NaN",NaN]`],
    ['empty texts', `[NaN,${'"",'.repeat(300_000)}NaN]`],
    ['texts that contain NaN', `[NaN,${'"NaN",'.repeat(160_000)}1]`],
    ['only such numbers', `[${'NaN,'.repeat(99_000)}1${' '.repeat(3_000_000)}]`],
    ['escapes', `[NaN,"${'\\"'.repeat(500_000)}",NaN]`],
    ['an unterminated text', `NaN "${'\\'.repeat(1_000_000)}`],
  ])('reads a million bytes of %s in linear time', (_, data) => {
    const before = process.cpuUsage();
    strict(data);
    expect(process.cpuUsage(before).user / 1000).toBeLessThan(1_000);
  });
});
