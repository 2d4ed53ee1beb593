import { percentile, runLoad } from '../support/load.ts';
import { meterCpu, meterOthers } from './machine.ts';
import type { MissingRig, Part, Rig } from './rig.ts';
import { newPrompts } from './prompts.ts';
import { createRedisCounts, type RedisCounts } from './redis-counts.ts';
import type { CostRigs } from './rigs.ts';
import { medians } from './statistics.ts';
import { slowness } from '../support/cpu-time.ts';

/** One rig under prompts of one size; CPU in seconds per 1,000 requests. */
export interface CostSample {
  readonly requestsPerSecond: number;
  /** At one connection, and at 32. */
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly p50LoadedMs: number;
  /** CPU of all the rig's processes together, and of each. */
  readonly cpu: number;
  readonly envoyCpu: number;
  readonly nodeCpu: number;
  readonly otherCpu: number;
  readonly redisCpu: number;
  /** Per request: scripts, commands inside and outside of them, and waits for Redis. */
  readonly redisScripts: number;
  readonly redisCommands: number;
  readonly redisWaits: number;
  /** Share of requests that the checks judged twice; 0 for other gateways. */
  readonly judgedAgain: number;
  /** Slowness of the machine before the sample. */
  readonly slowness: number;
  /** Cores that other processes kept busy meanwhile. */
  readonly othersCores: number;
}

const COST_FIELDS = [
  'requestsPerSecond',
  'p50Ms',
  'p99Ms',
  'p50LoadedMs',
  'cpu',
  'envoyCpu',
  'nodeCpu',
  'otherCpu',
  'redisCpu',
  'redisScripts',
  'redisCommands',
  'redisWaits',
  'judgedAgain',
  'slowness',
  'othersCores',
] as const satisfies readonly (keyof CostSample)[];

/** Medians of the rounds. */
export interface CostRow extends CostSample {
  readonly name: string;
  readonly promptBytes: number;
  /** Over all rounds, by their status other than 200: `503`, `cut`, `refused`. */
  readonly failures: Readonly<Record<string, number>>;
}

export interface CostResult {
  readonly rows: readonly CostRow[];
  readonly missing: readonly MissingRig[];
}

const CONNECTIONS = 32;

/** A sample during which other processes used this share of a core is repeated, at most this many times. */
const BUSY_CORES = 0.15;
const RETAKES = 3;

const LOADED_BYTES = 20 << 20;

/** Warm-up of each rig with separate small prompts, until V8 has compiled the code that a service runs after a minute. */
const WARM_UP = 10_000;
const WARM_UP_BYTES = 1_000;

/** Number of prompts, about 20 MB of them within limits: under load, and alone. */
function requestsOf(
  { share = 1 }: Rig,
  promptBytes: number,
): { readonly loaded: number; readonly alone: number } {
  const usual = Math.min(3_000, Math.max(CONNECTIONS, Math.round(LOADED_BYTES / promptBytes)));
  const loaded = Math.max(CONNECTIONS, Math.round(usual * share));
  return { loaded, alone: Math.round(loaded / 8) };
}

/** Measures in interleaved rounds: each round runs every rig at every size, so that other load affects all rigs. */
export async function measureCost(
  { rigs, missing, redisPort, providerPid }: CostRigs,
  options: { readonly rounds: number; readonly sizes: readonly number[] },
): Promise<CostResult> {
  const redis = await createRedisCounts(redisPort);
  const cells = options.sizes.flatMap((promptBytes) =>
    rigs.map((rig) => ({
      rig,
      promptBytes,
      next: newPrompts(rig, promptBytes, rig),
      samples: [] as CostSample[],
      failures: {} as Record<string, number>,
    })),
  );
  try {
    for (const rig of rigs)
      await runLoad(rig, {
        connections: 16,
        requests: WARM_UP * (rig.share ?? 1),
        bytes: newPrompts(rig, WARM_UP_BYTES, rig),
      });
    for (const { rig, promptBytes, next } of cells)
      await runLoad(rig, { connections: 16, requests: requestsOf(rig, promptBytes).loaded / 2, bytes: next });
    for (let round = 1; round <= options.rounds; round++) {
      for (const cell of cells) {
        const { rig, promptBytes, next } = cell;
        process.stderr.write(
          `round ${String(round)} of ${String(options.rounds)}: ${rig.name}, ${String(promptBytes)} bytes\n`,
        );
        const take = (): Promise<Taken> =>
          takeSample({ rig, promptBytes, bytes: next, readRedis: redis.read, providerPid });
        const { sample, failures } = await quietest(take);
        cell.samples.push(sample);
        for (const [status, count] of failures) cell.failures[status] = (cell.failures[status] ?? 0) + count;
      }
    }
  } finally {
    redis.close();
  }
  const rows = cells.map(({ rig, promptBytes, samples, failures }) => ({
    name: rig.name,
    promptBytes,
    failures,
    ...medians(samples, COST_FIELDS),
  }));
  return { rows, missing };
}

