export interface RetryQueueOptions<Item> {
  readonly attempt: (item: Item) => Promise<void>;
  readonly onFailure: (cause: unknown) => void;
  /** Items that have waited longer are dropped. */
  readonly giveUpMs: number;
}

export interface RetryQueue<Item> {
  /** Attempts the item now; if that fails, retries in the background. Never rejects. */
  give(item: Item): Promise<void>;
  giveLater(item: Item): void;
  close(): Promise<void>;
}

interface QueuedItem<Item> {
  readonly item: Item;
  readonly since: number;
}

const ITEMS_PER_ROUND = 500;
/** Beyond this number, the oldest items are dropped. */
const MAX_PENDING = 20_000;
const FIRST_RETRY_MS = 250;
const LAST_RETRY_MS = 5_000;

export function createRetryQueue<Item>(options: RetryQueueOptions<Item>): RetryQueue<Item> {
  let pending: QueuedItem<Item>[] = [];
  let timer: NodeJS.Timeout | undefined;
  let retryMs = FIRST_RETRY_MS;
  let closed = false;

  async function attempt({ item }: QueuedItem<Item>): Promise<boolean> {
    try {
      await options.attempt(item);
      return true;
    } catch (cause) {
      options.onFailure(cause);
      return false;
    }
  }

  async function retry(): Promise<void> {
    timer = undefined;
    const oldest = performance.now() - options.giveUpMs;
    const batch = pending.splice(0, ITEMS_PER_ROUND).filter(({ since }) => since > oldest);
    const done = await Promise.all(batch.map(attempt));
    const again = batch.filter((_item, index) => done[index] === false);
    pending = [...again, ...pending];
    retryMs = again.length === 0 ? FIRST_RETRY_MS : Math.min(retryMs * 2, LAST_RETRY_MS);
    schedule();
  }

  function schedule(): void {
    if (pending.length === 0 || timer !== undefined || closed) return;
    timer = setTimeout(() => void retry(), retryMs);
    timer.unref();
  }

  function wait(waiting: QueuedItem<Item>): void {
    if (pending.length >= MAX_PENDING) pending.shift();
    pending.push(waiting);
    schedule();
  }

  return {
    async give(item) {
      const waiting = { item, since: performance.now() };
      if (!(await attempt(waiting))) wait(waiting);
    },
    giveLater: (item) => wait({ item, since: performance.now() }),
    async close() {
      closed = true;
      clearTimeout(timer);
      while (pending.length > 0) {
        const before = pending.length;
        await retry();
        if (pending.length >= before) return;
      }
    },
  };
}
