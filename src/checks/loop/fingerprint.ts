import { hash } from 'node:crypto';
import {
  addFeature,
  addSums,
  createSimHashSums,
  mixedHigh,
  mixedLow,
  readFeature,
  toSimHash,
  type HashState,
  type SimHash,
  type SimHashSums,
} from '../../text/simhash.ts';
import { Votes } from '../../text/votes.ts';
import { unpaddedWords } from './padding.ts';
import type { LoopStep } from './step.ts';
import { FILLER, HIGH, LOW, NAME, PLAIN, WordList, type ReadState } from './word-list.ts';
import { readWords } from './words.ts';

/** Of longer texts, head and tail are read word by word; an agent's result may have megabytes. */
const MAX_CHARS = 16_384;
/** Weights are powers of two of this one, but for filler's. */
const ORDER_WEIGHT = 0.5;
const [ORDER_POWER, PLAIN_POWER, NAME_POWER] = [0, 1, 2];
const FILLER_WEIGHT = 0.1;
/**
 * The part of a fingerprint that hangs on all telling words together. With it, one changed word turns about 14 of the
 * 64 bits, also in a long text; without it one of 100 words would turn 3, and a batch of records under one long
 * instruction would be a loop.
 */
const WHOLE_SHARE = 0.25;
/** A turn that says no more than this ("continue", "yes, please") means what the answer before it makes of it. */
const MAX_WORDS_OF_CONSENT = 1;

/** A part of a step. Its words are done with before another step is read. */
interface Part {
  readonly words: WordList;
  /** Behind the part's name, where its words are read for all of them together. */
  readonly together: HashState;
  /** What its features sum up to. */
  readonly sums: SimHashSums;
}

const partOf = (name: string): Part => ({
  words: new WordList(name),
  together: readFeature(`${name}/`),
  sums: createSimHashSums(),
});
const SAID = partOf('said');
const CALLED = partOf('called');
const GOT = partOf('got');
const ANSWERED = partOf('answered');
const MEDIUM = partOf('medium');

