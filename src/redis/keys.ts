/**
 * Every Redis key the gateway uses. Three names are SPEC's own; whatever else belongs to a proxy key carries the
 * hash tag `{gateway:risk_profile:<key_hash>}`, whose slot is the risk profile's, so that one script can move
 * windows, sessions and risk together on a cluster (DECISIONS "Redis").
 */

/** SPEC "Agent risk profile". */
export function riskProfileKey(keyHash: string): string {
  return `gateway:risk_profile:${keyHash}`;
}

/** SPEC "Quarantine lock". */
export function quarantineKey(keyHash: string): string {
  return `gateway:quarantine:${keyHash}`;
}

/** SPEC "Session": the first user request, written once. */
export function sessionAnchorKey(keyHash: string, sessionId: string): string {
  return `gateway:session:${keyHash}:${sessionId}:anchor`;
}

function tag(keyHash: string): string {
  return `{${riskProfileKey(keyHash)}}`;
}

/** A raw key's record: `rawHash` is the hash of the raw key presented, which a rotation changes. */
export function keyRecordKey(rawHash: string): string {
  return `gateway:key:${rawHash}`;
}

/** Index of all key records. */
export const KEY_INDEX = 'gateway:keys';

/** Failed authentications of a client address in one minute (Unix time / 60). */
export function authFailuresKey(address: string, minute: number): string {
  return `gateway:auth_failures:${address}:${minute}`;
}

/** Limits of a key with a budget of its own: hash of window to integer nano-USD. */
export function budgetLimitsKey(keyHash: string): string {
  return `gateway:budget:${tag(keyHash)}`;
}

/** Limits of every key without a budget of its own. */
export const DEFAULT_BUDGET_KEY = 'gateway:budget:default';

/** One purse of a key's accounts, e.g. its `windows`: hash of each one's start, spent, reserved and alert mark. */
export function spendKey(keyHash: string, purse: string): string {
  return `gateway:spend:${tag(keyHash)}:${purse}`;
}

/** A key's live reservations: sorted set of hold keys by the time their lease ends. */
export function holdsKey(keyHash: string): string {
  return `gateway:holds:${tag(keyHash)}`;
}

/** One reservation: hash of state, amount and the accounts it stands in. */
export function holdKey(keyHash: string, operationId: string): string {
  return `gateway:hold:${tag(keyHash)}:${operationId}`;
}
