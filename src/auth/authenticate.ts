import type { Config } from '../config/schema.ts';
import { GatewayError, type RefusedKey } from '../errors.ts';
import { HEADER } from '../headers.ts';
import type { Identified } from '../pipeline/exchange.ts';
import { newFacts } from '../pipeline/facts.ts';
import { lockCauseInWords } from '../risk/lock-cause.ts';
import type { Lock } from '../risk/profile.ts';
import { timeSpan } from '../text/time-span.ts';
import type { FailureLimit } from './failure-limit.ts';
import type { HeldAttemptCounts } from './held-attempts-store.ts';
import { TokenRefused, type TokenFault } from './jwt/faults.ts';
import type { Bearer, PresentedRequest, TokenGate } from './jwt/token-gate.ts';
import type { KeyRecord } from './key-record.ts';
import type { KeyState, KeyStateStore } from './key-state-store.ts';
import { hashKey } from './raw-key.ts';

/** The parts of an exchange that its key and JWT determine. */
export type Identity = Pick<Identified, 'key' | 'rawKeyHash' | 'tokenEndsAt' | 'claims' | 'budget' | 'facts'>;

export interface AuthenticateDeps {
  readonly keys: KeyStateStore;
  readonly failures: FailureLimit;
  readonly riskProfile: Pick<Config['risk_profile'], 'enabled' | 'permanent_block_threshold'>;
  readonly heldAttempts: HeldAttemptCounts;
  readonly tokens?: TokenGate | undefined;
}

export interface Attempt {
  readonly rawKey: string | undefined;
  readonly clientAddress: string;
  /**
   * Called at most once with the key's hash: during the lookup if the key was valid before, else (and with JWTs
   * always) when it proves valid.
   */
  readonly onKnownKey?: (keyHash: string) => void;
  /** Absent if the JWT and the proof have already been verified. */
  readonly request?: PresentedRequest;
}

export type Authenticate = (attempt: Attempt) => Promise<Identity>;

/**
 * Checks a proxy key, usually in one Redis round trip: first the key, then its risk, then its lock, because a
 * permanently blocked key must get no hint about the end of a lock.
 * @throws GatewayError invalid_key, quarantined, agent_risk_blocked, redis_unavailable, or gateway_unavailable if the
 * JWT keys are unknown
 */
export function createAuthenticate(deps: AuthenticateDeps): Authenticate {
  const { keys, failures, heldAttempts, riskProfile, tokens } = deps;
  return async (attempt) => {
    const { rawKey, clientAddress, onKnownKey } = attempt;
    let isCalled = false;
    function once(keyHash: string): void {
      if (!isCalled) onKnownKey?.(keyHash);
      isCalled = true;
    }
    const rawKeyHash = rawKey === undefined ? undefined : hashKey(rawKey);
    let state: KeyState | undefined;
    let bearer: Bearer | undefined;
    if (tokens !== undefined) {
      ({ state, bearer } = await readWithToken(deps, tokens, attempt, rawKeyHash));
    } else if (rawKeyHash !== undefined) {
      const trust = failures.isOver(clientAddress) ? 'doubted' : 'trusted';
      state = await keys.readKeyState(rawKeyHash, trust, once);
    }
    if (state?.status !== 'active') {
      failures.count(clientAddress);
      throw invalidKey();
    }
    const held = heldBy(state, riskProfile);
    if (held !== undefined) {
      heldAttempts.count(state.record.keyHash, held.type === 'quarantined' ? 'lock' : 'block');
      throw held;
    }
    once(state.record.keyHash);
    keys.noteUse(state);
    const { blockedAt: _since, ...agentRisk } = state.risk;
    return {
      key: keyOf(state, bearer),
      rawKeyHash,
      ...(bearer !== undefined && { tokenEndsAt: bearer.endsAt }),
      ...(bearer?.claims !== undefined && { claims: bearer.claims }),
      budget: { limits: state.limits },
      facts: newFacts(riskProfile.enabled ? agentRisk : { ...agentRisk, riskScore: 0 }),
    };
  };
}

/** Returns the key, with the credentials that the issuer named, if any. */
function keyOf({ record }: Pick<KeyState, 'record'>, bearer: Bearer | undefined): KeyRecord {
  return bearer?.credentials === undefined ? record : { ...record, credentials: bearer.credentials };
}

/**
 * Verifies the JWT without Redis, then reads the key and claims the proof. Nothing is changed for a key before its
 * bearer is known to be entitled to it.
 */
