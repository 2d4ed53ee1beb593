import type { IncomingMessage } from 'node:http';
import type { SignedIn } from './roles.ts';

export interface Identified {
  readonly who: SignedIn;
  /** Required in `X-CSRF-Token` for changes. Undefined for credentials that browsers do not add automatically. */
  readonly csrf: string | undefined;
  /** Unix ms, Redis time; undefined without a session. */
  readonly idleUntil?: number | undefined;
  readonly endsAt?: number | undefined;
}

/** Identifies a request by session cookie, token or proxy header. Returns undefined without a credential or session. */
export type Identify = (incoming: IncomingMessage, address: string) => Promise<Identified | undefined>;

export function firstOf(ways: readonly Identify[]): Identify {
  return async (incoming, address) => {
    for (const way of ways) {
      const found = await way(incoming, address);
      if (found !== undefined) return found;
    }
    return undefined;
  };
}
