import { hash } from 'node:crypto';
import * as z from 'zod';
import type { RedisStoreOptions } from '../redis/client.ts';
import { uiAnswerKey, uiChangesKey } from '../redis/keys.ts';
import { loadScript } from '../redis/script.ts';
import { withRedisDeadline } from '../redis/unavailable.ts';

const beginScript = loadScript(new URL('./begin-change.lua', import.meta.url));

/** Time after which an unfinished change may be attempted again; longer than any change takes. */
const UNDER_WAY_MS = 600_000;
const KEPT_MS = 86_400_000;
/** Limit per person, which also bounds the stored changes. */
const MAX_CHANGES_PER_MINUTE = 300;
export const MAX_ANSWER_CHARS = 65_536;

export interface RequestedChange {
  /** Sign-in kind and subject. */
  readonly who: string;
  /** Same for all attempts at one change. */
  readonly idempotencyKey: string;
  /** Digest of method, path and body. */
  readonly digest: string;
}

export type Beginning =
  | { readonly kind: 'new' | 'other' | 'under_way' }
  | { readonly kind: 'made'; readonly answer: string }
  | { readonly kind: 'too_many'; readonly waitMs: number };

/** Remembers changes for a day, so that repeating one has no effect. Failures throw `redis_unavailable`. */
export interface MadeChanges {
  begin(change: RequestedChange): Promise<Beginning>;
  /** Stores an answer for repeated requests. The answer must not contain secrets or exceed MAX_ANSWER_CHARS. */
  keep(change: RequestedChange, answer: string): Promise<void>;
  /** Forgets a change that was not made. */
  forget(change: RequestedChange): Promise<void>;
}

const reply = z.tuple([z.enum(['new', 'made', 'under_way', 'other', 'too_many'])]).rest(z.string());

export function createMadeChanges({ client, deadlineMs }: RedisStoreOptions): MadeChanges {
  return {
    begin: (change) =>
      withRedisDeadline(deadlineMs, async () => {
        const keys = [keyOf(change), uiChangesKey(personOf(change))];
        const args = [change.digest, UNDER_WAY_MS, MAX_CHANGES_PER_MINUTE];
        const [kind, text = ''] = reply.parse(await beginScript.run(client, keys, args));
        if (kind === 'made') return { kind, answer: text };
        return kind === 'too_many' ? { kind, waitMs: Number(text) } : { kind };
      }),
    keep: (change, answer) =>
      withRedisDeadline(deadlineMs, async () => {
        if (answer.length > MAX_ANSWER_CHARS) throw new Error('the answer of a change is too large to keep');
        await client.set(keyOf(change), `${change.digest} ${answer}`, 'PX', KEPT_MS);
      }),
    forget: (change) =>
      withRedisDeadline(deadlineMs, async () => {
        await client.del(keyOf(change));
      }),
  };
}

/** Names and Idempotency-Keys are stored only as hashes. */
function personOf({ who }: RequestedChange): string {
  return hash('sha256', who, 'hex');
}

function keyOf(change: RequestedChange): string {
  return uiAnswerKey(personOf(change), hash('sha256', change.idempotencyKey, 'hex'));
}
