import type { ErrorType } from './errors.ts';
import type { FindingClass } from './detectors/finding.ts';

/** Ids of the OWASP Top 10 for LLM Applications 2026 and for Agentic Applications 2026 (docs/audit.md). */
export type OwaspId =
  | `LLM${'01' | '02' | '03' | '04' | '06' | '08'}:2026`
  | `ASI${'01' | '02' | '03' | '04' | '05' | '08' | '10'}:2026`;

const INJECTION = ['LLM01:2026', 'ASI01:2026'] as const;
const DISCLOSURE = ['LLM02:2026'] as const;
const CREDENTIAL = ['LLM02:2026', 'ASI03:2026'] as const;
const TOOL_MISUSE = ['LLM03:2026', 'ASI02:2026'] as const;
const CONSUMPTION = ['LLM06:2026'] as const;

const BY_CLASS: Readonly<Record<FindingClass, readonly OwaspId[]>> = {
  override: INJECTION,
  persona: INJECTION,
  smuggling: INJECTION,
  injection: INJECTION,
  leak: ['LLM01:2026', 'LLM08:2026', 'ASI01:2026'],
  secret: CREDENTIAL,
  credentials: CREDENTIAL,
  wallet_key: CREDENTIAL,
  seed_phrase: CREDENTIAL,
  email: DISCLOSURE,
  card: DISCLOSURE,
  cvv: DISCLOSURE,
  iban: DISCLOSURE,
  ssn: DISCLOSURE,
  phone: DISCLOSURE,
  network: DISCLOSURE,
  sqli: ['LLM03:2026', 'ASI02:2026', 'ASI05:2026'],
  traversal: TOOL_MISUSE,
  pattern: [],
};

const BY_TYPE: { readonly [Type in ErrorType]?: readonly OwaspId[] } = {
  agent_risk_blocked: ['ASI10:2026'],
  quarantined: ['ASI10:2026'],
  dlp_quarantine: DISCLOSURE,
  drift_detected: INJECTION,
  escalation_denied: TOOL_MISUSE,
  escalation_timeout: TOOL_MISUSE,
  invalid_key: ['ASI03:2026'],
  circuit_open: ['ASI08:2026'],
  budget_exceeded: CONSUMPTION,
  loop_detected: ['LLM06:2026', 'ASI08:2026'],
  max_steps_exceeded: CONSUMPTION,
  payload_too_large: CONSUMPTION,
  rate_limited: CONSUMPTION,
  session_budget_exceeded: CONSUMPTION,
  session_limit_exceeded: CONSUMPTION,
};

const BY_CHECK: Readonly<Record<string, readonly OwaspId[]>> = {
  drift: INJECTION,
  'hosted-tools': TOOL_MISUSE,
  'key-access': ['ASI03:2026'],
  loop: ['LLM06:2026', 'ASI08:2026'],
  mcp: TOOL_MISUSE,
  'mcp-inspector': INJECTION,
  normalization: INJECTION,
  tool_definition_changed: ['LLM04:2026', 'ASI04:2026'],
};

export interface Categorized {
  readonly classes?: Iterable<string | undefined>;
  readonly check?: string | undefined;
  readonly type?: string | undefined;
}

/** Returns the distinct ids, LLM before ASI. The refusal type or check is used only if no class has an id. */
export function owaspIds({ classes = [], check = '', type = '' }: Categorized): readonly OwaspId[] {
  const found = new Set<OwaspId>();
  for (const one of classes) {
    if (one !== undefined && Object.hasOwn(BY_CLASS, one))
      for (const id of BY_CLASS[one as FindingClass]) found.add(id);
  }
  if (found.size === 0) {
    if (Object.hasOwn(BY_TYPE, type)) for (const id of BY_TYPE[type as ErrorType] ?? []) found.add(id);
    else if (Object.hasOwn(BY_CHECK, check)) for (const id of BY_CHECK[check] ?? []) found.add(id);
  }
  return [...found].sort((a, b) => (a.slice(0, 3) === b.slice(0, 3) ? a.localeCompare(b) : a < b ? 1 : -1));
}
