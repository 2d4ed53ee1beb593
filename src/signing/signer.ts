import { hash } from 'node:crypto';
import type { Config } from '../config/schema.ts';
import { nextTurn } from '../turns.ts';
import { RECEIPT_TYPE, REQUEST_TYPE, type Receipt } from './receipt.ts';
import { createSigningKey, type SigningKey } from './signing-key.ts';

/** Creates the signatures of an exchange (docs/signatures.md). */
export interface Signer {
  /** Returns `sha256:<hex>` of a body. */
  digest(body: Buffer): string;
  /** Returns `X-Gateway-Signature` for the bytes sent upstream. */
  request(body: Buffer, requestId: string): Promise<string>;
  /** Returns `X-Gateway-Signature` for an answer. */
  receipt(receipt: Omit<Receipt, 'iat'>): string;
}

/** Bodies of at least this size are signed in a separate event-loop turn. */
const LARGE_BYTES = 256 * 1_024;

/** @throws Error if `signature.secret` is not a usable key */
export function signerOf(signature: Config['signature']): Signer {
  return createSigner(createSigningKey(signature));
}

/** @param now returns Unix ms */
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

/** A multiple of 3, so that base64url pieces can be concatenated. */
const PIECE_BYTES = 3 * 64 * 1_024;

/** Returns a JWS in compact serialization (RFC 7515 section 7.1). */
function signCompact(key: SigningKey, header: JwsHeader, payload: object): string {
  const input = `${encoded(protectedHeader(key, header))}.${encoded(payload)}`;
  return `${input}.${key.sign([input]).toString('base64url')}`;
}

/** Returns a JWS with a detached payload (RFC 7515 appendix F). */
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