async function readWithToken(
  { keys, failures }: AuthenticateDeps,
  tokens: TokenGate,
  { clientAddress, request }: Attempt,
  rawKeyHash: string | undefined,
): Promise<{ readonly state: KeyState | undefined; readonly bearer: Bearer | undefined }> {
  function refuse(fault: TokenFault): GatewayError {
    failures.count(clientAddress, fault);
    return invalidKey();
  }
  try {
    const bearer = await tokens.read(request);
    const trust = failures.isOver(clientAddress) ? 'doubted' : 'trusted';
    const named = tokens.namesKeys ? bearer?.keyHash : undefined;
    const [state, isFresh] = await Promise.all([
      rawKeyHash !== undefined
        ? keys.readKeyState(rawKeyHash, trust)
        : named !== undefined && keys.readNamedKey(named),
      bearer?.proofId === undefined || tokens.claimProof(bearer.proofId, request?.requestId ?? ''),
    ]);
    if (!isFresh) throw new TokenRefused('dpop_replayed');
    if (state === false || state?.status !== 'active') return { state: undefined, bearer };
    const fault = tokens.faultOf(state.record, bearer);
    if (fault !== undefined) throw new TokenRefused(fault);
    return { state, bearer };
  } catch (failure) {
    throw failure instanceof TokenRefused ? refuse(failure.fault) : failure;
  }
}

export type AuthenticateAgain = (
  admitted: Pick<Identity, 'key' | 'rawKeyHash' | 'tokenEndsAt'>,
) => Promise<Pick<KeyState, 'record' | 'limits'>>;

/**
 * Checks a running request's credentials again, without counting a use or a failure.
 * @throws GatewayError invalid_key, quarantined, agent_risk_blocked, redis_unavailable
 */
export function createAuthenticateAgain({
  keys,
  riskProfile,
}: Pick<AuthenticateDeps, 'riskProfile'> & {
  readonly keys: Pick<KeyStateStore, 'readKeyState' | 'readNamedKey'>;
}): AuthenticateAgain {
  return async ({ key, rawKeyHash, tokenEndsAt = Infinity }) => {
    if (tokenEndsAt <= Date.now()) throw invalidKey();
    const state = await (rawKeyHash === undefined
      ? keys.readNamedKey(key.keyHash)
      : keys.readKeyState(rawKeyHash));
    if (state?.status !== 'active') throw invalidKey();
    const held = heldBy(state, riskProfile);
    if (held !== undefined) throw held;
    return state;
  };
}

function heldBy(
  { record, readAt, risk, lock }: Pick<KeyState, 'record' | 'readAt' | 'risk' | 'lock'>,
  riskProfile: AuthenticateDeps['riskProfile'],
): GatewayError | undefined {
  const overThreshold = risk.riskScore > riskProfile.permanent_block_threshold;
  if (riskProfile.enabled && (risk.blockedAt !== undefined || overThreshold)) return riskBlocked(record);
  return lock && keyLocked(lock, record, readAt);
}

/** Returns the same error for missing, unknown, expired and revoked keys and JWTs, so that guessing reveals nothing. */
function invalidKey(): GatewayError {
  return new GatewayError('invalid_key', 'invalid proxy key', { headers: { 'www-authenticate': 'Bearer' } });
}

function keyLocked({ ttlMs, cause }: Lock, { keyHash, name }: RefusedKey, now: number): GatewayError {
  const until = ttlMs === undefined ? '' : ` for another ${timeSpan(ttlMs)}, until ${utcTime(now + ttlMs)}`;
  const why = cause === undefined ? '' : `: ${lockCauseInWords(cause)}`;
  const command = `gateway quarantine release ${shortHash(keyHash)}`;
  return new GatewayError(
    'quarantined',
    `this proxy key is locked${until}${why}. An operator can release it: ${command}`,
    { key: { keyHash, name } },
  );
}

function utcTime(unixMs: number): string {
  return `${new Date(unixMs).toISOString().slice(0, 19)}Z`;
}

const SHORT_HASH_CHARS = 12;

function shortHash(keyHash: string): string {
  const start = 'sha256:'.length;
  return keyHash.slice(start, start + SHORT_HASH_CHARS);
}

function riskBlocked({ keyHash, name }: RefusedKey): GatewayError {
  const command = `gateway risk reset ${shortHash(keyHash)}`;
  return new GatewayError(
    'agent_risk_blocked',
    `this proxy key is blocked. An operator can review and unblock it: ${command}`,
    { headers: { [HEADER.blockReason]: 'agent_risk_blocked' }, key: { keyHash, name } },
  );
}
