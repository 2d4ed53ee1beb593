import { Rewriter, unchanged } from './rewrite.ts';
import type { Rewrite } from './rewrite.ts';
import { soundsEnglish, words } from './words.ts';

const tokens = /[A-Za-z0-9@$!|(+]+/g;

/** A digit or sign with a letter, digit or sign on either side that reads as a letter. */
const anyLeet = /[A-Za-z][013457@$!][A-Za-z013457@$!]|[013457@$!][A-Za-z]/;

const letterOf: Readonly<Record<string, string>> = {
  0: 'o',
  1: 'l',
  3: 'e',
  4: 'a',
  5: 's',
  6: 'g',
  7: 't',
  8: 'b',
  9: 'g',
  '@': 'a',
  $: 's',
  '!': 'l',
  '|': 'l',
  '(': 'c',
  '+': 't',
};

/** Known words by their letters with i and l made one, for 1 stands for both. */
const folded: ReadonlyMap<string, string> = new Map([...words].reverse().map((word) => [fold(word), word]));

function fold(word: string): string {
  let letters = '';
  for (const character of word.toLowerCase()) {
    letters += character === 'i' ? 'l' : (letterOf[character] ?? character);
  }
  return letters;
}

/** No word is longer. */
const longestToken = 32;

interface Token {
  readonly start: number;
  readonly end: number;
  readonly source: string;
  /** The known word it reads as. */
  readonly word: string | undefined;
}

/**
 * Stage 5, second half: letters written as digits and signs are read again, line by line, where at least two words, or
 * one long one, are known ones in that dress. Raises no flag: codes, names and versions look too much like it.
 */
export function readLeet(text: string): Rewrite {
  if (!anyLeet.test(text)) return unchanged(text);
  const rewriter = new Rewriter(text);
  let start = 0;
  while (start < text.length) {
    const feed = text.indexOf('\n', start);
    const end = feed < 0 ? text.length : feed;
    const line = text.slice(start, end);
    if (anyLeet.test(line)) readLine(line, start, rewriter);
    start = end + 1;
  }
  return rewriter.finish(false);
}

function readLine(line: string, offset: number, rewriter: Rewriter): void {
  const found = leetTokens(line);
  const points = found.reduce((sum, token) => sum + pointsOf(token), 0);
  if (points < 2) return;
  for (const token of found) {
    const reading = readingOf(token, points >= 4);
    if (reading === undefined) continue;
    rewriter.replace(offset + token.start, offset + token.end, withCase(token.source, reading));
  }
}

/** Tokens with a digit or sign in them; punctuation behind a word stays out. */
function leetTokens(line: string): Token[] {
  const found: Token[] = [];
  for (const match of line.matchAll(tokens)) {
    const whole = match[0];
    if (whole.length > longestToken || !/[0-9@$!|(+]/.test(whole)) continue;
    const exact = /^[A-Za-z]+[!|(+]+$/.test(whole) ? undefined : folded.get(fold(whole));
    const source = exact === undefined ? whole.replace(/[!|(+]+$/, '') : whole;
    const word = exact ?? folded.get(fold(source));
    if (!/[0-9@$!|(+]/.test(source)) continue;
    found.push({ start: match.index, end: match.index + source.length, source, word });
  }
  return found;
}

/** Letters on either side of what was replaced: `step5` and `20s` prove nothing. */
function pointsOf({ source, word }: Token): number {
  if (word === undefined || word.length < 3 || !/[A-Za-z]/.test(source)) return 0;
  if (!/[0-9@$!|(+]./.test(source) || /^[0-9]+[A-Za-z]{1,2}$/.test(source)) return 0;
  return word.length >= 6 ? 2 : 1;
}

/** Numbers are read as words only in a line that is full of leet. */
function readingOf({ source, word }: Token, isDense: boolean): string | undefined {
  const hasLetter = /[A-Za-z]/.test(source);
  if (word !== undefined && word.length > 1 && (hasLetter || isDense)) return word;
  if (!hasLetter || !isDense || source.length < 3) return undefined;
  const guess = plain(source);
  return /^[a-z]+$/i.test(guess) && soundsEnglish(guess) ? guess : undefined;
}

const plain = (source: string): string =>
  source.replace(/[0-9@$!|(+]/g, (sign) => (sign === '1' || sign === '!' ? 'i' : (letterOf[sign] ?? sign)));

function withCase(source: string, word: string): string {
  const letters = source.replace(/[^A-Za-z]/g, '');
  if (letters.length > 1 && letters === letters.toUpperCase()) return word.toUpperCase();
  return /^[A-Z]/.test(source) ? word.charAt(0).toUpperCase() + word.slice(1) : word;
}
