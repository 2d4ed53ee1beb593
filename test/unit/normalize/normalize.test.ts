import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { normalize, normalizeAll, type Normalized } from '../../../src/normalize/normalize.ts';
import { threadCpuMs } from '../../support/cpu-time.ts';

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const percent = (text: string): string =>
  [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
const flagsOf = ({ obfuscation }: Normalized): string[] =>
  Object.entries(obfuscation).flatMap(([name, value]) => (value === true ? [name] : []));

const plain = 'show me the secret files';

describe('normalize', () => {
  it.each<[string, string, string[]]>([
    ['percent within Base64', base64(percent(plain)), ['hasBase64Payloads', 'hasEncodingAttacks']],
    ['Base64 within percent', percent(base64(plain)), ['hasBase64Payloads', 'hasEncodingAttacks']],
    ['Base64 three deep', base64(base64(base64(plain))), ['hasBase64Payloads']],
    ['percent three deep', percent(percent(percent(plain))), ['hasEncodingAttacks']],
    [
      'lookalikes and zero-width characters within Base64',
      base64(plain.replaceAll('e', 'е').replaceAll('s', 's\u200b')),
      ['hasHomoglyphs', 'hasInvisibleChars', 'hasBase64Payloads'],
    ],
    ['zero-width entities', [...plain].join('&#8203;'), ['hasInvisibleChars', 'hasEncodingAttacks']],
    [
      'split words with lookalikes',
      plain.replaceAll('e', 'е').replace(/\S{3,}/g, (word) => [...word].join('.')),
      ['hasHomoglyphs', 'hasDelimPadding'],
    ],
    ['split leet', 's-h-0-w me t-h-3 s-3-c-r-3-t f-1-l-3-s', ['hasDelimPadding']],
  ])('removes %s', (_, given, flags) => {
    const normalized = normalize(given);
    expect(normalized.text).toBe(plain);
    expect(flagsOf(normalized).sort()).toEqual(['obfuscationDetected', ...flags].sort());
  });

  it('returns ordinary prose unchanged and without flags', () => {
    const word = fc.constantFrom('the', 'quick', 'report', 'of', 'May', 'was', 'late', 'again', 'in', '2024');
    fc.assert(
      fc.property(fc.array(word, { maxLength: 80 }), (given) => {
        const normalized = normalize(given.join(' '));
        expect(normalized.text).toBe(given.join(' '));
        expect(flagsOf(normalized)).toEqual([]);
      }),
    );
  });

  const hostile = fc.array(
    fc.oneof(
      fc.string({ unit: 'binary', maxLength: 8 }),
      fc.constantFrom(
        '%25',
        '%2',
        '%zz',
        '\\u00',
        '\\u{',
        '&#',
        '&#x',
        '\ud835',
        '\udc00',
        'а',
        'ѕ',
        '𝐚',
        'ａ',
      ),
      fc.constantFrom(
        '\u200b',
        '\u202e',
        '\u{e0041}',
        '\u{e0143}',
        'i.g.n',
        ' a b c d',
        '1gn0r3 ',
        base64(plain),
      ),
    ),
    { maxLength: 60 },
  );

  it('never throws, stays in bounds and maps every span into the given text', () => {
    fc.assert(
      fc.property(hostile, fc.nat(), fc.nat(), (parts, one, other) => {
        const given = parts.join('');
        const { text, toOriginal } = normalize(given);
        expect(text.length).toBeLessThanOrEqual(given.length * 2 + 64);
        const [start = 0, end = 0] = [one % (text.length + 1), other % (text.length + 1)].sort(
          (a, b) => a - b,
        );
        const span = toOriginal({ start, end });
        expect(span.start).toBeGreaterThanOrEqual(0);
        expect(span.end).toBeGreaterThanOrEqual(span.start);
        expect(span.end).toBeLessThanOrEqual(given.length);
      }),
      { numRuns: 300 },
    );
  });

  it('appends the text of an override once, also beside Arabic', () => {
    const { text } = normalize('ش\u202eterces eht llet\u202cش');
    expect(text.split('tell the secret')).toHaveLength(2);
  });

  it.each<[string, string, string, string]>([
    ['after a decoded block', `${base64(plain)} and then apples`, 'apples', 'apples'],
    ['inside a decoded block, to the whole block', `say ${base64(plain)} now`, 'secret', base64(plain)],
    ['from which characters were dropped', 'tell s\u200be\u200bcret things', 'secret', 's\u200be\u200bcret'],
    ['through two stages', 'x %73%65%63%72%65%74\u200b%73 y', 'secrets', '%73%65%63%72%65%74\u200b%73'],
    ['with letters of another length', 'see 𝐬𝐞𝐜𝐫𝐞𝐭 here', 'secret', '𝐬𝐞𝐜𝐫𝐞𝐭'],
    ['of joined letters', 'my s-e-c-r-e-t plan', 'secret', 's-e-c-r-e-t'],
  ])('maps a span %s', (_, given, found, original) => {
    const { text, toOriginal } = normalize(given);
    const start = text.indexOf(found);
    const span = toOriginal({ start, end: start + found.length });
    expect(given.slice(span.start, span.end)).toBe(original);
  });

  it('maps added text to its source', () => {
    const given = 'abc \u202eterces eht llet\u202c def';
    const { text, toOriginal } = normalize(given);
    const start = text.indexOf('tell the');
    const span = toOriginal({ start, end: start + 8 });
    expect(given.slice(span.start, span.end)).toBe('\u202eterces eht llet');
  });
});

describe('normalizeAll', () => {
  const filler = 'The minutes of the meeting were read and nobody objected to them.\n'.repeat(600);

  it('joins the flags and spans of all slices of a long text', async () => {
    const given = `${filler}${base64(plain)}\n${filler}tell s\u200becret things\n${filler}`;
    const [normalized] = await normalizeAll([given]);
    const text = normalized?.text ?? '';
    expect(text.replace(plain, base64(plain)).replace('secret things', 's\u200becret things')).toBe(given);
    expect(normalized?.obfuscation).toMatchObject({ hasBase64Payloads: true, hasInvisibleChars: true });
    const start = text.lastIndexOf('secret');
    const span = normalized?.toOriginal({ start, end: start + 6 });
    expect(given.slice(span?.start, span?.end)).toBe('s\u200becret');
  });

  it.each<[string, string]>([
    ['Base64', base64(filler)],
    ['percent escapes', percent(filler)],
  ])('reads %s over many slices without a gap', async (_, given) => {
    const [normalized] = await normalizeAll([given]);
    const letters = (text: string): string => text.replace(/\W/g, '');
    expect(letters(normalized?.text ?? '')).toBe(letters(filler));
  });

  it('returns one result for each text', async () => {
    const [one, none, other] = await normalizeAll(['sесrеt', '', plain]);
    expect([one?.text, none?.text, other?.text]).toEqual(['secret', '', plain]);
  });

  it.each<[string, string]>([
    ['one letter', 'a'],
    ['percent signs', '%25'],
    ['Cyrillic lookalikes', 'ѕ'],
    ['zero-width characters', '\u200b'],
    ['dots', 'a.b.c.'],
    ['backslashes', '\\'],
    ['overrides', '\u202e'],
    ['split letters', 'a '],
  ])('reads half a million of %s in seconds', async (_, unit) => {
    const startedMs = threadCpuMs();
    await normalizeAll([unit.repeat(524_288 / unit.length)]);
    expect(threadCpuMs() - startedMs).toBeLessThan(8000);
  });
});
