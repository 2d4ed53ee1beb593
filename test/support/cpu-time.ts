/** Milliseconds of CPU of the quickest of some runs: the machine may be busy, and code is compiled in the first. */
export function quickestCpuMs(work: () => unknown, times = 3): number {
  const runs = Array.from({ length: times }, () => {
    const before = process.cpuUsage();
    work();
    return process.cpuUsage(before).user / 1_000;
  });
  return Math.min(...runs);
}
