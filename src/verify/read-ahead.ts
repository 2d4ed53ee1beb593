/** A bounded queue between a reader and a consumer. If it is full, the reader waits. */
export interface ReadAhead<Item> {
  /**
   * @param bytes memory of the item
   * @returns a promise if the next item must wait
   */
  put(item: Item, bytes: number): Promise<undefined> | undefined;
  /** Ends the queue. The consumer gets `failure` after all items. */
  end(failure?: { readonly cause: unknown }): void;
  take(): Item | undefined;
  /**
   * Waits for another item; false at the end.
   * @throws the failure that ended the queue
   */
  more(): Promise<boolean>;
  /** Closes the consumer's side. Further items are dropped. */
  close(): void;
  readonly isClosed: boolean;
}

export interface ReadAheadBounds {
  readonly maxItems: number;
  readonly maxBytes: number;
}

/** Number of taken items that stay in the array before it is compacted. */
const FEW = 256;

export function createReadAhead<Item>({ maxItems, maxBytes }: ReadAheadBounds): ReadAhead<Item> {
  let items: ({ readonly item: Item; readonly bytes: number } | undefined)[] = [];
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
    // Compacting moves all items.
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
