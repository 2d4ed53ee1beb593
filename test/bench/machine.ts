import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { slowness } from '../support/cpu-time.ts';
import type { Part, Rig } from './rig.ts';

/** The measured processes run on one core, their load and their upstream on the other. */
export const MEASURED_CORE = '0';
export const OTHER_CORE = '1';
export const BOTH_CORES = `${MEASURED_CORE},${OTHER_CORE}`;

/** The machine of a result, and how busy it was. Results from a busy machine are not reliable. */
export interface Conditions {
  readonly date: string;
  readonly node: string;
  readonly cpu: string;
  /** Undefined: the number that the kind uses by default. */
  readonly rounds: number | undefined;
  readonly pinned: boolean;
  /** How many times slower than a quiet reference this machine is, at the end. */
  readonly slowness: number;
}

export function conditions(rounds?: number): Conditions {
  return {
    date: new Date().toISOString(),
    node: process.version,
    cpu: `${String(cpus().length)} x ${cpus()[0]?.model ?? 'unknown'}`,
    rounds,
    pinned: canPin(),
    slowness: slowness(),
  };
}

let pins: boolean | undefined;

/** Whether processes can be pinned to a core, which requires two of them, and taskset (Debian: util-linux). */
function canPin(): boolean {
  pins ??= cpus().length > 1 && pinned(process.pid, OTHER_CORE);
  return pins;
}

/** Pins all threads of a process to these cores, if that is possible. */
export function pin(pid: number, cores: string): void {
  if (!canPin() || pinned(pid, cores)) return;
  throw new Error(`process ${String(pid)} could not be given core ${cores}: has it ended?`);
}

function pinned(pid: number, cores: string): boolean {
  try {
    execFileSync('taskset', ['-acp', cores, String(pid)], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** Returns the CPU seconds of all processes, each since its start. */
export function spentCpu({ processes }: Pick<Rig, 'processes'>): number {
  return processes.reduce((sum, { pid }) => sum + cpuSeconds(pid), 0);
}

/** CPU seconds of one part, or of all parts, while the meter ran. */
export type SpentCpu = (part?: Part) => number;

/** Starts counting. Returns a function that stops. */
export function meterCpu({ processes }: Pick<Rig, 'processes'>): () => SpentCpu {
  const before = processes.map(({ pid }) => cpuSeconds(pid));
  return () => {
    const spent = processes.map(({ part, pid }, at) => [part, cpuSeconds(pid) - (before[at] ?? 0)] as const);
    return (wanted) =>
      spent.reduce((sum, [part, seconds]) => sum + (part === (wanted ?? part) ? seconds : 0), 0);
  };
}

/** The unit of CPU times in `/proc/stat` (Linux: USER_HZ). */
const TICKS_PER_SECOND = 100;

/**
 * Starts to measure the machine's load beside these processes and this one.
 * @returns a function that ends it and returns how many cores the others kept busy, 0 without `/proc/stat`
 */
export function meterOthers(pids: readonly number[]): () => number {
  const ours = [process.pid, ...pids];
  const seconds = (): number => ours.reduce((sum, pid) => sum + cpuSeconds(pid), 0);
  const before = { all: busySeconds(), ours: seconds(), at: performance.now() };
  return () => {
    const others = busySeconds() - before.all - (seconds() - before.ours);
    return Math.max(0, others / ((performance.now() - before.at) / 1_000));
  };
}

/** CPU seconds of all processes since the machine started, including time that a hypervisor gave to others. */
function busySeconds(): number {
  try {
    const [, ...ticks] = (readFileSync('/proc/stat', 'utf8').split('\n', 1)[0] ?? '')
      .split(/\s+/)
      .map(Number);
    const [user = 0, nice = 0, system = 0, _idle, _ioWait, irq = 0, softIrq = 0, steal = 0] = ticks;
    return (user + nice + system + irq + softIrq + steal) / TICKS_PER_SECOND;
  } catch {
    return 0;
  }
}

/** CPU seconds of a process's threads, to the nanosecond if the kernel counts them (Linux). */
function cpuSeconds(pid: number): number {
  const threads = readdirSync(`/proc/${String(pid)}/task`);
  return threads.reduce((sum, thread) => sum + threadSeconds(`/proc/${String(pid)}/task/${thread}`), 0);
}

function threadSeconds(thread: string): number {
  try {
    return Number(readFileSync(`${thread}/schedstat`, 'utf8').split(' ')[0]) / 1e9;
  } catch {
    return 0; // it ended meanwhile
  }
}
