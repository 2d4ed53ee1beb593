import { newOperationId } from '../operation-id.ts';
import type { RedisClient } from '../redis/client.ts';
import { CREDENTIAL_READS } from '../redis/keys.ts';
import { withRedisDeadline } from '../redis/unavailable.ts';

/** Gateways poll every second; a gateway that was down longer reads its sources at start. */
const KEPT_MS = 3_600_000;

/** Orders to read the source of a credential again. Failures throw `redis_unavailable`. */
export interface ReadOrderStore {
  order(credential: string): Promise<void>;
  /** The last order of each credential. */
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
