import { createHash } from 'node:crypto';
import type { RedisStoreOptions } from '../../redis/client.ts';
import { storedObjectsKey } from '../../redis/keys.ts';
import { loadScript } from '../../redis/script.ts';
import { withRedisDeadline } from '../../redis/unavailable.ts';
import * as z from 'zod';

export interface ObjectsOfKey {
  readonly keyHash: string;
  readonly provider: string;
  readonly ids: readonly string[];
}

/** Lifetime of an object after its last use. */
export const STORED_OBJECT_LIFE_MS = 90 * 86_400_000;

/** Maximum number of objects per key. Beyond it, the least recently used are evicted. */
const MAX_STORED_OBJECTS = 100_000;

/** Records which key created which provider object. */
export interface StoredObjectStore {
  /** @throws GatewayError redis_unavailable */
  keep(objects: ObjectsOfKey): Promise<void>;
  /** Reports for each id whether it belongs to the key, and extends the lifetime of those that do. */
  find(objects: ObjectsOfKey): Promise<readonly boolean[]>;
}

export interface RedisStoredObjectStoreOptions extends RedisStoreOptions {
  readonly maxPerKey?: number;
}

const keepScript = loadScript(new URL('./keep-objects.lua', import.meta.url));
const findScript = loadScript(new URL('./find-objects.lua', import.meta.url));

const keepReply = z.number().int().min(0);
const findReply = z.array(z.literal([0, 1]));

/** Stores only digests, because ids can act as credentials. */
export function createRedisStoredObjectStore(options: RedisStoredObjectStoreOptions): StoredObjectStore {
  const { client, deadlineMs, now, maxPerKey = MAX_STORED_OBJECTS } = options;
  const clock = (): string | number => (now === undefined ? '' : now());
  return {
    keep: (objects) =>
      withRedisDeadline(deadlineMs, async () => {
        const args = [clock(), STORED_OBJECT_LIFE_MS, maxPerKey, ...digestsOf(objects)];
        keepReply.parse(await keepScript.run(client, [storedObjectsKey(objects.keyHash)], args));
      }),
    find: (objects) =>
      withRedisDeadline(deadlineMs, async () => {
        const args = [clock(), STORED_OBJECT_LIFE_MS, ...digestsOf(objects)];
        const reply = await findScript.run(client, [storedObjectsKey(objects.keyHash)], args);
        return findReply
          .length(objects.ids.length)
          .parse(reply)
          .map((own) => own === 1);
      }),
  };
}

const DIGEST_BYTES = 16;

/** Provider names contain no space, so pairs cannot collide. */
function digestsOf({ provider, ids }: ObjectsOfKey): string[] {
  return ids.map((id) => {
    const digest = createHash('sha256').update(`${provider} ${id}`).digest();
    return digest.subarray(0, DIGEST_BYTES).toString('base64url');
  });
}
