import type { ChildProcess } from 'node:child_process';
import type { Config } from '../config/schema.ts';
import type { ListenerTls } from '../operator/listener.ts';
import type { FromPage, ToPage } from '../operator/protocol.ts';
import type { Logger } from '../telemetry/logger.ts';
import { superviseChild } from './child.ts';
import { entryFile, forkProcess, type WorkerOutput } from './fork.ts';
import type { Guard } from './guard.ts';
import { DEFAULT_PATIENCE, watchHeartbeat } from './heartbeat.ts';

export interface OperatorProcessOptions {
  readonly config: Config;
  readonly version: string;
  readonly tls: () => ListenerTls | undefined;
  readonly guard: Guard;
  readonly log: Logger;
  readonly output?: WorkerOutput | undefined;
}

/** The operator page process. It is restarted if it ends. Requests do not depend on it. */
export interface OperatorProcess {
  readonly port: number;
  renewTls(tls: ListenerTls): void;
  use(config: Config): void;
  stop(): Promise<void>;
}

const END_WITHIN_MS = 2_000;
/** The process keeps keys and decisions in memory: about 100 MB for 100,000 keys. */
const MAX_HEAP_MB = 512;

/** @throws Error if the page cannot be served */
export async function startOperatorProcess(options: OperatorProcessOptions): Promise<OperatorProcess> {
  const { version, tls, guard, log } = options;
  let { config } = options;
  let current: ChildProcess | undefined;
  let replaced: ChildProcess | undefined;
  const first = Promise.withResolvers<number>();
  const heartbeat = watchHeartbeat(DEFAULT_PATIENCE, () => {
    log.error('the operator page process hangs: it is killed and restarted');
    current?.kill('SIGKILL');
  });
  function send(child: ChildProcess | undefined, message: ToPage): void {
    if (child?.connected === true) child.send(message, () => undefined);
  }
  function receive(message: FromPage): void {
    heartbeat.beat();
    if (message.kind === 'failed') {
      log.error({ cause: message.message }, 'the operator page cannot be served');
      first.reject(new Error(message.message));
    } else if (message.kind === 'listening') {
      heartbeat.serves();
      first.resolve(message.port);
    }
  }
  const child = superviseChild({
    start: () =>
      forkProcess(
        entryFile('operator/process'),
        [`--max-old-space-size=${String(MAX_HEAP_MB)}`],
        options.output,
      ),
    onStart: (fresh) => {
      current = fresh;
      heartbeat.begin();
      fresh.on('message', (message) => {
        receive(message as FromPage);
      });
      send(fresh, { kind: 'start', config, tls: tls(), version });
    },
    onExit: (exit) => {
      heartbeat.end();
      if (current === replaced) return;
      log.error({ ...exit }, 'the operator page process ended and is restarted');
    },
    guard,
  });
  async function stop(): Promise<void> {
    heartbeat.end();
    await child.stop(END_WITHIN_MS, (last) => {
      send(last, { kind: 'end' });
    });
  }
  try {
    const port = await first.promise;
    return {
      port,
      renewTls: (renewed) => {
        send(current, { kind: 'tls', tls: renewed });
      },
      use: (next) => {
        config = next;
        replaced = current;
        send(current, { kind: 'end' });
      },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}
