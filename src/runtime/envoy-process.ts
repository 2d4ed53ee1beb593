import { spawn } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { superviseChild, type ChildExit } from './child.ts';
import type { Guard } from './guard.ts';
import { request } from '../node-http.ts';

interface EnvoyOptions {
  readonly binary: string;
  readonly configFile: string;
  readonly adminSocketPath: string;
  readonly concurrency: number;
  /** Receives each line of Envoy's log and access log. */
  readonly onLine: (line: string, from: 'stdout' | 'stderr') => void;
  readonly onExit?: (exit: ChildExit) => void;
  readonly onChange?: () => void;
  readonly guard?: Guard;
}

export interface EnvoyProcess {
  readonly live: boolean;
  readonly pid: number | undefined;
  readonly restarts: number;
  readonly crashLoop: boolean;
  /** @throws Error with Envoy's last line of output if Envoy ends, or is not live after `timeoutMs` */
  waitUntilLive(timeoutMs: number): Promise<void>;
  /** Resolves once Envoy counts this many healthy sidecars, or after `timeoutMs`. */
  waitUntilMet(sidecars: number, timeoutMs: number): Promise<void>;
  /** Closes the listeners in steps. Resolves when no requests are active, or after `timeoutMs`. */
  drain(timeoutMs: number): Promise<void>;
  stop(): Promise<void>;
}

/** JSON like the gateway's own log. `%j` escapes the message; the source path is omitted. */
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
        // In a separate process group, because Ctrl-C must reach only this process: Envoy drains first.
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
        // Envoy exits on an invalid file or a port in use. Waiting longer would hide its message.
        if (child.restarts > 0 || performance.now() > deadline) {
          throw new Error(`Envoy did not start: ${lastLine === '' ? 'no output' : lastLine}`);
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
    // The debug level would log keys and paths (docs/serving.md).
    ...['--log-level', 'warn'],
    ...['--log-format', LOG_FORMAT],
    // Several Envoys may run on one machine, and the supervisor handles restarts.
    '--disable-hot-restart',
    // While draining, every response asks the client to close its connection.
    ...['--drain-strategy', 'immediate'],
    ...['--drain-time-s', '600'],
  ];
}

/** Runs `check` repeatedly, each time after the delay that it returned. */
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

/** Time without requests after which open connections count as idle. */
const QUIET_MS = 300;
/** Share of the drain time in which new connections are still accepted, for clients that have not noticed the drain. */
const LISTENING_SHARE = 1 / 5;

async function drain(admin: EnvoyAdmin, timeoutMs: number): Promise<void> {
  const startedAt = performance.now();
  await admin.post('/drain_listeners?graceful&skip_exit');
  await quiet(admin, startedAt + timeoutMs * LISTENING_SHARE);
  // No new connections may arrive while Envoy stops.
  await admin.post('/drain_listeners');
  await quiet(admin, startedAt + timeoutMs);
}

async function quiet(admin: EnvoyAdmin, deadline: number): Promise<void> {
  let quietSince: number | undefined;
  while (performance.now() < deadline) {
    const active = await activeRequests(admin);
    // Envoy does not answer, so it has probably exited.
    if (active === undefined) return;
    const now = performance.now();
    quietSince = active === 0 ? (quietSince ?? now) : undefined;
    if (quietSince !== undefined && now - quietSince >= QUIET_MS) return;
    await delay(50);
  }
}

/** Client for Envoy's admin interface, on a Unix socket that only this user can access. */
export interface EnvoyAdmin {
  /** Resolves with status 0 if Envoy does not answer. */
  get(path: string): Promise<AdminAnswer>;
  post(path: string): Promise<AdminAnswer>;
}

interface AdminAnswer {
  readonly status: number;
  readonly body: string;
}

const TIMEOUT_MS = 2_000;

export function createEnvoyAdmin(socketPath: string): EnvoyAdmin {
  const call = (method: string, path: string): Promise<AdminAnswer> =>
    new Promise((resolve) => {
      const unreachable: AdminAnswer = { status: 0, body: '' };
      const outgoing = request({ socketPath, method, path, timeout: TIMEOUT_MS, agent: false }, (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('error', () => {
          resolve(unreachable);
        });
        answer.on('end', () => {
          resolve({ status: answer.statusCode ?? 0, body: Buffer.concat(chunks).toString() });
        });
      });
      outgoing.on('timeout', () => outgoing.destroy());
      outgoing.on('error', () => {
        resolve(unreachable);
      });
      outgoing.end();
    });
  return { get: (path) => call('GET', path), post: (path) => call('POST', path) };
}

/** Returns the number of active requests on the client listeners, or undefined if Envoy does not answer. */
async function activeRequests(admin: EnvoyAdmin): Promise<number | undefined> {
  const answer = await admin.get('/stats?filter=downstream_rq_active');
  if (answer.status !== 200) return undefined;
  let active = 0;
  for (const [, prefix, count] of answer.body.matchAll(/^http\.(\w+)\.downstream_rq_active: (\d+)$/gm)) {
    // The admin listener counts this request.
    if (prefix !== 'admin') active += Number(count);
  }
  return active;
}

/** Returns the number of sidecars that pass Envoy's health checks, or undefined if Envoy does not answer. */
async function healthySidecars(admin: EnvoyAdmin): Promise<number | undefined> {
  const answer = await admin.get('/stats?filter=^cluster\\.sidecar\\.membership_healthy$');
  const [, count] = /membership_healthy: (\d+)/.exec(answer.body) ?? [];
  return count === undefined ? undefined : Number(count);
}