interface Taken {
  readonly sample: CostSample;
  /** Counts by status, in all tries. */
  readonly failures: readonly (readonly [string, number])[];
}

/** Repeats a sample while the machine is busy with other things, and keeps the one with the least other load. */
async function quietest(take: () => Promise<Taken>): Promise<Taken> {
  let best = await take();
  for (let retake = 1; retake <= RETAKES && best.sample.othersCores > BUSY_CORES; retake++) {
    process.stderr.write(`taken again: others kept ${best.sample.othersCores.toFixed(2)} cores busy\n`);
    const next = await take();
    const { sample } = next.sample.othersCores < best.sample.othersCores ? next : best;
    best = { sample, failures: [...best.failures, ...next.failures] };
  }
  return best;
}

async function takeSample({
  rig,
  promptBytes,
  bytes,
  readRedis,
  providerPid,
}: {
  readonly rig: Rig;
  readonly promptBytes: number;
  readonly bytes: () => Buffer;
  readonly readRedis: () => Promise<RedisCounts>;
  readonly providerPid: number;
}): Promise<Taken> {
  const requests = requestsOf(rig, promptBytes);
  const busy = slowness();
  const againBefore = await judgedAgain(rig);
  const stop = meterCpu(rig);
  const stopOthers = meterOthers([providerPid, ...rig.processes.map(({ pid }) => pid)]);
  const load = await runLoad(rig, { connections: CONNECTIONS, requests: requests.loaded, bytes });
  const spent = stop();
  const othersCores = stopOthers();
  const cpu = (part?: Part): number => (spent(part) / load.requests) * 1_000;
  const asked = await readRedis();
  const alone = await runLoad(rig, { connections: 1, requests: requests.alone, bytes });
  const counts = await readRedis();
  const again = (await judgedAgain(rig)) - againBefore;
  const each = (count: keyof RedisCounts): number => (counts[count] - asked[count]) / requests.alone;
  return {
    failures: [...load.statuses, ...alone.statuses].filter(([status]) => status !== '200'),
    sample: {
      requestsPerSecond: load.requests / load.seconds,
      p50Ms: percentile(alone.latenciesMs, 0.5),
      p99Ms: percentile(alone.latenciesMs, 0.99),
      p50LoadedMs: percentile(load.latenciesMs, 0.5),
      cpu: cpu(),
      envoyCpu: cpu('envoy'),
      nodeCpu: cpu('node'),
      otherCpu: cpu('go') + cpu('python'),
      redisCpu: cpu('redis'),
      redisScripts: each('scripts'),
      redisCommands: each('commands'),
      redisWaits: each('reads'),
      judgedAgain: again / (load.requests + alone.requests),
      slowness: busy,
      othersCores,
    },
  };
}

/** `gateway_judged_again_total`, over all checks. */
async function judgedAgain({ adminPort }: Rig): Promise<number> {
  if (adminPort === undefined) return 0;
  const metrics = await (await fetch(`http://127.0.0.1:${String(adminPort)}/metrics`)).text();
  const counts = metrics.matchAll(/^gateway_judged_again_total\{[^}]*\} (\S+)/gm);
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
}
