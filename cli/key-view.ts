import { isoTime } from '../src/auth/key-json.ts';
import type { KeyRecord } from '../src/auth/key-record.ts';
import type { KeyState } from '../src/auth/key-state-store.ts';

export const KEY_ARGUMENT = ['<key>', 'name of the key, or its hash (at least 6 hex digits)'] as const;

/** Returns the key reference for suggested commands: the name if it was used and is shell-safe, else the hash. */
export function copyable(reference: string, { name, keyHash }: KeyRecord): string {
  return reference === name && /^[\w.@-]+$/.test(name) ? name : keyHash;
}

/** Returns the state that a key record does not contain: lock, risk and limits. */
export function stateJson(state: KeyState | undefined): Record<string, unknown> {
  if (state === undefined) return {};
  const { lock, risk, limits } = state;
  return {
    locked: lock !== undefined,
    lock_ttl_seconds: lock?.ttlMs === undefined ? undefined : Math.ceil(lock.ttlMs / 1_000),
    risk_score: risk.riskScore,
    blocked_at: isoTime(risk.blockedAt),
    budget_usd: Object.fromEntries(
      Object.entries(limits).map(([window, nanoUsd]) => [window, nanoUsd / 1e9]),
    ),
  };
}

/** Shows an empty list (nothing allowed) as `none`, and omits an absent list (everything allowed). */
export function keyEntries(json: Record<string, unknown>): [string, string][] {
  const shown = Object.entries(json).map(([name, value]) => [
    name,
    Array.isArray(value) && value.length === 0 ? 'none' : value,
  ]);
  return entries(Object.fromEntries(shown));
}

/** Formats names and values for a listing. Omits undefined values, and empty objects and arrays. */
export function entries(json: Record<string, unknown>): [string, string][] {
  return Object.entries(json)
    .filter(([, value]) => value !== undefined && !isEmpty(value))
    .map(([name, value]) => [name, entryText(value)]);
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}

function entryText(value: unknown): string {
  if (Array.isArray(value)) return value.map(String).join(', ');
  if (typeof value !== 'object' || value === null) return String(value);
  return Object.entries(value)
    .map(([name, item]) => `${name}=${String(item)}`)
    .join(', ');
}

/** Formats a UTC time to the minute, for tables. */
export function shortTime(timeMs: number | undefined): string {
  return isoTime(timeMs)?.slice(0, 16).replace('T', ' ') ?? '-';
}
