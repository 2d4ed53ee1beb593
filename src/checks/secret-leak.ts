import type { Parsed } from '../pipeline/exchange.ts';

/** Secrets, or other data, that a provider or a tool sent towards a client, and that were kept from it. */
export interface SecretLeak {
  readonly exchange: Parsed;
  /** What was found, as `findingId(rule, matchedText)` of checks/finding-id names it: no text. */
  readonly findings: readonly string[];
  /** How long the key is locked: `quarantine_duration` of the check that found them; 0 where it only scores. */
  readonly lockMs: number;
  /** None of it is a secret (`dlp.action: quarantine`): nobody has `secret_accessed` from it. */
  readonly personalDataOnly?: true;
}

/**
 * Locks the key, scores it (+30, once for one and the same finding) and taints its session with `secret_accessed`
 * (docs/risk.md). Personal data locks and scores the same, and taints nothing.
 * @throws GatewayError redis_unavailable
 */
export type ReportSecretLeak = (leak: SecretLeak) => Promise<void>;
