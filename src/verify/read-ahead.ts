/** What was read and is still to be told, in order; whoever reads waits where it is too much. */
export interface ReadAhead<Item> {
  /** @param bytes that `item` may hold; a promise where the next one has to wait */
  put(item: Item, bytes: number): Promise<undefined> | undefined;
  /** Nothing more comes; with a failure, which whoever asks gets after all that was put before. */
  end(failure?: { readonly cause: unknown }): void;
  /** The next one, where it was put already. */
  take(): Item | undefined;
  /**
   * Waits for another one; false where none comes any more.
   * @throws what the reading failed with
   */
  more(): Promise<boolean>;
  /** Nobody asks any more: whoever waits goes on, and what he puts is dropped. */
  close(): void;
  readonly isClosed: boolean;
}

export interface ReadAheadBounds {
  readonly maxItems: number;
  readonly maxBytes: number;
}

/** So many that were taken may wait to be let go. */
const FEW = 256;

export function createReadAhead<Item>({ maxItems, maxBytes }: ReadAheadBounds): ReadAhead<Item> {
  let items: ({ readonly item: Item; readonly bytes: number } | undefined)[] = [];
  /** Those before it were taken. */
  let head = 0;
  let bytes = 0;
  let over: { readonly failure: { readonly cause: unknown } | undefined } | undefined;
  let isClosed = false;
  let room: PromiseWithResolvers<undefined> | undefined;
  let next: PromiseWithResolvers<undefined> | undefined;

  function isFull(): boolean {
    return !isClosed && (items.length - head > maxItems || bytes > maxBytes);
  }

  function take(): Item | undefined {
    const taken = items[head];
    if (taken === undefined) return undefined;
    items[head] = undefined;
    head += 1;
    // Not each time: all that are left are moved.
    if (head * 2 > items.length + FEW) {
      items = items.slice(head);
      head = 0;
    }
    bytes -= taken.bytes;
    if (!isFull()) room?.resolve(undefined);
    return taken.item;
  }

  return {
    put(item, itsBytes) {
      if (isClosed) return undefined;
      items.push({ item, bytes: itsBytes });
      bytes += itsBytes;
      next?.resolve(undefined);
      if (!isFull()) return undefined;
      return (room = Promise.withResolvers<undefined>()).promise;
    },
    end(failure) {
      over = { failure };
      next?.resolve(undefined);
    },
    take,
    async more() {
      for (;;) {
        if (items.length > head) return true;
        if (over?.failure !== undefined) throw over.failure.cause;
        if (over !== undefined) return false;
        await (next = Promise.withResolvers<undefined>()).promise;
      }
    },
    close() {
      isClosed = true;
      items = [];
      head = 0;
      room?.resolve(undefined);
    },
    get isClosed() {
      return isClosed;
    },
  };
}
