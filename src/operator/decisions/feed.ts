import { setTimeout as delay } from 'node:timers/promises';
import type { Entry, StreamStore } from '../../audit/stream-store.ts';
import { readRecord } from '../../audit/tail.ts';
import type { Decision } from '../api/schemas/traffic.ts';
import { createLastHour, type LastHour } from './last-hour.ts';
import { readDecision, rulesOf, timeOf } from './read-decision.ts';

export interface FeedOptions {
  readonly audit: Pick<StreamStore, 'after' | 'before'>;
  readonly readClock: () => Promise<number>;
  readonly everyMs?: number;
}

/** New decisions of all gateways, from the audit trail in Redis. */
export interface Feed {
  /**
   * Returns counts of the last hour. The first call or follower starts reading, which stops after two minutes without
   * calls or followers.
   */
  lastHour(): Promise<LastHour>;
  follow(follower: Follower): Following;
  close(): void;
}

export interface Following {
  /** Resolves when reading has started; then every decision or gap is reported. Rejects if Redis cannot be read. */
  readonly started: Promise<void>;
  leave(): void;
}

export interface Follower {
  onDecisions(decisions: readonly Decision[]): void;
  /** Called if decisions after the last reported one were skipped. */
  onGap(): void;
}

const PAGE = 500;
const EVERY_MS = 500;
const HOUR_MS = 3_600_000;
/** Maximum number of past records read to initialize the hourly counts. */
const MAX_EARLIER = 20_000;
/** Maximum number of records read without a pause. On busier trails, the feed skips to the end. */
const MAX_BEHIND = 10_000;
/** Time without calls or followers after which reading stops. */
const IDLE_MS = 120_000;

export function createFeed({ audit, readClock, everyMs = EVERY_MS }: FeedOptions): Feed {
  const followers = new Set<Follower>();
  const stop = new AbortController();
  let hour = createLastHour();
  let usedAt = 0;
  let reading: Promise<void> | undefined;

  function take(entries: readonly Entry[]): void {
    const decisions = entries.flatMap((entry) => {
      const decision = readDecision(entry);
      if (decision === undefined) return [];
      hour.add(decision, decision.kind === 'request' ? ruleNames(entry) : []);
      return [decision];
    });
    if (decisions.length > 0) for (const follower of followers) follower.onDecisions(decisions);
  }

  /** Counts the decisions of the last hour and returns the id of the newest record. */
  async function catchUp(): Promise<string> {
    hour = createLastHour();
    const since = (await readClock()) - HOUR_MS;
    let newest: string | undefined;
    let before = '+';
    for (let read = 0; read < MAX_EARLIER; read += PAGE) {
      const page = await audit.before(before, PAGE);
      newest ??= page[0]?.id;
      before = page.at(-1)?.id ?? before;
      for (const entry of page) {
        const decision = readDecision(entry);
        if (decision !== undefined) hour.add(decision, ruleNames(entry));
      }
      if (page.length < PAGE || timeOf(before) < since) break;
    }
    return newest ?? '0-0';
  }

  async function readOn(first: string): Promise<void> {
    let last = first;
    while (!stop.signal.aborted) {
      const isIdle = performance.now() - usedAt > IDLE_MS && followers.size === 0;
      if (isIdle) break;
      try {
        last = await readNew(last);
      } catch {
        // Redis is unreachable. Routes notice the outage in their own reads; the next round tries again.
      }
      await delay(everyMs, undefined, { signal: stop.signal, ref: false }).catch(() => undefined);
    }
    reading = undefined;
  }

  async function readNew(last: string): Promise<string> {
    let at = last;
    for (let read = 0; read < MAX_BEHIND; read += PAGE) {
      const page = await audit.after(at, PAGE);
      at = page.at(-1)?.id ?? at;
      take(page);
      if (page.length < PAGE) return at;
    }
    const [newest] = await audit.before('+', 1);
    for (const follower of followers) follower.onGap();
    return newest?.id ?? at;
  }

  async function start(): Promise<void> {
    usedAt = performance.now();
    reading ??= catchUp().then(
      (newest) => {
        void readOn(newest);
      },
      (failure: unknown) => {
        reading = undefined;
        throw failure;
      },
    );
    await reading;
  }

  return {
    lastHour: async () => {
      await start();
      return hour;
    },
    follow: (follower) => {
      followers.add(follower);
      return {
        started: start(),
        leave: () => {
          followers.delete(follower);
          usedAt = performance.now();
        },
      };
    },
    close: () => stop.abort(),
  };
}

/** Returns matched rules as file and name, separated by a line feed. */
function ruleNames({ record }: Entry): string[] {
  // Most records have no rules. Parsing each of them again would double the cost.
  if (!record.includes('"rules":[{')) return [];
  return rulesOf(readRecord(record) ?? {}).map(({ file, rule }) => `${file ?? ''}\n${rule}`);
}
