const NANO_PER_USD = 1_000_000_000;

/** Formats an amount in plain decimal notation, without exponent or trailing zeros, exact to the nano-USD. */
export function formatUsd(nanoUsd: number): string {
  const whole = Math.round(Math.abs(nanoUsd));
  const dollars = Math.floor(whole / NANO_PER_USD);
  const fraction = String(whole % NANO_PER_USD)
    .padStart(9, '0')
    .replace(/(?<!0)0+$/, '');
  const sign = nanoUsd < 0 && whole > 0 ? '-' : '';
  return `${sign}${String(dollars)}${fraction === '' ? '' : `.${fraction}`}`;
}

/** Converts USD to integer nano-USD, the unit of all internal amounts. */
export function toNanoUsd(usd: number): number {
  return Math.round(usd * NANO_PER_USD);
}
