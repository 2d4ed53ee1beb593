import type { ChildProcess } from 'node:child_process';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

import { freePort } from './free-port.ts';
import type { Guard } from './guard.ts';
import { MissingPartError, runFile } from './program.ts';
import { containerName, spawnRedis, type RedisProgram } from './redis-server.ts';

export interface StartRedisOptions {
  readonly program: RedisProgram;
  readonly directory: string;
  readonly port?: number;
  readonly password?: string;
  /** Further command-line settings, such as `['--maxmemory', '10mb']`. */
  readonly args?: readonly string[];
  readonly guard?: Guard;
}

/** A private Redis server on loopback, without persistence. */
export interface RunningRedis {
  readonly host: string;
  readonly port: number;
  readonly pid: number;
  stop(): Promise<void>;
}

/** Disables persistence, and also eviction, which would lose budgets and locks. */
const BASE_ARGS = ['--save', '', '--appendonly', 'no', '--maxmemory-policy', 'noeviction'];

const READY_WITHIN_MS = 15_000;

/** @throws MissingPartError if the server does not answer */
export async function startRedis(options: StartRedisOptions): Promise<RunningRedis> {
  // Another process may take a free port before Redis binds it.
  const attempts = options.port === undefined ? 3 : 1;
  for (let attempt = 1; ; attempt += 1) {
    const port = options.port ?? (await freePort());
    const started = await tryStart(options, port);
    if (typeof started !== 'string') return started;
    if (attempt === attempts)
      throw new MissingPartError(`Redis did not start on port ${String(port)}: ${started}`);
  }
}

/** Returns the server, or the reason why it did not start. */
async function tryStart(options: StartRedisOptions, port: number): Promise<RunningRedis | string> {
  const password = options.password === undefined ? [] : ['--requirepass', options.password];
  const child = spawnRedis(options.program, {
    port,
    directory: options.directory,
    args: [...BASE_ARGS, ...password, ...(options.args ?? [])],
  });
  let lastLine = 'no output';
  function keepLast(data: Buffer): void {
    lastLine = data.toString().trim().split('\n').at(-1) ?? lastLine;
  }
  child.stdout?.on('data', keepLast);
  child.stderr?.on('data', keepLast);
  let exited = false;
  const gone = new Promise<void>((resolve) => {
    function end(): void {
      exited = true;
      resolve();
    }
    child.once('exit', end).once('error', end);
  });

  const deadline = Date.now() + READY_WITHIN_MS;
  while (Date.now() < deadline) {
    if (exited) return lastLine;
    if (await answersPing(port)) return running(options, child, port, gone);
    await delay(20);
  }
  child.kill('SIGKILL');
  return lastLine;
}

function running(
  options: StartRedisOptions,
  child: ChildProcess,
  port: number,
  gone: Promise<void>,
): RunningRedis {
  const pid = child.pid ?? 0;
  options.guard?.watch(pid);
  void gone.then(() => options.guard?.unwatch(pid));
  return {
    host: '127.0.0.1',
    port,
    pid,
    stop: async () => {
      child.kill('SIGTERM');
      // A stopped (SIGSTOP) or busy server does not react to SIGTERM.
      const force = setTimeout(() => child.kill('SIGKILL'), 2_000);
      await gone;
      clearTimeout(force);
      if (options.program.kind === 'docker') {
        await runFile(options.program.path, ['rm', '-f', containerName(port)], { timeoutMs: 10_000 });
      }
    },
  };
}

/** Reports whether a Redis server answers. Requiring a password counts as an answer; `LOADING` does not. */
function answersPing(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port });
    function finish(answers: boolean): void {
      socket.destroy();
      resolve(answers);
    }
    socket.setTimeout(1_000, () => {
      finish(false);
    });
    socket.once('error', () => {
      finish(false);
    });
    socket.once('connect', () => socket.write('PING\r\n'));
    socket.once('data', (reply) => {
      const text = reply.toString('latin1');
      finish(text.startsWith('+PONG') || text.startsWith('-NOAUTH'));
    });
    socket.once('close', () => {
      resolve(false);
    });
  });
}
