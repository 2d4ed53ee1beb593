import { describe, expect, it, test } from 'vitest';
import { cardDetector } from '../../../../src/detectors/pii/card.ts';
import { AMEX, cardNumber, DISCOVER, grouped, MASTERCARD, VISA } from './card-samples.ts';
import { expectStreamContract, openWords, wordsIn } from '../stream-contract.ts';

const FOURS = [4, 4, 4, 4];

describe('payment card numbers', () => {
  test.each([
    ['visa', VISA],
    ['visa', cardNumber('4', 13)],
    ['visa', cardNumber('4', 19)],
    ['mastercard', MASTERCARD],
    ['mastercard', cardNumber('51', 16)],
    ['mastercard', cardNumber('55', 16)],
    ['mastercard', cardNumber('2221', 16)],
    ['mastercard', cardNumber('2720', 16)],
    ['amex', AMEX],
    ['amex', cardNumber('34', 15)],
    ['discover', DISCOVER],
    ['discover', cardNumber('644', 16)],
    ['discover', cardNumber('65', 16)],
    ['discover', cardNumber('622126', 16)],
  ])('of %s are found: %s', (rule, number) => {
    const text = `Charged to ${number}, thanks.`;
    expect(cardDetector.find(text)).toEqual([
      { detector: 'card', class: 'card', rule, start: 11, end: 11 + number.length },
    ]);
  });

  test.each([
    ['fours and blanks', grouped(VISA, FOURS, ' ')],
    ['fours and hyphens', grouped(VISA, FOURS, '-')],
    ['fours and dots', grouped(VISA, FOURS, '.')],
    ['the hyphens of typesetters', grouped(VISA, FOURS, '\u2011')],
    ['blanks that do not break', grouped(VISA, FOURS, '\u00a0')],
    ['the way of American Express', grouped(AMEX, [4, 6, 5], ' ')],
    ['fours, of thirteen digits', grouped(cardNumber('4', 13), [4, 4, 4, 1], ' ')],
    ['fours, of nineteen digits', grouped(cardNumber('4', 19), [4, 4, 4, 4, 3], '-')],
  ])('are found in %s', (_, written) => {
    expect(wordsIn(cardDetector, `(${written})`)).toEqual([written]);
  });

  const spaced = grouped(VISA, FOURS, ' ');
  test.each([
    ['before its code', `${spaced} 123`],
    ['before its expiry date', `${spaced} 04/29`],
    ['behind another number', `17 ${spaced}`],
    ['after other groups of four', `2024 ${spaced}`],
    ['at the end of a sentence', `${spaced}.`],
    ['in JSON', `{"pan":"${spaced}"}`],
    ['in a query', `card=${spaced}&amount=10`],
    ['behind a line break that JSON spells out', String.raw`\n${spaced}`],
    ['behind a letter that JSON spells out', String.raw`\u00e9${spaced}`],
    ['between letters of a script without blanks', `卡号${spaced}谢谢`],
  ])('are found %s', (_, text) => {
    expect(wordsIn(cardDetector, text)).toEqual([spaced]);
  });

  it('are separate findings in a row', () => {
    const other = grouped(MASTERCARD, FOURS, ' ');
    expect(wordsIn(cardDetector, `${spaced} ${other} ${VISA} ${AMEX}`)).toEqual([spaced, other, VISA, AMEX]);
  });

  it('that share groups are one finding', () => {
    const group = '4242';
    const findings = cardDetector.find(Array(6).fill(group).join(' '));
    expect(findings.map(({ start, end }) => [start, end])).toEqual([
      [0, 19],
      [19, 24],
      [24, 29],
    ]);
  });

  const wrong = `${VISA.slice(0, -1)}${String((Number(VISA.at(-1)) + 1) % 10)}`;
  test.each([
    ['a wrong check digit', wrong],
    ['a wrong check digit, in groups', grouped(wrong, FOURS, ' ')],
    ['another brand', cardNumber('3530', 16)],
    ['a length that its brand does not have', cardNumber('4', 15)],
    ['one digit over and over', '0'.repeat(16)],
    ['a fraction', `0.${VISA}`],
    ['a longer number', `${VISA}0000`],
    ['a longer identifier', `${grouped(VISA, FOURS, '-')}-0001`],
    ['groups with different gaps', `${VISA.slice(0, 4)} ${VISA.slice(4, 8)}-${VISA.slice(8)}`],
    ['a word', `a${VISA}`],
    ['a hash', `${VISA}f`],
    ['a phone number', `+${cardNumber('49', 13)}`],
    ['an order', `Order #${VISA} shipped`],
    ['a parcel', `tracking number: ${VISA}`],
    ['an identifier in JSON', `{"id": ${VISA}}`],
    ['an identifier in code', `messageId = ${VISA}`],
  ])('are not found in %s', (_, text) => {
    expect(wordsIn(cardDetector, text)).toEqual([]);
  });

  it('are found after words that begin like the names of other numbers', () => {
    expect(wordsIn(cardDetector, `I paid ${VISA}, order paid with ${AMEX}`)).toEqual([VISA, AMEX]);
  });
});

describe('a stream of card numbers', () => {
  test.each([
    ['The total is', ''],
    ['It was in 2019 ', ''],
    ['Room 12. ', ''],
    ['From 4', '4'],
    ['From 4539 ', '4539 '],
    [`From ${VISA}`, VISA],
    [`From ${VISA} `, ''],
    [`${'7'.repeat(40)}`, ''],
  ])('holds back only part of %j: %j', (text, open) => {
    expect(openWords(cardDetector, text)).toBe(open);
  });

  it.each([
    ['Arabic', 0x0660],
    ['Persian', 0x06f0],
    ['Devanagari', 0x0966],
    ['fullwidth', 0xff10],
  ])('in %s digits is found in its place, and held back until it is whole', (_script, zero) => {
    const inScript = (text: string): string =>
      text.replaceAll(/\d/g, (digit) => String.fromCharCode(zero + Number(digit)));
    for (const written of [inScript(VISA), inScript(grouped(VISA, FOURS, ' '))]) {
      expect(wordsIn(cardDetector, `رقم ${written} هنا`)).toEqual([written]);
      expect(openWords(cardDetector, `x ${written.slice(0, -1)}`)).toBe(written.slice(0, -1));
      expect(wordsIn(cardDetector, written.slice(0, -1))).toEqual([]);
    }
    const pieces = [inScript(VISA), VISA, inScript(grouped(AMEX, [4, 6, 5], '-'))];
    const between = [' ', '-', 'a', '1', inScript('0'), inScript('123'), '\\n'];
    expectStreamContract(cardDetector, [...pieces, ...between], { maxOpenChars: 48 });
  });

  it('keeps its promises', () => {
    const pieces = [
      '4539',
      VISA,
      grouped(VISA, FOURS, ' '),
      grouped(AMEX, [4, 6, 5], '-'),
      '4242 4242 4242 4242',
    ];
    const between = [' ', '-', '.', 'a', '+', 'order #', 'id: ', '1', '0', '123', '\\u00e9', '\\n', '\\'];
    expectStreamContract(cardDetector, [...pieces, ...between], { maxOpenChars: 48 });
  });
});
