/** What all policies together say of one call (SPEC "Policies", DECISIONS "Policy"). */
export interface Decision {
  /** Reasons, in a fixed order. The strongest kind that has any wins: quarantine, deny, escalate. */
  readonly quarantine: readonly string[];
  readonly deny: readonly string[];
  readonly escalate: readonly string[];
  /** Flags that the session gets, unless the call is denied. */
  readonly taint: readonly string[];
  /** Some source allowed the call. */
  readonly allow: boolean;
}

const NO_DECISION: Decision = { quarantine: [], deny: [], escalate: [], taint: [], allow: false };

/** Of one call; a policy that gives more has gone wrong, and those beyond would not be read by anybody. */
const MAX_REASONS = 64;
const UNNAMED = 'a policy rule';

/**
 * Reads the document `gateway.policy` of a Rego set. A rule that is no set of texts where one is meant (`deny = true`,
 * a record, a number) still denies: what cannot be read must not pass.
 */
export function decisionOf(document: unknown): Decision {
  if (document === undefined) return NO_DECISION;
  const rules: Readonly<Record<string, unknown>> = isRecord(document) ? document : { deny: document };
  return {
    quarantine: textsOf(rules['quarantine']),
    deny: textsOf(rules['deny']),
    escalate: textsOf(rules['escalate']),
    taint: textsOf(rules['taint']),
    allow: rules['allow'] === true,
  };
}

function textsOf(rule: unknown): string[] {
  if (rule === undefined || rule === false || rule === null) return [];
  if (Array.isArray(rule)) return rule.slice(0, MAX_REASONS).map(textOf);
  // `deny["reason"] = true`, and sets of records: what has keys is named by them.
  if (isRecord(rule)) return Object.keys(rule).slice(0, MAX_REASONS);
  return [textOf(rule)];
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (!isRecord(value)) return UNNAMED;
  const text = value['msg'] ?? value['reason'] ?? value['message'];
  return typeof text === 'string' ? text : UNNAMED;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
