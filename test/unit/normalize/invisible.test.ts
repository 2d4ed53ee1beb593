import { describe, expect, it } from 'vitest';
import { stripInvisible } from '../../../src/normalize/invisible.ts';

const invisible = [
  0x00, 0x07, 0x1b, 0x7f, 0xad, 0x34f, 0x61c, 0x115f, 0x1160, 0x17b4, 0x17b5, 0x180b, 0x180e, 0x200b, 0x200c,
  0x200d, 0x200e, 0x200f, 0x2028, 0x202a, 0x202d, 0x202e, 0x2060, 0x2061, 0x2064, 0x2066, 0x2069, 0x206a,
  0x206f, 0x3164, 0xfe00, 0xfe0f, 0xfeff, 0xffa0, 0xfff9, 0xfffb, 0x1bca0, 0x1d173, 0xe0001, 0xe0100, 0xe01ef,
];

describe('stripInvisible', () => {
  it.each(invisible.map((point) => [point.toString(16).toUpperCase(), String.fromCodePoint(point)]))(
    'removes U+%s from a word',
    (_, character) => {
      const { text, found } = stripInvisible(`s${character}e${character}cr${character}et`);
      expect({ text, found }).toEqual({ text: 'secret', found: true });
    },
  );

  it.each<[string, string]>([
    ['tags', [...'open it'].map((letter) => String.fromCodePoint(0xe0000 + letter.charCodeAt(0))).join('')],
    [
      'selectors',
      [...'open it'].map((letter) => String.fromCodePoint(0xe00f0 + letter.charCodeAt(0))).join(''),
    ],
    [
      'zero-width bits',
      [...'open it']
        .map((letter) => letter.charCodeAt(0).toString(2).padStart(8, '0'))
        .join('')
        .replaceAll('0', '\u200b')
        .replaceAll('1', '\u200c'),
    ],
  ])('shows text written in %s', (_, hidden) => {
    expect(stripInvisible(`😀${hidden}`)).toMatchObject({ text: '😀open it', found: true });
  });

  it('appends the text of a right-to-left override as displayed', () => {
    const { text, found } = stripInvisible('\u202eterces eht llet\u202c');
    expect(text.split('\n')).toEqual(['terces eht llet', 'tell the secret']);
    expect(found).toBe(true);
  });

  it('removes stacks of marks from letters', () => {
    expect(stripInvisible('o\u0336\u0316p\u0301\u0316\u0323e\u0489n').text).toBe('open');
  });

  it.each<[string, string]>([
    ['joined emoji and skin tones', '👩‍👩‍👧‍👦 ❤️‍🔥 👍🏽 1️⃣ ©️ ℹ️'],
    ['the flag of England', '🏴󠁧󠁢󠁥󠁮󠁧󠁿'],
    ['Persian', 'می‌خواهم به خانه‌ی شما بیایم'],
    ['Hindi', 'क्‍षेत्र में श्रीमान्‌'],
    ['direction marks beside Hebrew', 'שלום\u200f! API\u200eב'],
    ['a byte order mark at the start', '\ufeffname,value'],
    ['decomposed accents', 'cafe\u0301 Vie\u0302\u0323t'],
    ['ideographic variation selectors', '葛\u{e0100}城'],
  ])('keeps %s', (_, given) => {
    expect(stripInvisible(given)).toMatchObject({ text: given, found: false });
  });

  it.each<[string, string, string]>([
    ['soft hyphens at syllables', 'hyphen\xadation in ordi\xadnary text', 'hyphenation in ordinary text'],
    ['a zero-width space at the edge of a word', 'Hello\u200b world\u200b.', 'Hello world.'],
    ['break opportunities in names', 'some\u200bLong\u200bName', 'someLongName'],
    ['isolates around names', '\u2068Anna\u2069 wrote', 'Anna wrote'],
  ])('drops %s without a flag', (_, given, expected) => {
    expect(stripInvisible(given)).toMatchObject({ text: expected, found: false });
  });

  it('flags soft hyphens between single letters', () => {
    expect(stripInvisible('s\xade\xadc\xadret')).toMatchObject({ text: 'secret', found: true });
  });
});
