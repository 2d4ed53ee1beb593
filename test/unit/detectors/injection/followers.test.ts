import fc from 'fast-check';
import { expect, test } from 'vitest';

import { followGrammar, matchAll } from '../../../../src/detectors/injection/followers.ts';
import { compileGrammar, endOfMatch } from '../../../../src/detectors/injection/grammar.ts';
import { lex, lexOnce, Vocabulary } from '../../../../src/detectors/injection/lexer.ts';
import { KIND_RULES, KIND_WORDS } from '../../../../src/detectors/injection/rule-kinds.ts';
import { PHRASE_RULES } from '../../../../src/detectors/injection/phrase-rules.ts';
import { SIGNS } from '../../../../src/detectors/injection/signs.ts';
import { WORDS } from '../../../../src/detectors/injection/vocabulary.ts';

const vocabulary = new Vocabulary();
const rules = [...PHRASE_RULES, ...KIND_RULES, ...SIGNS].map(({ patterns }, label) => ({ label, patterns }));
const grammar = compileGrammar(vocabulary, { ...WORDS, ...KIND_WORDS }, rules);
const followed = followGrammar(grammar);
const tree = vocabulary.freeze();

const CLASSES: Readonly<Record<string, string>> = { ...WORDS, ...KIND_WORDS };

/** Returns the words of a symbol; for `~2` and `$`, words of no pattern. */
function wordsOf(symbol: string): string[] {
  if (/^[~$]/.test(symbol))
    return ['house', 'very house', 'the', 'and then', '.', '. ', '', '!', '\n\n', '\r\n\r\n'];
  return symbol
    .replace('*', 'x')
    .split('|')
    .flatMap((choice) => (CLASSES[choice] ?? choice).trim().split(/\s+/));
}

const sentence = fc
  .constantFrom(...rules.flatMap(({ patterns }) => patterns))
  .chain((pattern) =>
    fc.tuple(...pattern.split(/[\s[\]]+/).map((symbol) => fc.constantFrom(...wordsOf(symbol)))),
  )
  .map((words) => words.join(' '));
const text = fc
  .array(
    fc.oneof(
      { weight: 3, arbitrary: sentence },
      fc.constantFrom('you', 'all', 'do not', "don't", 'IGNORÉ', '的', '\u200b', 'v1.2'),
      fc.string({ unit: 'binary', maxLength: 3 }),
    ),
    { maxLength: 5 },
  )
  .map((parts) => parts.join(' '));

test('the check of the following words loses no pattern', () => {
  let matches = 0;
  fc.assert(
    fc.property(text, (given) => {
      const tokens = lex(given, tree);
      const found: string[] = [];
      matchAll(followed, tokens, (label, at, next) => found.push(`${label} from ${at} to ${next}`));
      const all = Array.from({ length: tokens.count }, (_, at) =>
        (grammar[tokens.words[at] ?? 0] ?? []).flatMap(({ label, sequence }) => {
          const next = endOfMatch(tokens, sequence, at);
          return next === -1 ? [] : [`${label} from ${at} to ${next}`];
        }),
      ).flat();
      matches += all.length;
      expect(found.toSorted()).toEqual(all.toSorted());
    }),
    { numRuns: 2_000, seed: 5 },
  );
  expect(matches).toBeGreaterThan(1_000);
});

test('words read into shared arrays equal those read into new arrays', () => {
  fc.assert(
    fc.property(text, (given) => {
      const { count, starts, ends, words: numbers, breaks } = lex(given, tree);
      const shared = lexOnce(given, tree);
      expect(shared.count).toBe(count);
      for (const [own, other] of [
        [starts, shared.starts],
        [ends, shared.ends],
        [numbers, shared.words],
        [breaks, shared.breaks],
      ] as const) {
        expect([...other.subarray(0, count)]).toEqual([...own.subarray(0, count)]);
      }
    }),
    { numRuns: 500, seed: 5 },
  );
});

const ASCII = [
  'ignore',
  'Ignore',
  'previous',
  'instructions',
  'ignoring',
  'antidisestablishment',
  'a',
  'x9',
  '523',
];
const KNOWN = Object.values(CLASSES)
  .flatMap((words) => words.trim().split(/\s+/))
  .filter((word) => /^[a-z]+$/.test(word));
const BETWEEN = [
  ' ',
  ' ',
  ' ',
  "'",
  "''",
  '`',
  '. ',
  '.',
  '?\n',
  '\n',
  '\n\n',
  '\r\n\r\n',
  '-',
  ', ',
  '\u0000',
];

test('words of ASCII, cached or not, equal those read letter by letter', () => {
  const part = fc.tuple(fc.constantFrom(...ASCII, ...KNOWN), fc.constantFrom(...BETWEEN));
  fc.assert(
    fc.property(fc.array(part, { maxLength: 40 }), fc.constantFrom('', "'", ' '), (parts, before) => {
      const given = before + parts.flat().join('');
      const { count, starts, ends, words: numbers, breaks } = lex(given, tree);
      const own = [starts, ends, numbers, breaks].map((list) => [...list.subarray(0, count)]);
      const shared = lexOnce(given, tree);
      const known = [shared.starts, shared.ends, shared.words, shared.breaks];
      expect(known.map((list) => [...list.subarray(0, shared.count)])).toEqual(own);
    }),
    { numRuns: 2_000, seed: 5 },
  );
});
