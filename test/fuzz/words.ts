import fc from 'fast-check';

/** Text beside a planted value. */
export const nearby = fc.oneof(
  fc.constantFrom('', ' ', 'the key is ', ' and so on.', '\n', '"', '\\', '={', '\u200b', '漢字', 'é', '-'),
  fc.string({ maxLength: 12, unit: 'grapheme' }),
);

export function around(before: string, planted: string, after: string): string {
  return `${before}${planted}${after}`;
}

export function leafOf(leaves: readonly string[], index: number): string {
  return leaves[index % leaves.length] ?? '';
}
