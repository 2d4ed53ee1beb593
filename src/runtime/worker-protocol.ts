import type { Config } from '../config/schema.ts';
import type { CredentialValues } from '../provider-credentials/follow.ts';
import type { MetricJson } from '../telemetry/counts.ts';
import { parseExtprocAddress } from '../config/address.ts';

/** Interval between count reports. A worker that dies loses at most the counts of one interval. */
export const COUNTS_MS = 1_000;

export type WorkerAddress =
  | { readonly kind: 'unix'; readonly path: string }
  | { readonly kind: 'tcp'; readonly host: string; readonly port: number };

/** In PEM format. */
export interface ExtprocTls {
  readonly cert: string;
  readonly key: string;
  /** CA for client certificates. */
  readonly clientCa: string;
}

export type ToWorker =
  /** The first message. The sidecar starts when it arrives. */
  | {
      readonly kind: 'start';
      readonly config: Config;
      readonly index: number;
      readonly address: WorkerAddress;
      readonly tls: ExtprocTls | undefined;
      readonly credentials: CredentialValues;
      readonly version?: string | undefined;
    }
  | { readonly kind: 'tls'; readonly tls: ExtprocTls }
  | { readonly kind: 'credentials'; readonly credentials: CredentialValues }
  | { readonly kind: 'metrics'; readonly id: number }
  /** Prepare to use a new configuration, and answer `prepared` or `refused`. */
  | { readonly kind: 'prepare'; readonly id: number; readonly config: Config }
  /** Use the prepared configuration for new streams. A worker that restarted after `prepare` prepares it now. */
  | { readonly kind: 'use'; readonly config: Config }
  | { readonly kind: 'drop' }
  /** Refuse new streams, finish running ones, answer `drained`, and exit with 0. */
  | { readonly kind: 'drain' };

export interface PolicyState {
  readonly digest: string;
  /** Why the policy files on disk cannot be loaded; undefined if they are in effect. */
  readonly broken: string | undefined;
}

export type FromWorker =
  /** The worker accepts ext_proc streams. */
  | { readonly kind: 'listening' }
  /** Sent after `start` and on each change. */
  | { readonly kind: 'redis'; readonly up: boolean }
  /** Sent when policies take effect, and when changed policies cannot be loaded. */
  | { readonly kind: 'policies'; readonly state: PolicyState }
  | { readonly kind: 'metrics'; readonly id: number; readonly metrics: readonly MetricJson[] }
  /** Counters and histograms that have changed, sent every `COUNTS_MS`. */
  | { readonly kind: 'counts'; readonly counts: readonly MetricJson[] }
  | { readonly kind: 'alive' }
  | { readonly kind: 'drained' }
  | { readonly kind: 'prepared'; readonly id: number }
  /** The message contains no secret. */
  | { readonly kind: 'refused'; readonly id: number; readonly message: string }
  /** The worker cannot continue and exits. The message contains no secret. */
  | { readonly kind: 'failed'; readonly message: string };

/**
 * Returns the ext_proc address of each worker: `server.extproc.address` or, for several workers, `<path>.<index>` or
 * consecutive ports. Without an address, returns sockets in `runPath`.
 */
export function workerAddresses(config: Config, runPath: string): WorkerAddress[] {
  const { workers, extproc } = config.server;
  const base = extproc.address === undefined ? undefined : parseExtprocAddress(extproc.address);
  return Array.from({ length: workers }, (_, index) => {
    if (base === undefined) return { kind: 'unix', path: `${runPath}/worker-${String(index)}.sock` };
    if (base.kind === 'tcp') return { kind: 'tcp', host: base.host, port: base.port + index };
    return { kind: 'unix', path: workers === 1 ? base.path : `${base.path}.${String(index)}` };
  });
}
