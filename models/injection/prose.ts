import type { Row } from './row.ts';
import { readTexts } from './texts.ts';

/** Number of rows per language, and of the words in them: the most common words of its innocent texts. */
const ROWS = { english: 1_500, other: 120 };
const WORDS = { english: 1_500, other: 400 };
const MIN_CHARS = 300;
const MAX_CHARS = 1_500;
/** Range of words per sentence, and maximum of sentences per paragraph. */
const LEAST_SENTENCE_WORDS = 4;
const SENTENCE_WORDS = 20;
const PARAGRAPH_SENTENCES = 6;
const WORD = /\p{L}+/gu;
/** Written without blanks between words, so words cannot be found. */
const WITHOUT_BLANKS: ReadonlySet<string> = new Set(['zh', 'ja']);

/** Generates meaningless sentences of random words, which are innocent. */
export function proseRows(random: () => number): readonly Row[] {
  return readTexts().flatMap(({ language, innocent }) => {
    if (WITHOUT_BLANKS.has(language)) return [];
    const kind = language === 'en' ? 'english' : 'other';
    const words = commonest(innocent, WORDS[kind]);
    return Array.from({ length: ROWS[kind] }, () => ({
      set: `prose-${language}`,
      text: proseOf(words, random),
      isAttack: false,
      isHeldBack: false,
    }));
  });
}

/** Returns the words that occur in most texts; equally common words in alphabetical order. */
function commonest(texts: readonly string[], count: number): readonly string[] {
  const textsWith = new Map<string, number>();
  for (const text of texts)
    for (const word of new Set(text.toLowerCase().match(WORD)))
      textsWith.set(word, (textsWith.get(word) ?? 0) + 1);
  return [...textsWith]
    .sort(([one, often], [other, oftener]) => oftener - often || (one < other ? -1 : 1))
    .slice(0, count)
    .map(([word]) => word);
}

function proseOf(words: readonly string[], random: () => number): string {
  const chars = MIN_CHARS + Math.floor(random() * (MAX_CHARS - MIN_CHARS));
  let text = '';
  while (text.length < chars) {
    const count = 1 + Math.floor(random() * PARAGRAPH_SENTENCES);
    text += `${Array.from({ length: count }, () => sentenceOf(words, random)).join(' ')}\n\n`;
  }
  return text.slice(0, chars);
}

/** One word in thirty is a number, one in twelve ends a clause. */
function sentenceOf(words: readonly string[], random: () => number): string {
  const count = LEAST_SENTENCE_WORDS + Math.floor(random() * (SENTENCE_WORDS - LEAST_SENTENCE_WORDS));
  const said = Array.from({ length: count }, () => {
    if (random() < 1 / 30) return String(Math.floor(random() * 1_000));
    const word = words[Math.floor(random() * words.length)] ?? '';
    return random() < 1 / 12 ? `${word},` : word;
  }).join(' ');
  return `${said.slice(0, 1).toUpperCase()}${said.slice(1)}${random() < 0.9 ? '.' : '?'}`;
}
