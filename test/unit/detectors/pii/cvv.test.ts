import { describe, expect, test } from 'vitest';

import { findCvv } from '../../../../src/detectors/pii/cvv.ts';

const valuesIn = (text: string): string[] => findCvv(text).map(({ start, end }) => text.slice(start, end));

describe('card verification codes', () => {
  test.each([
    ['card 4111 1111 1111 1111 cvv 123', '123'],
    ['{"number":"4242424242424242","cvc":"314"}', '314'],
    ['CVV: 999, card: 5555-5555-5555-4444', '999'],
    ['3782 822463 10005, security code is 1234', '1234'],
    ['4111111111111111|12|2027|123', '123'],
    ['4242 4242 4242 4242 exp 04/29 567', '567'],
    ['12 4111 1111 1111 1111 cvv2=321', '321'],
    ['4111111111111111 and 321 (CVC)', '321'],
    ['Karte 4111111111111111, Prüfnummer: 123', '123'],
    ['Karte 4111111111111111, Prüfziffer lautet 123', '123'],
    ['4111111111111111, cryptogramme visuel : 123', '123'],
    ['4111111111111111, beveiligingscode: 123', '123'],
    ['4111111111111111, CVC2-код: 123', '123'],
    ['4111111111111111, проверочный код 123', '123'],
    ['4111111111111111، رقم التحقق: 123', '123'],
  ])('the code beside a card is found: %s', (text, value) => {
    expect(valuesIn(text)).toEqual([value]);
  });

  test.each([
    ['a code alone', 'cvv 123'],
    ['a number that Luhn refuses', '4111 1111 1111 1112 cvv 123'],
    ['a card alone', '4111 1111 1111 1111'],
    ['digits without a name', 'order 4111111111111111 has 123 items'],
    ['a code far from the card', `4111111111111111${' word'.repeat(60)} cvv 123`],
    ['one digit repeated', '0000000000000000 cvv 123'],
    ['a door', 'security code 1234 for the door'],
  ])('%s is ignored', (_, text) => {
    expect(findCvv(text)).toEqual([]);
  });

  test('each of two codes is found once, in order', () => {
    expect(valuesIn('4111111111111111 cvv 123 cvv 123; 5555555555554444|01|29|777')).toEqual([
      '123',
      '123',
      '777',
    ]);
  });
});
