import { writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { percentile, runLoad, runStream } from '../support/load.ts';
import { LIMIT_MS, measureQuarantine } from './quarantine.ts';
import { slowness } from '../support/cpu-time.ts';
import { measureJudging } from './policy.ts';
import { measurePolicyRequests } from './policy-requests.ts';
import { sweepTurns } from './sweep.ts';
import { cpuSeconds, pinMeasured, type Rig } from './gateway-rig.ts';
import { startRigs, type Rigs } from './rigs.ts';
import { measureTransports } from './transports.ts';
import { defaultConfig } from '../../src/config/load.ts';
import { connectRedis, waitUntilReady, type RedisClient } from '../../src/redis/client.ts';
import { measureVerify } from './verify.ts';

/**
 * `npm run bench [-- --rounds 5] [--rigs REGEX] [--json FILE]`: what the gateway costs, in interleaved rounds on one machine
 * against the provider itself, an Envoy that only passes on, and an Envoy with an external processor on Node that
 * looks at nothing. `npm run bench -- quarantine` measures a rejection at the request headers, and `npm run bench --
 * sweep [--places REGEX] [--shapes REGEX] [--each N] [--part I/N]` the longest turn of the event loop that hostile
 * requests and answers can make. `npm run bench -- policy` measures requests through gateways that differ in their
 * policies, `npm run bench -- judging` what judging a call costs by itself, in process, and `npm run bench -- verify`
 * what a trace of 100,000 steps takes. `npm run bench -- transports` measures what carrying a request to the sidecar
 * costs over each `server.extproc.transport`.
 */
interface Sample {
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** CPU seconds per 1,000 requests. */
  readonly envoyCpu: number;
  readonly nodeCpu: number;
  readonly redisCpu: number;
  /** Of one request: scripts, commands inside and outside of them, and how often Redis is waited for. */
  readonly redisScripts: number;
  readonly redisCommands: number;
  readonly redisWaits: number;
  readonly firstTokenMs: number;
  readonly chunkMs: number;
  readonly failures: number;
}

const LOAD_REQUESTS = 4_000;
const LOAD_CONNECTIONS = 64;
const SINGLE_REQUESTS = 1_000;
const STREAMS = 3;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string' },
    json: { type: 'string' },
    rigs: { type: 'string', default: '.' },
    places: { type: 'string', default: '.' },
    shapes: { type: 'string', default: '.' },
    each: { type: 'string', default: 'Infinity' },
    part: { type: 'string', default: '0/1' },
  },
});
const rounds = Number(values.rounds ?? (positionals[0] === 'policy' ? 3 : 5));

async function sample(rig: Rig, redis: RedisClient): Promise<Sample> {
  const bytes = rig.next === undefined ? {} : { bytes: rig.next };
  pinMeasured(rig, true);
  const before = rig.cpu.map(({ pid }) => cpuSeconds(pid));
  const load = await runLoad(rig, { connections: LOAD_CONNECTIONS, requests: LOAD_REQUESTS, ...bytes });
  const spent = rig.cpu.map(({ part, pid }, index) => ({
    part,
    seconds: cpuSeconds(pid) - (before[index] ?? 0),
  }));
  const cpu = (wanted: string): number =>
    ((spent.find(({ part }) => part === wanted)?.seconds ?? 0) / LOAD_REQUESTS) * 1_000;
  pinMeasured(rig, false);
  const asked = await redisCounts(redis);
  const single = await runLoad(rig, { connections: 1, requests: SINGLE_REQUESTS, ...bytes });
  const counts = await redisCounts(redis);
  const each = (count: keyof RedisCounts): number => (counts[count] - asked[count]) / SINGLE_REQUESTS;
  const streams = [];
  for (let n = 0; n < STREAMS; n++) streams.push(await runStream(rig));
  return {
    requestsPerSecond: load.requests / load.seconds,
    p50Ms: percentile(single.latenciesMs, 0.5),
    p99Ms: percentile(single.latenciesMs, 0.99),
    envoyCpu: cpu('envoy'),
    nodeCpu: cpu('node'),
    redisCpu: cpu('redis'),
    redisScripts: each('scripts'),
    redisCommands: each('commands'),
    redisWaits: each('reads'),
    firstTokenMs: median(streams.map(({ firstTokenMs }) => firstTokenMs)),
    chunkMs: median(streams.map(({ chunkDelaysMs }) => percentile(chunkDelaysMs, 0.5))),
    failures: load.failures + single.failures,
  };
}

interface RedisCounts {
  readonly scripts: number;
  readonly commands: number;
  /** What is sent in one turn comes in one read. */
  readonly reads: number;
}

/** Of all clients, those of the bench itself among them: two commands each time. */
async function redisCounts(redis: RedisClient): Promise<RedisCounts> {
  const stats = await redis.info('stats');
  const perCommand = await redis.info('commandstats');
  const stat = (name: string): number => Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(stats)?.[1] ?? 0);
  const scripts = /^cmdstat_evalsha:calls=(\d+)/m.exec(perCommand)?.[1];
  return {
    scripts: Number(scripts ?? 0),
    commands: stat('total_commands_processed'),
    reads: stat('total_reads_processed'),
  };
}

