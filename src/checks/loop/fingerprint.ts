import { hash } from 'node:crypto';
import { addFeature, addSums, createSimHashSums, hashFeature, toSimHash } from '../../text/simhash.ts';
import type { SimHash, SimHashSums } from '../../text/simhash.ts';
import { unpaddedWords } from './padding.ts';
import type { Step } from './step.ts';
import { wordsOf } from './words.ts';
import type { Word } from './words.ts';

/** Of longer texts, head and tail are read word by word; an agent's result may have megabytes. */
const MAX_CHARS = 16_384;
const ORDER_WEIGHT = 0.5;
/**
 * The part of a fingerprint that hangs on all telling words together. With it, one changed word turns about 14 of the
 * 64 bits, also in a long text; without it one of 100 words would turn 3, and a batch of records under one long
 * instruction would be a loop.
 */
const WHOLE_SHARE = 0.25;
/** A turn that says no more than this ("continue", "yes, please") means what the answer before it makes of it. */
const MAX_WORDS_OF_CONSENT = 1;

/** A part of a step as weighted words. */
interface Part {
  readonly name: string;
  readonly words: readonly Word[];
  /** Neighbours count as features too. */
  readonly ordered: boolean;
}

/** The 64-bit SimHash of a step; undefined where it says nothing. */
export function fingerprintOf(step: Step, defeatPadding: boolean): SimHash | undefined {
  const parts = (defeatPadding && partsOf(step, unpadded)) || partsOf(step, asWritten);
  return parts && combine(parts);
}

type Reader = (text: string) => Pick<Part, 'words' | 'ordered'>;

const asWritten: Reader = (text) => ({ words: withMiddle(text, wordsOf(headAndTail(text))), ordered: true });

const unpadded: Reader = (text) => ({
  words: unpaddedWords(headAndTail(text)).map((word) => ({ text: word, weight: 1, telling: true })),
  ordered: false,
});

/** Undefined where no part has any words. */
function partsOf(step: Step, read: Reader): Part[] | undefined {
  const said = { name: 'said', ...read(step.said) };
  const parts: Part[] = [said, { name: 'called', ...read(step.called) }, { name: 'got', ...read(step.got) }];
  if (said.words.filter(({ telling }) => telling).length <= MAX_WORDS_OF_CONSENT) {
    parts.push({ name: 'answered', ...read(step.answered) });
  }
  if (step.medium !== '') {
    parts.push({ name: 'medium', words: [wholeAsWord(step.medium)], ordered: false });
  }
  const spoken = parts.filter(({ words }) => words.length > 0);
  return spoken.length === 0 ? undefined : spoken;
}

/** Each part weighs the same, however long: else an instruction would drown the call that it led to. */
function combine(parts: readonly Part[]): SimHash {
  const sums = createSimHashSums();
  const whole = { high: 0, low: 0 };
  const share = Math.sqrt((1 - WHOLE_SHARE) / parts.length);
  for (const part of parts) {
    const own = createSimHashSums();
    const norm = Math.sqrt(addWords(own, part) + addOrder(own, part));
    addSums(sums, own, share / norm);
    for (const { text, telling } of part.words) {
      if (!telling) continue;
      const { high, low } = hashFeature(part.name, '/', text);
      // A sum does not depend on the order.
      whole.high = (whole.high + high) >>> 0;
      whole.low = (whole.low + low) >>> 0;
    }
  }
  addFeature(sums, whole, Math.sqrt(WHOLE_SHARE));
  return toSimHash(sums);
}

/** Returns the sum of the squares of the weights. */
function addWords(sums: SimHashSums, { name, words }: Part): number {
  let squares = 0;
  for (const { text, weight } of words) {
    addFeature(sums, hashFeature(name, ' ', text), weight);
    squares += weight * weight;
  }
  return squares;
}

/** Telling words with the one before: "from a to b" is not "from b to a". */
function addOrder(sums: SimHashSums, { name, words, ordered }: Part): number {
  if (!ordered) return 0;
  const telling = words.filter((word) => word.telling);
  for (let index = 1; index < telling.length; index++) {
    const [one = '', other = ''] = [telling[index - 1]?.text, telling[index]?.text];
    addFeature(sums, hashFeature(name, ' ', one, ' ', other), ORDER_WEIGHT);
  }
  return Math.max(telling.length - 1, 0) * ORDER_WEIGHT * ORDER_WEIGHT;
}

function headAndTail(text: string): string {
  if (text.length <= MAX_CHARS) return text;
  return `${text.slice(0, MAX_CHARS / 2)}\n${text.slice(-MAX_CHARS / 2)}`;
}

/** What lies between head and tail counts as one word, so that a change there is seen. */
function withMiddle(text: string, words: readonly Word[]): readonly Word[] {
  if (text.length > MAX_CHARS) {
    return [...words, wholeAsWord(text.slice(MAX_CHARS / 2, -MAX_CHARS / 2))];
  }
  // A text of signs alone, such as an emoji.
  const signs = text.trim();
  return words.length === 0 && signs !== '' ? [{ text: signs, weight: 1, telling: true }] : words;
}

/** Stands for what is not read: the same only if every byte is. */
function wholeAsWord(text: string): Word {
  return { text: hash('sha1', text, 'base64'), weight: 1, telling: true };
}
