import type { Patience, Wait } from '../pipeline/patience.ts';

export interface PatienceSettings {
  /** How long a person may take (`zsp.escalation_timeout`). */
  readonly waitMs: number;
  /** What Envoy waits meanwhile: the same, and all that is left to do in the phase then. */
  readonly messageTimeoutMs: number;
}

/** One exchange's; makes nothing before it is asked for. */
export interface EdgePatience extends Patience {
  /** Nobody waits for the answer any more. */
  leave(): void;
}

/** @param extend tells Envoy to wait so long for this phase, which it hears once */
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
