import { spawn } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';

import { superviseChild, type ChildExit } from './child.ts';
import { activeRequests, createEnvoyAdmin, healthySidecars, type EnvoyAdmin } from './envoy-admin.ts';
import type { Guard } from './guard.ts';

export interface EnvoyOptions {
  readonly binary: string;
  readonly configFile: string;
  readonly adminSocketPath: string;
  /** Worker threads. */
  readonly concurrency: number;
  /** Envoy's own output, line by line: its log and its access log. */
  readonly onLine: (line: string, from: 'stdout' | 'stderr') => void;
  readonly onExit?: (exit: ChildExit) => void;
  /** Called when it becomes live, or stops being so. */
  readonly onChange?: () => void;
  readonly guard?: Guard;
}

/** The Envoy of this run. */
export interface EnvoyProcess {
  readonly live: boolean;
  readonly pid: number | undefined;
  readonly restarts: number;
  /** It ends again and again. */
  readonly crashLoop: boolean;
  /** Resolves once it serves; rejects after `timeoutMs` with the last line that it wrote. */
  waitUntilLive(timeoutMs: number): Promise<void>;
  /** Resolves once it has found so many sidecars to serve, at the latest after `timeoutMs`. */
  waitUntilMet(sidecars: number, timeoutMs: number): Promise<void>;
  /** Refuses new connections, soon; resolves when no request is running any more, at the latest after `timeoutMs`. */
  drain(timeoutMs: number): Promise<void>;
  stop(): Promise<void>;
}

/** Log lines as JSON, like ours; `%j` escapes the message. Never the source path. */
const LOG_FORMAT = '{"level":"%l","time":"%Y-%m-%dT%T.%e%z","name":"envoy.%n","msg":"%j"}';

const PROBE_EVERY_MS = { starting: 20, live: 1_000 } as const;

export function startEnvoy(options: EnvoyOptions): EnvoyProcess {
  const admin = createEnvoyAdmin(options.adminSocketPath);
  let live = false;
  let lastLine = '';
  function setLive(now: boolean): void {
    if (now === live) return;
    live = now;
    options.onChange?.();
  }
  const child = superviseChild({
    start: () =>
      spawn(options.binary, envoyArguments(options), {
        stdio: ['ignore', 'pipe', 'pipe'],
        // Its own process group: Ctrl-C is for us, and Envoy ends when it has drained.
        detached: true,
      }),
    onLine: (line, from) => {
      lastLine = line;
      options.onLine(line, from);
    },
    onExit: (exit) => {
      setLive(false);
      options.onExit?.(exit);
    },
    ...(options.guard === undefined ? {} : { guard: options.guard }),
  });
  const stopProbing = probe(async () => {
    const ready = child.state === 'running' && (await admin.get('/ready')).status === 200;
    setLive(ready && child.state === 'running');
    return live ? PROBE_EVERY_MS.live : PROBE_EVERY_MS.starting;
  });

  return {
    get live() {
      return live;
    },
    get pid() {
      return child.pid;
    },
    get restarts() {
      return child.restarts;
    },
    get crashLoop() {
      return child.isLooping;
    },
    waitUntilLive: async (timeoutMs) => {
      const deadline = performance.now() + timeoutMs;
      while (!live) {
        // One that cannot even start (bad file, port taken) says so and ends; waiting on would hide it.
        if (child.restarts > 0 || performance.now() > deadline) {
          throw new Error(`Envoy did not start: ${lastLine === '' ? 'it said nothing' : lastLine}`);
        }
        await delay(20);
      }
    },
    waitUntilMet: async (sidecars, timeoutMs) => {
      const deadline = performance.now() + timeoutMs;
      while (performance.now() < deadline && ((await healthySidecars(admin)) ?? 0) < sidecars)
        await delay(20);
    },
    drain: (timeoutMs) => drain(admin, timeoutMs),
    stop: async () => {
      stopProbing();
      await child.stop(5_000);
      setLive(false);
    },
  };
}

function envoyArguments(options: EnvoyOptions): string[] {
  return [
    ...['-c', options.configFile],
    ...['--concurrency', String(options.concurrency)],
    // At debug it prints keys and paths (docs/serving.md).
    ...['--log-level', 'warn'],
    ...['--log-format', LOG_FORMAT],
    // Several may run on one machine, and a restart is ours to do.
    '--disable-hot-restart',
    // While draining, every answer asks its client to close the connection.
    ...['--drain-strategy', 'immediate'],
    ...['--drain-time-s', '600'],
  ];
}

/** Runs `check` again and again, each time after the delay that it returned. */
function probe(check: () => Promise<number>): () => void {
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  async function round(): Promise<void> {
    const nextInMs = await check();
    if (!stopped) timer = setTimeout(() => void round(), nextInMs);
  }
  void round();
  return () => {
    stopped = true;
    clearTimeout(timer);
  };
}

/** How long no request may have run before a connection that is kept open counts as idle. */
const QUIET_MS = 300;
/**
 * The part of the drain in which new connections are still let in, so that clients who do not know yet are not
 * refused. Where they never cease to come, what is left of the time belongs to those that are in already.
 */
const LISTENING_SHARE = 1 / 5;

async function drain(admin: EnvoyAdmin, timeoutMs: number): Promise<void> {
  const startedAt = performance.now();
  await admin.post('/drain_listeners?graceful&skip_exit');
  await quiet(admin, startedAt + timeoutMs * LISTENING_SHARE);
  // Now the listeners close, so that no new connection can bring a request while Envoy ends.
  await admin.post('/drain_listeners');
  await quiet(admin, startedAt + timeoutMs);
}

async function quiet(admin: EnvoyAdmin, deadline: number): Promise<void> {
  let quietSince: number | undefined;
  while (performance.now() < deadline) {
    const active = await activeRequests(admin);
    // An Envoy that does not answer has nothing left to finish.
    if (active === undefined) return;
    const now = performance.now();
    quietSince = active === 0 ? (quietSince ?? now) : undefined;
    if (quietSince !== undefined && now - quietSince >= QUIET_MS) return;
    await delay(50);
  }
}
