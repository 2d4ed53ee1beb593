import { hash, randomBytes } from 'node:crypto';

/** A value that begins with this is a proxy key wherever it stands (docs/keys.md). */
export const RAW_KEY_PREFIX = 'gw-';

const RAW_KEY_BYTES = 32;

/** `gw-` and 43 characters of base64url. Shown once, at creation; never stored, logged or put in an error. */
export function createRawKey(): string {
  return RAW_KEY_PREFIX + randomBytes(RAW_KEY_BYTES).toString('base64url');
}

/** `sha256:` and the lower-case hex of SHA-256 over the whole raw key: the only form in which a key is kept. */
export function hashKey(rawKey: string): string {
  return `sha256:${hash('sha256', rawKey, 'hex')}`;
}

export function isProxyKey(value: string): boolean {
  return value.startsWith(RAW_KEY_PREFIX);
}
