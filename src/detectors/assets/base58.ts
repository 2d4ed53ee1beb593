import { createHash } from 'node:crypto';

const DIGITS = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const CHECKSUM_BYTES = 4;

/** True for Base58 of so many bytes, the last four of which are their checksum (Base58Check). */
export function hasRightChecksum(text: string, lengths: readonly number[]): boolean {
  let value = 0n;
  for (const digit of text) {
    const number = DIGITS.indexOf(digit);
    if (number === -1) return false;
    value = value * 58n + BigInt(number);
  }
  return lengths.some((length) => isChecked(value, length));
}

function isChecked(value: bigint, length: number): boolean {
  const hex = value.toString(16).padStart(2 * length, '0');
  if (hex.length !== 2 * length) return false;
  const bytes = Buffer.from(hex, 'hex');
  const payload = bytes.subarray(0, length - CHECKSUM_BYTES);
  return sha256(sha256(payload))
    .subarray(0, CHECKSUM_BYTES)
    .equals(bytes.subarray(length - CHECKSUM_BYTES));
}

function sha256(bytes: Uint8Array): Buffer {
  return createHash('sha256').update(bytes).digest();
}
