import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createRawKey, hashKey, isProxyKey } from '../../../src/auth/raw-key.ts';

describe('a raw key', () => {
  it('is gw- and 43 characters of base64url, and never repeats', () => {
    const keys = Array.from({ length: 200 }, createRawKey);
    for (const key of keys) expect(key).toMatch(/^gw-[A-Za-z0-9_-]{43}$/);
    expect(new Set(keys).size).toBe(200);
  });

  it('is identified by the hash of its whole text', () => {
    const key = createRawKey();
    expect(hashKey(key)).toBe(`sha256:${createHash('sha256').update(key).digest('hex')}`);
    expect(hashKey('gw-')).toMatch(/^sha256:[0-9a-f]{64}$/);
  });

  it.each([
    ['gw-', true],
    ['gw-abc', true],
    ['sk-gw-abc', false],
    ['GW-abc', false],
    ['', false],
  ])('%j begins with gw-: %s', (value, is) => {
    expect(isProxyKey(value)).toBe(is);
  });
});
