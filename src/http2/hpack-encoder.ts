import { STATIC_TABLE } from './static-table.ts';

/** RFC 7541 section 6. */
const INDEXED = 0x80;
const NOT_INDEXED_PREFIX_BITS = 4;
const STRING_PREFIX_BITS = 7;

/** Instruction that sets the dynamic table size to 0. */
export const NO_TABLE = '\x20';

/**
 * Encodes a header block as latin1, without the dynamic table, so that the block is valid on every connection.
 * @param headers names in lower case; latin1 values
 */
export function encodeHeaders(headers: readonly (readonly [string, string])[]): string {
  return headers.map(([name, value]) => encodeHeader(name, value)).join('');
}

function encodeHeader(name: string, value: string): string {
  const whole = STATIC_TABLE.findIndex((entry) => entry.name === name && entry.value === value);
  if (whole >= 0) return integer(INDEXED, 7, whole + 1);
  const named = STATIC_TABLE.findIndex((entry) => entry.name === name);
  const begin =
    named >= 0
      ? integer(0, NOT_INDEXED_PREFIX_BITS, named + 1)
      : integer(0, NOT_INDEXED_PREFIX_BITS, 0) + string(name);
  return begin + string(value);
}

function string(text: string): string {
  return integer(0, STRING_PREFIX_BITS, text.length) + text;
}

function integer(first: number, prefixBits: number, value: number): string {
  const mask = (1 << prefixBits) - 1;
  if (value < mask) return String.fromCharCode(first | value);
  let out = String.fromCharCode(first | mask);
  let rest = value - mask;
  while (rest >= 0x80) {
    out += String.fromCharCode((rest & 0x7f) | 0x80);
    rest >>>= 7;
  }
  return out + String.fromCharCode(rest);
}
