import type { SigningKey } from './signing-key.ts';

export type JwsHeader = Readonly<Record<string, string | number>>;

/** Bytes that base64url writes without a rest, so that pieces of it can follow each other. */
const PIECE_BYTES = 3 * 64 * 1_024;

/** JWS compact serialization (RFC 7515 section 7.1) of a payload that is sent with it. */
export function signCompact(key: SigningKey, header: JwsHeader, payload: object): string {
  const input = `${encoded(protectedHeader(key, header))}.${encoded(payload)}`;
  return `${input}.${key.sign([input]).toString('base64url')}`;
}

/** The same with its payload left out (RFC 7515 appendix F): whoever has the bytes puts them back to verify. */
export function signDetached(key: SigningKey, header: JwsHeader, payload: Buffer): string {
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
