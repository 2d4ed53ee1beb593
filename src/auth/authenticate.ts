import type { Config } from '../config/schema.ts';
import { GatewayError } from '../errors.ts';
import { HEADER } from '../headers.ts';
import type { BudgetLimits, Identified } from '../pipeline/exchange.ts';
import { lockCauseInWords } from '../redis/lock-cause.ts';
import type { Lock } from '../redis/risk-profile.ts';
import { timeSpan } from '../text/time-span.ts';
import type { FailureLimit } from './failure-limit.ts';
import type { KeyState, KeyStateStore } from './key-state-store.ts';
import { hashKey } from './raw-key.ts';

/** What a proxy key adds to an exchange. */
export type Identity = Pick<Identified, 'key' | 'rawKeyHash' | 'budgetLimits' | 'facts'>;

export interface AuthenticateDeps {
  readonly keys: KeyStateStore;
  readonly failures: FailureLimit;
  readonly riskProfile: Pick<Config['risk_profile'], 'enabled' | 'permanent_block_threshold'>;
}

export interface Attempt {
  /** The proxy key as sent; undefined where the request has none. */
  readonly rawKey: string | undefined;
  readonly clientAddress: string;
  /**
   * Called once with the hash of the key: while it is looked up, where it was good before; or when it is known to be
   * good.
   */
  readonly beside?: (keyHash: string) => void;
}

export type Authenticate = (attempt: Attempt) => Promise<Identity>;

/**
 * Judges a proxy key in one wait for Redis: the key itself, then its risk, then its lock. A key that is blocked for
 * good is not told to come back when its lock ends.
 * @throws GatewayError invalid_key, quarantined, agent_risk_blocked, redis_unavailable
 */
export function createAuthenticate({ keys, failures, riskProfile }: AuthenticateDeps): Authenticate {
  return async ({ rawKey, clientAddress, beside }) => {
    let isCalled = false;
    const once = (keyHash: string): void => {
      if (!isCalled) beside?.(keyHash);
      isCalled = true;
    };
    const rawKeyHash = rawKey === undefined ? '' : hashKey(rawKey);
    const trust = failures.isOver(clientAddress) ? 'doubted' : 'trusted';
    const state = rawKey === undefined ? undefined : await keys.readKeyState(rawKeyHash, trust, once);
    if (state?.status !== 'active') {
      failures.count(clientAddress);
      throw invalidKey();
    }
    assertConduct(state, riskProfile);
    once(state.record.keyHash);
    keys.noteUse(state);
    const { blockedAt: _since, ...agentRisk } = state.risk;
    return {
      key: state.record,
      rawKeyHash,
      budgetLimits: state.limits,
      facts: {
        agentRisk: riskProfile.enabled ? agentRisk : { ...agentRisk, riskScore: 0 },
        session: undefined,
        drift: undefined,
        prompt: undefined,
        judged: undefined,
      },
    };
  };
}

/** Resolves to the key's budget as it stands now. */
export type AuthenticateAgain = (rawKeyHash: string) => Promise<BudgetLimits>;

/**
 * Judges a key that was let in before, while what it asked for still goes on. Neither a use nor a failed attempt of
 * anybody is noted.
 * @throws GatewayError invalid_key, quarantined, agent_risk_blocked, redis_unavailable
 */
export function createAuthenticateAgain({
  keys,
  riskProfile,
}: Pick<AuthenticateDeps, 'riskProfile'> & {
  readonly keys: Pick<KeyStateStore, 'readKeyState'>;
}): AuthenticateAgain {
  return async (rawKeyHash) => {
    const state = await keys.readKeyState(rawKeyHash);
    if (state?.status !== 'active') throw invalidKey();
    assertConduct(state, riskProfile);
    return state.limits;
  };
}

function assertConduct(
  { record, readAt, risk, lock }: Pick<KeyState, 'record' | 'readAt' | 'risk' | 'lock'>,
  riskProfile: AuthenticateDeps['riskProfile'],
): void {
  const overThreshold = risk.riskScore > riskProfile.permanent_block_threshold;
  if (riskProfile.enabled && (risk.blockedAt !== undefined || overThreshold)) throw riskBlocked();
  if (lock) throw quarantined(lock, record.keyHash, readAt);
}

/** One answer for missing, unknown, expired and revoked keys: whoever tries keys learns nothing. */
function invalidKey(): GatewayError {
  return new GatewayError('invalid_key', 'invalid proxy key', { headers: { 'www-authenticate': 'Bearer' } });
}

/** Says why, until when, and what lifts it. Of the key's hash only as much as names it. */
function quarantined({ ttlMs, cause }: Lock, keyHash: string, now: number): GatewayError {
  const until = ttlMs === undefined ? '' : ` for another ${timeSpan(ttlMs)}, until ${utcTime(now + ttlMs)}`;
  const why = cause === undefined ? '' : `: ${lockCauseInWords(cause)}`;
  const command = `gateway quarantine release ${shortHash(keyHash)}`;
  return new GatewayError(
    'quarantined',
    `this proxy key is locked${until}${why}. An operator can release it: ${command}`,
  );
}

/** To the second, in UTC. */
function utcTime(unixMs: number): string {
  return `${new Date(unixMs).toISOString().slice(0, 19)}Z`;
}

const SHORT_HASH_CHARS = 12;

/** As commands take it. */
function shortHash(keyHash: string): string {
  const start = 'sha256:'.length;
  return keyHash.slice(start, start + SHORT_HASH_CHARS);
}

function riskBlocked(): GatewayError {
  return new GatewayError('agent_risk_blocked', 'this proxy key is blocked: an operator must review it', {
    headers: { [HEADER.blockReason]: 'agent_risk_blocked' },
  });
}
