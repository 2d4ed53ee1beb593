/** Budget alerts are always sent, other types only if listed in `alerting.events`. */
export type AlertEvent =
  | { readonly type: 'budget.threshold'; readonly data: BudgetThreshold }
  | { readonly type: 'key.quarantined'; readonly data: KeyQuarantined }
  | { readonly type: 'escalation.requested'; readonly data: Readonly<Record<string, unknown>> }
  | { readonly type: 'circuit.opened' | 'circuit.closed'; readonly data: CircuitChanged };

export interface BudgetThreshold {
  readonly key_hash: string;
  readonly key_name: string;
  /** The budget window, such as `daily`. */
  readonly window: string;
  /** The `percent` of the crossed threshold. */
  readonly threshold: number;
  /** Current spend as a percentage of the limit, rounded down; at least the threshold. */
  readonly percent: number;
  /** Null if the spend cannot be read. */
  readonly spent_usd: number | null;
  readonly limit_usd: number;
  readonly message: string;
}

export interface KeyQuarantined {
  readonly key_hash: string;
  /** The event that raised the risk score. */
  readonly trigger: string;
  readonly risk_score: number;
  /** Null for a block, which lasts until an operator resets the risk. */
  readonly lock_seconds: number | null;
  readonly blocked: boolean;
}

export interface CircuitChanged {
  readonly server: string;
  /** `server` affects all keys, `key` a single key. */
  readonly circuit: 'server' | 'key';
  /** Null for all keys. */
  readonly key_hash: string | null;
}

/** Replaces `{percent}`, `{window}` and `{key_name}` in a threshold's message, in a single pass. */
export function filledMessage(
  message: string,
  { percent, window, key_name }: Pick<BudgetThreshold, 'percent' | 'window' | 'key_name'>,
): string {
  const values: Readonly<Record<string, string>> = { percent: String(percent), window, key_name };
  return message.replace(/\{(percent|window|key_name)\}/g, (_, name: string) => values[name] ?? '');
}
