import { hash } from 'node:crypto';
import { nextTurn } from '../turns.ts';
import { RECEIPT_TYPE, REQUEST_TYPE, type Receipt } from './receipt.ts';
import type { SigningKey } from './signing-key.ts';

/** What signs one exchange (docs/signatures.md). */
export interface Signer {
  /** `sha256:<hex>` of a body. */
  digest(body: Buffer): string;
  /** `X-Gateway-Signature` of the bytes that go upstream. */
  request(body: Buffer, requestId: string): Promise<string>;
  /** `X-Gateway-Signature` of an answer. */
  receipt(receipt: Omit<Receipt, 'iat'>): string;
}

/** From here on signing has a turn of its own. */
const LARGE_BYTES = 256 * 1_024;

/** @param now Unix ms */
export function createSigner(key: SigningKey, now: () => number = Date.now): Signer {
  const seconds = (): number => Math.floor(now() / 1_000);
  return {
    digest: (body) => `sha256:${hash('sha256', body, 'hex')}`,
    async request(body, requestId) {
      if (body.length >= LARGE_BYTES) await nextTurn();
      return signDetached(key, { typ: REQUEST_TYPE, iat: seconds(), jti: requestId }, body);
    },
    receipt: (receipt) => signCompact(key, { typ: RECEIPT_TYPE }, { ...receipt, iat: seconds() }),
  };
}

type JwsHeader = Readonly<Record<string, string | number>>;

/** Bytes that base64url writes without a rest, so that pieces of it can follow each other. */
const PIECE_BYTES = 3 * 64 * 1_024;

/** JWS compact serialization (RFC 7515 section 7.1) of a payload that is sent with it. */
function signCompact(key: SigningKey, header: JwsHeader, payload: object): string {
  const input = `${encoded(protectedHeader(key, header))}.${encoded(payload)}`;
  return `${input}.${key.sign([input]).toString('base64url')}`;
}

/** The same with its payload left out (RFC 7515 appendix F): whoever has the bytes puts them back to verify. */
function signDetached(key: SigningKey, header: JwsHeader, payload: Buffer): string {
  const first = encoded(protectedHeader(key, header));
  return `${first}..${key.sign(signingInput(first, payload)).toString('base64url')}`;
}

function* signingInput(first: string, payload: Buffer): Generator<string> {
  yield `${first}.`;
  for (let at = 0; at < payload.length; at += PIECE_BYTES) {
    yield payload.subarray(at, at + PIECE_BYTES).toString('base64url');
  }
}

function protectedHeader({ algorithm, kid }: SigningKey, header: JwsHeader): JwsHeader {
  return { alg: algorithm, kid, ...header };
}

function encoded(json: object): string {
  return Buffer.from(JSON.stringify(json)).toString('base64url');
}
