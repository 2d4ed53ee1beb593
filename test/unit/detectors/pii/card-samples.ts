/** Makes up a card number by adding the check digit, so that no whole number is in a source. */
export function cardNumber(prefix: string, length: number): string {
  const body = prefix.padEnd(length - 1, '0357924681357924680');
  const sum = [...body].reverse().reduce((total, digit, place) => {
    const value = Number(digit) * (place % 2 === 0 ? 2 : 1);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return body + String((10 - (sum % 10)) % 10);
}

/** Splits the digits into groups of these sizes. */
export function grouped(number: string, sizes: readonly number[], gap: string): string {
  let at = 0;
  return sizes.map((size) => number.slice(at, (at += size))).join(gap);
}

export const VISA = cardNumber('4539', 16);
export const MASTERCARD = cardNumber('5412', 16);
export const AMEX = cardNumber('3714', 15);
export const DISCOVER = cardNumber('6011', 16);
