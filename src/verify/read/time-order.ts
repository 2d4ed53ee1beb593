/** Puts what comes roughly in the order of time into it, with a bounded look ahead. */
export interface TimeOrder<Item> {
  /** Returns what nothing earlier is expected of any more. */
  add(item: Item, at: number, bytes: number): Item[];
  end(): Item[];
}

const MAX_ITEMS = 20_000;
const MAX_BYTES = 33_554_432;

interface HeldItem<Item> {
  readonly item: Item;
  readonly at: number;
  readonly bytes: number;
}

export function createTimeOrder<Item>(maxItems = MAX_ITEMS, maxBytes = MAX_BYTES): TimeOrder<Item> {
  let waiting: HeldItem<Item>[] = [];
  let bytes = 0;

  /** The earlier half goes at once: sorting for each one would take long. */
  function release(count: number): Item[] {
    waiting.sort((one, other) => one.at - other.at);
    const gone = waiting.slice(0, count);
    waiting = waiting.slice(count);
    for (const one of gone) bytes -= one.bytes;
    return gone.map(({ item }) => item);
  }

  return {
    add(item, at, itsBytes) {
      waiting.push({ item, at, bytes: itsBytes });
      bytes += itsBytes;
      const isFull = waiting.length >= maxItems || bytes >= maxBytes;
      return isFull ? release(Math.ceil(waiting.length / 2)) : [];
    },
    end: () => release(waiting.length),
  };
}
