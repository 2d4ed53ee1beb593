import { hash, randomBytes } from 'node:crypto';

export const RAW_KEY_PREFIX = 'gw-';

const RAW_KEY_BYTES = 32;

/** Returns `gw-` and 43 characters of base64url. Never store or log a raw key. */
export function createRawKey(): string {
  return RAW_KEY_PREFIX + randomBytes(RAW_KEY_BYTES).toString('base64url');
}

/** Returns `sha256:<hex>`, the only form that is stored. */
export function hashKey(rawKey: string): string {
  return `sha256:${hash('sha256', rawKey, 'hex')}`;
}

export function isProxyKey(value: string): boolean {
  return value.startsWith(RAW_KEY_PREFIX);
}
