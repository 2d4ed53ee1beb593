import { writeFileSync } from 'node:fs';
import { measureCost } from './cost.ts';
import { conditions } from './machine.ts';
import { readOptions } from './options.ts';
import { measureJudging } from './policy.ts';
import { measurePolicyRequests } from './policy-requests.ts';
import { LIMIT_MS, measureQuarantine } from './quarantine.ts';
import { startRejection, startRigs } from './rigs.ts';
import { sweepTurns } from './sweep.ts';
import { costTable, sizeText, table } from './tables.ts';
import { measureTransports } from './transports.ts';
import { measureVerify } from './verify.ts';

/**
 * `npm run bench [-- --size 1k,32k,1m] [--rounds 5] [--rigs REGEX] [--json FILE]`: what a request costs, in interleaved
 * rounds on one core, beside an Envoy that only passes on, one whose external processor looks at nothing, and
 * Portkey's gateway with regex guards. `npm run bench -- quarantine` measures a rejection at the request headers, and
 * `npm run bench -- sweep [--places REGEX] [--shapes REGEX] [--each N] [--part I/N]` the longest turn of the event loop
 * that hostile requests and answers can make. `npm run bench -- policy` measures requests through gateways that differ
 * in their policies, `npm run bench -- judging` what judging a call costs by itself, in process, and `npm run bench --
 * verify` what a trace of 100,000 steps takes. `npm run bench -- transports` measures what carrying a request to the
 * sidecar costs over each `server.extproc.transport`.
 */
const options = readOptions(process.argv.slice(2));
const rounds = options.rounds ?? (options.kind === 'policy' ? 3 : 5);

async function cost(): Promise<void> {
  const { close, ...rigs } = await startRigs(options.rigs);
  try {
    const result = await measureCost(rigs, { rounds, sizes: options.sizes });
    process.stdout.write(costTable(result));
    save({ cost: result });
  } finally {
    await close();
  }
}

async function quarantine(): Promise<void> {
  const { close, ...targets } = await startRejection();
  try {
    const result = await measureQuarantine(targets, rounds);
    for (const [connections, addedMs] of Object.entries(result.addedP99Ms)) {
      process.stdout.write(
        `p99 of a quarantine rejection over an Envoy that answers by itself, ${connections} connections, ` +
          `1,000 requests a second: ${addedMs.toFixed(2)} ms (limit ${String(LIMIT_MS)} ms)\n`,
      );
    }
    save({ rejection: result });
  } finally {
    await close();
  }
}

async function sweep(): Promise<void> {
  if (!(await sweepTurns(options))) process.exitCode = 1;
}

async function policies(): Promise<void> {
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
  save({ rows });
}

async function judging(): Promise<void> {
  const rows = await measureJudging(rounds);
  for (const { policies: name, memoryMb, calls } of rows) {
    const costs = calls.map(
      ({ promptBytes, isKnown, p50Ms, cpuMs }) =>
        `${sizeText(promptBytes)}${isKnown ? ' read before' : ''}: p50 ${p50Ms.toFixed(3)} ms, CPU ${cpuMs.toFixed(3)} ms`,
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

/** With how busy the machine was. */
function save(result: object): void {
  const all = { conditions: conditions(rounds), ...result };
  process.stdout.write(
    `this machine takes ${all.conditions.slowness.toFixed(2)} times what a quiet one does\n`,
  );
  if (options.json !== undefined) writeFileSync(options.json, `${JSON.stringify(all, null, 2)}\n`);
}

const kinds: Readonly<Record<string, () => Promise<void>>> = {
  cost,
  quarantine,
  sweep,
  policy: policies,
  judging,
  verify,
  transports,
};
const measure = kinds[options.kind];
if (measure === undefined)
  throw new Error(`there is no bench ${options.kind}: it is one of ${Object.keys(kinds).join(', ')}`);
await measure();
