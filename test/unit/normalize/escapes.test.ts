import { describe, expect, it } from 'vitest';
import { decodeEscapes } from '../../../src/normalize/escapes.ts';

const plain = 'open the door';
const each = (write: (code: number) => string): string =>
  [...plain].map((letter) => write(letter.charCodeAt(0))).join('');
const hex = (code: number, width = 2): string => code.toString(16).padStart(width, '0');

describe('decodeEscapes', () => {
  it('decodes more escapes in a row than a call accepts arguments', () => {
    const escaped = each((code) => `%${hex(code)}`).repeat(12_000);
    expect(decodeEscapes(escaped).text === plain.repeat(12_000)).toBe(true);
  });

  it.each<[string, string]>([
    ['percent', each((code) => `%${hex(code)}`)],
    ['percent u', each((code) => `%u${hex(code, 4)}`)],
    ['hexadecimal backslash', each((code) => `\\x${hex(code)}`)],
    ['unicode', each((code) => `\\u${hex(code, 4)}`)],
    ['doubly escaped unicode', each((code) => `\\\\u${hex(code, 4)}`)],
    ['braced unicode', each((code) => `\\u{${hex(code)}}`)],
    ['long unicode', each((code) => `\\U${hex(code, 8)}`)],
    ['decimal HTML', each((code) => `&#${code.toString()};`)],
    ['padded HTML without semicolons', each((code) => `&#${code.toString().padStart(7, '0')}`)],
    ['hexadecimal HTML', each((code) => `&#x${hex(code)};`)],
    ['one letter of a word in HTML', 'op&#101;n&nbsp;th&#x65; door'],
    ['one letter of a word in percent', 'o%70en the d%6For'],
    ['one letter of a word in unicode', 'op\\u0065n the door'],
    ['code points', each((code) => `U+${hex(code, 4)} `).trim()],
    ['bytes with a prefix', each((code) => `0x${hex(code)} `).trim()],
    ['bytes with spaces', each((code) => `${hex(code)} `).trim()],
    ['bare digits', each((code) => hex(code))],
  ])('decodes %s escapes of plain letters and flags them', (_, given) => {
    expect(decodeEscapes(given)).toMatchObject({ text: plain, found: true });
  });

  it.each<[string, string, string]>([
    ['dots and slashes', 'cat %2e%2e%2fetc', 'cat ../etc'],
    ['only slashes', 'cat ..%2f..%2fetc', 'cat ../../etc'],
    ['backslashes', 'type ..%5c..%5cwin', 'type ..\\..\\win'],
    ['overlong slashes', 'cat /..%c0%af..%c0%afetc', 'cat /../../etc'],
    ['fullwidth dots', 'cat %uff0e%uff0e%u2215etc', 'cat ../etc'],
    ['entities', 'cat &period;&period;&sol;etc', 'cat ../etc'],
  ])('flags a climb in escaped %s', (_, given, expected) => {
    expect(decodeEscapes(given)).toMatchObject({ text: expected, found: true });
  });

  it.each<[string, string, string]>([
    ['a URL', 'https://a.example/?q=caf%C3%A9%20noir&to=%2Fhome', 'https://a.example/?q=café noir&to=/home'],
    ['a URL in Russian', '/wiki/%D0%9C%D0%BE%D1%81', '/wiki/Мос'],
    ['accents and signs in JSON', '"caf\\u00e9 \\u2014 \\u0026 \\ud83d\\ude00"', '"café — & 😀"'],
    ['Russian in JSON', '{"a":"\\u041f\\u0440\\u0438\\u0432\\u0435\\u0442"}', '{"a":"Привет"}'],
    ['HTML', '<p>Tom &amp; Ann&nbsp;&lt;b&gt; &#39;hi&#39;', "<p>Tom & Ann <b> 'hi'"],
  ])('decodes necessary escapes in %s without a flag', (_, given, expected) => {
    expect(decodeEscapes(given)).toMatchObject({ text: expected, found: false });
  });

  it.each<[string, string]>([
    ['formats', 'printf("%4d %6d %64s %5.2f %02x\\n")'],
    ['adjacent formats', '"%4d%6d%5f"'],
    ['LIKE patterns', "name LIKE '%add%' OR name LIKE '%bed%'"],
    ['letter ranges', '/[\\u0041-\\u005A\\u0061-\\u007A]/ and [\\x41-\\x5A\\x61-\\x7A]'],
    ['Windows paths', 'C:\\users\\x64\\bin and D:\\x86\\Release'],
    ['terminal colours', '"\\x1b[31m"'],
    ['hashes', 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
    ['UUIDs', '550e8400-e29b-41d4-a716-446655440000'],
    ['hardware addresses', '00:1A:2B:3C:4D:5E:6F:70:41'],
    ['two-digit numbers', '45 67 32 54 70 61 72 65 41 42'],
    ['byte arrays', '{0x00, 0x1f, 0x8b, 0x08, 0xff, 0x10, 0x41}'],
    ['one code point', 'U+0041 is a letter'],
    ['query strings', 'a=1&copy=2&lt=3'],
    ['a hex dump with its text', '48 65 6c 6c 6f 20 79 6f 75 20 61 6c 6c |Hello you all|'],
  ])('keeps %s', (_, given) => {
    expect(decodeEscapes(given)).toMatchObject({ text: given, found: false });
  });
});
