import { describe, expect, it, test } from 'vitest';
import { phoneDetector } from '../../../../src/detectors/pii/phone.ts';
import { expectStreamContract, openWords, wordsIn } from '../stream-contract.ts';

describe('phone numbers with a plus', () => {
  it('are found with their place', () => {
    expect(phoneDetector.find('Call +44 20 7946 0123.')).toEqual([
      { detector: 'phone', class: 'phone', rule: 'e164', start: 5, end: 21 },
    ]);
  });

  test.each([
    '+442079460123',
    '+44 20 7946 0123',
    '+44 (0)20 7946 0123',
    '+44-20-7946-0123',
    '+44.20.7946.0123',
    '+44 20\u00a07946\u20110123',
    '+49 30 23125 014',
    '+33 1 99 00 12 34',
    '+1 (212) 555-0134',
    '+1 555 123 4567',
    '+12125550134',
    '+15551230134',
    '+1 5551230134',
    '+447700612345',
  ])('are found: %s', (number) => {
    expect(wordsIn(phoneDetector, `at ${number}, or`)).toEqual([number]);
  });

  test.each([
    [String.raw`\n+12125550134`, '+12125550134'],
    [String.raw`"\u002B12125550134"`, String.raw`\u002B12125550134`],
    ['?tel=%2B12125550134', '%2B12125550134'],
    ['+12125550134x12', '+12125550134'],
    ['+1 212 555 0134 2024', '+1 212 555 0134'],
    ['电话+12125550134谢谢', '+12125550134'],
  ])('are found in %s', (text, number) => {
    expect(wordsIn(phoneDetector, text)).toEqual([number]);
  });

  test.each([
    ['+1'],
    ['+10%'],
    ['+1-800'],
    ['+999 212 555 0134 9'],
    ['+10 000 000 000 people'],
    ['a+12125550134'],
    ['35557327 + 98283264 = 133840591'],
    ['f(x) + 98283264.'],
    ['++12125550134'],
    ['+12125550134abc'],
    ['+1234567890'],
    [`+${'1'.repeat(20)}`],
    [String.raw`\\u002B1212555`],
    ['2024-05-01T10:00:00+02:00'],
  ])('are not found in %s', (text) => {
    expect(wordsIn(phoneDetector, text)).toEqual([]);
  });
});

describe('phone numbers of North America', () => {
  test.each([
    '(212) 555-0134',
    '(212)555-0134',
    '(212)-555-0134',
    '(212) 5550134',
    '212-555-0134',
    '212.555.0134',
    '212 555 0134',
    '212 555-0134',
    '212/555-0134',
    '212-5550134',
    '212\u2011555\u20110134',
    '212 - 555 - 0134',
    '(555) 123-4567',
  ])('are found: %s', (number) => {
    expect(phoneDetector.find(`at ${number}.`)).toEqual([
      { detector: 'phone', class: 'phone', rule: 'nanp', start: 3, end: 3 + number.length },
    ]);
  });

  test.each([
    ['1-212-555-0134', '212-555-0134'],
    ['1 (212) 555-0134', '(212) 555-0134'],
    ['001-212-555-0134', '212-555-0134'],
    ['Tel(212) 555-0134', '(212) 555-0134'],
    ['212-555-0134x36', '212-555-0134'],
    ['212-555-0134 ext. 36', '212-555-0134'],
    [String.raw`\n212-555-0134\n`, '212-555-0134'],
  ])('are found in %s', (text, number) => {
    expect(wordsIn(phoneDetector, text)).toEqual([number]);
  });

  it('are found in separate lines and columns', () => {
    const numbers = ['212 555 0134', '212 555 0143'];
    expect(wordsIn(phoneDetector, `${numbers.join('\n')}\n9`)).toEqual(numbers);
    expect(wordsIn(phoneDetector, `7\t${numbers.join('\t')}\t9`)).toEqual(numbers);
  });

  test.each([
    ['an area that begins with 1', '112-555-0134'],
    ['more digits', '212-555-01345'],
    ['more digits before', '9212-555-0134'],
    ['more groups', '212-555-0134-77'],
    ['more groups before', '2024-212-555-0134'],
    ['an order of a shop', '212-1234567-1234567'],
    ['a row of numbers', '212 555 0134 999'],
    ['a row of numbers before', '77 212 555 0134'],
    ['sizes', '256 512 1024, 640 480 1280'],
    ['an exchange that begins with 1, between blanks', '212 155 0134'],
    ['two groups between blanks', '212 5550134'],
    ['an area that is not given out', '211 555 0134'],
    ['a word', 'v212-555-0134'],
    ['a word after it', '212-555-0134b'],
    ['an email address', '212-555-0134@sms.example'],
    ['a sum', '650+253+1234'],
    ['points in time', '2012-01-02 08:00, 20120102 08:00, 04/12/2014'],
    ['an address', '192.168.100.1000'],
    ['seven digits', '555-0134'],
  ])('are not found in %s: %s', (_, text) => {
    expect(wordsIn(phoneDetector, text)).toEqual([]);
  });
});

