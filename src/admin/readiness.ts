import { createHash } from 'node:crypto';

import type { Config } from '../config/schema.ts';
import type { WorkerStatus } from '../runtime/workers.ts';

/** The state reported by `/readyz`. */
export interface Readiness {
  readonly ready: boolean;
  /** `external` if the gateway does not manage Envoy. */
  readonly envoy: 'live' | 'down' | 'external';
  /** `up`: a worker listens, and all that do are connected to a server that `serve` accepts. */
  readonly redis: 'up' | 'down' | 'unfit';
  readonly workers: { readonly ready: number; readonly wanted: number };
  readonly draining: boolean;
  /** Parts in a crash loop, such as `worker 0` or `envoy`. */
  readonly crash_loops: readonly string[];
}

export interface ReadinessInput {
  /** Undefined if Envoy runs externally. */
  readonly envoyLive: boolean | undefined;
  readonly envoyLoops: boolean;
  readonly workers: readonly WorkerStatus[];
  readonly wantedWorkers: number;
  /** Whether the Redis server is too old or may evict keys. */
  readonly redisUnfit: boolean;
  readonly draining: boolean;
}

/** `ready`: not draining, Envoy is not down, and every worker listens and is connected to a suitable Redis. */
export function readiness(input: ReadinessInput): Readiness {
  const { envoyLive, workers, wantedWorkers, draining } = input;
  const listening = workers.filter((worker) => worker.listening);
  const isRedisUp = wantedWorkers > 0 && listening.length > 0 && listening.every((worker) => worker.redis);
  const envoy = envoyLive === undefined ? 'external' : envoyLive ? 'live' : 'down';
  const redis = input.redisUnfit ? 'unfit' : isRedisUp ? 'up' : 'down';
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

/** Returns an id derived from a gateway's listeners, Redis and enforcement settings. The id reveals no secret. */
export function gatewayIdentity({ server, redis, policy, mcp }: Config): string {
  const { host, port, admin_port, public_url, shadow_mode, tls, dlp } = server;
  const parts = [
    { host, port, admin_port, public_url, shadow_mode, tls, dlp },
    [redis.addr, redis.cluster.addrs, redis.sentinel.addrs],
    [policy.enabled, policy.policy_file, policy.policy_dir, policy.presets, policy.overrides],
    [mcp.enabled, mcp.servers.map(({ name }) => name)],
  ];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 16);
}
