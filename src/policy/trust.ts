import type { DetectorName } from '../detectors/finding.ts';
import type { InstructionRole } from '../providers/instructions.ts';

/** Detectors of orders to a model. Trusted instructions are orders by design, so these skip them. */
const INJECTION_DETECTORS: ReadonlySet<DetectorName> = new Set(['prompt_injection', 'injection_learned']);

export function findsInjection(detector: DetectorName): boolean {
  return INJECTION_DETECTORS.has(detector);
}

/** `policy.trust`. */
export type TrustSettings = Readonly<Record<InstructionRole, boolean>>;

/** `trust` of a card or rule; roles left out follow the call. */
export type RuleTrust = Readonly<Partial<Record<InstructionRole, boolean | undefined>>>;

/** A call's trust unless a rule overrides it. A key that withdraws trust has the last word. */
export type CallTrust = Readonly<Record<InstructionRole, 'trusted' | 'judged' | 'never_trusted'>>;

export const NOBODY_TRUSTED: TrustSettings = { system: false, developer: false };

/** @param keyTrust roles that the key is trusted with; undefined to follow `policy.trust` */
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

/** Reports whether rules about injections skip a role's instructions. */
export function isTrusted(role: InstructionRole, trust: CallTrust, ofRule: RuleTrust | undefined): boolean {
  if (trust[role] === 'never_trusted') return false;
  return ofRule?.[role] ?? trust[role] === 'trusted';
}
