import type { SimHash } from '../../text/simhash.ts';
import type { SessionName } from '../../conversation/session-name.ts';
import type { LoopMemory, LoopStore, RecentCall } from './store.ts';

interface Entry {
  readonly at: number;
  readonly fingerprint: SimHash | undefined;
}

type Entries = Map<string, Entry>;

interface List {
  readonly entries: Entries;
  endsAt: number;
}

/** Beyond this, the least recently extended lists are evicted. */
const MAX_LISTS = 10_000;
const PUTS_PER_SWEEP = 256;

export function createMemoryLoopStore(now: () => number = Date.now): LoopStore {
  const lists = new Map<string, List>();
  let puts = 0;

  function within(name: string, windowMs: number): Entries {
    const entries: Entries = lists.get(name)?.entries ?? new Map();
    const until = now();
    for (const [operationId, { at }] of entries) {
      // An entry from the future was written before the clock was set back.
      if (at > until - windowMs && at <= until) break;
      entries.delete(operationId);
    }
    return entries;
  }

  function put(
    name: string,
    operationId: string,
    fingerprint: SimHash | undefined,
    { windowMs, max }: { readonly windowMs: number; readonly max: number },
  ): void {
    const at = now();
    const entries = within(name, windowMs);
    if (!entries.has(operationId)) entries.set(operationId, { at, fingerprint });
    for (const oldest of entries.keys()) {
      if (entries.size <= max) break;
      entries.delete(oldest);
    }
    lists.delete(name);
    lists.set(name, { entries, endsAt: at + windowMs });
    puts += 1;
    // Sweeps in batches, because finding a Map's first key scans all entries deleted before it.
    if (lists.size > MAX_LISTS || puts % PUTS_PER_SWEEP === 0) sweep(at);
  }

  function sweep(at: number): void {
    for (const [oldest, { endsAt }] of lists) {
      if (endsAt > at && lists.size <= MAX_LISTS) break;
      lists.delete(oldest);
    }
  }

  function read(session: SessionName, { keepMs, maxCalls }: LoopMemory): readonly RecentCall[] {
    const at = now();
    const calls: RecentCall[] = [];
    for (const entry of within(listName(session), keepMs).values()) {
      const { fingerprint } = entry;
      if (fingerprint !== undefined) calls.push({ ageMs: Math.max(at - entry.at, 0), fingerprint });
    }
    return calls.reverse().slice(0, maxCalls);
  }

  function lastOf(session: SessionName): string {
    return [...(lists.get(listName(session))?.entries.keys() ?? [])].at(-1) ?? '';
  }

  return {
    readCalls: async (session, memory) => ({ calls: read(session, memory), last: lastOf(session) }),
    areSame: async (session, last) => lastOf(session) === last,
    async recordCall(session, operationId, fingerprint, { keepMs, maxCalls }) {
      put(listName(session), operationId, fingerprint, { windowMs: keepMs, max: maxCalls });
    },
    async countArrival(session, operationId, limits, denies) {
      const exceeded = limits.map(({ name, windowMs, limit }) => {
        const entries = within(listName(session, name), windowMs);
        return entries.size + (entries.has(operationId) ? 0 : 1) > limit;
      });
      if (!(denies && exceeded.includes(true))) {
        for (const { name, windowMs, limit } of limits)
          put(listName(session, name), operationId, undefined, { windowMs, max: limit + 1 });
      }
      return exceeded;
    },
    async giveBack(session, operationId, limits) {
      for (const { name } of limits) lists.get(listName(session, name))?.entries.delete(operationId);
    },
  };
}

function listName({ keyHash, sessionId }: SessionName, list = ''): string {
  return `${keyHash}/${sessionId}/${list}`;
}
