import type { ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

import type { Guard } from './guard.ts';

/** `waiting`: the child has ended and is restarted after the back-off. */
export type ChildState = 'running' | 'waiting' | 'stopped';

export interface ChildExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly retryInMs: number;
}

export interface ChildOptions {
  /** Called once at first, and again after each unexpected end. */
  readonly start: () => ChildProcess;
  readonly onLine?: (line: string, from: 'stdout' | 'stderr') => void;
  /** Called with each new process. */
  readonly onStart?: (child: ChildProcess) => void;
  readonly onExit?: (exit: ChildExit) => void;
  readonly guard?: Guard;
  readonly backoff?: Backoff;
}

export interface Backoff {
  readonly initialMs: number;
  readonly maxMs: number;
  /** A child that runs for this long resets the back-off. */
  readonly resetAfterMs: number;
  /** Returns a random number from 0 to 1. */
  readonly random: () => number;
}

const DEFAULT_BACKOFF: Backoff = {
  initialMs: 200,
  maxMs: 10_000,
  resetAfterMs: 10_000,
  random: Math.random,
};

/** A child that ends this often within this time is in a crash loop. The back-off allows more ends. */
const LOOP = { ends: 4, withinMs: 120_000 } as const;

export interface SupervisedChild {
  readonly state: ChildState;
  readonly pid: number | undefined;
  readonly restarts: number;
  readonly isLooping: boolean;
  /** Calls `ask` (default: sends SIGTERM), and sends SIGKILL after `graceMs`. Resolves when the process has exited. */
  stop(graceMs: number, ask?: (child: ChildProcess) => void): Promise<void>;
}

/** Returns the delay before restart `attempt` (from 0): exponential, capped, and reduced at random by up to half. */
export function backoffMs(attempt: number, backoff: Backoff): number {
  const full = Math.min(backoff.maxMs, backoff.initialMs * 2 ** Math.min(attempt, 30));
  return Math.round(full * (1 - backoff.random() / 2));
}

export function superviseChild(options: ChildOptions): SupervisedChild {
  const backoff = options.backoff ?? DEFAULT_BACKOFF;
  let child: ChildProcess | undefined;
  let state: ChildState = 'waiting';
  let attempt = 0;
  let restarts = 0;
  let lastEnds: readonly number[] = [];
  let timer: NodeJS.Timeout | undefined;
  let ended: Promise<void> = Promise.resolve();

  function launch(): void {
    const startedAt = performance.now();
    const started = options.start();
    child = started;
    state = 'running';
    const pid = started.pid;
    if (pid !== undefined) options.guard?.watch(pid);
    forwardLines(started, options.onLine);
    options.onStart?.(started);
    ended = new Promise((resolve) => {
      onceEnded(started, (code, signal) => {
        if (pid !== undefined) options.guard?.unwatch(pid);
        child = undefined;
        resolve();
        if (state === 'stopped') return;
        lastEnds = [...lastEnds, performance.now()].slice(-LOOP.ends);
        if (performance.now() - startedAt >= backoff.resetAfterMs) attempt = 0;
        const retryInMs = backoffMs(attempt, backoff);
        attempt += 1;
        state = 'waiting';
        options.onExit?.({ code, signal, retryInMs });
        timer = setTimeout(() => {
          restarts += 1;
          launch();
        }, retryInMs);
      });
    });
  }
  launch();

  return {
    get state() {
      return state;
    },
    get pid() {
      return child?.pid;
    },
    get restarts() {
      return restarts;
    },
    get isLooping() {
      const [first] = lastEnds;
      const isMany = lastEnds.length === LOOP.ends;
      return isMany && first !== undefined && performance.now() - first < LOOP.withinMs;
    },
    stop: async (graceMs, ask = askToEnd) => {
      state = 'stopped';
      clearTimeout(timer);
      const last = child;
      if (last === undefined) return;
      ask(last);
      const force = setTimeout(() => last.kill('SIGKILL'), graceMs);
      await ended;
      clearTimeout(force);
    },
  };
}

function askToEnd(child: ChildProcess): void {
  child.kill('SIGTERM');
}

/** Calls `callback` once, when the process ends or fails to start. */
function onceEnded(
  child: ChildProcess,
  callback: (code: number | null, signal: NodeJS.Signals | null) => void,
): void {
  let called = false;
  function once(code: number | null, signal: NodeJS.Signals | null): void {
    if (called) return;
    called = true;
    callback(code, signal);
  }
  child.once('exit', once);
  child.once('error', () => {
    // 'error' is also emitted for a failed kill; only a process that did not start has no pid.
    if (child.pid === undefined) once(null, null);
  });
}

function forwardLines(child: ChildProcess, onLine: ChildOptions['onLine']): void {
  function forward(stream: Readable | null, from: 'stdout' | 'stderr'): void {
    if (stream === null) return;
    const lines = createInterface({ input: stream, crlfDelay: Infinity });
    lines.on('line', (line) => onLine?.(line, from));
    lines.on('error', () => undefined);
  }
  forward(child.stdout, 'stdout');
  forward(child.stderr, 'stderr');
}
