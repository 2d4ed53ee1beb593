import { percentile, runLoad } from '../support/load.ts';
import { residentBytes } from '../support/memory.ts';
import { meterCpu } from './machine.ts';
import type { Rig } from './rig.ts';
import { startTransports } from './rigs.ts';

/** The cost of one request for the process of the no-op processor, by transport and by connections. */
export interface TransportRow {
  readonly name: Rig['name'];
  readonly connections: number;
  /** Node's CPU: the median of the rounds, and the minimum. */
  readonly cpuMicros: number;
  readonly leastCpuMicros: number;
  readonly p50Ms: number;
  readonly residentMb: number;
}

const CONNECTIONS = [32, 1] as const;
const REQUESTS = { 32: 6_000, 1: 1_000 } as const;

/** Measures in interleaved rounds, so that other load affects both. */
export async function measureTransports(rounds: number): Promise<readonly TransportRow[]> {
  const { rigs, close } = await startTransports();
  try {
    for (const rig of rigs) await runLoad(rig, { connections: 16, requests: 3_000 });
    const rows: TransportRow[] = [];
    for (const connections of CONNECTIONS) {
      const samples = new Map(rigs.map((rig) => [rig, [] as { cpuMicros: number; p50Ms: number }[]]));
      for (let round = 0; round < rounds; round++) {
        for (const rig of rigs) samples.get(rig)?.push(await sample(rig, connections));
      }
      for (const [rig, all] of samples) rows.push(rowOf(rig, connections, all));
    }
    return rows;
  } finally {
    await close();
  }
}

async function sample(
  rig: Rig,
  connections: (typeof CONNECTIONS)[number],
): Promise<{ cpuMicros: number; p50Ms: number }> {
  const requests = REQUESTS[connections];
  const stop = meterCpu(rig);
  const { latenciesMs, failures } = await runLoad(rig, { connections, requests });
  if (failures > 0) throw new Error(`${String(failures)} requests failed`);
  const cpuMicros = (stop()('node') / requests) * 1e6;
  return { cpuMicros, p50Ms: percentile(latenciesMs, 0.5) };
}

function rowOf(
  rig: Rig,
  connections: number,
  samples: readonly { readonly cpuMicros: number; readonly p50Ms: number }[],
): TransportRow {
  const sorted = (pick: (one: (typeof samples)[number]) => number): number[] =>
    samples.map(pick).sort((a, b) => a - b);
  const cpu = sorted((one) => one.cpuMicros);
  return {
    name: rig.name,
    connections,
    cpuMicros: percentile(cpu, 0.5),
    leastCpuMicros: cpu[0] ?? NaN,
    p50Ms: percentile(
      sorted((one) => one.p50Ms),
      0.5,
    ),
    residentMb: residentBytes(nodePid(rig)) / 1e6,
  };
}

function nodePid({ processes }: Rig): number {
  return processes.find(({ part }) => part === 'node')?.pid ?? 0;
}
