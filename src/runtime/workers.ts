import type { ChildProcess } from 'node:child_process';
import { unlinkSync } from 'node:fs';

import type { Config } from '../config/schema.ts';
import { superviseChild, type Backoff, type ChildExit, type SupervisedChild } from './child.ts';
import type { Guard } from './guard.ts';
import { DEFAULT_PATIENCE, watchHeartbeat, type HeartbeatPatience } from './heartbeat.ts';
import { forkWorker, type WorkerOutput } from './worker-process.ts';
import type { FromWorker, ToWorker, WorkerAddress } from './worker-protocol.ts';

export interface WorkerStatus {
  readonly index: number;
  readonly pid: number | undefined;
  /** It takes ext_proc streams. */
  readonly listening: boolean;
  /** Its connection to Redis is up. */
  readonly redis: boolean;
  readonly restarts: number;
  /** Times that it hung, and was ended. */
  readonly hangs: number;
  /** It ends again and again. */
  readonly crashLoop: boolean;
}

export interface WorkersOptions {
  readonly config: Config;
  readonly addresses: readonly WorkerAddress[];
  readonly onExit?: (index: number, exit: ChildExit) => void;
  readonly onFailed?: (index: number, message: string) => void;
  /** It says nothing any more, and is ended. */
  readonly onHang?: (index: number) => void;
  /** Called after each change of a worker's status. */
  readonly onChange?: () => void;
  readonly guard?: Guard;
  readonly backoff?: Backoff;
  /** How long a worker may be silent. */
  readonly patience?: HeartbeatPatience;
  /** A process of `forkWorker` that has begun to load already: the first worker, if it still lives. */
  readonly ahead?: ChildProcess | undefined;
  readonly output?: WorkerOutput | undefined;
  /** The worker's entry; another one in tests only. */
  readonly entry?: string;
}

/** The sidecar processes. None shares another's fate: one that dies is started again, the others go on. */
export interface Workers {
  status(): WorkerStatus[];
  /** Resolves when every worker has listened once; rejects when one says that it cannot. */
  started(): Promise<void>;
  /** Each living worker's metrics as prom-client gives them; one that does not answer in time is left out. */
  metrics(): Promise<object[][]>;
  /** They refuse new streams, finish those they have, and end; at the latest after `timeoutMs`. */
  drain(timeoutMs: number): Promise<void>;
  /** Ends them at once. */
  kill(): Promise<void>;
}

const METRICS_WITHIN_MS = 1_000;

export function startWorkers(options: WorkersOptions): Workers {
  const workers = options.addresses.map((address, index) => startWorker(options, address, index));
  return {
    status: () => workers.map((worker) => worker.status()),
    started: async () => {
      await Promise.all(workers.map((worker) => worker.started));
    },
    metrics: async () => {
      const answers = await Promise.all(workers.map((worker) => worker.metrics()));
      return answers.filter((answer) => answer !== undefined);
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
  metrics(): Promise<object[] | undefined>;
  drain(timeoutMs: number): Promise<void>;
  kill(): Promise<void>;
}

function startWorker(options: WorkersOptions, address: WorkerAddress, index: number): Worker {
  let listening = false;
  let redis = false;
  let current: ChildProcess | undefined;
  let nextId = 0;
  let hangs = 0;
  let ahead = index === 0 ? options.ahead : undefined;
  const waiting = new Map<number, (metrics: object[] | undefined) => void>();
  const started = Promise.withResolvers<undefined>();
  // A failure before anybody waits for it must not end the process as an unhandled rejection.
  started.promise.catch(() => undefined);

  const heartbeat = watchHeartbeat(options.patience ?? DEFAULT_PATIENCE, () => {
    hangs += 1;
    options.onHang?.(index);
    // Nothing less reaches a process whose loop stands still, or that is stopped.
    current?.kill('SIGKILL');
  });

  function send(child: ChildProcess | undefined, message: ToWorker): void {
    // A worker that is just dying has a closed channel; its end is handled where it is told of.
    if (child?.connected === true) child.send(message, () => undefined);
  }
  function receive(message: FromWorker): void {
    heartbeat.heard();
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
      case 'metrics':
        waiting.get(message.id)?.([...message.metrics]);
        return;
      case 'failed':
        started.reject(new Error(message.message));
        options.onFailed?.(index, message.message);
        return;
      case 'drained':
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
      fresh.on('message', (message) => {
        receive(message as FromWorker);
      });
      send(fresh, { kind: 'start', config: options.config, index, address });
    },
    onExit: (exit) => {
      heartbeat.end();
      listening = false;
      redis = false;
      for (const answer of waiting.values()) answer(undefined);
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
    }),
    metrics: () =>
      new Promise((resolve) => {
        if (!listening) {
          resolve(undefined);
          return;
        }
        const id = nextId++;
        function finish(metrics: object[] | undefined): void {
          clearTimeout(timer);
          waiting.delete(id);
          resolve(metrics);
        }
        const timer = setTimeout(finish, METRICS_WITHIN_MS, undefined);
        waiting.set(id, finish);
        send(current, { kind: 'metrics', id });
      }),
    drain: (timeoutMs) => {
      // One that hangs now is ended when its time is over.
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

/** What a killed worker left would make the next one's `bind` fail. */
function removeStaleSocket(address: WorkerAddress): void {
  if (address.kind !== 'unix') return;
  try {
    unlinkSync(address.path);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
  }
}
