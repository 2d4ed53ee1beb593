import { readSeries } from './gateway-series.ts';

/** State of a credential at a running gateway. Times are ISO 8601; null for never, or if no gateway runs here. */
export interface CredentialUsage {
  readonly state: 'usable' | 'failing' | 'unusable' | null;
  /** When its source last gave a value. */
  readonly read_at: string | null;
  /** When its source last gave none. */
  readonly failed_at: string | null;
  /** When a provider last accepted it. */
  readonly last_used_at: string | null;
  /** When its source could not be read, or a provider refused it. */
  readonly last_failed_at: string | null;
}

/** @param metrics Prometheus text of the gateway; undefined if none runs here */
export function credentialUsage(metrics: string | undefined): (credential: string) => CredentialUsage {
  const text = metrics ?? '';
  function valueOf(metric: string, credential: string, outcome?: string): number | undefined {
    const found = readSeries(text, `gateway_credential_${metric}`).find(
      ({ labels }) => labels['credential'] === credential && labels['outcome'] === outcome,
    );
    return found?.value;
  }
  return (name) => {
    const failed = [
      valueOf('failed_timestamp_seconds', name),
      valueOf('answered_timestamp_seconds', name, 'refused'),
    ].map((seconds) => seconds ?? 0);
    const usable = valueOf('usable', name);
    const isFailing = valueOf('failing', name) === 1;
    return {
      state: usable === undefined ? null : usable === 0 ? 'unusable' : isFailing ? 'failing' : 'usable',
      failed_at: timeAt(valueOf('failed_timestamp_seconds', name)),
      read_at: timeAt(valueOf('read_timestamp_seconds', name)),
      last_used_at: timeAt(valueOf('answered_timestamp_seconds', name, 'accepted')),
      last_failed_at: timeAt(Math.max(...failed)),
    };
  };
}

function timeAt(seconds = 0): string | null {
  return seconds === 0 ? null : new Date(seconds * 1_000).toISOString();
}
