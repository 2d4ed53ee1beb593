import type { RedisClient } from '../../redis/client.ts';
import { proofKey } from '../../redis/keys.ts';
import { withRedisDeadline } from '../../redis/unavailable.ts';

export interface ProofStoreOptions {
  readonly client: RedisClient;
  /** See `phaseDeadlineMs`. */
  readonly deadlineMs: number;
  /** How long a proof is remembered. */
  readonly lifeMs: number;
}

/** The DPoP proofs that were used, on all gateways. */
export interface ProofStore {
  /**
   * Takes a proof for a request. False where another request has taken it; the same one may ask again, since Envoy
   * and the client library repeat what a broken connection left open.
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
