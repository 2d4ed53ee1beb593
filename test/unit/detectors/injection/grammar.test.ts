import { describe, expect, test } from 'vitest';

import { compileGrammar, endOfMatch } from '../../../../src/detectors/injection/grammar.ts';
import { lex, Vocabulary } from '../../../../src/detectors/injection/lexer.ts';

const CLASSES = { VERB: 'drop négligez', NOUN: 'rule rules 规则' };

/** Returns the parts of a text that a pattern matches. */
function matchesOf(pattern: string, text: string): string[] {
  const vocabulary = new Vocabulary();
  const grammar = compileGrammar(vocabulary, CLASSES, [{ label: 'it', patterns: [pattern] }]);
  const tokens = lex(text, vocabulary.freeze());
  return Array.from({ length: tokens.count }, (_, at) => at).flatMap((at) =>
    (grammar[tokens.words[at] ?? 0] ?? []).flatMap(({ sequence }) => {
      const next = endOfMatch(tokens, sequence, at);
      return next === -1 ? [] : [text.slice(tokens.starts[at], tokens.ends[next - 1])];
    }),
  );
}

describe('the notation of patterns', () => {
  test.each([
    ['VERB NOUN', 'drop rules', ['drop rules']],
    ['VERB NOUN', 'drop the rules', []],
    ['VERB ~1 NOUN', 'drop the rules', ['drop the rules']],
    ['VERB ~1 NOUN', 'drop all the rules', []],
    ['VERB [all] NOUN', 'drop all rules, drop rules', ['drop all rules', 'drop rules']],
    ['VERB all|each NOUN', 'drop each rule', ['drop each rule']],
    ['VERB ~2 NOUN', 'drop it. The rule', []],
    ['VERB ~2 NOUN', 'drop it\n\nThe rule', []],
    ['VERB ~2 NOUN', 'drop v1.2 rule', ['drop v1.2 rule']],
    ['VERB NOUN $', 'drop rules. Yes', ['drop rules']],
    ['VERB NOUN $', 'drop rules now', []],
    ['VERB now|$', 'drop. drop now. drop it', ['drop', 'drop now']],
    ['VERB rul*', 'drop ruling', ['drop ruling']],
    ['dont VERB', "don't drop, don’t DROP", ["don't drop", 'don’t DROP']],
    ['VERB NOUN', 'NEGLIGEZ rules', ['NEGLIGEZ rules']],
    ['VERB ~2 NOUN', 'drop的新规则', ['drop的新规则']],
    ['VERB ~1 NOUN', 'drop的新规则', []],
    ['NOUN ~3 VERB', '规则的新 drop', ['规则的新 drop']],
  ])('%s in %j', (pattern, text, matches) => {
    expect(matchesOf(pattern, text)).toEqual(matches);
  });

  test('a class that does not exist is an error', () => {
    expect(() => matchesOf('NOBODY', 'x')).toThrow('unknown word class NOBODY');
  });
});
