import type { ChildProcess } from 'node:child_process';
import { unlinkSync } from 'node:fs';

import type { Config } from '../config/schema.ts';
import { superviseChild, type Backoff, type ChildExit, type SupervisedChild } from './child.ts';
import type { Guard } from './guard.ts';
import { DEFAULT_PATIENCE, watchHeartbeat, type HeartbeatPatience } from './heartbeat.ts';
import { createKeptCounts, type KeptCounts, type ProcessCounts } from './kept-counts.ts';
import { forkWorker, type WorkerOutput } from './fork.ts';
import { isCount, type MetricJson } from '../telemetry/counts.ts';
import type { CredentialValues } from '../provider-credentials/follow.ts';
import { createPreparations } from './preparations.ts';
import type { ExtprocTls, FromWorker, PolicyState, ToWorker, WorkerAddress } from './worker-protocol.ts';

export interface WorkerStatus {
  readonly index: number;
  readonly pid: number | undefined;
  /** Whether the worker accepts ext_proc streams. */
  readonly listening: boolean;
  readonly redis: boolean;
  readonly restarts: number;
  readonly hangs: number;
  readonly crashLoop: boolean;
  /** Undefined without policies. */
  readonly policies?: PolicyState | undefined;
}

export interface WorkersOptions {
  readonly config: Config;
  readonly addresses: readonly WorkerAddress[];
  readonly tls?: () => ExtprocTls | undefined;
  readonly credentials?: () => CredentialValues;
  readonly version?: string | undefined;
  readonly onExit?: (index: number, exit: ChildExit) => void;
  readonly onFailed?: (index: number, message: string) => void;
  readonly onHang?: (index: number) => void;
  readonly onChange?: () => void;
  readonly guard?: Guard;
  readonly backoff?: Backoff;
  readonly patience?: HeartbeatPatience;
  /** A process that `forkWorker` started early. The first worker uses it if it is still connected. */
  readonly ahead?: ChildProcess | undefined;
  readonly output?: WorkerOutput | undefined;
  /** Set only by tests. */
  readonly entry?: string;
}

/** The sidecar processes. Processes that die are restarted. */
export interface Workers {
  status(): WorkerStatus[];
  /** Resolves when every worker has started to listen. Rejects when one reports a failure. */
  started(): Promise<void>;
  /** Returns metrics to be summed: gauges of workers that answer in time, and counts of all processes that ever ran. */
  metrics(): Promise<MetricJson[][]>;
  renewTls(tls: ExtprocTls): void;
  renewCredentials(credentials: CredentialValues): void;
  /**
   * Makes every worker prepare to use a new configuration.
   * @throws Error if a worker cannot; all workers then drop it
   */
  prepare(config: Config): Promise<void>;
  /** Activates a prepared configuration. Workers that restart later use it too. */
  use(config: Config): void;
  /** Refuses new streams and waits for running ones. Kills workers that still run after `timeoutMs`. */
  drain(timeoutMs: number): Promise<void>;
  kill(): Promise<void>;
}

const METRICS_WITHIN_MS = 1_000;

export function startWorkers(options: WorkersOptions): Workers {
  const kept = createKeptCounts();
  let { config } = options;
  const workers = options.addresses.map((address, index) =>
    startWorker({ ...options, config: () => config }, kept, address, index),
  );
  return {
    status: () => workers.map((worker) => worker.status()),
    started: async () => {
      await Promise.all(workers.map((worker) => worker.started));
    },
    metrics: async () => {
      const gauges = await Promise.all(workers.map((worker) => worker.gauges()));
      return [...gauges, ...kept.all()];
    },
    renewTls: (tls) => {
      for (const worker of workers) worker.send({ kind: 'tls', tls });
    },
    prepare: async (next) => {
      const prepared = await Promise.allSettled(workers.map((worker) => worker.prepare(next)));
      const refused = prepared.find((outcome) => outcome.status === 'rejected');
      if (refused === undefined) return;
      for (const worker of workers) worker.send({ kind: 'drop' });
      throw refused.reason;
    },
    use: (prepared) => {
      config = prepared;
      for (const worker of workers) worker.send({ kind: 'use', config });
    },
    renewCredentials: (credentials) => {
      for (const worker of workers) worker.send({ kind: 'credentials', credentials });
    },
    drain: async (timeoutMs) => {
      await Promise.all(workers.map((worker) => worker.drain(timeoutMs)));
    },
    kill: async () => {
      await Promise.all(workers.map((worker) => worker.kill()));
    },
  };
}

interface Worker {
  readonly started: Promise<void>;
  status(): WorkerStatus;
  /** Resolves with an empty array if the worker does not answer in time. */
  gauges(): Promise<MetricJson[]>;
  send(message: ToWorker): void;
  /** @throws Error if the configuration cannot be used, or the worker does not answer in time */
  prepare(config: Config): Promise<void>;
  drain(timeoutMs: number): Promise<void>;
  kill(): Promise<void>;
}

