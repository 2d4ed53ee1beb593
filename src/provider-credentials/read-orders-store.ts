import { newOperationId } from '../operation-id.ts';
import type { RedisClient } from '../redis/client.ts';
import { CREDENTIAL_READS } from '../redis/keys.ts';
import { withRedisDeadline } from '../redis/unavailable.ts';

/** Long enough, because gateways poll every second, and read their sources at start. */
const KEPT_MS = 3_600_000;

/** Orders to reread a credential. On failure, the functions throw `redis_unavailable`. */
export interface ReadOrderStore {
  order(credential: string): Promise<void>;
  /** Returns the id of the last order for each credential. */
  orders(): Promise<Readonly<Record<string, string>>>;
}

export function createReadOrderStore({
  client,
  deadlineMs,
}: {
  readonly client: RedisClient;
  readonly deadlineMs: number;
}): ReadOrderStore {
  return {
    order: (credential) =>
      withRedisDeadline(deadlineMs, async () => {
        await client.hset(CREDENTIAL_READS, credential, newOperationId());
        await client.pexpire(CREDENTIAL_READS, KEPT_MS);
      }),
    orders: () => withRedisDeadline(deadlineMs, () => client.hgetall(CREDENTIAL_READS)),
  };
}