describe('ten ungrouped digits', () => {
  const NUMBER = '2125550134';

  test.each([
    `phone: ${NUMBER}`,
    `"phoneNumber": "${NUMBER}"`,
    `mobile_number=${NUMBER}`,
    `Call me at ${NUMBER}.`,
    `tel:${NUMBER}`,
    `https://wa.me/${NUMBER}`,
    `teléfono ${NUMBER}`,
    `${NUMBER} x 12`,
    `${NUMBER} ext. 12`,
    `${NUMBER}x12`,
    NUMBER,
    `\n ${NUMBER}\n`,
    `{"content":"${NUMBER}"}`,
    `content": "${NUMBER}`,
  ])('are a phone number if the context says so: %j', (text) => {
    expect(wordsIn(phoneDetector, text)).toEqual([NUMBER]);
  });

  test.each([
    `order ${NUMBER} shipped`,
    `call id ${NUMBER}`,
    `{"id": "${NUMBER}"}`,
    `id": "${NUMBER}`,
    `${NUMBER} parts`,
    `phone: $ 3, ${NUMBER}`,
    `phone: ${NUMBER}7`,
    `phone: ${NUMBER}.5`,
    'ts=1700000000',
    '1700000000',
    '1121550134',
    '2147483647',
  ])('are not a phone number otherwise: %j', (text) => {
    expect(wordsIn(phoneDetector, text)).toEqual([]);
  });

  it('include the country code before them', () => {
    expect(wordsIn(phoneDetector, `phone: 1${NUMBER}`)).toEqual([`1${NUMBER}`]);
  });
});

describe('a stream of phone numbers', () => {
  test.each([
    ['Once upon a ', ''],
    ['next', ''],
    ['In 1984, ', ''],
    ['by 10%', ''],
    ['all of it.', ''],
    ['at (', '('],
    ['at (212) 5', '(212) 5'],
    ['at 212-555-', '212-555-'],
    ['at 212-555-0134', '212-555-0134'],
    ['at 212-555-0134,', ''],
    ['at +', '+'],
    ['at +44 20 79', '+44 20 79'],
    ['2125550134\n', '2125550134\n'],
    ['2125550134 is', ''],
    ['at 2125550134 ext', '2125550134 ext'],
  ])('holds back only part of %j: %j', (text, open) => {
    expect(openWords(phoneDetector, text)).toBe(open);
  });

  it('keeps its promises', () => {
    const pieces = [
      '212',
      '555',
      '0134',
      '(212) 555-0134',
      '2125550134',
      '44 20 7946 0123',
      '256 512 1024',
      '1',
      '0',
    ];
    const signs = [
      '+',
      ' + ',
      ')',
      '\\u002B',
      '%2B',
      '%',
      'x',
      'e',
      'ext',
      ' x 1',
      'phone: ',
      'content": "',
      '"',
      '@',
    ];
    const between = [' ', '-', '.', '/', '(', ')', '\n', '\t', '    ', 'a', '\\', '\\n', '\\u00e9'];
    expectStreamContract(phoneDetector, [...pieces, ...signs, ...between], { maxOpenChars: 72 });
  });
});
