import { KEY_SET_TIMEOUT_MS } from '../../config/cross-field-rules.ts';
import type { Config } from '../../config/schema.ts';
import type { RedisClient } from '../../redis/client.ts';
import type { KeyRecord } from '../key-record.ts';
import { TokenRefused, type TokenFault } from './faults.ts';
import { fetchKeySet } from './fetch-key-set.ts';
import { createKeySet, type KeySet } from './key-set.ts';
import { presentedToken, type PresentedRequest } from './presented.ts';
import { createProofVerifier, proofLifeMs, type VerifyProof } from './proof.ts';
import { createTokenVerifier, type VerifiedToken, type VerifyToken } from './token.ts';
import { proofKey } from '../../redis/keys.ts';
import { withRedisDeadline } from '../../redis/unavailable.ts';

export type { PresentedRequest } from './presented.ts';

/** The sender of a request, identified by a JWT. */
export interface Bearer extends VerifiedToken {
  /** DPoP proof id. The proof has been verified except for replay. */
  readonly proofId: string | undefined;
}

/** Checks JWTs, which complement or replace proxy keys (docs/identity.md). */
export interface TokenGate {
  /**
   * Returns the bearer, or undefined if there is no JWT and `zsp.jwt_only` is off.
   * @throws TokenRefused, GatewayError gateway_unavailable
   */
  read(request: PresentedRequest | undefined): Promise<Bearer | undefined>;
  /** True if a JWT can name a key, so that no raw key is needed. */
  readonly namesKeys: boolean;
  /** Returns why this bearer must not use the key, or undefined if it may. */
  faultOf(key: KeyRecord, bearer: Bearer | undefined): TokenFault | undefined;
  claimProof(proofId: string, requestId: string): Promise<boolean>;
}

export interface TokenGateDeps {
  readonly jwtOnly: boolean;
  readonly requireDpop: boolean;
  readonly verifyToken: VerifyToken;
  /** Undefined without `server.public_url`, which proofs refer to. */
  readonly verifyProof: VerifyProof | undefined;
  readonly proofs: ProofStore;
}

export function createTokenGate(deps: TokenGateDeps): TokenGate {
  const { jwtOnly, requireDpop, verifyToken, verifyProof, proofs } = deps;

  /** Returns undefined if the token is not bound to a key and need not be. */
  async function proofIdOf(
    request: PresentedRequest,
    written: string,
    { proofKey }: VerifiedToken,
  ): Promise<string | undefined> {
    if (proofKey === undefined) {
      if (requireDpop) throw new TokenRefused('dpop_unbound');
      return undefined;
    }
    if (verifyProof === undefined) throw new TokenRefused('dpop_unconfigured');
    const proof = request.headers.get('dpop');
    if (proof === undefined) throw new TokenRefused('dpop_missing');
    const { method, target } = request;
    return verifyProof(proof.trim(), { method, target, token: written, proofKey });
  }

  return {
    namesKeys: jwtOnly,
    async read(request) {
      const written = request && presentedToken(request.headers, jwtOnly);
      if (request === undefined || written === undefined) {
        if (jwtOnly) throw new TokenRefused('jwt_missing');
        return undefined;
      }
      const token = await verifyToken(written);
      return { ...token, proofId: await proofIdOf(request, written, token) };
    },
    faultOf({ keyHash, jwtSubject }, bearer) {
      if (bearer === undefined) return jwtSubject === undefined ? undefined : 'jwt_missing';
      if (bearer.keyHash !== undefined && bearer.keyHash !== keyHash) return 'jwt_other_key';
      if (jwtSubject !== undefined) return jwtSubject === bearer.subject ? undefined : 'jwt_other_key';
      // Neither the token nor the key names the other.
      return jwtOnly && bearer.keyHash === undefined ? 'jwt_other_key' : undefined;
    },
    claimProof: (proofId, requestId) => proofs.claim(proofId, requestId),
  };
}

interface ConfiguredTokenGateDeps {
  readonly config: Pick<Config, 'zsp' | 'server' | 'budgets'>;
  readonly client: RedisClient;
  readonly deadlineMs: number;
  readonly onKeysFetched: (keys: number) => void;
  readonly onKeysFailed: (cause: unknown) => void;
}

/** Creates a token gate and starts fetching the issuer's keys. */
export function startTokenGate(deps: ConfiguredTokenGateDeps): TokenGate {
  const { config, client, deadlineMs, onKeysFetched, onKeysFailed } = deps;
  const { zsp, server, budgets } = config;
  const keys: KeySet = createKeySet({
    fetchKeys: () => fetchKeySet({ url: zsp.jwks_url, timeoutMs: KEY_SET_TIMEOUT_MS }),
    onFetched: onKeysFetched,
    onFailed: onKeysFailed,
  });
  void keys.warm();
  const { issuer, audience, leeway: leewayMs } = zsp;
  const claims = [...new Set(budgets.flatMap(({ match }) => Object.keys(match.claims ?? {})))];
  return createTokenGate({
    jwtOnly: zsp.jwt_only,
    requireDpop: zsp.require_dpop,
    verifyToken: createTokenVerifier({ keys, issuer, audience, leewayMs, claims }),
    verifyProof:
      server.public_url === undefined
        ? undefined
        : createProofVerifier({ publicUrl: server.public_url, leewayMs }),
    proofs: createProofStore({ client, deadlineMs, lifeMs: proofLifeMs(leewayMs) }),
  });
}

interface ProofStoreOptions {
  readonly client: RedisClient;
  readonly deadlineMs: number;
  readonly lifeMs: number;
}

interface ProofStore {
  /**
   * Claims a proof for a request. Returns false if another request has already claimed it. The same request may claim
   * it again, because Envoy and the Redis client retry after broken connections.
   * @throws GatewayError redis_unavailable
   */
  claim(proofId: string, requestId: string): Promise<boolean>;
}

function createProofStore({ client, deadlineMs, lifeMs }: ProofStoreOptions): ProofStore {
  return {
    claim: (proofId, requestId) =>
      withRedisDeadline(deadlineMs, async () => {
        const holder = await client.set(proofKey(proofId), requestId, 'PX', lifeMs, 'NX', 'GET');
        return holder === null || holder === requestId;
      }),
  };
}
