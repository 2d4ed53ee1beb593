import type { Finding, StreamDetector } from '../finding.ts';
import { createStreamDetector } from '../stream-detector.ts';
import { createHash } from 'node:crypto';

/** Finds wallet private keys: WIF and extended keys (BIP 32, SLIP 132) by checksum, and named hexadecimal keys. */
export const walletKeyDetector: StreamDetector = createStreamDetector(findWalletKeys, openIn);

interface Form {
  readonly rule: string;
  readonly pattern: RegExp;
  readonly isOne: (key: string, before: string) => boolean;
}

/** The name of a private key, directly before the key. */
const NAMED =
  /(?:private|priv|wallet|eth\w{0,12}|deployer|signer|account)[_ -]?(?:private[_ -]?)?(?:key|secret)\w{0,16}\\{0,3}["'`\])]{0,2}[ \t]{0,8}(?:=>|[=:]|\bis\b)[ \t]{0,8}(?:\\{0,3}["'`])?$/i;
const NAME_CHARS = 96;

const FORMS: readonly Form[] = [
  {
    rule: 'bitcoin_wif',
    // Mainnet and testnet, for compressed and uncompressed public keys.
    pattern: /(?<![1-9A-Za-z])(?:[5K-L9c])[1-9A-HJ-NP-Za-km-z]{50,51}(?![1-9A-Za-z])/g,
    isOne: (key) => hasRightChecksum(key, [37, 38]),
  },
  {
    rule: 'extended_private_key',
    pattern: /(?<![1-9A-Za-z])[xyzYZtuvUV]prv[1-9A-HJ-NP-Za-km-z]{107}(?![1-9A-Za-z])/g,
    isOne: (key) => hasRightChecksum(key, [82]),
  },
  {
    rule: 'named_private_key',
    pattern: /(?<![\da-z])(?:0x)?[\da-f]{64}(?![\da-z])/gi,
    isOne: (key, before) => NAMED.test(before) && new Set(key.toLowerCase().slice(-64)).size > 4,
  },
];

function findWalletKeys(text: string): readonly Finding[] {
  const found = FORMS.flatMap(({ rule, pattern, isOne }): Finding[] =>
    [...text.matchAll(pattern)].flatMap(({ index, 0: key }) =>
      isOne(key, text.slice(Math.max(0, index - NAME_CHARS), index))
        ? [{ detector: 'wallet_key', class: 'wallet_key', rule, start: index, end: index + key.length }]
        : [],
    ),
  );
  return found.length < 2 ? found : found.toSorted((a, b) => a.start - b.start);
}

const MAX_KEY_CHARS = 111;
const IN_RUN = /[0-9A-Za-z]/;

/** Returns the start of a final run of letters and digits that may become a key. */
function openIn(tail: string): number {
  let start = tail.length;
  while (start > 0 && tail.length - start <= MAX_KEY_CHARS && IN_RUN.test(tail[start - 1] ?? '')) start -= 1;
  return tail.length - start > MAX_KEY_CHARS ? tail.length : start;
}

const DIGITS = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const CHECKSUM_BYTES = 4;

/** Reports whether a text is valid Base58Check with one of these byte lengths. */
function hasRightChecksum(text: string, lengths: readonly number[]): boolean {
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
