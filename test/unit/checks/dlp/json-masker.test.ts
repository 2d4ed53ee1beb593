import { describe, expect, it } from 'vitest';
import { createJsonScanner, maskJsonText, readJsonText } from '../../../../src/inspect/scan/json-masker.ts';
import { CHUNK_CHARS } from '../../../../src/inspect/scan/text-scanner.ts';
import type { Found } from '../../../../src/inspect/inspected.ts';
import type { StreamDetector } from '../../../../src/detectors/finding.ts';
import { atOnce } from '../../../support/at-once.ts';
import { everyCut, randomPieces } from './cuts.ts';
import { wordDetector } from './stream-detectors.ts';
import { scanPieces } from './scan-pieces.ts';

const readAtOnce = (json: string): string => atOnce(readJsonText(json));

function masked(json: string): string {
  return atOnce(maskJsonText(json, wordDetector.find(readAtOnce(json))));
}

function scan(
  pieces: Iterable<string>,
  detector: StreamDetector = wordDetector,
): { pieces: string[]; text: string; found: Found[] } {
  return scanPieces(createJsonScanner(detector), pieces);
}

/** Arguments, and their masked form. */
const VALID: Readonly<Record<string, readonly [json: string, masked: string]>> = {
  'no findings': [
    String.raw`{"a":"x\ny","b":[1,-2.5e3,true,null],"c":{}}`,
    String.raw`{"a":"x\ny","b":[1,-2.5e3,true,null],"c":{}}`,
  ],
  'blanks and lines': [
    '{\n  "to": "jane@example.com",\r\n\t"n": 1\n}\n',
    '{\n  "to": "***",\r\n\t"n": 1\n}\n',
  ],
  'a value': ['{"to":"jane@example.com"}', '{"to":"***"}'],
  'part of a value': ['{"to":"Jane <jane@example.com>, Joe"}', '{"to":"Jane <***>, Joe"}'],
  'a value of escapes': [String.raw`{"to":"\u006aane\u0040ex\u0061mple.com\n"}`, String.raw`{"to":"***\n"}`],
  'escapes at its borders': [
    String.raw`["\njane@example.com\n","\\jane@example.com\\"]`,
    String.raw`["\n***\n","\\***\\"]`,
  ],
  'a quote beside it': [String.raw`["say \"jane@example.com\" to"]`, String.raw`["say \"***\" to"]`],
  'an escaped backslash that is no escape': [String.raw`["C:\\jane@example.com"]`, String.raw`["C:\\***"]`],
  'a document in a string': [
    String.raw`{"q":"{\"password\":\"hunter2\"}"}`,
    String.raw`{"q":"{\"password\":\"***\"}"}`,
  ],
  'a value known by its name': ['{"password":"hunter2"}', '{"password":"***"}'],
  'a name of escapes': [String.raw`{"pass\u0077ord" : "hunter2"}`, String.raw`{"pass\u0077ord" : "***"}`],
  'a member name': ['{"jane@example.com":{"joe@example.com":1}}', '{"***":{"***":1}}'],
  'a number': ['{"card":4111111111111111,"n":12}', '{"card":"***","n":12}'],
  'a number alone': ['4111111111111111', '"***"'],
  'a number at the end of lines': ['[4111111111111111\n]', '["***"\n]'],
  'part of a number': ['[-1,{"password":-12.5e-7}]', '[-1,{"password":"***"}]'],
  'numbers side by side': ['[4111111111111111,4111111111111111]', '["***","***"]'],
  'a literal that is found': ['{"password":true,"b":null}', '{"password":true,"b":null}'],
  'a string that reads like a literal': ['{"password":"true"}', '{"password":"***"}'],
  'a block over several strings': [
    '["<<BEGIN>> one","two", 3, null, {"four":"five <<END>> six"}]',
    '["***","***", "***", null, {"***":"*** six"}]',
  ],
  'an empty string in a block': ['["<<BEGIN>>","","<<END>>"]', '["***","","***"]'],
  'two units of one character': [
    String.raw`{"a":"\ud83d\ude00 jane@example.com 😀"}`,
    String.raw`{"a":"\ud83d\ude00 *** 😀"}`,
  ],
  'half a character': [String.raw`{"a":"\ud83d jane@example.com"}`, String.raw`{"a":"\ud83d ***"}`],
};