function startWorker(
  options: Omit<WorkersOptions, 'config'> & { readonly config: () => Config },
  kept: KeptCounts,
  address: WorkerAddress,
  index: number,
): Worker {
  let listening = false;
  let redis = false;
  let policies: PolicyState | undefined;
  let current: ChildProcess | undefined;
  let nextId = 0;
  const preparations = createPreparations();
  let hangs = 0;
  let ahead = index === 0 ? options.ahead : undefined;
  const waiting = new Map<number, (gauges: MetricJson[]) => void>();
  const started = Promise.withResolvers<undefined>();
  // Avoids an unhandled rejection if a worker fails before `started()` is called.
  started.promise.catch(() => undefined);

  const heartbeat = watchHeartbeat(options.patience ?? DEFAULT_PATIENCE, () => {
    hangs += 1;
    options.onHang?.(index);
    // Only SIGKILL ends a blocked or stopped process.
    current?.kill('SIGKILL');
  });

  function send(child: ChildProcess | undefined, message: ToWorker): void {
    // A dying worker has a closed channel. `onExit` handles its end.
    if (child?.connected === true) child.send(message, () => undefined);
  }
  function receive(message: FromWorker, counts: ProcessCounts): void {
    heartbeat.beat();
    switch (message.kind) {
      case 'alive':
        return;
      case 'listening':
        listening = true;
        heartbeat.serves();
        started.resolve(undefined);
        break;
      case 'redis':
        redis = message.up;
        break;
      case 'policies':
        policies = message.state;
        break;
      case 'counts':
        counts.learn(message.counts);
        return;
      case 'metrics':
        counts.learn(message.metrics);
        waiting.get(message.id)?.(message.metrics.filter((metric) => !isCount(metric)));
        return;
      case 'failed':
        started.reject(new Error(message.message));
        options.onFailed?.(index, message.message);
        return;
      case 'drained':
        return;
      case 'prepared':
      case 'refused':
        preparations.answered(message);
        return;
    }
    options.onChange?.();
  }

  const child: SupervisedChild = superviseChild({
    start: () => {
      removeStaleSocket(address);
      const begun = ahead?.connected === true ? ahead : undefined;
      ahead = undefined;
      return begun ?? forkWorker(options.entry, options.output);
    },
    onStart: (fresh) => {
      current = fresh;
      heartbeat.begin();
      const counts = kept.begin();
      fresh.on('message', (message) => {
        receive(message as FromWorker, counts);
      });
      // 'disconnect' follows the last message, which may arrive after the process has ended.
      fresh.once('disconnect', counts.retire);
      const { config, tls, credentials, version } = options;
      send(fresh, {
        kind: 'start',
        config: config(),
        index,
        address,
        tls: tls?.(),
        credentials: credentials?.() ?? {},
        version,
      });
    },
    onExit: (exit) => {
      heartbeat.end();
      listening = false;
      redis = false;
      for (const answer of waiting.values()) answer([]);
      preparations.ended();
      options.onExit?.(index, exit);
      options.onChange?.();
    },
    ...(options.guard === undefined ? {} : { guard: options.guard }),
    ...(options.backoff === undefined ? {} : { backoff: options.backoff }),
  });

  return {
    started: started.promise,
    status: () => ({
      index,
      pid: child.pid,
      listening,
      redis,
      restarts: child.restarts,
      hangs,
      crashLoop: child.isLooping,
      policies,
    }),
    gauges: () =>
      new Promise((resolve) => {
        if (!listening) {
          resolve([]);
          return;
        }
        const id = nextId++;
        function finish(gauges: MetricJson[]): void {
          clearTimeout(timer);
          waiting.delete(id);
          resolve(gauges);
        }
        const timer = setTimeout(finish, METRICS_WITHIN_MS, []);
        waiting.set(id, finish);
        send(current, { kind: 'metrics', id });
      }),
    send: (message) => {
      send(current, message);
    },
    prepare: (config) => preparations.ask(config, (message) => send(current, message)),
    drain: (timeoutMs) => {
      // A worker that hangs now is killed after `timeoutMs`.
      heartbeat.end();
      return child.stop(timeoutMs, (last) => {
        send(last, { kind: 'drain' });
      });
    },
    kill: () => {
      heartbeat.end();
      return child.stop(0, (last) => {
        last.kill('SIGKILL');
      });
    },
  };
}

/** Removes the socket that a killed worker left behind, which would make the next `bind` fail. */
function removeStaleSocket(address: WorkerAddress): void {
  if (address.kind !== 'unix') return;
  try {
    unlinkSync(address.path);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
  }
}
