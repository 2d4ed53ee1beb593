import { GatewayError, retryAfterMs } from '../../errors.ts';
import type { ProcessingRequest } from '../wire/messages.ts';
import { RecentMap } from '../../recent-map.ts';

/** At this multiple of the limit, keys with less than an even share are refused as well. */
const SMALL_KEYS_FACTOR = 3;
/** Number of body bytes that cost as much as a request. */
const BYTES_PER_UNIT = 2_048;
/** Time allowed for parsing a body: four times the usual, because a busy worker also serves other requests. */
const MS_PER_BODY_BYTE = 64 / 32_768;
/** Minimum wait before a retry. A random addition spreads retries over one to two seconds. */
const RETRY_MS = 1_000;

type ShedKeys = 'largest' | 'all';

/** Refuses requests at their headers or body while the worker is overloaded. Requests already forwarded continue. */
export interface Admission {
  /** Called when a message from Envoy starts to wait for its reply. */
  began(message: ProcessingRequest): void;
  /** Called when the message is answered, or waits for something other than this worker. */
  answered(message: ProcessingRequest): void;
  /**
   * Refuses a request if the worker is overloaded. Below `SMALL_KEYS_FACTOR` times the limit, known callers with less
   * than an even share pass.
   * @param caller the raw key, or a digest of the JWT; undefined if there is neither
   * @throws GatewayError overloaded
   */
  admit(caller: string | undefined): void;
  /** Counts a request, or its body if `bodyBytes` is set, for a caller whose credential was accepted. */
  served(caller: string, bodyBytes?: number): void;
  close(): void;
}

interface AdmissionOptions {
  readonly limitMs: number;
  readonly onShed: (keys: ShedKeys) => void;
  readonly clocks?: LoopClocks;
}

/**
 * Measures a worker's delay: how late its event loop is, or how long it was busy while the oldest message waited,
 * whichever is longer. Idle time is excluded, because the message then waits for Redis, a policy engine or an approval.
 */
export function createAdmission({ limitMs, onShed, clocks = LOOP_CLOCKS }: AdmissionOptions): Admission {
  const loop = new LoopDelay(clocks);
  const shares = new KeyShares(() => clocks.now());
  /** Busy time at which each message becomes late, oldest first. */
  const unanswered = new Map<ProcessingRequest, number>();

  function delayMs(): number {
    const { busyMs, currentMs } = loop;
    const [oldest = busyMs] = unanswered.values();
    return Math.max(currentMs, busyMs - oldest);
  }

  return {
    began: (message) => void unanswered.set(message, loop.busyMs + message.body.length * MS_PER_BODY_BYTE),
    answered: (message) => void unanswered.delete(message),
    admit(caller) {
      const delay = delayMs();
      if (delay < limitMs) return;
      const keys = delay < SMALL_KEYS_FACTOR * limitMs ? 'largest' : 'all';
      if (keys === 'largest' && caller !== undefined && !shares.isLarge(caller)) return;
      onShed(keys);
      throw overloaded();
    },
    served: (caller, bodyBytes) =>
      shares.add(caller, bodyBytes === undefined ? 1 : bodyBytes / BYTES_PER_UNIT),
    close: keepTicking(loop),
  };
}

function overloaded(): GatewayError {
  return new GatewayError('overloaded', 'the gateway is overloaded: try again in a moment', {
    headers: retryAfterMs(RETRY_MS + Math.floor(Math.random() * RETRY_MS)),
  });
}

const WINDOW_MS = 5_000;
const MAX_KEYS = 10_000;

/** Counts the recent work of accepted keys, to find those with at least an even share. */
class KeyShares {
  readonly #now: () => number;
  readonly #known = new RecentMap<true>(MAX_KEYS);
  #current = new Map<string, number>();
  #before = new Map<string, number>();
  #currentUnits = 0;
  #unitsBefore = 0;
  #keys = 0;
  #until: number;

  /** @param now monotonic milliseconds */
  constructor(now: () => number) {
    this.#now = now;
    this.#until = now() + WINDOW_MS;
  }

  add(key: string, units: number): void {
    this.#turnWindow();
    if (this.#known.get(key) === undefined) this.#known.set(key, true);
    const counted = this.#current.get(key);
    if (counted === undefined) {
      if (this.#current.size >= MAX_KEYS) return;
      if (!this.#before.has(key)) this.#keys += 1;
    }
    this.#current.set(key, (counted ?? 0) + units);
    this.#currentUnits += units;
  }

  /** Reports whether a key is unknown, or has used at least the mean share. */
  isLarge(key: string): boolean {
    this.#turnWindow();
    if (this.#known.get(key) === undefined) return true;
    const own = (this.#current.get(key) ?? 0) + (this.#before.get(key) ?? 0);
    return own * this.#keys >= this.#currentUnits + this.#unitsBefore;
  }

  #turnWindow(): void {
    const now = this.#now();
    if (now < this.#until) return;
    const isStale = now >= this.#until + WINDOW_MS;
    this.#before = isStale ? new Map() : this.#current;
    this.#unitsBefore = isStale ? 0 : this.#currentUnits;
    this.#current = new Map();
    this.#currentUnits = 0;
    this.#keys = this.#before.size;
    this.#until = now + WINDOW_MS;
  }
}

const TICK_MS = 50;
/** Minimum lateness that counts. Shorter delays are normal. */
const LATE_MS = 50;
/** Time for which a delay stays current, because requests that it delayed are still being served. */
const HOLD_MS = 500;

/** Both clocks are monotonic, in milliseconds. */
interface LoopClocks {
  now(): number;
  /** Time that the event loop has not spent waiting for events. */
  activeMs(): number;
}

const LOOP_CLOCKS: LoopClocks = {
  now: () => performance.now(),
  activeMs: () => performance.eventLoopUtilization().active,
};

/**
 * Measures an event loop's lateness and busy time. A loop without CPU time is not active, so lateness counts as
 * busy.
 */
class LoopDelay {
  readonly #clocks: LoopClocks;
  #dueAt: number;
  #activeMs: number;
  #busyMs = 0;
  #worstMs = 0;
  #worstAt = -Infinity;

  constructor(clocks: LoopClocks) {
    this.#clocks = clocks;
    this.#dueAt = clocks.now() + TICK_MS;
    this.#activeMs = clocks.activeMs();
  }

  /** Must be called every `TICK_MS`, or as soon as the event loop allows. */
  tick(): void {
    const now = this.#clocks.now();
    const activeMs = this.#clocks.activeMs();
    const lateMs = now - this.#dueAt;
    this.#busyMs += Math.max(activeMs - this.#activeMs, lateMs < LATE_MS ? 0 : lateMs);
    this.#activeMs = activeMs;
    this.#dueAt = now + TICK_MS;
    if (lateMs < this.#worstMs && now - this.#worstAt < HOLD_MS) return;
    this.#worstMs = lateMs;
    this.#worstAt = now;
  }

  /** Returns the longest recent delay, including one still in progress; 0 if the loop is on time. */
  get currentMs(): number {
    const now = this.#clocks.now();
    const recentMs = now - this.#worstAt < HOLD_MS ? this.#worstMs : 0;
    const worstMs = Math.max(now - this.#dueAt, recentMs);
    return worstMs < LATE_MS ? 0 : worstMs;
  }

  get busyMs(): number {
    const overdueMs = this.#clocks.now() - this.#dueAt;
    return this.#busyMs + (overdueMs < LATE_MS ? 0 : overdueMs);
  }
}

function keepTicking(delay: LoopDelay): () => void {
  const timer = setInterval(() => delay.tick(), TICK_MS).unref();
  return () => clearInterval(timer);
}