const INVALID: Readonly<Record<string, readonly [json: string, masked: string]>> = {
  'nothing at all': ['', ''],
  'plain words': ['Write to jane@example.com, or 4111111111111111 now.', 'Write to ***, or *** now.'],
  'a number and a word': ['4111111111111111 times', '*** times'],
  'a word and a number': ['card 4111111111111111', 'card ***'],
  'cut off in a string': ['{"to":"jane@example.com', '{"to":"***'],
  'cut off in an escape': [String.raw`{"to":"jane@example.com \u00`, String.raw`{"to":"*** \u00`],
  'cut off behind a backslash': ['{"to":"jane@example.com \\', '{"to":"*** \\'],
  'cut off in a number': ['{"card":4111111111111111', '{"card":"***"'],
  'an escape that is none': [String.raw`{"to":"\jane@example.com\u00zz"}`, String.raw`{"to":"\***\u00zz"}`],
  'an escape outside of strings': [String.raw`{to: \u006aane@example.com}`, String.raw`{to: \***}`],
  'names without quotes': ['{to: jane@example.com}', '{to: ***}'],
  'other quotes': ["{'password': 'hunter2'}", "{'password': '***'}"],
  'a quote too many': ['"" " jane@example.com', '"" " ***'],
};

const ALL = { ...VALID, ...INVALID };

describe('arguments of a tool call', () => {
  it.each(Object.entries(ALL))('are masked if they contain %s', (_name, [json, expected]) => {
    expect(masked(json)).toBe(expected);
  });

  it.each(Object.values(VALID))('stay valid JSON: %s', (json, expected) => {
    expect(() => JSON.parse(json) as unknown).not.toThrow();
    expect(() => JSON.parse(expected) as unknown).not.toThrow();
  });

  it('are searched as a program reads them', () => {
    expect(readAtOnce(String.raw`{"\u0061\n":"\"\\\/\b\f\r\t",  "b": 1}`)).toBe(
      '{"a\n":""\\/\b\f\r\t",  "b": 1}',
    );
  });

  it('are masked piece by piece if they are long, with the same result', () => {
    for (let seed = 0; seed < 3; seed += 1) {
      const documents = Array.from({ length: 2_000 }, (_, index) => randomDocument(seed * 2_000 + index));
      const json = `[${documents.join(',')}]`;
      expect(json.length).toBeGreaterThan(4 * CHUNK_CHARS);
      const expected = masked(json);
      expect(scan([json]).text).toBe(expected);
      expect(() => JSON.parse(expected) as unknown).not.toThrow();
    }
  });

  it('are masked with findings in any order', () => {
    const json = '["jane@example.com","joe@example.com"]';
    expect(atOnce(maskJsonText(json, wordDetector.find(json).toReversed()))).toBe('["***","***"]');
  });
});

