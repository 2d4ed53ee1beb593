import { createHash, createHmac, createPrivateKey, createPublicKey, sign, type KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Config } from '../config/schema.ts';

/** The key in `signature.secret`. */
export interface SigningKey {
  readonly algorithm: 'HS256' | 'EdDSA';
  /** For a key pair, the thumbprint of the public key (RFC 7638). */
  readonly kid: string;
  /** @param pieces consecutive pieces of the JWS Signing Input */
  sign(pieces: Iterable<string>): Buffer;
  /** JWK Set for verifiers; undefined for a shared key. */
  readonly publicKeys: { readonly keys: readonly PublicJwk[] } | undefined;
}

export interface PublicJwk {
  readonly kty: 'OKP';
  readonly crv: 'Ed25519';
  readonly x: string;
  readonly kid: string;
  readonly alg: 'EdDSA';
  readonly use: 'sig';
}

const KID_BYTES = 12;
/** HS256 requires a key at least as long as its hash (RFC 7518 section 3.2). */
const STRONG_SECRET_BYTES = 32;

/** Reports whether brute force could recover the HMAC secret from one receipt. */
export function isWeakSecret({ enabled, type, secret }: Config['signature']): boolean {
  return enabled && type === 'hmac' && Buffer.byteLength(secret) < STRONG_SECRET_BYTES;
}

/** @throws Error that states what `signature.secret` must be, without quoting it */
export function createSigningKey({ type, secret }: Pick<Config['signature'], 'type' | 'secret'>): SigningKey {
  return type === 'hmac' ? sharedKey(secret) : keyPair(privateKeyOf(secret));
}

/**
 * Replaces the path of a key file by the key, so that all processes use the same key until the configuration is read
 * again.
 */
export function withSigningKey(config: Config): Config {
  const { signature } = config;
  if (!signature.enabled || signature.type === 'hmac') return config;
  return { ...config, signature: { ...signature, secret: pemOf(signature.secret) } };
}

function sharedKey(secret: string): SigningKey {
  const kid = createHmac('sha256', secret).update('gateway signing key id').digest();
  return {
    algorithm: 'HS256',
    kid: kid.subarray(0, KID_BYTES).toString('base64url'),
    sign(pieces) {
      const hmac = createHmac('sha256', secret);
      for (const piece of pieces) hmac.update(piece, 'latin1');
      return hmac.digest();
    },
    publicKeys: undefined,
  };
}

function keyPair(privateKey: KeyObject): SigningKey {
  const { x = '' } = createPublicKey(privateKey).export({ format: 'jwk' });
  const members = JSON.stringify({ crv: 'Ed25519', kty: 'OKP', x });
  const kid = createHash('sha256').update(members).digest('base64url');
  return {
    algorithm: 'EdDSA',
    kid,
    // Ed25519 reads the message twice, and therefore needs all of it (RFC 8032).
    sign: (pieces) => sign(null, Buffer.from([...pieces].join(''), 'latin1'), privateKey),
    publicKeys: { keys: [{ kty: 'OKP', crv: 'Ed25519', x, kid, alg: 'EdDSA', use: 'sig' }] },
  };
}

function privateKeyOf(secret: string): KeyObject {
  const pem = pemOf(secret);
  let key: KeyObject | undefined;
  try {
    key = createPrivateKey(pem);
  } catch {
    key = undefined; // The error is dropped, because its message could quote the key.
  }
  if (key?.asymmetricKeyType !== 'ed25519') {
    throw new Error(
      'must be an Ed25519 private key in PKCS#8 PEM, or the path of one: openssl genpkey -algorithm ed25519',
    );
  }
  return key;
}

function pemOf(secret: string): string {
  if (secret.includes('-----BEGIN')) return secret;
  try {
    return readFileSync(secret, 'utf8');
  } catch {
    throw new Error(
      'names a file that is missing or cannot be read (ed25519 needs a PKCS#8 PEM, or its path)',
    );
  }
}
