import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { BuildInfo } from '../admin/metrics.ts';
import type { Readiness } from '../admin/readiness.ts';
import type { CertificateStates } from '../certificates/follow.ts';
import type { Config } from '../config/schema.ts';
import { createAnnouncementStore, type Announced } from '../operator/gateways/announcement-store.ts';
import type { RedisClient } from '../redis/client.ts';
import type { ReloadState } from './reload.ts';
import type { WorkerStatus } from './workers.ts';

export interface AnnounceOptions {
  readonly client: RedisClient;
  readonly build: BuildInfo | undefined;
  readonly config: () => Config;
  readonly readiness: () => Readiness;
  readonly workers: () => readonly WorkerStatus[];
  readonly certificates: () => CertificateStates;
  readonly reload: () => ReloadState | undefined;
}

const EVERY_MS = 4_000;
const DEADLINE_MS = 2_000;
const MAX_CRASH_LOOPS = 16;

/** Announces this gateway in Redis for the operator page. Ignores failures, because announcements repeat soon. */
export function announceGateway(options: AnnounceOptions): { close(): Promise<void> } {
  const store = createAnnouncementStore({ client: options.client, deadlineMs: DEADLINE_MS });
  const id = randomUUID();
  const startedAt = new Date().toISOString();
  function announce(): void {
    store.announce(announcedOf(options, id, startedAt)).catch(() => undefined);
  }
  announce();
  const timer = setInterval(announce, EVERY_MS).unref();
  return {
    close: async () => {
      clearInterval(timer);
      await store.leave(id).catch(() => undefined);
    },
  };
}

function announcedOf(options: AnnounceOptions, id: string, startedAt: string): Announced {
  const { build, config, readiness, workers, certificates, reload } = options;
  const { ready, draining, redis, workers: counts, crash_loops } = readiness();
  const { server, policy } = config();
  const states = workers().flatMap(({ policies }) => (policies === undefined ? [] : [policies]));
  const broken = states.find((state) => state.broken !== undefined)?.broken;
  const ends = [...certificates().values()].map(({ end }) => end);
  return {
    id,
    host: hostname(),
    version: build?.version ?? 'unknown',
    started_at: startedAt,
    ready,
    draining,
    redis,
    workers: { ready: counts.ready, wanted: counts.wanted },
    crash_loops: crash_loops.slice(0, MAX_CRASH_LOOPS),
    shadow_mode: server.shadow_mode,
    policy: { enabled: policy.enabled, digest: states[0]?.digest ?? null, broken: broken ?? null },
    config_not_in_force: reload()?.notInForce ?? null,
    certificate_days:
      ends.length === 0 ? null : Math.floor((Math.min(...ends) - Date.now() / 1_000) / 86_400),
  };
}
