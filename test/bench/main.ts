import { writeFileSync } from 'node:fs';
import { conditions } from './machine.ts';
import { readOptions, type BenchOptions } from './options.ts';
import { measureJudging } from './policy.ts';
import { plotRun } from './plot.ts';
import { measurePolicyRequests } from './policy-requests.ts';
import { SUITE, type Measure } from './suite.ts';
import { sweepTurns } from './sweep.ts';
import { sizeText, table } from './tables.ts';
import { measureTransports } from './transports.ts';
import { measureVerify } from './verify.ts';

/**
 * `npm run bench [-- KIND] [--size 1k,32k,1m] [--rounds 5] [--rigs REGEX] [--json FILE]`. Of a gateway beside an Envoy
 * that only passes on, one whose external processor looks at nothing, and Portkey's gateway with regex guards, in
 * interleaved rounds on one core: `cost` (what it is without a KIND) of a request, `histories` of agents, `streams`,
 * `quarantine` (a rejection at the request headers), `footprint` (memory, and how long a start takes), `all` of these.
 * `plot FILE` draws what `all --json FILE` has measured.
 *
 * `sweep [--places REGEX] [--shapes REGEX] [--each N] [--part I/N] [--masking]` measures the longest turn of the event
 * loop that hostile requests and answers can make (with a policy's mask rules in place of DLP), `policy` requests through gateways that differ in their policies, `judging`
 * what judging a call costs by itself, in process, `verify` what a trace of 100,000 steps takes, and `transports` what
 * carrying a request to the sidecar costs over each `server.extproc.transport`.
 */
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
};

const options = readOptions(process.argv.slice(2));
const measures = options.kind === 'all' ? Object.values(SUITE) : [kinds[options.kind]];
const results: object = {};
for (const measure of measures) {
  if (measure === undefined)
    throw new Error(`there is no bench ${options.kind}: it is one of ${Object.keys(kinds).join(', ')}, all`);
  const result = await measure(options);
  if (result !== undefined) save(Object.assign(results, result));
}

/** After each part of all: what is measured is kept, whatever becomes of the rest. */
function save(result: object): void {
  const whole = { conditions: conditions(options.rounds), ...result };
  process.stdout.write(
    `this machine takes ${whole.conditions.slowness.toFixed(2)} times what a quiet one does\n`,
  );
  if (options.json !== undefined) writeFileSync(options.json, `${JSON.stringify(whole, null, 2)}\n`);
}
