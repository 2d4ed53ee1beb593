import type { WorkerStatus } from '../runtime/workers.ts';

/** What `/readyz` says. */
export interface Readiness {
  readonly ready: boolean;
  /** Live Envoy; `external` where another container runs it. */
  readonly envoy: 'live' | 'down' | 'external';
  /** Up on every worker, and a server that `serve` accepts. */
  readonly redis: 'up' | 'down' | 'unfit';
  readonly workers: { readonly ready: number; readonly wanted: number };
  readonly draining: boolean;
  /** Parts that end again and again, e.g. `worker 0`, `envoy`: what they print says why. */
  readonly crash_loops: readonly string[];
}

export interface ReadinessInput {
  /** Undefined where Envoy is not ours to run. */
  readonly envoyLive: boolean | undefined;
  readonly envoyLoops: boolean;
  readonly workers: readonly WorkerStatus[];
  readonly wantedWorkers: number;
  /** The server that was reached is too old, or evicts. */
  readonly redisUnfit: boolean;
  readonly draining: boolean;
}

/** Ready only when a request would be served: Envoy live, every worker listening with its Redis up. */
export function readiness(input: ReadinessInput): Readiness {
  const { envoyLive, workers, wantedWorkers, draining } = input;
  const listening = workers.filter((worker) => worker.listening);
  const redisUp = wantedWorkers > 0 && listening.length > 0 && listening.every((worker) => worker.redis);
  const envoy = envoyLive === undefined ? 'external' : envoyLive ? 'live' : 'down';
  const redis = input.redisUnfit ? 'unfit' : redisUp ? 'up' : 'down';
  return {
    ready: !draining && envoy !== 'down' && redis === 'up' && listening.length === wantedWorkers,
    envoy,
    redis,
    workers: { ready: listening.length, wanted: wantedWorkers },
    draining,
    crash_loops: [
      ...(input.envoyLoops ? ['envoy'] : []),
      ...workers.filter(({ crashLoop }) => crashLoop).map(({ index }) => `worker ${String(index)}`),
    ],
  };
}
