import { createKeyStateStore } from '../../src/auth/key-state-store.ts';
import type { RedisClient } from '../../src/redis/client.ts';

/** Records the use of a key, as its requests do. */
export async function useKey(client: RedisClient, keyHash: string): Promise<void> {
  const states = createKeyStateStore({ client, deadlineMs: 5_000 });
  const state = await states.readNamedKey(keyHash);
  if (state === undefined) throw new Error(`there is no key ${keyHash}`);
  states.noteUse(state);
  // A connection answers in order.
  await client.ping();
}
