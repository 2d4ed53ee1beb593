import { setTimeout as delay } from 'node:timers/promises';

/**
 * Calls `look` repeatedly, `everyMs` after each call ends, until closed. `look` must not reject, because polling would
 * end. Files are polled because file watchers miss some ways of replacing them (decision 309).
 */
export function poll(look: () => Promise<void>, everyMs: number, firstAfterMs = everyMs): { close(): void } {
  const stop = new AbortController();
  const { signal } = stop;
  async function run(): Promise<void> {
    for (let ms = firstAfterMs; ; ms = everyMs) {
      await delay(ms, undefined, { signal, ref: false }).catch(() => undefined);
      if (signal.aborted) return;
      await look();
    }
  }
  void run();
  return { close: () => stop.abort() };
}
