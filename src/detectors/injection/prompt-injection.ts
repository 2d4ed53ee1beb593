import { addAll } from '../../add-all.ts';
import type { Detector, Finding } from '../finding.ts';
import { EVERY_PHRASE, EVERY_WORD } from './every-phrase.ts';
import { followGrammar, matchAll } from './followers.ts';
import { compileGrammar } from './grammar.ts';
import { createMentionGuard } from './guards.ts';
import { lexOnce, Vocabulary, type Tokens } from './lexer.ts';
import { findMarkup } from './markup.ts';
import { findPersonas, type SeenSign } from './persona.ts';
import { SPLIT_PAYLOAD } from './rule-kinds.ts';
import type { PhraseLabel } from './phrase-rules.ts';
import { SIGNS, type Sign } from './signs.ts';
import { findJoints } from './splitting.ts';
import { runNow } from '../../turns.ts';
import { escapeViews } from '../json-escapes.ts';

type Label = { readonly phrase: PhraseLabel } | { readonly sign: Sign };

const vocabulary = new Vocabulary();
const GRAMMAR = followGrammar(
  compileGrammar<Label>(vocabulary, EVERY_WORD, [
    ...EVERY_PHRASE.map(({ label, patterns }) => ({ label: { phrase: label }, patterns })),
    ...SIGNS.map((sign) => ({ label: { sign }, patterns: sign.patterns })),
  ]),
);
const isMention = createMentionGuard(vocabulary);
const SUCH = vocabulary.add('such');
const TREE = vocabulary.freeze();

/**
 * Finds orders to drop instructions or misuse tools, unrestricted personas, requests for the system prompt, and markup
 * that poses as a turn, hides text or exfiltrates data. Also scans the text with JSON escapes decoded, because an
 * escaped line break hides the next word.
 */
export const findPromptInjection: Detector = (text) => {
  const found = findPlain(text);
  const views = runNow(escapeViews(text, Math.max(1, text.length)));
  for (const view of views) {
    addAll(
      found,
      findPlain(view.text).map((finding) => ({ ...finding, ...view.toOriginal(finding) })),
    );
  }
  const inOrder = found.toSorted((a, b) => a.start - b.start || b.end - a.end);
  return views.length === 0 ? inOrder : once(inOrder);
};

const findPlain = (text: string): Finding[] => [...findWhole(text), ...findSplit(text)];

function findWhole(text: string): Finding[] {
  const { phrases, signs } = readSentences(text, lexOnce(text, TREE));
  return [...phrases, ...findPersonas(signs), ...findMarkup(text)];
}

/** Finds joined fragments that contain an attack, or that the text orders the model to follow. */
const findSplit = (text: string): Finding[] =>
  findJoints(text)
    .filter((joint) => joint.isOrdered || findWhole(joint.text).length > 0)
    .map(({ start, end }) => ({
      detector: 'prompt_injection',
      class: SPLIT_PAYLOAD.class,
      rule: SPLIT_PAYLOAD.rule,
      start,
      end,
    }));

function once(found: readonly Finding[]): Finding[] {
  const reached = new Map<string, number>();
  return found.filter(({ class: kind, end }) => {
    const isNew = end > (reached.get(kind) ?? 0);
    if (isNew) reached.set(kind, end);
    return isNew;
  });
}

function readSentences(
  text: string,
  tokens: Tokens,
): { phrases: readonly Finding[]; signs: readonly SeenSign[] } {
  const phrases: Finding[] = [];
  const signs: SeenSign[] = [];
  matchAll(GRAMMAR, tokens, (label, at, next) => {
    const start = tokens.starts[at] ?? 0;
    const end = tokens.ends[next - 1] ?? start;
    if ('sign' in label) {
      // "Personas such as DAN" assigns no role.
      if (at === 0 || tokens.words[at - 1] !== SUCH) signs.push({ sign: label.sign, start, end });
    } else if (!isMention(text, tokens, at, end)) addPhrase(phrases, label.phrase, start, end);
  });
  return { phrases, signs };
}

/** Adds a phrase, or merges it with the last one if they overlap and have the same class. */
function addPhrase(phrases: Finding[], label: PhraseLabel, start: number, end: number): void {
  const last = phrases.at(-1);
  if (last?.class === label.class && start < last.end) {
    phrases[phrases.length - 1] = { ...last, end: Math.max(last.end, end) };
    return;
  }
  phrases.push({ detector: 'prompt_injection', ...label, start, end });
}
