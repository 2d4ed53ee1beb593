import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  assertParseable,
  readDocument,
  isUnambiguous,
  shapeInSteps,
  shapeOf,
  type ReadDocument,
} from '../../../src/json/document-shape.ts';
import { runNow } from '../../../src/turns.ts';
import { threadCpuMs } from '../../support/cpu-time.ts';

function inSteps(text: string): ReturnType<typeof shapeOf> {
  const steps = shapeInSteps(text);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

function isAllSaid(text: string): boolean {
  return isUnambiguous(text, JSON.parse(text));
}

describe('a parsed document has all values of its text', () => {
  it.each([
    '{}',
    '{"a":1,"b":{"a":[{"a":2},{"a":3}]}}',
    '{"a":"b:c","d":"\\":\\"","e":"{\\"a\\":1}"}',
    '{"__proto__":{"x":1},"constructor":2}',
    '[null,{"a":null},[],"x:y"]',
    ` { "a" : "\\\\" , "b" : [ 1 , "${'x'.repeat(100)}:" ] } `,
  ])('in %s', (text) => {
    expect(isAllSaid(text)).toBe(true);
  });

  it.each([
    ['a duplicate name', '{"content":"clean","content":"other"}'],
    ['a nested duplicate name', '{"a":[{"b":1},{"b":1,"b":{"c":2}}]}'],
    ['a duplicate name, once with escapes', '{"ab":1,"\\u0061b":2}'],
    ['a name that is one escaped character', '{"\\n":1}'],
    ['a name with an escape', '{"a\\u0062c":1}'],
  ])('but not with %s', (_, text) => {
    expect(isAllSaid(text)).toBe(false);
  });

  it('for every serialized document with plain names', () => {
    const name = fc.stringMatching(/^[a-z_]{0,8}$/);
    const value = fc.letrec((tie) => ({
      any: fc.oneof(
        { maxDepth: 4 },
        fc.string(),
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        fc.constant(null),
        fc.array(tie('any')),
        fc.dictionary(name, tie('any')),
      ),
    })).any;
    fc.assert(
      fc.property(value, (json) => {
        expect(isAllSaid(JSON.stringify(json, null, 1))).toBe(true);
      }),
      { numRuns: 300 },
    );
  });
});

describe('a document that would block the process', () => {
  it.each([
    ['deep', `${'['.repeat(257)}${']'.repeat(257)}`, 'nested too deeply'],
    ['a deep document that is broken', '{"a":'.repeat(100_000), 'nested too deeply'],
    ['a document of many arrays', `[${'[],'.repeat(400_000)}1]`, 'too many parts'],
    ['a document of many names', `{${'"a":1,'.repeat(200_000)}"a":1}`, 'too many parts'],
  ])('is refused: %s', (_, text, why) => {
    expect(() => assertParseable(text)).toThrow(why);
  });

  it.each([
    ['as deep as allowed', `${'['.repeat(256)}${']'.repeat(256)}`],
    ['brackets in a string', JSON.stringify('['.repeat(1_000))],
    ['a long list of vectors', `[${'0.0123456,'.repeat(1_500_000)}1]`],
  ])('is accepted: %s', (_, text) => {
    expect(() => assertParseable(text)).not.toThrow();
  });

  it('is read once, with anything in its strings', () => {
    for (const piece of ['\\"', '\\\\', 'a', '{', ':']) {
      const started = threadCpuMs();
      expect(shapeOf(`"${piece.repeat(1_000_000)}"`).members).toBe(0);
      expect(threadCpuMs() - started).toBeLessThan(1_000);
    }
  });
});

describe('shapeInSteps', () => {
  const filler = 'x'.repeat(700);
  it.each([
    ['texts longer than a step', `{"a":"${filler.repeat(4_000)}","b":["${filler.repeat(2_000)}",1]}`],
    ['texts of escapes', `{"a":"${'\\"\\\\'.repeat(600_000)}","b\\u0063":[1,2]}`],
    ['many members', `[${'{"a":1,"b":"c"},'.repeat(120_000)}1]`],
    ['blanks', `[${' '.repeat(3_000_000)}1,"${filler}"]`],
    ['long numbers', `[${'1e99,'.repeat(400_000)}1]`],
  ])('returns the shape: %s', (_what, text) => {
    expect(runNow(shapeInSteps(text))).toEqual(shapeOf(text));
  });
});

describe('the work of a document', () => {
  it.each([
    ['blanks', `[${' '.repeat(39_000_000)}1]`, `[${' '.repeat(16_000_000)}1]`],
    ['texts in lists', `[${'"",'.repeat(410_000)}1]`, `[${'"",'.repeat(390_000)}1]`],
    ['exponents', `[${'1e9,'.repeat(1_210_000)}1]`, `[${'1e9,'.repeat(1_190_000)}1]`],
    ['a vector', `[${'0.1,'.repeat(2_410_000)}1]`, `[${'0.1,'.repeat(2_390_000)}1]`],
  ])('bounds %s', (_what, tooMuch, enough) => {
    expect(shapeOf(tooMuch).isTooLarge).toBe(true);
    expect(shapeOf(enough).isTooLarge).toBe(false);
  });
});

describe('escapes', () => {
  const escaped = (times: number): string => `{"text":"${String.raw`\r\n`.repeat(times)}"}`;

  it('count as work in a text with millions of them that is read in steps', () => {
    expect(inSteps(escaped(3_100_000)).isTooLarge).toBe(true);
  });

  it('do not cause refusals of real texts: a JSON document in a string, lines of 40 characters', () => {
    const document = JSON.stringify({ text: JSON.stringify([{ name: 'ab', value: 'c' }]).repeat(400_000) });
    expect(document.length).toBeGreaterThan(12_000_000);
    expect(inSteps(document).isTooLarge).toBe(false);
    const lines = JSON.stringify({ text: `${'x'.repeat(40)}\r\n`.repeat(350_000) });
    expect(inSteps(lines).isTooLarge).toBe(false);
  });
});

describe('readDocument', () => {
  const read = (text: string): ReadDocument => runNow(readDocument(text));

  it('reads a long text in steps with the same shape and value', () => {
    const text = `{"a":${' '.repeat(1_400_000)}[2]}`;
    expect(read(text)).toEqual({ text, shape: shapeOf(text), parsed: { value: { a: [2] }, members: 1 } });
  });

  it('skips the second count of members only for the value that it read', () => {
    const text = '{"a":1,"a":2}';
    const known = read(text);
    expect(isUnambiguous(text, known.parsed?.value, known)).toBe(false);
    expect(isUnambiguous('{"a":2}', { a: 2 }, known)).toBe(true);
  });

  it('has no value for a text that is not JSON, is too deep or is too large', () => {
    for (const text of ['{"a":', '['.repeat(300), '']) expect(read(text).parsed).toBeUndefined();
  });
});
