import { describe, expect, it } from 'vitest';
import { createTextScanner, type TextScannerOptions } from '../../../../src/inspect/scan/text-scanner.ts';
import type { StreamDetector } from '../../../../src/detectors/finding.ts';
import { mask } from '../../../../src/detectors/mask.ts';
import { everyCut, randomPieces } from './cuts.ts';
import { wordDetector } from './stream-detectors.ts';
import { scanPieces } from './scan-pieces.ts';

interface Scanned {
  readonly pieces: string[];
  readonly text: string;
  readonly found: string[];
}

function scan(
  pieces: Iterable<string>,
  options: TextScannerOptions = {},
  detector: StreamDetector = wordDetector,
): Scanned {
  const { found, ...left } = scanPieces(createTextScanner(detector, options), pieces);
  return {
    ...left,
    found: found.map(({ finding, text }) => `${finding.rule} ${text}`),
  };
}

const BLOCK = `<<BEGIN>>${'lines of a long key, '.repeat(20)}<<END>>`;

const TEXTS: Readonly<Record<string, string>> = {
  nothing: 'Nothing to see here; a number, 4111, and an @ that is none.',
  'an address': 'Write to jane.doe@example.com, or do not.',
  'an address at the end': 'Write to jane.doe@example.com',
  'an address alone': 'jane.doe@example.com',
  'numbers that touch nothing': 'Card 4111111111111111, not 41111111111111111.',
  'findings side by side': 'jane@example.com joe@example.com 4111111111111111',
  'a value that is known by its name': 'password:  hunter2 and hunter3',
  'a name out of reach': `password:${' '.repeat(60)}hunter2`,
  'a long block': `before ${BLOCK} after`,
  'a block in which findings lie': '<<BEGIN>> jane@example.com <<END>> joe@example.com',
  'a block that never ends': `<<BEGIN>> jane@example.com ${'and more '.repeat(230)}`,
  'beginnings of blocks': '<<BEGIN> <<BEGIN>> <<BEGIN>>x<<END> <<BEGIN>>y<<END>>',
  'characters of two units': '😀😀 jane@example.com 😀',
};

