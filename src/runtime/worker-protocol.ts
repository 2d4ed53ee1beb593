import type { Config } from '../config/schema.ts';
import type { CredentialValues } from '../provider-credentials/follow.ts';
import type { MetricJson } from '../telemetry/counts.ts';

/** Interval between a worker's reports of its counts. A worker that dies loses at most the counts of this time. */
export const COUNTS_MS = 1_000;

/** The ext_proc address of a worker, which Envoy connects to. */
export type WorkerAddress =
  | { readonly kind: 'unix'; readonly path: string }
  | { readonly kind: 'tcp'; readonly host: string; readonly port: number };

/** PEM. */
export interface ExtprocTls {
  readonly cert: string;
  readonly key: string;
  /** Authority of accepted client certificates. */
  readonly clientCa: string;
}

/** Messages from `gateway serve` to a worker process. */
export type ToWorker =
  /** The first message. A worker does nothing before it. */
  | {
      readonly kind: 'start';
      readonly config: Config;
      readonly index: number;
      readonly address: WorkerAddress;
      readonly tls: ExtprocTls | undefined;
      readonly credentials: CredentialValues;
      readonly version?: string | undefined;
    }
  /** Renewed certificates for new connections. */
  | { readonly kind: 'tls'; readonly tls: ExtprocTls }
  /** Provider credentials in force from now on. */
  | { readonly kind: 'credentials'; readonly credentials: CredentialValues }
  | { readonly kind: 'metrics'; readonly id: number }
  /** Build everything from another configuration, and answer `prepared` or `refused`. */
  | { readonly kind: 'prepare'; readonly id: number; readonly config: Config }
  /** Serve new streams under the prepared configuration; a worker that has restarted since prepares it now. */
  | { readonly kind: 'use'; readonly config: Config }
  /** Close what was prepared. */
  | { readonly kind: 'drop' }
  /** Refuse new streams, finish running ones, answer `drained`, and exit with 0. */
  | { readonly kind: 'drain' };

/** The policies of a worker. */
export interface PolicyState {
  /** Digest of the set in force. */
  readonly digest: string;
  /** Why the files on disk cannot be loaded; undefined if they are in force. */
  readonly broken: string | undefined;
}

/** Messages from a worker process to `gateway serve`. */
export type FromWorker =
  /** The worker accepts ext_proc streams at its address. */
  | { readonly kind: 'listening' }
  /** Sent after `start` and at each change. */
  | { readonly kind: 'redis'; readonly up: boolean }
  /** Sent when policies come into force, and when changed ones cannot. */
  | { readonly kind: 'policies'; readonly state: PolicyState }
  /** All metrics, in answer to a `metrics` request. */
  | { readonly kind: 'metrics'; readonly id: number; readonly metrics: readonly MetricJson[] }
  /** Counters and histograms that have risen, sent every `COUNTS_MS`. */
  | { readonly kind: 'counts'; readonly counts: readonly MetricJson[] }
  /** Heartbeat, sent every `HEARTBEAT_MS`. */
  | { readonly kind: 'alive' }
  | { readonly kind: 'drained' }
  | { readonly kind: 'prepared'; readonly id: number }
  /** The configuration cannot be used. The message holds no secret. */
  | { readonly kind: 'refused'; readonly id: number; readonly message: string }
  /** The worker cannot continue (bad address, broken configuration) and exits. The message holds no secret. */
  | { readonly kind: 'failed'; readonly message: string };
