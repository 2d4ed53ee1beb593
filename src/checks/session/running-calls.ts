import type { Phase } from '../../pipeline/phase.ts';
import type { SessionStore, Step } from './store.ts';

export interface RunningCallsOptions {
  readonly store: Pick<SessionStore, 'renew' | 'finish'>;
  /** A call is renewed when it is this old, and again and again; a third of its lease leaves room for two failures. */
  readonly renewAfterMs: number;
  /** Told of every failure; the lease of a call that cannot be renewed, or finished, ends by itself. */
  readonly onFailure: (cause: unknown) => void;
}

/** Keeps sessions from being forgotten while a call of them runs. */
export interface RunningCalls {
  /** The store knows of it already. */
  begin(step: Step, createdAt: number): void;
  /** The store is told now, and nobody waits for it. */
  announce(step: Step, createdAt: number): void;
  /** It was given back, which the store knows. */
  forget(step: Step): void;
  /** Never rejects. */
  finish(step: Step, phase?: Phase): Promise<void>;
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
    async finish({ operationId }, phase) {
      const call = running.get(operationId);
      if (call === undefined) return;
      running.delete(operationId);
      await store.finish(call.step, call.createdAt, phase).catch(onFailure);
    },
    close: () => clearInterval(timer),
  };
}
