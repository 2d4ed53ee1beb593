import { hash } from 'node:crypto';
import {
  addFeature,
  addSums,
  createSimHashSums,
  mixedHigh,
  mixedLow,
  toSimHash,
  type SimHash,
  type SimHashSums,
  Votes,
} from '../../text/simhash.ts';
import { unpaddedWords } from './padding.ts';
import type { LoopStep } from './step.ts';
import { FILLER, NAME, PLAIN, WordList } from './word-list.ts';
import { readWords } from './read-words.ts';

/** Only head and tail of longer texts are split into words, because tool results may be megabytes long. */
const MAX_CHARS = 16_384;
// All weights but FILLER_WEIGHT are powers of two times ORDER_WEIGHT.
const ORDER_WEIGHT = 0.5;
const [ORDER_POWER, PLAIN_POWER, NAME_POWER] = [0, 1, 2];
const FILLER_WEIGHT = 0.1;
/**
 * Share of a fingerprint that depends on all content words together. With this share, one changed word flips about 14
 * of 64 bits, even in a long text. Without it, one changed word in 100 would flip 3, and a batch of records under one
 * long instruction would count as a loop.
 */
const WHOLE_SHARE = 0.25;
/** Turns with at most this many content words ("yes, please") are combined with the preceding answer. */
const MAX_WORDS_OF_CONSENT = 1;

/** A part of a step. Reused, because each fingerprint is computed synchronously. */
interface Part {
  readonly words: WordList;
  readonly sums: SimHashSums;
}

const partOf = (name: string): Part => ({ words: new WordList(name), sums: createSimHashSums() });
const USER_TEXT = partOf('said');
const CALLED = partOf('called');
const GOT = partOf('got');
const ANSWERED = partOf('answered');
const MEDIUM = partOf('medium');

interface Reader {
  readonly read: (text: string, words: WordList) => void;
  /** Whether pairs of adjacent content words are features as well. */
  readonly ordered: boolean;
}

const asWritten: Reader = { ordered: true, read: readAsWritten };
const unpadded: Reader = {
  ordered: false,
  read(text, words) {
    for (const word of unpaddedWords(headAndTail(text))) words.addWhole(word);
  },
};
const asOneWord: Reader = {
  ordered: false,
  read(text, words) {
    if (text !== '') words.addWhole(wholeAsWord(text));
  },
};

/** Returns a step's 64-bit SimHash, or undefined if the step is empty. */
export function fingerprintOf(step: LoopStep, defeatPadding: boolean): SimHash | undefined {
  return (defeatPadding ? fingerprintBy(step, unpadded) : undefined) ?? fingerprintBy(step, asWritten);
}

/** Order-independent sum of all content-word hashes: high and low half. */
const whole = new Int32Array(2);

function fingerprintBy(step: LoopStep, reader: Reader): SimHash | undefined {
  whole.fill(0);
  const userText = sumUp(USER_TEXT, step.userText, reader);
  const isConsent = USER_TEXT.words.contentWords <= MAX_WORDS_OF_CONSENT;
  const parts = [
    userText,
    sumUp(CALLED, step.called, reader),
    sumUp(GOT, step.results, reader),
    isConsent ? sumUp(ANSWERED, step.answer, reader) : undefined,
    sumUp(MEDIUM, step.medium, asOneWord),
  ].filter((part) => part !== undefined);
  return parts.length === 0 ? undefined : combine(parts);
}

interface PartSums {
  readonly sums: SimHashSums;
  readonly norm: number;
}

const allSums = createSimHashSums();

/** Weights all parts equally, so that a long instruction does not outweigh the call that it led to. */
function combine(parts: readonly PartSums[]): SimHash {
  allSums.fill(0);
  const share = Math.sqrt((1 - WHOLE_SHARE) / parts.length);
  for (const part of parts) addSums(allSums, part.sums, share / part.norm);
  const [high = 0, low = 0] = whole;
  addFeature(allSums, { high: mixedHigh(high, low), low: mixedLow(high, low) }, Math.sqrt(WHOLE_SHARE));
  return toSimHash(allSums);
}

const votes = new Votes();
const fillerVotes = new Votes();

/** Adds the content words of the part to `whole`. Returns undefined if the part has no words. */
function sumUp({ words, sums }: Part, text: string, { read, ordered }: Reader): PartSums | undefined {
  words.clear();
  read(text, words);
  if (words.count === 0) return undefined;
  const squares = voteForWords(words) + (ordered ? voteForOrder(words) : 0);
  sums.fill(0);
  votes.moveTo(sums, ORDER_WEIGHT);
  fillerVotes.moveTo(sums, FILLER_WEIGHT);
  return { sums, norm: Math.sqrt(squares) };
}

const SQUARES = new Float64Array(3);
SQUARES[FILLER] = FILLER_WEIGHT ** 2;
SQUARES[PLAIN] = (ORDER_WEIGHT * 2 ** PLAIN_POWER) ** 2;
SQUARES[NAME] = (ORDER_WEIGHT * 2 ** NAME_POWER) ** 2;

function voteForWords(words: WordList): number {
  let squares = 0;
  for (let index = 0; index < words.count; index++) {
    const high = mixedHigh(words.highOf(index), words.lowOf(index));
    const low = mixedLow(words.highOf(index), words.lowOf(index));
    const kind = words.kindAt(index);
    squares += SQUARES[kind] ?? 0;
    if (kind === FILLER) {
      fillerVotes.add(high, low, 0);
      continue;
    }
    votes.add(high, low, kind === NAME ? NAME_POWER : PLAIN_POWER);
    whole[0] = (whole[0] ?? 0) + high;
    whole[1] = (whole[1] ?? 0) + low;
  }
  return squares;
}

/** Makes the hash of a pair depend on the order of its words. */
const FIRST_OF_PAIR = 0x9e3779b1;

/** Adds pairs of content words, so that "from a to b" differs from "from b to a". */
function voteForOrder(words: WordList): number {
  let before = -1;
  for (let index = 0; index < words.count; index++) {
    if (words.kindAt(index) === FILLER) continue;
    if (before >= 0) {
      const high = Math.imul(words.highOf(before), FIRST_OF_PAIR) + words.highOf(index);
      const low = Math.imul(words.lowOf(before), FIRST_OF_PAIR) + words.lowOf(index);
      votes.add(mixedHigh(high, low), mixedLow(high, low), ORDER_POWER);
    }
    before = index;
  }
  return Math.max(words.contentWords - 1, 0) * ORDER_WEIGHT ** 2;
}

function headAndTail(text: string): string {
  if (text.length <= MAX_CHARS) return text;
  return `${text.slice(0, MAX_CHARS / 2)}\n${text.slice(-MAX_CHARS / 2)}`;
}

/** Reads the words of a text. Adds the text between head and tail as one word, so that changes there are noticed. */
function readAsWritten(text: string, words: WordList): void {
  readWords(headAndTail(text), words);
  if (text.length > MAX_CHARS) {
    words.addWhole(wholeAsWord(text.slice(MAX_CHARS / 2, -MAX_CHARS / 2)));
    return;
  }
  // A text that consists only of signs, such as an emoji, is one word.
  const signs = words.count > 0 ? '' : text.trim();
  if (signs !== '') words.addWhole(signs);
}

function wholeAsWord(text: string): string {
  return hash('sha1', text, 'base64');
}
