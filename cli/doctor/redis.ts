import type { Config } from '../../src/config/schema.ts';
import { operate } from '../../src/operate.ts';
import type { Operations } from '../../src/operate.ts';
import { messageOf } from '../../src/errors.ts';
import { fail, ok, warn } from './finding.ts';
import type { Finding } from './finding.ts';

const SAMPLES = 9;
/** A request waits for Redis four times. */
const SLOW_MS = 5;
/** Budgets and locks go by Redis's clock; logs, JWTs and certificates by this one. */
const SKEW_MS = 2_000;

/** Whether Redis is there and fit, how far away it is, and whether its clock is ours. */
export async function diagnoseRedis(config: Config): Promise<Finding[]> {
  try {
    return await operate(config, async (operations) => {
      const { version, maxmemoryPolicy, problems } = await operations.checkServer();
      const fit =
        problems.length > 0
          ? problems.map((problem) => fail('redis', problem))
          : [ok('redis', `Redis ${version}, maxmemory-policy ${maxmemoryPolicy}`)];
      return [...fit, ...(await timing(operations))];
    });
  } catch (error) {
    return [fail('redis', messageOf(error))];
  }
}

async function timing({ readClock }: Operations): Promise<Finding[]> {
  const samples: { readonly tookMs: number; readonly skewMs: number }[] = [];
  for (let sample = 0; sample < SAMPLES; sample += 1) {
    const [began, from] = [performance.now(), Date.now()];
    const theirs = await readClock();
    const tookMs = performance.now() - began;
    samples.push({ tookMs, skewMs: theirs - (from + tookMs / 2) });
  }
  const [nearest] = samples.toSorted((a, b) => a.tookMs - b.tookMs);
  const median = samples.map(({ tookMs }) => tookMs).toSorted((a, b) => a - b)[SAMPLES >> 1] ?? 0;
  const latency = `latency ${median.toFixed(1)} ms`;
  // What took least tells the time best.
  const skew = Math.round(nearest?.skewMs ?? 0);
  return [
    median > SLOW_MS
      ? warn('redis', `${latency}, and each request waits for it several times: bring Redis nearer`)
      : ok('redis', latency),
    Math.abs(skew) > SKEW_MS
      ? warn('redis', `its clock is ${String(skew)} ms from this machine's: run NTP on both`)
      : ok('redis', `its clock is this machine's (${String(skew)} ms)`),
  ];
}
