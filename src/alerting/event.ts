/** What is worth a message to people; budgets always are, the others where `alerting.events` names them. */
export type AlertEvent =
  | { readonly type: 'budget.threshold'; readonly data: BudgetThreshold }
  | { readonly type: 'key.quarantined'; readonly data: KeyQuarantined }
  | { readonly type: 'escalation.requested'; readonly data: Readonly<Record<string, unknown>> }
  | { readonly type: 'circuit.opened' | 'circuit.closed'; readonly data: CircuitChanged };

export interface BudgetThreshold {
  readonly key_hash: string;
  readonly key_name: string;
  /** `minute`, `hourly`, `daily`, `weekly`, `monthly`. */
  readonly window: string;
  readonly percent: number;
  readonly limit_usd: string;
  /** Of the threshold, filled in. */
  readonly message: string;
}

export interface KeyQuarantined {
  readonly key_hash: string;
  /** What the key did, as its risk score names it. */
  readonly trigger: string;
  readonly risk_score: number;
  /** Null where it is not locked, but blocked until an operator resets its risk. */
  readonly lock_seconds: number | null;
  readonly blocked: boolean;
}

export interface CircuitChanged {
  readonly server: string;
  /** For all keys, or for one. */
  readonly circuit: 'server' | 'key';
  /** Null for all keys. */
  readonly key_hash: string | null;
}

/** `{percent}`, `{window}` and `{key_name}` of a threshold's message; what is filled in is not read again. */
export function filledMessage(
  message: string,
  { percent, window, key_name }: Pick<BudgetThreshold, 'percent' | 'window' | 'key_name'>,
): string {
  const values: Readonly<Record<string, string>> = { percent: String(percent), window, key_name };
  return message.replace(/\{(percent|window|key_name)\}/g, (_, name: string) => values[name] ?? '');
}
