import type { RedisClient } from '../../redis/client.ts';
import { proofKey } from '../../redis/keys.ts';
import { withRedisDeadline } from '../../redis/unavailable.ts';

export interface ProofStoreOptions {
  readonly client: RedisClient;
  readonly deadlineMs: number;
  readonly lifeMs: number;
}

export interface ProofStore {
  /**
   * Claims a proof for a request. Returns false if another request has already claimed it. The same request may claim
   * it again: Envoy and the Redis client retry after broken connections.
   * @throws GatewayError redis_unavailable
   */
  claim(proofId: string, requestId: string): Promise<boolean>;
}

export function createProofStore({ client, deadlineMs, lifeMs }: ProofStoreOptions): ProofStore {
  return {
    claim: (proofId, requestId) =>
      withRedisDeadline(deadlineMs, async () => {
        const holder = await client.set(proofKey(proofId), requestId, 'PX', lifeMs, 'NX', 'GET');
        return holder === null || holder === requestId;
      }),
  };
}
