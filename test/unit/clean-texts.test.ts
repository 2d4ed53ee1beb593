import { hash } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { COMMON_TEXTS } from '../../src/common-texts.ts';
import {
  createSearchId,
  cleanRecord,
  rememberClean,
  textDigest,
  type TextReading,
} from '../../src/clean-texts.ts';

const PROSE = 'words of a long text '.repeat(20);

/** Reads texts. Those that name a secret are not clean. */
function reader(): { read: TextReading<string>['read']; seen: string[] } {
  const seen: string[] = [];
  const read = rememberClean<string>({
    read: (texts) => {
      seen.push(...texts);
      return Promise.resolve(texts.map((text) => (text.includes('secret') ? 'secret' : '')));
    },
    isClean: (result) => result === '',
    clean: () => '',
  });
  return { read, seen };
}

test('a clean text is read once, any other each time', async () => {
  const { read, seen } = reader();
  const dirty = `${PROSE} secret`;
  expect(await read([PROSE, dirty])).toEqual(['', 'secret']);
  expect(await read([dirty, PROSE])).toEqual(['secret', '']);
  expect(seen).toEqual([PROSE, dirty, dirty]);
});

test('a word common to all requests is read once if it is clean, any other short text once while it is in use', async () => {
  const { read, seen } = reader();
  const texts = ['messages', 'role": "user', 'my name', 'secret'];
  expect(COMMON_TEXTS.has('messages')).toBe(true);
  await read(texts);
  expect(await read(texts)).toEqual(['', '', '', 'secret']);
  expect(seen).toEqual([...texts, 'secret']);
  await setTimeout(1_100);
  await read(texts);
  expect(seen).toEqual([...texts, 'secret', 'my name', 'secret']);
});

test('a number is read each time, since its hash is predictable', async () => {
  const { read, seen } = reader();
  for (const _time of [1, 2]) await read(['4711', '4711 is a number']);
  expect(seen).toEqual(['4711', '4711 is a number', '4711', '4711 is a number']);
});

test('of long texts with equal lengths, which share a hash, only some are kept, and all are recognized', () => {
  const question = createSearchId();
  const texts = Array.from({ length: 40 }, (_, nth) => 'x'.repeat(20_000) + String(nth).padStart(4));
  const isKept = texts.map((text) => cleanRecord(text) === cleanRecord(text));
  expect(isKept).toEqual(texts.map((_, nth) => nth < 16));
  for (const text of texts) cleanRecord(text)?.markClean(question);
  expect(texts.map((text) => cleanRecord(text)?.isClean(question))).not.toContain(false);
});

test('a common word that is not clean is read each time', async () => {
  const seen: string[] = [];
  const read = rememberClean<boolean>({
    read: (texts) => Promise.resolve(texts.map((text) => seen.push(text) > 0)),
    isClean: () => false,
    clean: () => false,
  });
  for (const _time of [1, 2]) expect(await read(['role'])).toEqual([true]);
  expect(seen).toEqual(['role', 'role']);
});

test.each([
  ['half of a pair and the sign that stands for it', '\ud800', '\ufffd'],
  ['the one half and the other', '\ud800', '\udc00'],
  ['two halves apart', '\ud83d \ude00', '\ud83e \ude00'],
])('%s: one was read, the other was not', async (_what, one, other) => {
  const { read, seen } = reader();
  await read([PROSE + one]);
  await read([PROSE + other]);
  expect(seen).toEqual([PROSE + one, PROSE + other]);
});

test('the stored form of a text cannot be forged outside of the process', () => {
  expect(textDigest(PROSE)).toBe(textDigest(PROSE));
  expect(textDigest(PROSE)).not.toBe(hash('sha256', PROSE, 'binary'));
  expect(textDigest('a short text')).toBeUndefined();
});

test('a text that others have read for the same question is not read', async () => {
  const [text, other] = [`${PROSE} others`, `${PROSE} nobody`];
  const theirs = createSearchId();
  const cleaned: string[] = [];
  const seen: string[] = [];
  const read = rememberClean<string>({
    read(texts) {
      seen.push(...texts);
      return Promise.resolve(texts.map(() => ''));
    },
    isClean: () => true,
    clean: () => '',
    isRead: (known) => known.isClean(theirs),
    onClean: (clean) => cleaned.push(clean),
  });
  cleanRecord(text)?.markClean(theirs);
  await read([text, other]);
  expect(seen).toEqual([other]);
  expect(cleaned).toEqual([other]);
});

test('a text is known for its last question', () => {
  const text = `${PROSE} asked`;
  const asked = Array.from({ length: 40 }, createSearchId);
  for (const question of asked) cleanRecord(text)?.markClean(question);
  expect(asked.map((question) => cleanRecord(text)?.isClean(question))).toEqual(
    asked.map((_, nth) => nth >= 8),
  );
});

test('a text is known for its own questions, however many other orders of questions there are', () => {
  const questions = Array.from({ length: 40 }, createSearchId);
  const asked = Array.from({ length: 400 }, (_, nth) => ({
    text: `${PROSE} order ${String(nth)}`,
    own: Array.from({ length: 20 }, (_step, step) => questions[(nth + step * (1 + (nth % 13))) % 40] ?? 0),
  }));
  for (const { text, own } of asked) for (const question of own) cleanRecord(text)?.markClean(question);
  for (const { text, own } of asked) {
    expect(questions.filter((question) => cleanRecord(text)?.isClean(question))).toEqual(
      questions.filter((question) => own.includes(question)),
    );
  }
});

test('a text is recognized when it appears later, and not stored until then', async () => {
  const text = `${PROSE} later`;
  const question = createSearchId();
  const first = cleanRecord(text);
  expect(cleanRecord(`${PROSE} later`)).toBe(first);
  await setTimeout(1_100);
  expect(cleanRecord(text)).not.toBe(first);
  first?.markClean(question);
  await setTimeout(1_100);
  expect(cleanRecord(text)?.isClean(question)).toBe(true);
});
