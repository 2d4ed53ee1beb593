import type { Patience, Wait } from '../pipeline/exchange.ts';

export interface PatienceSettings {
  /** Time limit of an approval (`zsp.escalation_timeout`). */
  readonly waitMs: number;
  /** Envoy's timeout in the meantime: the same, plus time for the remaining work of the phase. */
  readonly messageTimeoutMs: number;
}

export interface EdgePatience extends Patience {
  leave(): void;
}

/** @param extend makes Envoy wait this long for the phase; works only once */
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
