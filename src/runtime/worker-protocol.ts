import type { Config } from '../config/schema.ts';

/** Where one worker serves ext_proc, and where Envoy finds it. */
export type WorkerAddress =
  | { readonly kind: 'unix'; readonly path: string }
  | { readonly kind: 'tcp'; readonly host: string; readonly port: number };

/** What `gateway serve` says to a worker process. */
export type ToWorker =
  /** The first message; a worker does nothing before it. */
  | {
      readonly kind: 'start';
      readonly config: Config;
      readonly index: number;
      readonly address: WorkerAddress;
    }
  | { readonly kind: 'metrics'; readonly id: number }
  /** Refuse new streams, finish those that run, answer `drained`, exit 0. */
  | { readonly kind: 'drain' };

/** What a worker process says to `gateway serve`. */
export type FromWorker =
  /** ext_proc streams are accepted at the address. */
  | { readonly kind: 'listening' }
  /** Sent at each change, and once after `start`. */
  | { readonly kind: 'redis'; readonly up: boolean }
  /** `metrics`: the array of prom-client's `getMetricsAsJSON`. */
  | { readonly kind: 'metrics'; readonly id: number; readonly metrics: readonly object[] }
  /** Its event loop goes round: said every `HEARTBEAT_MS`. */
  | { readonly kind: 'alive' }
  | { readonly kind: 'drained' }
  /** The worker cannot go on (bad address, broken configuration) and exits; the message holds no secret. */
  | { readonly kind: 'failed'; readonly message: string };
