import type { IncomingMessage } from 'node:http';
import type { SignedIn } from './roles.ts';

/** Who a request is from, and by what. */
export interface Identified {
  readonly who: SignedIn;
  /** A change must repeat it in `X-CSRF-Token`; undefined for credentials that no browser adds by itself. */
  readonly csrf: string | undefined;
  /** Unix ms by Redis's clock; undefined for a credential without sessions. */
  readonly idleUntil?: number | undefined;
  readonly endsAt?: number | undefined;
}

/** One way to be identified: by a session's cookie, a token, a proxy's header. Undefined if the request has none of it. */
export type Identify = (incoming: IncomingMessage, address: string) => Promise<Identified | undefined>;

/** Tries each way in order. */
export function firstOf(ways: readonly Identify[]): Identify {
  return async (incoming, address) => {
    for (const way of ways) {
      const found = await way(incoming, address);
      if (found !== undefined) return found;
    }
    return undefined;
  };
}