describe('a scanner of one channel', () => {
  it.each(Object.entries(TEXTS))('masks %s like a whole text, wherever it is cut', (_name, text) => {
    const whole = wordDetector.find(text);
    const expected = mask(text, whole);
    const found = whole.map(({ rule, start, end }) => `${rule} ${text.slice(start, end)}`);
    for (const pieces of everyCut(text)) {
      const scanned = scan(pieces);
      expect(scanned.text).toBe(expected);
      expect(scanned.found).toEqual(found);
    }
    for (let seed = 0; seed < 50; seed += 1) expect(scan(randomPieces(text, seed)).text).toBe(expected);
  });

  it('releases decided text at once', () => {
    expect(scan(['Hello ', 'wor', 'ld, ', 'jane', '@exam', 'ple.com', '!']).pieces).toEqual([
      'Hello ',
      '',
      'world, ',
      '',
      '',
      '',
      '***!',
      '',
    ]);
  });

  it('makes one mask of findings that overlap or touch, even if the first was sent', () => {
    const touching: StreamDetector = {
      find: (text) =>
        [...text.matchAll(/[ab]/g)].map(({ index }) => ({
          detector: 'email',
          class: 'email',
          rule: 'letter',
          start: index,
          end: index + 1,
        })),
      openFrom: (text) => text.length,
    };
    expect(scan(['xa', 'b', 'a.', 'b'], {}, touching).pieces).toEqual(['x***', '', '.', '***', '']);
  });

  it('never separates the two units of a character', () => {
    const [high, low] = ['😀'.slice(0, 1), '😀'.slice(1)];
    expect(scan([`a ${high}`, `${low} b `]).pieces).toEqual(['a ', '😀 b ', '']);
    expect(scan([`a ${high}`, ' b ']).pieces).toEqual(['a ', `${high} b `, '']);
    expect(scan([`a ${high}`]).pieces).toEqual(['a ', high]);
  });

  it('judges text after its end by the text before it', () => {
    const scanner = createTextScanner(wordDetector);
    const { buffer } = scanner;
    const out: string[] = [];
    const leave = (): number => out.push(buffer.take(buffer.settled));
    scanner.push('Mail jane@exam');
    leave();
    expect(scanner.finish()).toEqual([]);
    leave();
    scanner.push('ple.com, which is longer than what has left, joe');
    leave();
    expect(scanner.push('@example.com').length + scanner.finish().length).toBe(1);
    leave();
    expect(out).toEqual(['Mail ', 'jane@exam', '***, which is longer than what has left, ', '***']);
  });

  it('continues a mask, if text follows its end', () => {
    const scanner = createTextScanner(wordDetector);
    scanner.push('4111111111111111');
    expect(scanner.finish()).toHaveLength(1);
    expect(scanner.buffer.take(16)).toBe('***');
    scanner.push(' password: x');
    scanner.push(' ');
    expect(scanner.buffer.take(scanner.buffer.settled)).toBe(' password: *** ');
  });

  it('recognizes a value by the text before it', () => {
    expect(scan(['hunter2', ' is it'], { context: '"password": "' }).text).toBe('*** is it');
    expect(scan(['hunter2', ' is it']).text).toBe('hunter2 is it');
    expect(scan(['@example.com', ' it'], { context: 'jane' }).text).toBe('*** it');
  });

  it('finds a value that begins in an earlier text, and one in the text itself, wherever it is cut', () => {
    const joined = 'ple.com is hers. joe@example.com!';
    const alone = 'joe@example.com is his';
    for (const pieces of everyCut(joined)) {
      const { text, found } = scan(pieces, { joinedTo: 'Mail jane@exam' });
      expect(text).toBe('*** is hers. ***!');
      expect(new Set(found)).toEqual(new Set(['address jane@example.com', 'address joe@example.com']));
    }
    for (const pieces of everyCut(alone)) {
      expect(scan(pieces, { joinedTo: 'at:home@' }).text).toBe('*** is his');
    }
  });

  it('forgets the joined text once it is out of reach', () => {
    const scanner = createTextScanner(wordDetector, { joinedTo: 'Mail jane@exam' });
    expect(scanner.tail).toBe('Mail jane@exam');
    for (let piece = 0; piece < 100; piece += 1) {
      scanner.push('ordinary words, and more of them. ');
      scanner.buffer.take(scanner.buffer.settled);
    }
    expect(scanner.keptChars).toBe(256);
    expect(scanner.tail).toHaveLength(256);
  });

  it('withholds a signed text from the first finding on', () => {
    const { text, found } = scan(randomPieces('I think of jane@example.com, and of joe@example.com!', 1), {
      signed: true,
    });
    expect(text).toBe('I think of ');
    expect(found).toEqual(['address jane@example.com', 'address joe@example.com']);
  });

  it('fails closed if the undecided text is longer than any match', () => {
    const greedy: StreamDetector = { find: () => [], openFrom: () => 0 };
    expect(() => scan(new Array(20_000).fill('aaaa'), {}, greedy)).toThrow(
      expect.objectContaining({ type: 'upstream_unavailable' }),
    );
    expect(() => scan(['a'.repeat(65_537)], {}, greedy)).toThrow(
      expect.objectContaining({ type: 'upstream_unavailable' }),
    );
    expect(scan(['a'.repeat(65_536)], {}, greedy).text).toHaveLength(65_536);
  });

  it('searches a long undecided text whenever it has grown by an eighth, not at every piece', () => {
    let read = 0;
    const counting: StreamDetector = {
      find: () => [],
      openFrom(text) {
        read += text.length;
        return 0;
      },
    };
    expect(scan(new Array(8192).fill('aaaa'), {}, counting).text).toHaveLength(32_768);
    expect(read).toBeLessThan(32_768 * 16);
  });

  it('keeps the detectors’ look-behind for texts of any length', () => {
    const scanner = createTextScanner(wordDetector);
    for (let piece = 0; piece < 1000; piece += 1) {
      scanner.push('ordinary words, and more of them. ');
      scanner.buffer.take(scanner.buffer.settled);
    }
    expect(scanner.keptChars).toBe(256);
  });
});
