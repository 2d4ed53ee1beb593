import { createHash } from 'node:crypto';
import type { Finding, StreamDetector } from '../finding.ts';
import { createStreamDetector } from '../stream-detector.ts';

/** Finds wallet seed phrases (BIP-39) with a valid checksum. Call `loadSeedWords` first. */
export const seedPhraseDetector: StreamDetector = createStreamDetector(findSeedPhrases, openIn);

let wordNumbers: ReadonlyMap<string, number> | undefined;

/** Loads the English BIP-39 word list, needed only to detect seed phrases. */
export async function loadSeedWords(): Promise<void> {
  const { wordlist } = await import('@scure/bip39/wordlists/english.js');
  wordNumbers ??= new Map(wordlist.map((word, index) => [word, index]));
}

/** Longest first, because a phrase may contain a shorter one by chance. */
const SIZES = [24, 21, 18, 15, 12] as const;
const MIN_WORDS = 12;
/** Longer runs are word lists. */
const MAX_WORDS = 28;

interface Word {
  readonly number: number;
  readonly start: number;
  readonly end: number;
}

const WORD = /[A-Za-z]+/g;
/** Separates two words: spaces, a comma, a line break, the number of the next word, or quotes. */
const BETWEEN = /^(?:(?:[ \t]{1,3}|,[ \t]?|\r?\n[ \t]{0,2})(?:\d{1,2}[.):]?[ \t]{1,2})?|["'],\s?["'])$/;
const MAX_BETWEEN_CHARS = 8;

function findSeedPhrases(text: string): readonly Finding[] {
  const found: Finding[] = [];
  eachRun(text, (run) => {
    const phrase = phraseIn(run);
    if (phrase === undefined) return;
    found.push({ detector: 'seed_phrase', class: 'seed_phrase', rule: 'bip39', ...phrase });
  });
  return found;
}

function eachRun(text: string, visit: (run: readonly Word[]) => void): void {
  const numbers = wordNumbers;
  if (numbers === undefined) throw new Error('seed words are not loaded: call loadSeedWords first');
  let run: Word[] = [];
  for (const { index: start, 0: written } of text.matchAll(WORD)) {
    const end = start + written.length;
    const number = numbers.get(written.toLowerCase());
    const last = run.at(-1);
    if (last !== undefined && (number === undefined || !isBetween(text, last.end, start))) {
      visit(run);
      run = [];
    }
    if (number !== undefined) run.push({ number, start, end });
  }
  if (run.length > 0) visit(run);
}

function isBetween(text: string, from: number, to: number): boolean {
  return to - from <= MAX_BETWEEN_CHARS && BETWEEN.test(text.slice(from, to));
}

/** Returns the phrase in a run, or undefined. Words of a sentence may precede or follow the phrase. */
function phraseIn(run: readonly Word[]): { readonly start: number; readonly end: number } | undefined {
  if (run.length < MIN_WORDS || run.length > MAX_WORDS) return undefined;
  for (const size of SIZES) {
    for (const words of [run.slice(-size), run.slice(0, size)]) {
      const [first, last] = [words[0], words.at(-1)];
      if (words.length < size || first === undefined || last === undefined) continue;
      if (hasRightChecksum(words)) return { start: first.start, end: last.end };
    }
  }
  return undefined;
}

/**
 * Verifies the checksum of a phrase. A word has 11 bits. One bit in 33 belongs to the checksum, which is the start of
 * the entropy's SHA-256.
 */
function hasRightChecksum(words: readonly Word[]): boolean {
  const bits = words.map(({ number }) => number.toString(2).padStart(11, '0')).join('');
  const checksumBits = bits.length / 33;
  const entropyBits = bits.length - checksumBits;
  const bytes = Uint8Array.from({ length: entropyBits / 8 }, (_, at) =>
    Number.parseInt(bits.slice(at * 8, at * 8 + 8), 2),
  );
  const [first = 0] = createHash('sha256').update(bytes).digest();
  return bits.slice(entropyBits) === first.toString(2).padStart(8, '0').slice(0, checksumBits);
}

const UNFINISHED_WORD = /[A-Za-z]{1,8}$/;
const UNFINISHED_BETWEEN = /^[\s\d,.):"']{0,8}$/;

/** Returns the start of a run or word that may continue after the end of the text, or the tail length. */
function openIn(tail: string): number {
  const word = UNFINISHED_WORD.exec(tail)?.[0] ?? '';
  const wordStart = tail.length - word.length;
  let last: readonly Word[] = [];
  eachRun(tail.slice(0, wordStart), (run) => (last = run));
  const end = last.at(-1)?.end ?? 0;
  const first = last[0];
  const mayContinue = first !== undefined && UNFINISHED_BETWEEN.test(tail.slice(end, wordStart));
  if (mayContinue) return last.length <= MAX_WORDS ? first.start : tail.length;
  return word === '' ? tail.length : wordStart;
}
