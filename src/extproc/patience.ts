import type { Patience, Wait } from '../pipeline/exchange.ts';

export interface PatienceSettings {
  /** Time limit for an approval (`zsp.escalation_timeout`). */
  readonly waitMs: number;
  /** Envoy's timeout while waiting: `waitMs` plus time for the rest of the phase. */
  readonly messageTimeoutMs: number;
}

export interface EdgePatience extends Patience {
  leave(): void;
}

/** @param extend sets Envoy's timeout for the phase; works only once */
export function createPatience(
  { waitMs, messageTimeoutMs }: PatienceSettings,
  extend: (messageTimeoutMs: number) => void,
): EdgePatience {
  let controller: AbortController | undefined;
  let wait: Wait | undefined;
  let hasLeft = false;
  return {
    begin() {
      if (wait !== undefined) return wait;
      controller = new AbortController();
      if (hasLeft) controller.abort();
      else extend(messageTimeoutMs);
      return (wait = { gone: controller.signal, until: performance.now() + waitMs });
    },
    leave() {
      hasLeft = true;
      controller?.abort();
    },
  };
}
