import { isFiller } from './word-list.ts';

/** Words that make a prompt look new: counters, dates and filler. */
const PADDING: ReadonlySet<string> = new Set(
  `zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
  eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand first second third fourth
  fifth sixth seventh eighth ninth tenth last final another time times attempt attempts try tries trying tried retry
  retries retrying iteration round repeat repeated repeating run number count counter step turn cycle pass id ref
  request nonce salt seed token random suffix prefix timestamp monday tuesday wednesday thursday friday saturday
  sunday january february march april june july august september october november december utc gmt am pm today
  tomorrow yesterday minute minutes hour hours seconds date clock padding filler ignore lorem ipsum dolor sit amet
  consectetur adipiscing elit blah foo bar baz hmm hm um uh er ah oh wow lol anyway actually basically literally
  honestly simply maybe perhaps indeed moreover furthermore however therefore thus hence etc welcome appreciate
  appreciated greetings friend buddy mate everyone team hope hoping wish kind best wishes sincerely`.split(
    /\s+/,
  ),
);

const LETTERS = 26;
const LETTER_A = 97;

/**
 * Letter pairs that occur at the start, inside and at the end of words in English and related languages: for each first
 * letter from a to z, the possible second letters. Derived from a vocabulary of 13,000 words. About 7 % of the words in
 * use contain other pairs, as do 98 % of random six-letter strings.
 */
const [START_PAIRS, INNER_PAIRS, END_PAIRS] = [
  `bcdfgilmnprstuvw aeiloru aehiloruy aeioru acdfilmnpqrstvx aeiloru aeiloru aeiouy dglmnrst aeou eino aeiou aeiouy
  aeiou bcflnprtuvw aehilorsu u aeiou acehiklmnopqtuwy aehioruwy nprst aeio aehior - eo o`,
  `abcdfgiklmnprstuvwxyz abeijlmorstu acehiklortu adegijlmnorsuv abcdefghijklmnopqrstuvwxyz aefilortu aeghilmnortu
  abdeilmnortuy abcdefgklmnopqrstuvxz eou adeiln abcdefgiklmnopstuvy abefimopu acdefghijklmnopqrstuvy
  abcdefghijklmnoprstuvwxyz aehiloprstu u abcdefghiklmnoprstuvwy acefhiklmoprstuwy acdefhilmnoprstuwy
  abcdefgilmnoprstv aeio aehilnos acehiptu abcdeilmnoprst aeio`,
  `bdgklmnprstvwy esy aehksty aeiosuy cdefgklmnprstvwxyz efty ehnorsy esty abcdeglmnoprstvxz - es adefiklosty abemopsy
  acdegknosty cdfgklmnprstwx ehlorsty u abcdegikmnorstvy acehkmopsty aehorsty bdelmnprst eo ns - s e`,
].map((rows) => pairs(rows));

function pairs(rows: string): Uint8Array {
  const known = new Uint8Array(LETTERS * LETTERS);
  for (const [first, row] of rows.split(/\s+/).entries()) {
    for (const next of row) if (next !== '-') known[first * LETTERS + next.charCodeAt(0) - LETTER_A] = 1;
  }
  return known;
}

function pairAt(word: string, at: number): number {
  return (word.charCodeAt(at) - LETTER_A) * LETTERS + word.charCodeAt(at + 1) - LETTER_A;
}

/** Matches a chunk, which may be several joined words. */
const CHUNK = /[\p{L}\p{N}\p{M}]+/gu;
const ASCII = /^[a-z]+$/;
const ONE_WORD = /^[A-Za-z][a-z]*$/;
const VOWEL = /[aeiouy]/;
const MIN_LETTERS = 3;
const LONGEST_PHRASE_WORDS = 8;
const PHRASE_REPEATS = 3;

/**
 * Returns a text's distinct words in lowercase, without padding, filler, repeated phrases, random strings, digits and
 * punctuation.
 */
export function unpaddedWords(text: string): string[] {
  const words: string[] = [];
  const read = new Map<string, readonly string[]>();
  for (const chunk of text.match(CHUNK) ?? []) {
    let parts = read.get(chunk);
    if (parts === undefined) read.set(chunk, (parts = wordsOfChunk(chunk)));
    for (const part of parts) words.push(part);
  }
  return [...new Set(withoutRepeatedPhrases(words))].filter(isContent);
}

/** Splits compounds such as `loginForm2`. A chunk with inner digits is an id, hash or Base64, and has no words. */
function wordsOfChunk(chunk: string): readonly string[] {
  if (ONE_WORD.test(chunk)) return [chunk.toLowerCase()];
  const letters = chunk.replace(/^\p{N}+|(?<!\p{N})\p{N}+$/gu, '');
  if (letters === '' || /\p{N}/u.test(letters)) return [];
  return letters
    .replace(/(\p{Ll})(?=\p{Lu})/gu, '$1 ')
    .toLowerCase()
    .split(' ');
}

function isContent(word: string): boolean {
  if (isFiller(word) || PADDING.has(word)) return false;
  if (!ASCII.test(word)) return true;
  return word.length >= MIN_LETTERS && VOWEL.test(word) && !looksRandom(word);
}

function looksRandom(word: string): boolean {
  const last = word.length - 2;
  if (START_PAIRS?.[pairAt(word, 0)] !== 1 || END_PAIRS?.[pairAt(word, last)] !== 1) return true;
  for (let at = 1; at < last; at++) {
    if (INNER_PAIRS?.[pairAt(word, at)] !== 1) return true;
  }
  return false;
}

function withoutRepeatedPhrases(words: readonly string[]): string[] {
  const dropped = new Uint8Array(words.length);
  const numbers = numbered(words);
  for (let length = 1; length <= LONGEST_PHRASE_WORDS; length++) {
    let same = 0;
    for (let at = length; at <= words.length; at++) {
      if (at < words.length && numbers[at] === numbers[at - length]) {
        same++;
        continue;
      }
      if (same >= length * (PHRASE_REPEATS - 1)) dropped.fill(1, at - same - length, at);
      same = 0;
    }
  }
  const kept = words.filter((_word, index) => dropped[index] === 0);
  return kept.length > 0 ? kept : [...words];
}

function numbered(words: readonly string[]): Uint32Array {
  const numbers = new Map<string, number>();
  return Uint32Array.from(words, (word) => {
    const number = numbers.get(word) ?? numbers.size;
    numbers.set(word, number);
    return number;
  });
}
