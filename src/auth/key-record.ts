import type { InstructionRole } from '../providers/instructions.ts';
import type { RuleOverrides } from '../policy/rule-modes.ts';
import type { ProviderName } from '../providers/registry.ts';
import { globMatches } from '../text/glob.ts';

/** Stored record of a proxy key (docs/keys.md). Times are in Unix ms. */
export interface KeyRecord {
  /** `sha256:<hex>`. Identifies budget, spend, sessions, risk and locks; survives rotation. */
  readonly keyHash: string;
  readonly name: string;
  readonly provider: ProviderName;
  readonly agentName?: string;
  readonly owner?: string;
  readonly allowedTools?: readonly string[];
  readonly allowedProviders?: readonly ProviderName[];
  /** Globs (`gpt-4o*`). Absent if every model is allowed. */
  readonly allowedModels?: readonly string[];
  readonly tags: Readonly<Record<string, string>>;
  /** Names of the gateway's `credentials` for this key, at most one per provider. */
  readonly credentials?: readonly string[];
  /** Roles whose instructions are trusted. Absent to use `policy.trust`. */
  readonly trust?: readonly InstructionRole[];
  /** Policy rule modes for this key, which override `policy.overrides`. */
  readonly policyOverrides?: RuleOverrides;
  readonly jwtSubject?: string;
  readonly createdAt: number;
  readonly expiresAt?: number;
  readonly revokedAt?: number;
  readonly lastUsedAt?: number;
}

export function mayUseProvider(key: KeyRecord, provider: ProviderName): boolean {
  return key.provider === provider || key.allowedProviders?.includes(provider) === true;
}

/** @param model the model name, not a deployment name */
export function mayUseModel({ allowedModels }: KeyRecord, model: string): boolean {
  return allowedModels?.every((glob) => !matches(glob, model)) !== true;
}

function matches(glob: string, model: string): boolean {
  return globMatches(glob, model) || globMatches(glob, model.replace(/^models\//, ''));
}

export type KeyStatus = 'active' | 'revoked' | 'expired';

/** Returns the record's status. Rotated raw keys may have expired earlier. */
export function statusOf(
  {
    expiresAt,
    revokedAt,
  }: { readonly expiresAt?: number | undefined; readonly revokedAt?: number | undefined },
  now: number,
): KeyStatus {
  if (revokedAt !== undefined) return 'revoked';
  return expiresAt !== undefined && expiresAt <= now ? 'expired' : 'active';
}

export function isActive(record: KeyRecord, now: number): boolean {
  return statusOf(record, now) === 'active';
}