describe('a scanner of arguments', () => {
  it.each(Object.entries(ALL))(
    'masks %s in pieces like the whole text, wherever it is cut',
    (_name, [json, expected]) => {
      for (const pieces of everyCut(json)) expect(scan(pieces).text).toBe(expected);
      for (let seed = 0; seed < 50; seed += 1) expect(scan(randomPieces(json, seed)).text).toBe(expected);
      expect(scan([...json]).text).toBe(expected);
    },
  );

  it('finds the same in pieces as in the whole', () => {
    for (const [json] of Object.values(ALL)) {
      const text = readAtOnce(json);
      const whole = wordDetector.find(text).map(({ start, end }) => text.slice(start, end));
      for (let seed = 0; seed < 10; seed += 1) {
        expect(scan(randomPieces(json, seed)).found.map((found) => found.text)).toEqual(whole);
      }
    }
  });

  it('releases decided text at once, and numbers as a whole', () => {
    expect(scan(['{"a', '":', '12', '.5', ',"b":"jane@', 'example.com', '","c', '":1}']).pieces).toEqual([
      '{"',
      'a":',
      '',
      '',
      '12.5,"b":"',
      '',
      '***","',
      'c":1}',
      '',
    ]);
  });

  it('keeps the beginning of a number until its end decides', () => {
    const digits: StreamDetector = {
      find: (text) =>
        [...text.matchAll(/(?<!\d)\d{16}(?!\d)/g)].map(({ index }) => ({
          detector: 'card',
          class: 'card',
          rule: 'digits',
          start: index,
          end: index + 16,
        })),
      openFrom: (text) => text.length - (/\d{0,16}$/.exec(text)?.[0].length ?? 0),
    };
    for (const [json, expected] of [
      ['[-4111111111111111]', '["***"]'],
      ['{"a":0.4111111111111111e5 }', '{"a":"***" }'],
      ['[1.4111111111111111', '["***"'],
      ['[-12.25e-3,1]', '[-12.25e-3,1]'],
    ] as const) {
      for (const pieces of everyCut(json)) expect(scan(pieces, digits).text).toBe(expected);
      expect(scan([...json], digits).text).toBe(expected);
    }
  });

  it('never sends half an escape', () => {
    expect(scan(['["x ', '\\', 'u00', '61', ' y"]']).pieces).toEqual(['["x ', '', '', '', '\\u0061 y"]', '']);
  });

  it('does not hold a number longer than any finding', () => {
    const { pieces, text } = scan(randomPieces(`[${'1'.repeat(5000)}]`, 1));
    expect(text).toBe(`[${'1'.repeat(5000)}]`);
    expect(Math.max(...pieces.map((piece) => piece.length))).toBeLessThan(300);
  });

  it('fails closed if it would have to hold a number forever', () => {
    const scanner = createJsonScanner(wordDetector);
    scanner.push('[4111111111111111');
    expect(() => {
      for (let piece = 0; piece < 100; piece += 1) scanner.push(' '.repeat(4096));
    }).toThrow(expect.objectContaining({ type: 'upstream_unavailable' }));
  });

  it('keeps little in memory for any length and any number of escapes', () => {
    const scanner = createJsonScanner(wordDetector);
    scanner.push('[');
    for (let piece = 0; piece < 500; piece += 1) {
      scanner.push(String.raw`"\u0061\n words",12, `.repeat(10));
      scanner.buffer.take(scanner.buffer.settled);
    }
    expect(scanner.keptChars).toBeLessThan(400);
  });

  it('masks any document in pieces like the whole, and leaves it valid', () => {
    for (let seed = 0; seed < 300; seed += 1) {
      const json = randomDocument(seed);
      const expected = masked(json);
      expect(scan(randomPieces(json, seed)).text).toBe(expected);
      expect(() => JSON.parse(expected) as unknown).not.toThrow();
      if (wordDetector.find(readAtOnce(json)).length === 0) expect(expected).toBe(json);
    }
  });
});

const PARTS = [
  'jane@example.com',
  '4111111111111111',
  'password',
  'x',
  ' ',
  '\\',
  '"',
  '<<BEGIN>>',
  '<<END>>',
  '\n',
  '😀',
  '\u2028',
  'key-abcdefghijkl',
];

function randomDocument(seed: number): string {
  let state = seed * 747796405 + 2891336453;
  function next(below: number): number {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (state >>> 8) % below;
  }
  const text = (): string => Array.from({ length: next(5) }, () => PARTS[next(PARTS.length)] ?? '').join('');
  const character = (one: string): string =>
    next(4) > 0 ? JSON.stringify(one).slice(1, -1) : `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`;
  const quoted = (): string => `"${text().split('').map(character).join('')}"`;
  function value(depth: number): string {
    switch (next(depth > 3 ? 4 : 6)) {
      case 0:
        return ['4111111111111111', '12', '-0.5', '1e3'][next(4)] ?? '0';
      case 1:
        return ['true', 'false', 'null'][next(3)] ?? 'null';
      case 2:
      case 3:
        return quoted();
      case 4:
        return `[${Array.from({ length: next(5) }, () => value(depth + 1)).join(next(2) === 0 ? ',' : ' , ')}]`;
      default:
        return `{${Array.from({ length: next(4) }, () => `${quoted()}:${value(depth + 1)}`).join(', ')}}`;
    }
  }
  return value(0);
}