/** How the words of a part are read. */
interface Reader {
  readonly read: (text: string, words: WordList) => void;
  /** Neighbours count as features too. */
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

/** The 64-bit SimHash of a step; undefined where it says nothing. */
export function fingerprintOf(step: LoopStep, defeatPadding: boolean): SimHash | undefined {
  return (defeatPadding ? fingerprintBy(step, unpadded) : undefined) ?? fingerprintBy(step, asWritten);
}

/** What the telling words of all parts together sum up to. */
const whole: ReadState = new Int32Array(2);

/** Undefined where no part has any words. */
function fingerprintBy(step: LoopStep, reader: Reader): SimHash | undefined {
  whole.fill(0);
  const said = sumUp(SAID, step.said, reader);
  const isConsent = SAID.words.telling <= MAX_WORDS_OF_CONSENT;
  const parts = [
    said,
    sumUp(CALLED, step.called, reader),
    sumUp(GOT, step.got, reader),
    isConsent ? sumUp(ANSWERED, step.answered, reader) : undefined,
    sumUp(MEDIUM, step.medium, asOneWord),
  ].filter((part) => part !== undefined);
  return parts.length === 0 ? undefined : combine(parts);
}

/** The sum of a part's features, and how long it is. */
interface PartSums {
  readonly sums: SimHashSums;
  readonly norm: number;
}

const allSums = createSimHashSums();

/** Each part weighs the same, however long: else an instruction would drown the call that it led to. */
function combine(parts: readonly PartSums[]): SimHash {
  allSums.fill(0);
  const share = Math.sqrt((1 - WHOLE_SHARE) / parts.length);
  for (const part of parts) addSums(allSums, part.sums, share / part.norm);
  addFeature(allSums, { high: whole[HIGH] ?? 0, low: whole[LOW] ?? 0 }, Math.sqrt(WHOLE_SHARE));
  return toSimHash(allSums);
}

const votes = new Votes();
const fillerVotes = new Votes();
/** What is read of a feature. */
const state: ReadState = new Int32Array(2);

/** Adds the part's telling words to `whole`; undefined where it has no words. */
function sumUp(
  { words, together, sums }: Part,
  text: string,
  { read, ordered }: Reader,
): PartSums | undefined {
  words.clear();
  read(text, words);
  if (words.count === 0) return undefined;
  const squares = voteForWords(words) + (ordered ? voteForOrder(words) : 0);
  addTogether(words, together);
  sums.fill(0);
  votes.moveTo(sums, ORDER_WEIGHT);
  fillerVotes.moveTo(sums, FILLER_WEIGHT);
  return { sums, norm: Math.sqrt(squares) };
}

/** The square of a word's weight, by its kind. */
const SQUARES = new Float64Array(3);
SQUARES[FILLER] = FILLER_WEIGHT ** 2;
SQUARES[PLAIN] = (ORDER_WEIGHT * 2 ** PLAIN_POWER) ** 2;
SQUARES[NAME] = (ORDER_WEIGHT * 2 ** NAME_POWER) ** 2;

/** Returns the sum of the squares of the weights. */
function voteForWords(words: WordList): number {
  let squares = 0;
  for (let index = 0; index < words.count; index++) {
    const high = words.highOf(index);
    const low = words.lowOf(index);
    const kind = words.kindAt(index);
    if (kind === FILLER) fillerVotes.add(mixedHigh(high, low), mixedLow(high, low), 0);
    else votes.add(mixedHigh(high, low), mixedLow(high, low), kind === NAME ? NAME_POWER : PLAIN_POWER);
    squares += SQUARES[kind] ?? 0;
  }
  return squares;
}

/** Telling words with the one before: "from a to b" is not "from b to a". */
function voteForOrder(words: WordList): number {
  let before = -1;
  for (let index = 0; index < words.count; index++) {
    if (words.kindAt(index) === FILLER) continue;
    if (before >= 0) {
      // As the first word, a space and the second are read.
      words.readWithSpace(before, state);
      words.readOn(index, state);
      const high = state[HIGH] ?? 0;
      const low = state[LOW] ?? 0;
      votes.add(mixedHigh(high, low), mixedLow(high, low), ORDER_POWER);
    }
    before = index;
  }
  return Math.max(words.telling - 1, 0) * ORDER_WEIGHT ** 2;
}

/** A sum does not depend on the order. */
function addTogether(words: WordList, together: HashState): void {
  let wholeHigh = whole[HIGH] ?? 0;
  let wholeLow = whole[LOW] ?? 0;
  for (let index = 0; index < words.count; index++) {
    if (words.kindAt(index) === FILLER) continue;
    state[HIGH] = together.high;
    state[LOW] = together.low;
    words.readOn(index, state);
    const high = state[HIGH] ?? 0;
    const low = state[LOW] ?? 0;
    wholeHigh = (wholeHigh + mixedHigh(high, low)) | 0;
    wholeLow = (wholeLow + mixedLow(high, low)) | 0;
  }
  whole[HIGH] = wholeHigh;
  whole[LOW] = wholeLow;
}

function headAndTail(text: string): string {
  if (text.length <= MAX_CHARS) return text;
  return `${text.slice(0, MAX_CHARS / 2)}\n${text.slice(-MAX_CHARS / 2)}`;
}

/** What lies between head and tail counts as one word, so that a change there is seen. */
function readAsWritten(text: string, words: WordList): void {
  readWords(headAndTail(text), words);
  if (text.length > MAX_CHARS) {
    words.addWhole(wholeAsWord(text.slice(MAX_CHARS / 2, -MAX_CHARS / 2)));
    return;
  }
  // A text of signs alone, such as an emoji.
  const signs = words.count > 0 ? '' : text.trim();
  if (signs !== '') words.addWhole(signs);
}

/** Stands for what is not read: the same only if every byte is. */
function wholeAsWord(text: string): string {
  return hash('sha1', text, 'base64');
}
