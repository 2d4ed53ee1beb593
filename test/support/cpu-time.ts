/** What the yardstick takes of a core of our reference: a quiet one of 2026. */
const YARDSTICK_MS = 30;

/** CPU time of this thread so far: neither what other processes take, nor the collector's own threads. */
export function threadCpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

/**
 * How many times slower than the reference this machine is just now, at least 1: shared cores are two or three times
 * slower at one hour than at another, and a bound in milliseconds means the reference's.
 */
export function slowness(): number {
  const runs = [1, 2, 3].map(() => cpuMsOf(yardstick));
  return Math.max(1, Math.min(...runs) / YARDSTICK_MS);
}

/** Milliseconds of the reference's CPU in the quickest of some runs: code is compiled in the first. */
export function quickestCpuMs(work: () => unknown, times = 3): number {
  const runs = Array.from({ length: times }, () => cpuMsOf(work));
  return Math.min(...runs) / slowness();
}

function cpuMsOf(work: () => unknown): number {
  const before = threadCpuMs();
  work();
  return threadCpuMs() - before;
}

/** Letters read one by one, small objects made and let go: what checks do. */
function yardstick(): number {
  const parts = Array.from({ length: 60_000 }, (_, index) => `item ${String(index)} `);
  const text = parts.join('');
  let sum = 0;
  for (let round = 0; round < 6; round++)
    for (let at = 0; at < text.length; at++) sum = (sum * 31 + text.charCodeAt(at)) | 0;
  return sum + (JSON.parse(JSON.stringify(parts)) as string[]).length;
}
