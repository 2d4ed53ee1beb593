import { describe, expect, it } from 'vitest';
import {
  createContentDetector,
  createFindContentAll,
  type ContentScope,
} from '../../../src/detectors/content.ts';
import { longestTurnMs } from '../../support/turn-sweep/turn-watch.ts';
import { VISA } from './pii/card-samples.ts';
import { makeSecret, seededRandom } from './secrets/samples.ts';
import { brokenAt } from './stream-contract.ts';

const SCOPE: ContentScope = { scanSecrets: true, scanPii: true, scanNetwork: false, allowedHosts: [] };
const detector = createContentDetector(SCOPE);
const searchAll = createFindContentAll(SCOPE, Infinity);
const findAll = async (texts: readonly string[]) => (await searchAll(texts)).map(({ findings }) => findings);
const AWS = makeSecret('aws_access_key_id', seededRandom(2)).secret;
const VALUES = [
  AWS,
  makeSecret('github_token', seededRandom(2)).secret,
  VISA,
  ['319', '42', '5786'].join('-'),
  'ann.lee@mail.example',
  '+1 (212) 555-0134',
];
const HIDERS = [
  '\u200b',
  '\u200d',
  '\ufeff',
  '\xad',
  '\u2060',
  '\u202e',
  '\ufe0f',
  '\u{e0041}',
  '\u200b\u200c'.repeat(9),
  '\u0001',
  '\0',
  '\u2800',
];

const parted = (value: string, hider: string, at: number): string =>
  value.slice(0, at) + hider + value.slice(at);

describe('invisible characters', () => {
  it('do not hide a value at any place in it', async () => {
    for (const value of VALUES) {
      for (const hider of HIDERS) {
        for (let at = 1; at < value.length; at += 1) {
          const hidden = parted(value, hider, at);
          const text = `It is ${hidden} then.`;
          const found = detector.find(text);
          expect([text, found.map(({ start, end }) => text.slice(start, end))]).toEqual([text, [hidden]]);
          expect((await findAll([text]))[0]).toEqual(found);
        }
      }
    }
  });

  it('do not hide a value between all of its letters or as JSON escapes', () => {
    for (const value of VALUES) {
      for (const hider of ['\u200b', '\\u200b', '\\u00ad', '\u200c\\ufeff']) {
        const hidden = [...value].join(hider);
        const text = `It is ${hidden} then.`;
        expect(detector.find(text).map(({ start, end }) => text.slice(start, end))).toEqual([hidden]);
      }
    }
  });

  it('also end a value as written', () => {
    const text = `${VISA}\u200b5`;
    expect(detector.find(text)).toMatchObject([{ class: 'card', start: 0, end: VISA.length }]);
  });

  it('are not a finding by themselves or in text of any language', () => {
    for (const text of [
      '👩‍👩‍👧‍👦 🏳️‍🌈 🏴󠁧󠁢󠁥󠁮󠁧󠁿 1️⃣2️⃣3️⃣ ❤️',
      'می‌خواهم به خانه‌ام بروم',
      'السلام عليكم\u200f (123)',
      'Donau\xaddampf\xadschiff\xadfahrt',
      'क्‍ष zero\u200bwidth',
    ]) {
      expect(detector.find(text)).toEqual([]);
    }
  });

  it('change no decision in a stream, at any cut', () => {
    for (const value of VALUES) {
      for (const hider of ['\u200b', '\u{e0041}', '\\u200b', '\xad\xad']) {
        const text = `So ${parted(value, hider, 5)} and ${[...value].join(hider)}. Bye`;
        const cuts = Array.from({ length: text.length + 1 }, (_, at) => at);
        expect([text, brokenAt(detector, text, cuts, 40_000)]).toEqual([text, []]);
      }
    }
  });

  it('are removed from megabytes of text in short turns', async () => {
    for (const text of [
      `${'\u200b'.repeat(2_000_000)}`,
      'a\u200b'.repeat(1_000_000),
      'a\\u200b'.repeat(300_000),
    ]) {
      const long = `${text} ${parted(AWS, '\u200b', 7)} `;
      let found: readonly { readonly class: string }[] = [];
      const turn = await longestTurnMs(async () => {
        found = (await findAll([long]))[0] ?? [];
      });
      expect(found.map(({ class: kind }) => kind)).toEqual(['secret']);
      expect(turn).toBeLessThan(50);
    }
  });
});
