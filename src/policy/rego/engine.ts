import { SpareEngine, EngineLane, type LaneCall } from './engine-lane.ts';
import { startEngineThread, type EngineThread, type ThreadLimits } from './engine-thread.ts';
import { FairQueue, type Queued } from './fair-queue.ts';
import { RegoEvaluationError } from './rego-error.ts';
import type { RegoFacts, RegoFile } from './thread-messages.ts';
import { RecentMap } from '../../recent-map.ts';

export interface RegoEngineOptions extends ThreadLimits {
  /**
   * Maximum number of waiting inputs. If exceeded, an input of the tenant with the most inputs is refused as `busy`.
   */
  readonly maxWaiting: number;
  /** Longest time that an input waits, including the start of a new engine. */
  readonly waitMs: number;
  /** Whether to keep a spare engine (about 55 MB) in case the first one breaks. */
  readonly keepsSpare?: boolean;
  /** Called when an engine has been replaced, or could not be replaced. */
  readonly onReplaced?: (cause: unknown) => void;
}

/** Compiled Rego files on engines that are replaced when they break. */
export interface RegoEngine {
  readonly facts: RegoFacts;
  /**
   * Returns the values of `POLICY_RULES` for a JSON input, by rule name.
   * @param tenant is charged for engine time
   * @throws RegoEvaluationError if the input cannot be judged
   */
  evaluate(input: string, tenant: string): Promise<unknown>;
  /** Refuses waiting inputs as `closed` and stops the engines. */
  close(): Promise<void>;
}

interface WaitingCall extends LaneCall, Queued {
  readonly late: NodeJS.Timeout;
}

/** Maximum number of waiting characters: about thirty of the longest prompts. */
const MAX_WAITING_CHARS = 67_108_864;
/** Idle time before the second engine is stopped. */
const IDLE_MS = 60_000;

/**
 * Starts an engine for most tenants and, while needed, a second one for tenants that exceed their share, because
 * evaluations cannot be interrupted.
 * @throws RegoFilesError | RegoEvaluationError like `startEngineThread`
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
  // Only for light tenants, because heavy ones would use up the spare.
  const spare = options.keepsSpare === true ? new SpareEngine(start) : undefined;
  const startShared = spare === undefined ? start : (): Promise<EngineThread> => spare.take();
  const shared = new EngineLane(
    { ...laneDeps(isLight), start: startShared, replacesAtOnce: spare !== undefined },
    first,
  );
  const heavyLane = new EngineLane({ ...laneDeps(use.isHeavy), start: startYielding, idleMs: IDLE_MS });
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

  /** Starts the lanes that have waiting calls. A call changes lanes when its tenant becomes heavy or light. */
  function wake(): void {
    if (queue.has(isLight)) void shared.work();
    if (queue.has(use.isHeavy)) void heavyLane.work();
  }

  function enqueue(input: string, tenant: string): Promise<unknown> {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const late = setTimeout(() => {
      if (queue.remove(call)) reject(busy('the policies were not evaluated in time'));
    }, options.waitMs);
    const call: WaitingCall = { resolve, reject, input, tenant, size: input.length, late };
    for (const dropped of queue.add(call)) {
      clearTimeout(dropped.late);
      dropped.reject(busy('too many requests of this key are waiting for the policies'));
    }
    wake();
    return promise;
  }

  return {
    facts: first.facts,
    async evaluate(input, tenant) {
      if (closed) throw closedError();
      return enqueue(input, tenant);
    },
    async close() {
      closed = true;
      for (const waiting of queue.clear()) {
        clearTimeout(waiting.late);
        waiting.reject(closedError());
      }
      await Promise.all([shared.close(), heavyLane.close(), spare?.close()]);
    },
  };
}

function busy(message: string): RegoEvaluationError {
  return new RegoEvaluationError('busy', message);
}

function closedError(): RegoEvaluationError {
  return new RegoEvaluationError('closed', 'the policy set is no longer in use');
}

/** Engine time that a tenant may use before it counts as heavy. */
const BURST_MS = 400;
/** Long-term share of an engine per tenant. */
const LASTING_SHARE = 0.1;
/** Factor for an evaluation that broke its engine, because all others wait for a new one. */
const BROKEN_WEIGHT = 40;
const MAX_DEBT_MS = 30_000;
const MAX_TENANTS = 10_000;

interface Use {
  debtMs: number;
  atMs: number;
  isHeavy: boolean;
}

interface TenantUse {
  readonly add: (tenant: string, tookMs: number, brokeEngine: boolean) => void;
  readonly isHeavy: (tenant: string) => boolean;
}

/** @param now monotonic milliseconds */
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
