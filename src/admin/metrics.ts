import { AggregatorRegistry, Counter, Gauge, Registry } from 'prom-client';

import type { CertificateStates } from '../certificates/follow.ts';
import type { CredentialState } from '../provider-credentials/follow.ts';
import { NOT_IN_FORCE, type ReloadState } from '../runtime/reload.ts';
import type { WorkerStatus } from '../runtime/workers.ts';
import type { EnvoyReplyType } from '../telemetry/envoy-lines.ts';
import type { Readiness } from './readiness.ts';

/** Version and commit; the commit is absent if unknown. */
export interface BuildInfo {
  readonly version: string;
  readonly commit?: string;
}

export interface RuntimeState {
  readonly build: BuildInfo | undefined;
  readonly readiness: Readiness;
  readonly workers: readonly WorkerStatus[];
  readonly envoyRestarts: number;
  readonly certificates: CertificateStates;
  readonly credentials: ReadonlyMap<string, CredentialState>;
  /** Undefined if gateway.yaml is not watched. */
  readonly reload?: ReloadState | undefined;
  /** Undefined if Envoy runs externally, because its replies are then not visible. */
  readonly envoyReplies: ReadonlyMap<EnvoyReplyType, number> | undefined;
}

/** Returns the gateway's metrics as Prometheus text: summed worker metrics and the state of its parts. */
export async function renderMetrics(
  workerMetrics: readonly object[][],
  state: RuntimeState,
): Promise<string> {
  const own = runtimeMetrics(state);
  // Merged with worker metrics as JSON, so that each name is printed only once.
  const all = [...workerMetrics, await own.getMetricsAsJSON()];
  return AggregatorRegistry.aggregate(all).metrics();
}

function runtimeMetrics(state: RuntimeState): Registry {
  const { readiness, workers, envoyRestarts } = state;
  const registry = new Registry();
  const registers = [registry];
  function gauge(name: string, help: string, value: number): void {
    new Gauge({ name, help, registers }).set(value);
  }
  function counter(name: string, help: string, value: number): void {
    new Counter({ name, help, registers }).inc(value);
  }
  const restarts = workers.reduce((sum, worker) => sum + worker.restarts, 0);
  gauge('gateway_ready', '1 if requests can be served.', readiness.ready ? 1 : 0);
  gauge('gateway_draining', '1 while the gateway is shutting down.', readiness.draining ? 1 : 0);
  gauge('gateway_envoy_up', '1 if Envoy is live or runs externally.', readiness.envoy === 'down' ? 0 : 1);
  gauge(
    'gateway_redis_ready',
    '1 if every listening worker is connected to a suitable Redis.',
    readiness.redis === 'up' ? 1 : 0,
  );
  gauge('gateway_workers', 'Sidecar processes that accept requests.', readiness.workers.ready);
  gauge('gateway_workers_wanted', 'Configured number of sidecar processes.', readiness.workers.wanted);
  counter('gateway_worker_restarts_total', 'Sidecar process restarts.', restarts);
  const hangs = workers.reduce((sum, worker) => sum + worker.hangs, 0);
  counter('gateway_worker_hangs_total', 'Sidecar processes killed because they hung.', hangs);
  gauge(
    'gateway_crash_loops',
    'Parts (sidecar processes, Envoy) in a crash loop.',
    readiness.crash_loops.length,
  );
  counter('gateway_envoy_restarts_total', 'Envoy restarts.', envoyRestarts);
  addLabelled(state, registry);
  return registry;
}

function addLabelled(state: RuntimeState, registry: Registry): void {
  const { build, certificates, credentials, reload, envoyReplies } = state;
  const registers = [registry];
  if (build !== undefined) {
    const { version, commit = 'unknown' } = build;
    const help = 'Always 1, with the gateway version and commit as labels.';
    const labelNames = ['version', 'commit'];
    new Gauge({ name: 'gateway_build_info', help, labelNames, registers }).set({ version, commit }, 1);
  }
  const ends = new Gauge({
    name: 'gateway_certificate_expiry_timestamp_seconds',
    help: 'Earliest expiry among the certificates in use, in Unix seconds.',
    labelNames: ['certificate'],
    registers,
  });
  const broken = new Gauge({
    name: 'gateway_certificate_broken',
    help: '1 while a renewed file cannot be used and the previous certificate stays active.',
    labelNames: ['certificate'],
    registers,
  });
  for (const [certificate, { end, broken: isBroken }] of certificates) {
    ends.set({ certificate }, end);
    broken.set({ certificate }, isBroken ? 1 : 0);
  }
  addCredentials(credentials, registry);
  if (reload !== undefined) addReload(reload, registers);
  if (envoyReplies === undefined) return;
  const replies = new Counter({
    name: 'gateway_envoy_replies_total',
    help: 'Envoy local replies, by refusal type; gateway_unavailable if no sidecar answered Envoy or Envoy was overloaded.',
    labelNames: ['type'],
    registers,
  });
  for (const [type, count] of envoyReplies) replies.inc({ type }, count);
}

function addCredentials(credentials: RuntimeState['credentials'], registry: Registry): void {
  const registers = [registry];
  const labelNames = ['credential'];
  const readAt = new Gauge({
    name: 'gateway_credential_read_timestamp_seconds',
    help: 'Last time a provider credential was read from its source, in Unix seconds; 0 for never.',
    labelNames,
    registers,
  });
  const failedAt = new Gauge({
    name: 'gateway_credential_failed_timestamp_seconds',
    help: 'Last time a provider credential could not be read from its source, in Unix seconds; 0 for never.',
    labelNames,
    registers,
  });
  const failing = new Gauge({
    name: 'gateway_credential_failing',
    help: '1 while a provider credential cannot be read from its source.',
    labelNames,
    registers,
  });
  const usable = new Gauge({
    name: 'gateway_credential_usable',
    help: '1 if requests can use a provider credential.',
    labelNames,
    registers,
  });
  for (const [credential, state] of credentials) {
    readAt.set({ credential }, (state.readAt ?? 0) / 1_000);
    failedAt.set({ credential }, (state.failedAt ?? 0) / 1_000);
    failing.set({ credential }, state.failure === undefined ? 0 : 1);
    usable.set({ credential }, state.usable ? 1 : 0);
  }
}

function addReload({ notInForce, applied }: ReloadState, registers: Registry[]): void {
  const gauge = new Gauge({
    name: 'gateway_config_not_in_force',
    help: '1 while gateway.yaml on disk is not active, by reason: broken, restart (one is needed), refused (by a worker); see docs/serving.md#reloading.',
    labelNames: ['reason'],
    registers,
  });
  for (const reason of NOT_IN_FORCE) gauge.set({ reason }, reason === notInForce ? 1 : 0);
  const help = 'Changes to gateway.yaml that took effect.';
  new Counter({ name: 'gateway_config_reloads_total', help, registers }).inc(applied);
}
