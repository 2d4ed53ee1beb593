import type { InstructionRole } from '../providers/instructions.ts';
import type { RuleOverrides } from '../policy/rule-modes.ts';
import type { ProviderName } from '../providers/registry.ts';

/** A proxy key's stored record (docs/keys.md). Times are Unix ms. */
export interface KeyRecord {
  /** `sha256:<hex>`: identifies budget, spend, sessions, risk and locks; survives rotation. */
  readonly keyHash: string;
  readonly name: string;
  readonly provider: ProviderName;
  readonly agentName?: string;
  readonly owner?: string;
  readonly allowedTools?: readonly string[];
  readonly allowedProviders?: readonly ProviderName[];
  /** Globs (`gpt-4o*`); absent allows every model. */
  readonly allowedModels?: readonly string[];
  readonly tags: Readonly<Record<string, string>>;
  /** Names of `credentials` that the gateway uses for this key, at most one per provider. */
  readonly credentials?: readonly string[];
  /** Roles whose instructions are trusted; if absent, `policy.trust` applies. */
  readonly trust?: readonly InstructionRole[];
  /** Modes of policy rules for this key, over `policy.overrides`. */
  readonly policyOverrides?: RuleOverrides;
  readonly jwtSubject?: string;
  readonly createdAt: number;
  readonly expiresAt?: number;
  readonly revokedAt?: number;
  readonly lastUsedAt?: number;
}
