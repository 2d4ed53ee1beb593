import type { Detector, Finding } from './finding.ts';
import { compileGrammar, matchAt } from './injection-grammar.ts';
import { createMentionGuard } from './injection-guards.ts';
import { lex, Vocabulary, type Tokens } from './injection-lexer.ts';
import { findMarkup } from './injection-markup.ts';
import { findPersonas, type SeenSign } from './injection-persona.ts';
import { PHRASE_RULES, type PhraseLabel } from './injection-rules.ts';
import { SIGNS, type Sign } from './injection-signs.ts';
import { WORDS } from './injection-words.ts';

type Label = { readonly phrase: PhraseLabel } | { readonly sign: Sign };

const vocabulary = new Vocabulary();
const GRAMMAR = compileGrammar<Label>(vocabulary, WORDS, [
  ...PHRASE_RULES.map(({ label, patterns }) => ({ label: { phrase: label }, patterns })),
  ...SIGNS.map((sign) => ({ label: { sign }, patterns: sign.patterns })),
]);
const isMention = createMentionGuard(vocabulary);
const TREE = vocabulary.freeze();

/** Finds attempts to make a model drop its instructions, play an unrestricted persona, tell its system prompt or take text for a turn. */
export const findPromptInjection: Detector = (text) => {
  const { phrases, signs } = readSentences(text, lex(text, TREE));
  return [...phrases, ...findPersonas(signs), ...findMarkup(text)].toSorted((a, b) => a.start - b.start);
};

const readSentences = (
  text: string,
  tokens: Tokens,
): { phrases: readonly Finding[]; signs: readonly SeenSign[] } => {
  const phrases: Finding[] = [];
  const signs: SeenSign[] = [];
  for (let at = 0; at < tokens.count; at++) {
    for (const { label, sequence } of GRAMMAR[tokens.words[at] ?? 0] ?? []) {
      const next = matchAt(tokens, sequence, at);
      if (next === -1) continue;
      const start = tokens.starts[at] ?? 0;
      const end = tokens.ends[next - 1] ?? start;
      if ('sign' in label) signs.push({ sign: label.sign, start, end });
      else if (!isMention(text, tokens, at, end)) addPhrase(phrases, label.phrase, start, end);
    }
  }
  return { phrases, signs };
};

/** Two ways to read one phrase are one finding. */
const addPhrase = (phrases: Finding[], label: PhraseLabel, start: number, end: number): void => {
  const last = phrases.at(-1);
  if (last?.class === label.class && start < last.end) {
    phrases[phrases.length - 1] = { ...last, end: Math.max(last.end, end) };
    return;
  }
  phrases.push({ detector: 'prompt_injection', ...label, start, end });
};