function median(numbers: readonly number[]): number {
  return percentile(
    [...numbers].sort((a, b) => a - b),
    0.5,
  );
}

async function compare({ rigs: all, redisPort }: Rigs): Promise<object> {
  const redis = connectRedis({ ...defaultConfig().redis, addr: `127.0.0.1:${redisPort}` }, { name: 'bench' });
  await waitUntilReady(redis, 10_000);
  const wanted = new RegExp(values.rigs);
  const rigs = all.filter(({ name }) => wanted.test(name));
  const samples = new Map<string, Sample[]>(rigs.map(({ name }) => [name, []]));
  for (const rig of rigs) await runLoad(rig, { connections: 16, requests: 2_000 });
  for (let round = 1; round <= rounds; round++) {
    for (const rig of rigs) {
      process.stderr.write(`round ${round} of ${rounds}: ${rig.name}\n`);
      samples.get(rig.name)?.push(await sample(rig, redis));
    }
  }
  redis.disconnect();
  const rows = [...samples].map(([name, all]) => ({ name, ...medians(all) }));
  const noop = rows.find(({ name }) => name === 'no-op');
  const ours = rows.find(({ name }) => name === 'gateway');
  const withDlp = rows.find(({ name }) => name === 'gateway with DLP');
  const ratio = {
    nodeCpuOverNoop: (ours?.nodeCpu ?? 0) / (noop?.nodeCpu ?? 1),
    totalCpuOverNoop: total(ours) / total(noop),
    dlpNodeCpuOverGateway: (withDlp?.nodeCpu ?? 0) / (ours?.nodeCpu ?? 1),
    dlpAddedFirstTokenMs: (withDlp?.firstTokenMs ?? 0) - (ours?.firstTokenMs ?? 0),
    dlpAddedChunkMs: (withDlp?.chunkMs ?? 0) - (ours?.chunkMs ?? 0),
    addedP50Ms: (ours?.p50Ms ?? 0) - (rows.find(({ name }) => name === 'pass-through')?.p50Ms ?? 0),
  };
  printTable(rows);
  process.stdout.write(
    `\nNode CPU over the no-op processor: ${ratio.nodeCpuOverNoop.toFixed(2)}; all CPU: ` +
      `${ratio.totalCpuOverNoop.toFixed(2)}; p50 added to pass-through: ${ratio.addedP50Ms.toFixed(2)} ms\n` +
      `DLP on the gateway: Node CPU ${ratio.dlpNodeCpuOverGateway.toFixed(2)} times, first token ` +
      `${ratio.dlpAddedFirstTokenMs.toFixed(2)} ms, chunk ${ratio.dlpAddedChunkMs.toFixed(2)} ms more\n`,
  );
  return { conditions: conditions(), rows, ratio, samples: Object.fromEntries(samples) };
}

function total(row: Sample | undefined): number {
  return row === undefined ? 1 : row.envoyCpu + row.nodeCpu + row.redisCpu;
}

function medians(all: readonly Sample[]): Sample {
  const of = (pick: (one: Sample) => number): number => median(all.map(pick));
  return {
    requestsPerSecond: of((one) => one.requestsPerSecond),
    p50Ms: of((one) => one.p50Ms),
    p99Ms: of((one) => one.p99Ms),
    envoyCpu: of((one) => one.envoyCpu),
    nodeCpu: of((one) => one.nodeCpu),
    redisCpu: of((one) => one.redisCpu),
    redisScripts: of((one) => one.redisScripts),
    redisCommands: of((one) => one.redisCommands),
    redisWaits: of((one) => one.redisWaits),
    firstTokenMs: of((one) => one.firstTokenMs),
    chunkMs: of((one) => one.chunkMs),
    failures: all.reduce((sum, one) => sum + one.failures, 0),
  };
}

function printTable(rows: readonly ({ readonly name: string } & Sample)[]): void {
  const lines = rows.map((row) => [
    row.name,
    row.requestsPerSecond.toFixed(0),
    row.p50Ms.toFixed(2),
    row.p99Ms.toFixed(2),
    row.envoyCpu.toFixed(3),
    row.nodeCpu.toFixed(3),
    row.redisCpu.toFixed(3),
    row.redisScripts.toFixed(1),
    row.redisCommands.toFixed(1),
    row.redisWaits.toFixed(1),
    row.firstTokenMs.toFixed(2),
    row.chunkMs.toFixed(2),
    String(row.failures),
  ]);
  const header = [
    '',
    'req/s',
    'p50 ms',
    'p99 ms',
    'Envoy CPU',
    'Node CPU',
    'Redis CPU',
    'scripts',
    'commands',
    'waits',
    'first token ms',
    'chunk ms',
    'failed',
  ];
  printRows(header, lines);
  process.stdout.write('\nCPU in seconds per 1,000 requests; medians of the rounds.\n');
}

