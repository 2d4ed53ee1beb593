import { writeFileSync } from 'node:fs';
import { conditions } from './machine.ts';
import { readOptions, USAGE, type BenchOptions } from './options.ts';
import { measureJudging } from './policy.ts';
import { plotRun } from './plot.ts';
import { measurePolicyRequests } from './policy-requests.ts';
import { median } from './statistics.ts';
import { SUITE, type Measure } from './suite.ts';
import { sweepTurns } from './sweep.ts';
import { sizeText, table } from './tables.ts';
import { measureTraces } from './traces.ts';
import { measureTransports } from './transports.ts';
import { measureVerify } from './verify.ts';

async function sweep(options: BenchOptions): Promise<undefined> {
  if (!(await sweepTurns(options))) process.exitCode = 1;
}

function plot({ operands: [file] }: BenchOptions): Promise<undefined> {
  if (file === undefined)
    throw new Error('which run? npm run bench -- plot FILE draws what all --json FILE measured');
  for (const path of plotRun(file)) process.stdout.write(`${path}\n`);
  return Promise.resolve(undefined);
}

async function policies({ rounds = 3 }: BenchOptions): Promise<object> {
  const rows = await measurePolicyRequests(rounds);
  const [baseline] = rows;
  const lines = rows.flatMap(({ policies: name, residentMb, requests }) =>
    requests.map(({ promptBytes, p50Ms, nodeCpuMs, envoyCpuMs, failures }, index) => {
      const over = baseline?.requests[index];
      return [
        name,
        sizeText(promptBytes),
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
  process.stdout.write(table([...header, 'Envoy CPU ms', 'resident MB', 'failed'], lines));
  return { rows };
}

async function judging({ rounds = 5 }: BenchOptions): Promise<object> {
  const rows = await measureJudging(rounds);
  for (const { policies: name, memoryMb, calls } of rows) {
    const costs = calls.map(
      ({ promptBytes, isKnown, p50Ms, cpuMs }) =>
        `${sizeText(promptBytes)}${isKnown ? ' read before' : ''}: p50 ${p50Ms.toFixed(3)} ms, CPU ${cpuMs.toFixed(3)} ms`,
    );
    process.stdout.write(`${name}: ${costs.join('; ')}; memory ${memoryMb.toFixed(0)} MB\n`);
  }
  return { rows };
}

async function verify(): Promise<object> {
  const costs = await measureVerify();
  for (const { steps, seconds, cpuSeconds, peakMb } of costs) {
    process.stdout.write(
      `${steps} steps: ${seconds.toFixed(1)} s (${cpuSeconds.toFixed(1)} s of its core), at most ${peakMb.toFixed(0)} MB\n`,
    );
  }
  return { costs };
}

async function traces({ rounds = 5 }: BenchOptions): Promise<object> {
  const rows = await measureTraces(rounds);
  for (const { traces: name, nodeCpuMicros, added } of rows) {
    const pairs = added.toSorted((a, b) => a - b);
    const range = `${(pairs[0] ?? 0).toFixed(0)} to ${(pairs.at(-1) ?? 0).toFixed(0)}`;
    process.stdout.write(
      `traces ${name}: Node CPU a request ${nodeCpuMicros.toFixed(0)} us, added ${median(pairs).toFixed(0)} (${range})\n`,
    );
  }
  return { rows };
}

async function transports({ rounds = 5 }: BenchOptions): Promise<object> {
  const rows = await measureTransports(rounds);
  for (const { name, connections, cpuMicros, leastCpuMicros, p50Ms, residentMb } of rows) {
    process.stdout.write(
      `${name}, ${String(connections)} connections: Node CPU a request ${cpuMicros.toFixed(0)} us ` +
        `(least ${leastCpuMicros.toFixed(0)}), p50 ${p50Ms.toFixed(2)} ms, ${residentMb.toFixed(0)} MB resident\n`,
    );
  }
  return { rows };
}

const kinds: Readonly<Record<string, Measure | ((options: BenchOptions) => Promise<undefined>)>> = {
  ...SUITE,
  plot,
  sweep,
  policy: policies,
  judging,
  verify,
  transports,
  traces,
};

const options = readOptions(process.argv.slice(2));
if (options === undefined) process.stdout.write(USAGE);
else await run(options);

async function run(asked: BenchOptions): Promise<void> {
  const measures = asked.kind === 'all' ? Object.values(SUITE) : [kinds[asked.kind]];
  const results: object = {};
  for (const measure of measures) {
    if (measure === undefined)
      throw new Error(`there is no bench ${asked.kind}: npm run bench -- --help lists what there is`);
    const result = await measure(asked);
    if (result !== undefined) save(asked, Object.assign(results, result));
  }
}

/** Called after each part, so that results are kept even if later parts fail. */
function save({ rounds, json }: BenchOptions, result: object): void {
  const whole = { conditions: conditions(rounds), ...result };
  process.stdout.write(
    `this machine takes ${whole.conditions.slowness.toFixed(2)} times what a quiet one does\n`,
  );
  if (json !== undefined) writeFileSync(json, `${JSON.stringify(whole, null, 2)}\n`);
}
