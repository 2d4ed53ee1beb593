import type { Batch } from '../../pipeline/batch.ts';
import type { SessionStore, Step } from './store.ts';

export interface RunningCallsOptions {
  readonly store: Pick<SessionStore, 'renew' | 'finish'>;
  /** Renewal interval. With a third of the lease duration, two renewals may fail. */
  readonly renewAfterMs: number;
  /** Called for every failure. If a call cannot be renewed or finished, its lease expires. */
  readonly onFailure: (cause: unknown) => void;
}

/** Keeps sessions from expiring while their calls run. */
export interface RunningCalls {
  /** Starts renewing a call that the store already knows. */
  begin(step: Step, createdAt: number): void;
  /** Starts renewing a call, and records it in the store without waiting. */
  announce(step: Step, createdAt: number): void;
  forget(step: Step): void;
  /** Never rejects. */
  finish(step: Step, batch?: Batch): Promise<void>;
  close(): void;
}

export function createRunningCalls({ store, renewAfterMs, onFailure }: RunningCallsOptions): RunningCalls {
  const running = new Map<string, { readonly step: Step; readonly createdAt: number; renewedAt: number }>();
  const timer = setInterval(renewDue, renewAfterMs / 2);
  timer.unref();

  function renewDue(): void {
    const now = performance.now();
    for (const call of running.values()) {
      if (now - call.renewedAt < renewAfterMs) continue;
      call.renewedAt = now;
      store.renew(call.step, call.createdAt).catch(onFailure);
    }
  }

  function begin(step: Step, createdAt: number): void {
    running.set(step.operationId, { step, createdAt, renewedAt: performance.now() });
  }

  return {
    begin,
    announce(step, createdAt) {
      begin(step, createdAt);
      store.renew(step, createdAt).catch(onFailure);
    },
    forget: ({ operationId }) => void running.delete(operationId),
    async finish({ operationId }, batch) {
      const call = running.get(operationId);
      if (call === undefined) return;
      running.delete(operationId);
      await store.finish(call.step, call.createdAt, batch).catch(onFailure);
    },
    close: () => clearInterval(timer),
  };
}
