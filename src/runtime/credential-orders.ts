import { setTimeout as delay } from 'node:timers/promises';
import type { FollowedCredentials } from '../provider-credentials/follow.ts';
import type { ReadOrderStore } from '../provider-credentials/read-orders-store.ts';

const EVERY_MS = 1_000;

export interface CredentialOrdersOptions {
  readonly store: Pick<ReadOrderStore, 'orders'>;
  readonly credentials: Pick<FollowedCredentials, 'readAgain' | 'states'>;
  readonly everyMs?: number;
}

/** Follows `gateway credentials rotate`. Without Redis, orders wait. */
export function obeyCredentialOrders({ store, credentials, everyMs = EVERY_MS }: CredentialOrdersOptions): {
  close(): void;
} {
  const stop = new AbortController();
  let seen: Readonly<Record<string, string>> | undefined;

  async function look(): Promise<void> {
    const orders = await store.orders().catch(() => undefined);
    if (orders === undefined) return;
    // Earlier orders are done: every source is read at start.
    if (seen !== undefined)
      for (const [name, id] of Object.entries(orders)) if (seen[name] !== id) credentials.readAgain(name);
    seen = orders;
  }

  async function poll(): Promise<void> {
    while (!stop.signal.aborted) {
      await look();
      await delay(everyMs, undefined, { signal: stop.signal, ref: false }).catch(() => undefined);
    }
  }

  if (credentials.states().size > 0) void poll();
  return {
    close: () => {
      stop.abort();
    },
  };
}
