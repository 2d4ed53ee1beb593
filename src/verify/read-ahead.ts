/** What was read and is still to be told, in order; whoever reads waits where it is too much. */
export interface ReadAhead<Item> extends AsyncIterable<Item> {
  /** @param bytes that `item` may hold; a promise where the next one has to wait */
  put(item: Item, bytes: number): Promise<undefined> | undefined;
  /** Nothing more comes; with a failure, which whoever asks gets after all that was put before. */
  end(failure?: { readonly cause: unknown }): void;
  /** Nobody asks any more: whoever waits goes on, and what he puts is dropped. */
  close(): void;
  readonly isClosed: boolean;
}

export interface ReadAheadBounds {
  readonly maxItems: number;
  readonly maxBytes: number;
}

export function createReadAhead<Item>({ maxItems, maxBytes }: ReadAheadBounds): ReadAhead<Item> {
  let items: { readonly item: Item; readonly bytes: number }[] = [];
  let bytes = 0;
  let over: { readonly failure: { readonly cause: unknown } | undefined } | undefined;
  let isClosed = false;
  let room: PromiseWithResolvers<undefined> | undefined;
  let more: PromiseWithResolvers<undefined> | undefined;

  function isFull(): boolean {
    return !isClosed && (items.length > maxItems || bytes > maxBytes);
  }

  function take(): Item | undefined {
    const taken = items.shift();
    if (taken === undefined) return undefined;
    bytes -= taken.bytes;
    if (!isFull()) room?.resolve(undefined);
    return taken.item;
  }

  async function* all(): AsyncGenerator<Item> {
    for (;;) {
      const item = take();
      if (item !== undefined) yield item;
      else if (over === undefined) await (more = Promise.withResolvers<undefined>()).promise;
      else if (over.failure === undefined) return;
      else throw over.failure.cause;
    }
  }

  return {
    put(item, itsBytes) {
      if (isClosed) return undefined;
      items.push({ item, bytes: itsBytes });
      bytes += itsBytes;
      more?.resolve(undefined);
      if (!isFull()) return undefined;
      return (room = Promise.withResolvers<undefined>()).promise;
    },
    end(failure) {
      over = { failure };
      more?.resolve(undefined);
    },
    close() {
      isClosed = true;
      items = [];
      room?.resolve(undefined);
    },
    get isClosed() {
      return isClosed;
    },
    [Symbol.asyncIterator]: all,
  };
}
