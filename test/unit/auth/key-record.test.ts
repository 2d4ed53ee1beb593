import { describe, expect, it } from 'vitest';
import { statusOf } from '../../../src/auth/key-record.ts';

describe('the status of a key', () => {
  it.each([
    ['active', {}],
    ['active', { expiresAt: 1_001 }],
    ['expired', { expiresAt: 1_000 }],
    ['expired', { expiresAt: 999 }],
    ['revoked', { revokedAt: 900 }],
    ['revoked', { revokedAt: 900, expiresAt: 800 }],
    ['revoked', { revokedAt: 900, expiresAt: 2_000 }],
  ])('is %s at 1,000 with %j', (status, record) => {
    expect(statusOf(record, 1_000)).toBe(status);
  });
});
