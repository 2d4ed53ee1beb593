import type { DetectorName } from '../detectors/finding.ts';
import type { InstructionRole } from '../providers/instructions.ts';

/** Detectors of orders to a model. Instructions of a trusted role are orders by design, so these leave them alone. */
const INJECTION_DETECTORS: ReadonlySet<DetectorName> = new Set(['prompt_injection', 'injection_learned']);

export function findsInjection(detector: DetectorName): boolean {
  return INJECTION_DETECTORS.has(detector);
}

/** `policy.trust`. */
export type TrustSettings = Readonly<Record<InstructionRole, boolean>>;

/** `trust` of a card or a rule; a role that it leaves out is as the call's. */
export type RuleTrust = Readonly<Partial<Record<InstructionRole, boolean | undefined>>>;

/** What holds for a call where a rule does not say otherwise. A key that withdraws trust has the last word. */
export type CallTrust = Readonly<Record<InstructionRole, 'trusted' | 'judged' | 'never_trusted'>>;

export const NOBODY_TRUSTED: TrustSettings = { system: false, developer: false };

/** @param keyTrust the roles that the key is trusted with; undefined where the key leaves it to `policy.trust` */
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

/** Whether rules about injections leave a role's instructions alone. */
export function isTrusted(role: InstructionRole, trust: CallTrust, ofRule: RuleTrust | undefined): boolean {
  if (trust[role] === 'never_trusted') return false;
  return ofRule?.[role] ?? trust[role] === 'trusted';
}
