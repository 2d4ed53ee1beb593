import { createAddressCounts } from '../address-counts.ts';

const MINUTE_MS = 60_000;

export interface AnonymousLinesOptions {
  /** Lines that one client address may write in a minute. */
  readonly maxPerMinute: number;
  /** Told at most once a minute how many requests wrote no line since it was told last. */
  readonly onUnlogged: (requests: number) => void;
  /** Unix ms. */
  readonly now?: () => number;
}

/**
 * Bounds what strangers can write into the log: requests that are refused before their key is known to be good
 * write a line each up to a limit per client address and minute, and are counted beyond it.
 */
export interface AnonymousLines {
  /** Whether this request may write its line; false counts it. */
  take(clientAddress: string): boolean;
  /** Tells what is still counted, before the process ends. */
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
