export interface RefundQueueOptions<Item> {
  readonly giveBack: (item: Item) => Promise<void>;
  /** Told of every failed attempt. */
  readonly onFailure: (cause: unknown) => void;
}

/** Gives back what was taken for calls that nobody made; what Redis does not take is repeated for a while. */
export interface Returns<Item> {
  /** Never rejects. */
  giveBack(item: Item): Promise<void>;
  /** Makes a last attempt at what is pending, and stops. */
  close(): Promise<void>;
}

interface Pending<Item> {
  readonly item: Item;
  readonly since: number;
}

const ITEMS_PER_ROUND = 500;
/** Beyond it the oldest stay counted, as those of a gateway that was killed. */
const MAX_PENDING = 20_000;
/** Shorter than Redis remembers what was given back: later, a repeat could give back another call's. */
const GIVE_UP_MS = 240_000;
const FIRST_RETRY_MS = 250;
const LAST_RETRY_MS = 5_000;

export function createRefundQueue<Item>(options: RefundQueueOptions<Item>): Returns<Item> {
  let pending: Pending<Item>[] = [];
  let timer: NodeJS.Timeout | undefined;
  let retryMs = FIRST_RETRY_MS;
  let closed = false;

  async function attempt({ item }: Pending<Item>): Promise<boolean> {
    try {
      await options.giveBack(item);
      return true;
    } catch (cause) {
      options.onFailure(cause);
      return false;
    }
  }

  async function retry(): Promise<void> {
    timer = undefined;
    const oldest = performance.now() - GIVE_UP_MS;
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

  return {
    async giveBack(item) {
      const waiting = { item, since: performance.now() };
      if (await attempt(waiting)) return;
      if (pending.length >= MAX_PENDING) pending.shift();
      pending.push(waiting);
      schedule();
    },
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
