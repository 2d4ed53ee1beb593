import { createHash, randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import type { RedisStoreOptions } from '../../redis/client.ts';
import { UI_PASSWORD } from '../../redis/keys.ts';
import { withRedisDeadline } from '../../redis/unavailable.ts';

/** Each attempt takes 32 MB and about 60 ms. */
const COST = { N: 2 ** 15, r: 8, p: 1, maxmem: 2 ** 26 } as const;
const SALT_BYTES = 16;
const HASH_BYTES = 32;
const STORED = /^scrypt:15:8:1:([A-Za-z0-9_-]{22}):([A-Za-z0-9_-]{43})$/;

export const PASSWORD_CHARS = { min: 12, max: 1_024 } as const;

/** The password of the operator page, stored as its scrypt hash. Failures throw `redis_unavailable`. */
export interface PagePassword {
  /** Also ends all sessions of the previous password. */
  set(password: string): Promise<void>;
  check(password: string): Promise<'right' | 'wrong' | 'unset'>;
}

export function createPagePassword({ client, deadlineMs }: RedisStoreOptions): PagePassword {
  return {
    async set(password) {
      const salt = randomBytes(SALT_BYTES);
      const hash = await hashOf(password, salt);
      const stored = `scrypt:15:8:1:${salt.toString('base64url')}:${hash.toString('base64url')}`;
      await withRedisDeadline(deadlineMs, () => client.set(UI_PASSWORD, stored));
    },
    async check(password) {
      const stored = await withRedisDeadline(deadlineMs, () => client.get(UI_PASSWORD));
      const [, salt, hash] = STORED.exec(stored ?? '') ?? [];
      if (salt === undefined || hash === undefined) return 'unset';
      const given = await hashOf(password, Buffer.from(salt, 'base64url'));
      return timingSafeEqual(given, Buffer.from(hash, 'base64url')) ? 'right' : 'wrong';
    },
  };
}

/** Identifies a stored password without revealing it. */
export function passwordMark(stored: string): string {
  return createHash('sha256').update(stored).digest('base64url');
}

function hashOf(password: string, salt: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) =>
    scrypt(password.normalize('NFKC'), salt, HASH_BYTES, COST, (failure, hash) => {
      if (failure === null) resolve(hash);
      else reject(failure);
    }),
  );
}
