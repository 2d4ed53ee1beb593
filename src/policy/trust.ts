import type { DetectorName } from '../detectors/finding.ts';
import type { InstructionRole } from '../providers/instructions.ts';

/** Detectors that look for instructions to a model. They skip trusted roles, whose texts are instructions by design. */
const INJECTION_DETECTORS: ReadonlySet<DetectorName> = new Set(['prompt_injection', 'injection_learned']);

export function findsInjection(detector: DetectorName): boolean {
  return INJECTION_DETECTORS.has(detector);
}

/** `policy.trust`. */
export type TrustSettings = Readonly<Record<InstructionRole, boolean>>;

/** `trust` of a card or rule. Missing roles use the call's trust. */
export type RuleTrust = Readonly<Partial<Record<InstructionRole, boolean | undefined>>>;

/** A rule can override the call's trust, except `never_trusted`. */
export type CallTrust = Readonly<Record<InstructionRole, 'trusted' | 'judged' | 'never_trusted'>>;

export const NO_ROLE_TRUSTED: TrustSettings = { system: false, developer: false };

/** @param keyTrust roles trusted by the key; undefined to use `policy.trust` */
export function callTrust(
  settings: TrustSettings,
  keyTrust: readonly InstructionRole[] | undefined,
): CallTrust {
  function trustIn(role: InstructionRole): CallTrust[InstructionRole] {
    if (keyTrust === undefined) return settings[role] ? 'trusted' : 'judged';
    return keyTrust.includes(role) ? 'trusted' : 'never_trusted';
  }
  return { system: trustIn('system'), developer: trustIn('developer') };
}

export function isTrusted(
  role: InstructionRole,
  trust: CallTrust,
  ruleTrust: RuleTrust | undefined,
): boolean {
  if (trust[role] === 'never_trusted') return false;
  return ruleTrust?.[role] ?? trust[role] === 'trusted';
}
