import { entropyToMnemonic } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { beforeAll, describe, expect, it, test } from 'vitest';
import { loadSeedWords, seedPhraseDetector } from '../../../../src/detectors/assets/seed-phrase.ts';
import { seededRandom } from '../secrets/samples.ts';
import { brokenAt, expectStreamContract, wordsIn } from '../stream-contract.ts';

const random = seededRandom(11);
const phraseOf = (bytes: number): string =>
  entropyToMnemonic(
    Uint8Array.from({ length: bytes }, () => Math.floor(random() * 256)),
    wordlist as string[],
  );
const PHRASES = [16, 20, 24, 28, 32].map(phraseOf);
const TWELVE = PHRASES[0] ?? '';
const numbered = (phrase: string): string =>
  phrase
    .split(' ')
    .map((word, at) => `${String(at + 1)}. ${word}`)
    .join('\n');

beforeAll(loadSeedWords);

describe('seed phrases', () => {
  test.each(PHRASES)('are found: %s', (phrase) => {
    expect(wordsIn(seedPhraseDetector, `My phrase: ${phrase}. Keep it!`)).toEqual([phrase]);
    expect(wordsIn(seedPhraseDetector, phrase.toUpperCase())).toEqual([phrase.toUpperCase()]);
  });

  it('are found in lists and lines', () => {
    const list = TWELVE.split(' ').join('", "');
    expect(wordsIn(seedPhraseDetector, `["${list}"]`)).toEqual([list]);
    expect(wordsIn(seedPhraseDetector, TWELVE.replaceAll(' ', '\n'))).toEqual([TWELVE.replaceAll(' ', '\n')]);
    expect(wordsIn(seedPhraseDetector, numbered(TWELVE))).toEqual([numbered(TWELVE).slice(3)]);
  });

  it('are found beside words of the list', () => {
    expect(wordsIn(seedPhraseDetector, `the secret seed ${TWELVE}`)).toEqual([TWELVE]);
  });

  test.each([
    ['a word that changed places', TWELVE.split(' ').toReversed().join(' ')],
    ['eleven words', TWELVE.split(' ').slice(1).join(' ')],
    ['a word of no list', TWELVE.replace(/ \w+$/, ' zzzz')],
    ['a list of words', wordlist.slice(0, 200).join(' ')],
  ])('are not found with %s', (_, text) => {
    expect(wordsIn(seedPhraseDetector, text)).toEqual([]);
  });

  it('are decided alike at every cut', () => {
    const text = `Two: ${TWELVE}; ${numbered(PHRASES[4] ?? '')} and quite some words more.`;
    const cuts = Array.from({ length: text.length + 1 }, (_, at) => at);
    expect(brokenAt(seedPhraseDetector, text, cuts, 400)).toEqual([]);
  });

  it('are decided alike at every cut after a list of words', () => {
    const text = `${wordlist.slice(0, 40).join(' ')}. Mine: ${TWELVE}; yours?`;
    const cuts = Array.from({ length: text.length + 1 }, (_, at) => at);
    expect(brokenAt(seedPhraseDetector, text, cuts, 400)).toEqual([]);
  });

  it('keep the promises of a stream', () => {
    const pieces = [
      ...TWELVE.split(' ').flatMap((word) => [word, ' ']),
      `${TWELVE} `,
      '\n',
      '. ',
      'x',
      '1. ',
      ', ',
    ];
    expectStreamContract(seedPhraseDetector, pieces, { maxOpenChars: 420 });
  });
});
