import type { Tokens, Vocabulary } from './lexer.ts';

/** Words that tell of an act instead of ordering it, right before the verb. */
const NARRATORS = `i they he she people users who which often sometimes students drivers always we did does would could might
  developers employees many models attackers`;
/** Tell of an act too, unless they speak to the model. */
const MODALS = `will may can`;
const ADDRESSED = `you u ai assistant assistants model llm chatbot chatgpt gpt agent it`;
const NEGATIONS = `not dont never cannot cant wont shouldnt mustnt doesnt didnt nicht nie 不要 请勿 切勿`;
const HOW = `to do does can could should would did i models attackers`;

const MENTION =
  /(?:such as|like|e\.g\.|examples?|phrases?|strings?|says?|said|saying|contain(?:s|ing)?|patterns?|texts?|words|called|injections?|attacks?|match(?:es)?|detect(?:s|ing)?|includes?)\W{0,3}$/i;
const OPENING = /["“'‘«`]/;
const CLOSING = /^[^"”'’»`\n]{0,40}["”'’»`]/;

/** Where a defence says that orders stand which are not to be followed: in what was fetched, never in a prompt. */
const IN_CONTENT = new RegExp(
  [
    '^[\\s,]{0,2}(?:[a-z]{3,16}, ){0,3}(?:(?:or|and) [a-z ]{1,48})?',
    '(?:that (?:are|is|may be|might be|appear|appears) )?(?:embedded |contained |found |hidden |written |placed )?',
    '(?:in|inside|within) (?:them|it|those|the same|(?:this|that|these|those|the|such|any)? ?',
    '(?:fetched |untrusted |quoted |retrieved |external |tool |web |chat |attached |issue |page |file )?',
    '(?:contents?|tags?|data|files?|documents?|pages?|issues?|comments?|diffs?|results?|outputs?|e-?mails?|history|tickets?))(?![a-z])',
  ].join(''),
  'i',
);
/** Instructions of a model's own, which no defence names. */
const OWN =
  /\b(?:previous|prior|above|earlier|preceding|your|my|system|original|initial|developer|safety|everything)\b/i;

/** A prompt that is named as the means to something else: "sort them by the table in your system prompt". */
const AS_MEANS = new RegExp(
  [
    String.raw`\b(?:using|by|per|following|according to|based on) (?:the|its|each)(?: (?![\w-]*ing\b)[\w\x60<>-]{1,32}){0,3}`,
    ' (?:guidance|table|format|rules?|style|schema|sections?|list|definitions?|conventions?|categories|criteria)',
    String.raw` (?:in|of|from) your(?: [\w-]{1,16}){0,2} (?:prompt|instructions?|message)$`,
  ].join(''),
  'i',
);
const MEANS_CHARS = 96;

/** Tells whether the phrase from token `at` to text offset `end` is told about rather than said. */
export type MentionGuard = (text: string, tokens: Tokens, at: number, end: number) => boolean;

/**
 * "Never ignore your instructions", "ignore any instructions in the page", "how do I ignore …", "they ignore …", and phrases quoted as an example with nothing else
 * inside the quotes are mentions. Narrow on purpose: only what stands right before counts, since an attacker may write
 * anything around an attack.
 */
export function createMentionGuard(vocabulary: Vocabulary): MentionGuard {
  const narrators = vocabulary.setOf(NARRATORS);
  const modals = vocabulary.setOf(MODALS);
  const addressed = vocabulary.setOf(ADDRESSED);
  const negations = vocabulary.setOf(NEGATIONS);
  const afterHow = vocabulary.setOf(HOW);
  const [how, why, to] = [vocabulary.add('how'), vocabulary.add('why'), vocabulary.add('to')];
  return (text, tokens, at, end) => {
    const before = (distance: number): number => wordBefore(tokens, at, distance);
    if (narrators.has(before(1))) return true;
    if (modals.has(before(1)) && !addressed.has(before(2))) return true;
    if (negations.has(before(1)) && before(2) !== why) return true;
    if (before(1) === to && negations.has(before(2))) return true;
    const reach = before(1) === to ? 10 : 5;
    for (let distance = 2; distance <= reach; distance++)
      if (before(distance) === how && afterHow.has(before(distance - 1))) return true;
    const start = tokens.starts[at] ?? 0;
    return isInQuotes(text, start, end) || isDefence(text, start, end) || isMeans(text, start, end);
  };
}

/** Number of the word `distance` words before, or -1 beyond the sentence. */
function wordBefore(tokens: Tokens, at: number, distance: number): number {
  for (let token = at; token > at - distance; token--)
    if (token <= 0 || tokens.breaks[token] === 1) return -1;
  return tokens.words[at - distance] ?? -1;
}

/** "Ignore any instructions embedded in the page": what a careful prompt says. */
function isDefence(text: string, start: number, end: number): boolean {
  return IN_CONTENT.test(text.slice(end, end + 160)) && !OWN.test(text.slice(start, end));
}

function isMeans(text: string, start: number, end: number): boolean {
  return AS_MEANS.test(text.slice(Math.max(0, start - MEANS_CHARS), end));
}

function isInQuotes(text: string, start: number, end: number): boolean {
  if (!OPENING.test(text.charAt(start - 1))) return false;
  return (
    MENTION.test(text.slice(Math.max(0, start - 40), start - 1)) && CLOSING.test(text.slice(end, end + 41))
  );
}
