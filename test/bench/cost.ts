import { percentile, runLoad } from '../support/load.ts';
import { meterCpu } from './machine.ts';
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
  /** Of all of the rig's processes, and split by them. */
  readonly cpu: number;
  readonly envoyCpu: number;
  readonly nodeCpu: number;
  readonly goCpu: number;
  readonly redisCpu: number;
  /** Of one request: scripts, commands inside and outside of them, and how often Redis is waited for. */
  readonly redisScripts: number;
  readonly redisCommands: number;
  readonly redisWaits: number;
  /** Share of requests that the checks judged twice; 0 where there is no such thing. */
  readonly judgedAgain: number;
  /** The machine's, before the sample. */
  readonly slowness: number;
}

const COST_FIELDS = [
  'requestsPerSecond',
  'p50Ms',
  'p99Ms',
  'p50LoadedMs',
  'cpu',
  'envoyCpu',
  'nodeCpu',
  'goCpu',
  'redisCpu',
  'redisScripts',
  'redisCommands',
  'redisWaits',
  'judgedAgain',
  'slowness',
] as const satisfies readonly (keyof CostSample)[];

/** Medians of the rounds. */
export interface CostRow extends CostSample {
  readonly name: string;
  readonly promptBytes: number;
  /** Over all rounds, by the status that they got instead of 200: `503`, `cut`, `refused`. */
  readonly failures: Readonly<Record<string, number>>;
}

export interface CostResult {
  readonly rows: readonly CostRow[];
  readonly missing: readonly MissingRig[];
}

const CONNECTIONS = 32;

const LOADED_BYTES = 20 << 20;

/** Of each rig, of small prompts: by then V8 has compiled what a service that has been up for a minute runs. */
const WARM_UP = 10_000;
const WARM_UP_BYTES = 1_024;

/** Some 20 MB of prompts, within reason: under load, and alone. */
function requestsOf(promptBytes: number): { readonly loaded: number; readonly alone: number } {
  const loaded = Math.min(3_000, Math.max(CONNECTIONS, Math.round(LOADED_BYTES / promptBytes)));
  return { loaded, alone: Math.round(loaded / 8) };
}

/** Interleaved: in each round every rig has its turn at every size, so that what else the machine does meets all. */
export async function measureCost(
  { rigs, missing, redisPort }: CostRigs,
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
      await runLoad(rig, { connections: 16, requests: WARM_UP, bytes: newPrompts(rig, WARM_UP_BYTES, rig) });
    for (const { rig, promptBytes, next } of cells)
      await runLoad(rig, { connections: 16, requests: requestsOf(promptBytes).loaded / 2, bytes: next });
    for (let round = 1; round <= options.rounds; round++) {
      for (const cell of cells) {
        const { rig, promptBytes, next } = cell;
        process.stderr.write(
          `round ${String(round)} of ${String(options.rounds)}: ${rig.name}, ${String(promptBytes)} bytes\n`,
        );
        const { sample, failures } = await sampleOf(rig, promptBytes, next, redis.read);
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

async function sampleOf(
  rig: Rig,
  promptBytes: number,
  bytes: () => Buffer,
  readRedis: () => Promise<RedisCounts>,
): Promise<{ readonly sample: CostSample; readonly failures: readonly (readonly [string, number])[] }> {
  const requests = requestsOf(promptBytes);
  const busy = slowness();
  const againBefore = await judgedAgain(rig);
  const stop = meterCpu(rig);
  const load = await runLoad(rig, { connections: CONNECTIONS, requests: requests.loaded, bytes });
  const spent = stop();
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
      goCpu: cpu('go'),
      redisCpu: cpu('redis'),
      redisScripts: each('scripts'),
      redisCommands: each('commands'),
      redisWaits: each('reads'),
      judgedAgain: again / (load.requests + alone.requests),
      slowness: busy,
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
