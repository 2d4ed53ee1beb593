import { addressGroup, createAddressCounts } from '../address-counts.ts';
import type { RedisClient } from '../redis/client.ts';
import { authFailuresKey } from '../redis/keys.ts';
import { loadScript } from '../redis/script.ts';

const countScript = loadScript(new URL('./count-failure.lua', import.meta.url));

const COUNTER_LIFE_MS = 120_000;

export interface FailedAuthentication {
  readonly clientAddress: string;
  readonly overLimit: boolean;
  /** The JWT's fault, if it caused the failure. */
  readonly fault: string | undefined;
}

export interface FailureLimitOptions {
  readonly client: RedisClient;
  /** `auth.max_failures_per_minute`. */
  readonly maxFailuresPerMinute: number;
  /** Should log only failures that are not `overLimit`. */
  readonly onFailure: (failure: FailedAuthentication) => void;
  readonly onCountFailed?: (failure: unknown) => void;
  readonly now?: () => number;
}

export interface FailureLimit {
  /** Neither waits nor throws. */
  count(clientAddress: string, fault?: string): void;
  /** Reports whether the address has used up its failures in this minute, as far as this process knows. */
  isOver(clientAddress: string): boolean;
}

/**
 * Counts failed authentications per client address and minute. All processes share the counts in Redis. The limit only
 * reduces load and noise: once it is reached, a process stops writing and logging for that address until the minute
 * ends, and first looks up its keys with a single read. Clients still get 401, and a valid key is never refused because
 * of other clients at the same address.
 */
export function createFailureLimit(options: FailureLimitOptions): FailureLimit {
  const { client, maxFailuresPerMinute, onFailure, onCountFailed, now = Date.now } = options;
  const failures = createAddressCounts(now);
  const isOver = (clientAddress: string): boolean => failures.get(clientAddress) >= maxFailuresPerMinute;

  return {
    isOver,
    count(clientAddress, fault) {
      const overLimit = isOver(clientAddress);
      onFailure({ clientAddress, overLimit, fault });
      if (overLimit) return;
      const minute = failures.minute();
      failures.raise(clientAddress, failures.get(clientAddress) + 1);
      countScript.run(client, [authFailuresKey(addressGroup(clientAddress), minute)], [COUNTER_LIFE_MS]).then(
        (counted) => {
          if (failures.minute() === minute) failures.raise(clientAddress, Number(counted));
        },
        (failure: unknown) => onCountFailed?.(failure),
      );
    },
  };
}
