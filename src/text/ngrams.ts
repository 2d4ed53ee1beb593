/** N-grams as 16-bit hashes. */
export type GramSet = ReadonlySet<number>;

/** The n-grams of each word of a text, in order. */
export type WordGrams = readonly (readonly number[])[];

const GRAM_CHARS = 3;
/** So many n-grams in a row make a shared word of a chance meeting: three, or all that a short word has. */
const MIN_RUN = 3;
const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

/** The 3-character n-grams of each word, with its two ends as characters of their own. */
export function wordGrams(words: readonly string[]): WordGrams {
  return words.map((word) => {
    const marked = ` ${word} `;
    const grams: number[] = [];
    for (let at = 0; at + GRAM_CHARS <= marked.length; at++) grams.push(hash16(marked, at));
    return grams;
  });
}

/** FNV-1a over the UTF-16 units of one n-gram, folded to 16 bits. */
function hash16(text: string, from: number): number {
  let hash = FNV_OFFSET;
  for (let at = from; at < from + GRAM_CHARS; at++) {
    hash = Math.imul(hash ^ text.charCodeAt(at), FNV_PRIME);
  }
  return (hash ^ (hash >>> 16)) & 0xffff;
}

export function gramSet(words: WordGrams): GramSet {
  return new Set(words.flat());
}

/** As many whole words from both ends of a text as have at most `maxGrams` n-grams, half of them from each end. */
export function headAndTailWords(words: WordGrams, maxGrams: number): WordGrams {
  if (words.reduce((sum, grams) => sum + grams.length, 0) <= maxGrams) return words;
  const head = wordsWithin(words, maxGrams / 2);
  const tail = wordsWithin(words.slice(head.length).reverse(), maxGrams / 2);
  return [...head, ...tail.reverse()];
}

function wordsWithin(words: WordGrams, maxGrams: number): (readonly number[])[] {
  const seen = new Set<number>();
  const within: (readonly number[])[] = [];
  for (const grams of words) {
    const fresh = grams.filter((gram) => !seen.has(gram));
    if (seen.size + new Set(fresh).size > maxGrams) break;
    for (const gram of fresh) seen.add(gram);
    within.push(grams);
  }
  return within;
}

/**
 * |A ∩ B| / |A|, 0 to 1, where an n-gram of A counts as shared only in a run: unrelated texts share single
 * n-grams by the dozen ("ion", "pro"), texts about one thing share words. 0 where A is empty.
 */
export function containment(words: WordGrams, set: GramSet): number {
  const all = gramSet(words);
  if (all.size === 0) return 0;
  const shared = new Set<number>();
  for (const grams of words) addRuns(shared, grams, set);
  return shared.size / all.size;
}

function addRuns(shared: Set<number>, grams: readonly number[], set: GramSet): void {
  const minRun = Math.min(MIN_RUN, grams.length);
  let start = 0;
  for (let at = 0; at <= grams.length; at++) {
    const gram = grams[at];
    if (gram !== undefined && set.has(gram)) continue;
    if (at - start >= minRun) for (const found of grams.slice(start, at)) shared.add(found);
    start = at + 1;
  }
}

/** Characters that {@link encodeGrams} takes for one n-gram. */
export const GRAM_TEXT_CHARS = 3;
const BITS_PER_CHAR = 6;
const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** A set as text, three characters a member, so that the texts of two sets in a row are the text of their union. */
export function encodeGrams(set: GramSet): string {
  let text = '';
  for (const gram of set) {
    for (let char = GRAM_TEXT_CHARS - 1; char >= 0; char--) {
      text += BASE64.charAt((gram >>> (char * BITS_PER_CHAR)) & 63);
    }
  }
  return text;
}

/** The reverse of {@link encodeGrams}; undefined where the text is no such set. */
export function decodeGrams(text: string): GramSet | undefined {
  if (text.length % GRAM_TEXT_CHARS !== 0) return undefined;
  const set = new Set<number>();
  for (let at = 0; at < text.length; at += GRAM_TEXT_CHARS) {
    let gram = 0;
    for (let char = at; char < at + GRAM_TEXT_CHARS; char++) {
      gram = (gram << BITS_PER_CHAR) | BASE64.indexOf(text.charAt(char));
    }
    if (gram < 0 || gram > 0xffff) return undefined;
    set.add(gram);
  }
  return set;
}
