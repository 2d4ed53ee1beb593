import { createAddressCounts } from '../address-counts.ts';

const MINUTE_MS = 60_000;

export interface AnonymousLinesOptions {
  /** Maximum number of log lines per client address and minute. */
  readonly maxPerMinute: number;
  /** Called at most once a minute with the number of requests not logged since the last call. */
  readonly onUnlogged: (requests: number) => void;
  /** Returns Unix ms. */
  readonly now?: () => number;
}

/**
 * Limits log lines about unauthenticated clients. Each request refused before its key is verified gets a line, up to a
 * limit per client address and minute; further ones are only counted.
 */
export interface AnonymousLines {
  /** Reports whether this request may be logged, and counts it if not. */
  take(clientAddress: string): boolean;
  /** Reports the remaining count before the process ends. */
  flush(): void;
}

export function createAnonymousLines(options: AnonymousLinesOptions): AnonymousLines {
  const { maxPerMinute, onUnlogged, now = Date.now } = options;
  const lines = createAddressCounts(now);
  let unlogged = 0;
  let timer: NodeJS.Timeout | undefined;

  function flush(): void {
    clearTimeout(timer);
    timer = undefined;
    if (unlogged > 0) onUnlogged(unlogged);
    unlogged = 0;
  }

  return {
    flush,
    take(clientAddress) {
      const written = lines.get(clientAddress);
      if (written < maxPerMinute) {
        lines.raise(clientAddress, written + 1);
        return true;
      }
      unlogged += 1;
      timer ??= setTimeout(flush, MINUTE_MS).unref();
      return false;
    },
  };
}
