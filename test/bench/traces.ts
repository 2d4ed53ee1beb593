import type { ConfigInput } from '../../src/config/schema.ts';
import { runLoad } from '../support/load.ts';
import { startGrpcReceiver } from '../support/otlp-receiver.ts';
import { startGateway } from './gateway-rig.ts';
import { meterCpu } from './machine.ts';
import { startOnParts } from './parts.ts';
import { newPrompts } from './prompts.ts';
import type { Rig } from './rig.ts';
import { EQUAL_WORK } from './settings.ts';
import { median } from './statistics.ts';

/** The cost of traces for a request of 1 KB, in microseconds of the worker's CPU. */
export interface TracesCost {
  readonly traces: string;
  /** Median of the rounds; the first row is the baseline of the others. */
  readonly nodeCpuMicros: number;
  /** Differences to the baseline of the same round, in order. */
  readonly added: readonly number[];
}

const REQUESTS = 1_500;
const CONNECTIONS = 8;
const PROMPT_BYTES = 1_024;

interface Traced {
  readonly traces: string;
  readonly rig: Rig;
  readonly micros: number[];
}

/** Gateways that differ only in their traces, in rounds in which each has its turn. Spans go to an OTLP receiver. */
export async function measureTraces(rounds: number): Promise<readonly TracesCost[]> {
  const receiver = await startGrpcReceiver();
  const { gateways, close } = await startTracedGateways(receiver.endpoint);
  try {
    // The first two rounds warm up.
    for (let round = -1; round <= rounds; round++) {
      process.stderr.write(`round ${round} of ${rounds}\n`);
      for (const gateway of gateways) {
        const micros = await cpuMicros(gateway.rig);
        if (round > 0) gateway.micros.push(micros);
      }
    }
  } finally {
    await close();
    await receiver.close();
  }
  const [baseline] = gateways;
  return gateways.map(({ traces, micros }) => ({
    traces,
    nodeCpuMicros: median(micros),
    added: micros.map((one, index) => one - (baseline?.micros[index] ?? 0)),
  }));
}

function startTracedGateways(endpoint: string) {
  const wanted: readonly (readonly [string, ConfigInput['otel']])[] = [
    ['off', { enabled: false }],
    ['sampling_rate 0', { enabled: true, endpoint, sampling_rate: 0 }],
    ['sampling_rate 0.1', { enabled: true, endpoint, sampling_rate: 0.1 }],
    ['sampling_rate 1', { enabled: true, endpoint, sampling_rate: 1 }],
  ];
  return startOnParts(async (parts) => {
    const gateways: Traced[] = [];
    for (const [traces, otel] of wanted) {
      const { rig } = await startGateway(parts, traces, { ...EQUAL_WORK, otel }, ['budgets', 'dlp']);
      gateways.push({ traces, rig, micros: [] });
    }
    return { gateways };
  });
}

async function cpuMicros(rig: Rig): Promise<number> {
  const stop = meterCpu(rig);
  const { failures } = await runLoad(rig, {
    connections: CONNECTIONS,
    requests: REQUESTS,
    bytes: newPrompts(rig, PROMPT_BYTES),
  });
  if (failures > 0) throw new Error(`${String(failures)} requests failed`);
  return (stop()('node') / REQUESTS) * 1_000_000;
}
