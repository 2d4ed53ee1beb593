/** Time of the calibration loop on a core of our reference machine: a quiet one of 2026. */
const YARDSTICK_MS = 30;

/** CPU time of this thread so far, without other processes and the collector's own threads. */
export function threadCpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

/**
 * How many times slower than the reference this machine currently is, at least 1: shared cores can be two or three times
 * slower at one hour than at another, and a bound in milliseconds applies to the reference.
 */
export function slowness(): number {
  const runs = [1, 2, 3].map(() => cpuMsOf(yardstick));
  return Math.max(1, Math.min(...runs) / YARDSTICK_MS);
}

/** Milliseconds of CPU on the reference, in the fastest of some runs: code is compiled in the first. */
export function quickestCpuMs(work: () => unknown, times = 3): number {
  const runs = Array.from({ length: times }, () => cpuMsOf(work));
  return Math.min(...runs) / slowness();
}

function cpuMsOf(work: () => unknown): number {
  const before = threadCpuMs();
  work();
  return threadCpuMs() - before;
}

/** Reads letters one by one, and creates and drops small objects, as checks do. */
function yardstick(): number {
  const parts = Array.from({ length: 60_000 }, (_, index) => `item ${String(index)} `);
  const text = parts.join('');
  let sum = 0;
  for (let round = 0; round < 6; round++)
    for (let at = 0; at < text.length; at++) sum = (sum * 31 + text.charCodeAt(at)) | 0;
  return sum + (JSON.parse(JSON.stringify(parts)) as string[]).length;
}
