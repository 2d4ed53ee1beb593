import type { SimHash } from '../../text/simhash.ts';
import type { SessionName } from '../../pipeline/session-turn.ts';
import type { LoopStore } from './store.ts';

interface Entry {
  readonly at: number;
  readonly operationId: string;
  readonly fingerprint: SimHash | undefined;
}

/** Beyond it the sessions that were used longest ago are forgotten. */
const MAX_LISTS = 10_000;

/** Recent calls of this process alone, for use without Redis. `now` is in ms. */
export function createMemoryLoopStore(now: () => number = Date.now): LoopStore {
  /** Oldest entry first. */
  const entriesOf = new Map<string, Entry[]>();

  function put(name: string, entries: Entry[]): void {
    entriesOf.delete(name);
    entriesOf.set(name, entries);
    if (entriesOf.size > MAX_LISTS) entriesOf.delete(entriesOf.keys().next().value ?? '');
  }

  /** Entries within the window and, as the last one, this one if it is new; the oldest beyond `max` go. */
  function add(name: string, entry: Omit<Entry, 'at'>, windowMs: number): Entry[] {
    const at = now();
    const entries = within(name, windowMs);
    const isThere = entries.some(({ operationId }) => operationId === entry.operationId);
    return isThere ? entries : [...entries, { ...entry, at }];
  }

  function within(name: string, windowMs: number): Entry[] {
    return (entriesOf.get(name) ?? []).filter(({ at }) => at > now() - windowMs);
  }

  return {
    async readCalls(session, { keepMs, maxCalls }) {
      const entries = within(nameOf(session), keepMs).reverse().slice(0, maxCalls);
      return entries.flatMap(({ at, fingerprint }) =>
        fingerprint === undefined ? [] : [{ ageMs: Math.max(now() - at, 0), fingerprint }],
      );
    },
    async joinCall(session, operationId, fingerprint, { keepMs, maxCalls }) {
      const name = nameOf(session);
      put(name, add(name, { operationId, fingerprint }, keepMs).slice(-maxCalls));
    },
    async countArrival(session, operationId, limits, denies) {
      const lists = limits.map(({ name, windowMs, limit }) => {
        const list = nameOf(session, name);
        const entries = add(list, { operationId, fingerprint: undefined }, windowMs);
        return { list, entries, limit, exceeded: entries.length > limit };
      });
      if (!(denies && lists.some(({ exceeded }) => exceeded))) {
        for (const { list, entries, limit } of lists) put(list, entries.slice(-(limit + 1)));
      }
      return lists.map(({ exceeded }) => exceeded);
    },
    async giveBack(session, operationId, limits) {
      for (const { name } of limits) {
        const list = nameOf(session, name);
        const entries = entriesOf.get(list) ?? [];
        put(
          list,
          entries.filter((entry) => entry.operationId !== operationId),
        );
      }
    },
  };
}

function nameOf({ keyHash, sessionId }: SessionName, list = ''): string {
  return `${keyHash}/${sessionId}/${list}`;
}