function printRows(header: readonly string[], lines: readonly (readonly string[])[]): void {
  for (const line of [header, header.map(() => '---'), ...lines])
    process.stdout.write(`| ${line.join(' | ')} |\n`);
}

async function quarantine(rigs: Rigs): Promise<object> {
  for (const rig of rigs.rigs) pinMeasured(rig, false);
  const result = await measureQuarantine(rigs, rounds);
  for (const [connections, addedMs] of Object.entries(result.addedP99Ms)) {
    process.stdout.write(
      `p99 of a quarantine rejection over an Envoy that answers by itself, ${connections} connections, ` +
        `1,000 requests a second: ${addedMs.toFixed(2)} ms (limit ${LIMIT_MS} ms)\n`,
    );
  }
  return { conditions: conditions(), ...result };
}

function conditions() {
  return {
    date: new Date().toISOString(),
    node: process.version,
    cpu: `${cpus().length} x ${cpus()[0]?.model ?? 'unknown'}`,
    rounds,
    load: `${LOAD_REQUESTS} requests on ${LOAD_CONNECTIONS} connections, then ${SINGLE_REQUESTS} on one; 1 KB prompt, 600 byte answer`,
    pinning: 'under load Envoy and the sidecar on one core, the rest on the other; latencies unpinned',
  };
}

async function measure(): Promise<void> {
  const rigs = await startRigs();
  try {
    const result = positionals[0] === 'quarantine' ? await quarantine(rigs) : await compare(rigs);
    if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(result, null, 2)}\n`);
  } finally {
    await rigs.close();
  }
}

async function sweep(): Promise<void> {
  const [part, parts] = values.part.split('/').map(Number);
  const isShort = await sweepTurns({
    places: new RegExp(values.places),
    shapes: new RegExp(values.shapes),
    each: Number(values.each),
    part: part ?? 0,
    parts: parts ?? 1,
  });
  if (!isShort) process.exitCode = 1;
}

async function policies(): Promise<void> {
  const rows = await measurePolicyRequests(rounds);
  const [baseline] = rows;
  const lines = rows.flatMap(({ policies: name, residentMb, requests }) =>
    requests.map(({ promptBytes, p50Ms, nodeCpuMs, envoyCpuMs, failures }, index) => {
      const over = baseline?.requests[index];
      return [
        name,
        `${promptBytes / 1_024} KB`,
        p50Ms.toFixed(2),
        nodeCpuMs.toFixed(2),
        (p50Ms - (over?.p50Ms ?? 0)).toFixed(2),
        (nodeCpuMs - (over?.nodeCpuMs ?? 0)).toFixed(2),
        envoyCpuMs.toFixed(2),
        residentMb.toFixed(0),
        String(failures),
      ];
    }),
  );
  const header = ['policies', 'prompt', 'p50 ms', 'Node CPU ms', 'p50 added', 'CPU added'];
  printRows([...header, 'Envoy CPU ms', 'resident MB', 'failed'], lines);
  save({ rows });
}

async function judging(): Promise<void> {
  const rows = await measureJudging(rounds);
  for (const { policies: name, memoryMb, calls } of rows) {
    const costs = calls.map(
      ({ promptBytes, isKnown, p50Ms, cpuMs }) =>
        `${promptBytes / 1_024} KB${isKnown ? ' read before' : ''}: p50 ${p50Ms.toFixed(3)} ms, CPU ${cpuMs.toFixed(3)} ms`,
    );
    process.stdout.write(`${name}: ${costs.join('; ')}; memory ${memoryMb.toFixed(0)} MB\n`);
  }
  save({ rows });
}

async function verify(): Promise<void> {
  const costs = await measureVerify();
  for (const { steps, seconds, cpuSeconds, peakMb } of costs) {
    process.stdout.write(
      `${steps} steps: ${seconds.toFixed(1)} s (${cpuSeconds.toFixed(1)} s of its core), at most ${peakMb.toFixed(0)} MB\n`,
    );
  }
  save({ costs });
}

async function transports(): Promise<void> {
  const rows = await measureTransports(rounds);
  for (const { name, connections, cpuMicros, leastCpuMicros, p50Ms, residentMb } of rows) {
    process.stdout.write(
      `${name}, ${String(connections)} connections: Node CPU a request ${cpuMicros.toFixed(0)} us ` +
        `(least ${leastCpuMicros.toFixed(0)}), p50 ${p50Ms.toFixed(2)} ms, ${residentMb.toFixed(0)} MB resident\n`,
    );
  }
  save({ rows });
}

/** With how busy the machine was: what is measured beside others' work is no promise. */
function save(result: object): void {
  const { date, node, cpu } = conditions();
  const all = { conditions: { date, node, cpu, rounds, slowness: slowness() }, ...result };
  process.stdout.write(
    `this machine takes ${all.conditions.slowness.toFixed(2)} times what a quiet one does\n`,
  );
  if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(all, null, 2)}\n`);
}

const kinds: Readonly<Record<string, () => Promise<void>>> = {
  sweep,
  policy: policies,
  judging,
  verify,
  transports,
};
await (kinds[positionals[0] ?? ''] ?? measure)();
