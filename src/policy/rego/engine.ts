import { EngineLane, type LaneCall } from './engine-lane.ts';
import { startEngineThread, type EngineThread, type ThreadLimits } from './engine-thread.ts';
import { FairQueue, type Queued } from './fair-queue.ts';
import { RegoEvaluationError } from './rego-error.ts';
import { SpareEngine } from './spare-engine.ts';
import type { RegoFacts, RegoFile } from './thread-messages.ts';
import { RecentMap } from '../../recent-map.ts';

export interface RegoEngineOptions extends ThreadLimits {
  /** Inputs of all tenants that may wait; of one more, the tenant that waits with most is refused one as `busy`. */
  readonly maxWaiting: number;
  /** How long an input may wait for its turn, a new engine's start included. */
  readonly waitMs: number;
  /** Keeps an engine ready to replace the first one when it breaks; it takes some 55 MB. */
  readonly keepsSpare?: boolean;
  /** Told when an engine had to be replaced, and when that failed. */
  readonly onReplaced?: (cause: unknown) => void;
}

/** A compiled set of Rego files on engines that are replaced when they break. The set itself never changes. */
export interface RegoEngine {
  readonly facts: RegoFacts;
  /**
   * What `data.gateway.policy` is for an input (JSON); undefined where the package says nothing.
   *
   * @param tenant whose call it is: tenants are served in turn
   * @throws RegoEvaluationError where it could not be judged
   */
  evaluate(input: string, tenant: string): Promise<unknown>;
  /** Inputs that still wait are refused as `closed`. */
  close(): Promise<void>;
}

interface WaitingCall extends LaneCall, Queued {
  readonly late: NodeJS.Timeout;
}

/** Characters of all inputs that wait: some thirty of the longest prompts. */
const MAX_WAITING_CHARS = 67_108_864;
/** The second engine is kept so long for the next call. */
const IDLE_MS = 60_000;

/**
 * Starts an engine for all tenants. Calls of a tenant that has used more than its share of it (tenant-use.ts) are judged
 * apart, on a second engine that exists only while there are such calls: an evaluation cannot be interrupted, so on one
 * engine everybody would wait for it.
 *
 * @throws RegoFilesError | RegoEvaluationError as startEngineThread does
 */
export async function startRegoEngine(
  files: readonly RegoFile[],
  options: RegoEngineOptions,
): Promise<RegoEngine> {
  const start = (): Promise<EngineThread> => startEngineThread(files, options);
  const startYielding = (): Promise<EngineThread> =>
    startEngineThread(files, { ...options, yieldsCpu: true });
  const first = await start();
  const queue = new FairQueue<WaitingCall>({ maxEntries: options.maxWaiting, maxSize: MAX_WAITING_CHARS });
  const use = createTenantUse(() => performance.now());
  const isLight = (tenant: string): boolean => !use.isHeavy(tenant);
  // The spare is for light tenants: heavy ones would use it up.
  const spare = options.keepsSpare === true ? new SpareEngine(start) : undefined;
  const startShared = spare === undefined ? start : (): Promise<EngineThread> => spare.take();
  const shared = new EngineLane(
    { ...laneDeps(isLight), start: startShared, replacesAtOnce: spare !== undefined },
    first,
  );
  const apart = new EngineLane({ ...laneDeps(use.isHeavy), start: startYielding, idleMs: IDLE_MS });
  let closed = false;

  function laneDeps(serves: (tenant: string) => boolean) {
    return {
      next(): WaitingCall | undefined {
        const call = queue.next(serves);
        clearTimeout(call?.late);
        return call;
      },
      onJudged({ tenant }: WaitingCall, tookMs: number, brokeEngine: boolean): void {
        use.add(tenant, tookMs, brokeEngine);
        wake();
      },
      onReplaced: (cause: unknown) => options.onReplaced?.(cause),
      onRest: wake,
    };
  }

  /** What waits moves to the other lane when its tenant becomes heavy, and when it no longer is. */
  function wake(): void {
    if (queue.hasFor(isLight)) void shared.work();
    if (queue.hasFor(use.isHeavy)) void apart.work();
  }

  function enqueue(input: string, tenant: string): Promise<unknown> {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const late = setTimeout(() => {
      if (queue.remove(call)) reject(busy('the policies were not reached in time'));
    }, options.waitMs);
    const call: WaitingCall = { resolve, reject, input, tenant, size: input.length, late };
    for (const dropped of queue.add(call)) {
      clearTimeout(dropped.late);
      dropped.reject(busy('too many requests of this key wait for the policies'));
    }
    wake();
    return promise;
  }

  return {
    facts: first.facts,
    async evaluate(input, tenant) {
      if (closed) throw outOfUse();
      return enqueue(input, tenant);
    },
    async close() {
      closed = true;
      for (const waiting of queue.clear()) {
        clearTimeout(waiting.late);
        waiting.reject(outOfUse());
      }
      await Promise.all([shared.close(), apart.close(), spare?.close()]);
    },
  };
}

function busy(message: string): RegoEvaluationError {
  return new RegoEvaluationError('busy', message);
}

function outOfUse(): RegoEvaluationError {
  return new RegoEvaluationError('closed', 'the policy set was taken out of use');
}

/** Engine time that a tenant may use at once before its calls are judged apart. */
const BURST_MS = 400;
/** Share of an engine that a tenant may use for long. */
const LASTING_SHARE = 0.1;
/** An evaluation that broke its engine counts as so many of its length: all others waited for a new one. */
const BROKEN_WEIGHT = 40;
/** Bounds what one evaluation can cost its tenant later. */
const MAX_DEBT_MS = 30_000;
const MAX_TENANTS = 10_000;

interface Use {
  debtMs: number;
  atMs: number;
  isHeavy: boolean;
}

/** How much time on the engine each tenant has used of late. */
interface TenantUse {
  /** Counts an evaluation. */
  readonly add: (tenant: string, tookMs: number, brokeEngine: boolean) => void;
  /** Whether the tenant has used more than its share, and has not paid for it by waiting yet. */
  readonly isHeavy: (tenant: string) => boolean;
}

/** @param now milliseconds of a clock that does not go back */
export function createTenantUse(now: () => number): TenantUse {
  const uses = new RecentMap<Use>(MAX_TENANTS);

  function current(tenant: string): Use | undefined {
    const use = uses.get(tenant);
    if (use === undefined) return undefined;
    const at = now();
    use.debtMs = Math.max(0, use.debtMs - (at - use.atMs) * LASTING_SHARE);
    use.atMs = at;
    if (use.debtMs === 0) use.isHeavy = false;
    return use;
  }

  return {
    add(tenant, tookMs, brokeEngine) {
      let use = current(tenant);
      if (use === undefined) uses.set(tenant, (use = { debtMs: 0, atMs: now(), isHeavy: false }));
      use.debtMs = Math.min(MAX_DEBT_MS, use.debtMs + (brokeEngine ? BROKEN_WEIGHT * tookMs : tookMs));
      if (use.debtMs > BURST_MS) use.isHeavy = true;
    },
    isHeavy: (tenant) => current(tenant)?.isHeavy === true,
  };
}
