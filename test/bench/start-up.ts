import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../src/runtime/free-port.ts';
import { gatewayConfig, launchGateway } from './gateway-rig.ts';
import { BOTH_CORES, pin, spentCpu } from './machine.ts';
import { startOnParts, type Parts } from './parts.ts';
import { EVERY_CHECK } from './settings.ts';
import { medians } from './statistics.ts';

/** From the command until `/readyz` is 200, with every check enabled; medians of the rounds. */
export interface StartUp {
  /** Nothing was compiled before. */
  readonly coldMs: number;
  readonly coldCpuMs: number;
  /** With the compiled code of an earlier start. */
  readonly warmMs: number;
  readonly warmCpuMs: number;
}

const FIELDS = ['coldMs', 'coldCpuMs', 'warmMs', 'warmCpuMs'] as const;

/** Cold and warm in turn, unpinned: the processes of a start run in parallel. */
export async function measureStartUp(rounds: number): Promise<StartUp> {
  const { samples, close } = await startOnParts(async (parts) => {
    pin(process.pid, BOTH_CORES);
    const samples: StartUp[] = [];
    for (let round = 1; round <= rounds; round++) {
      process.stderr.write(`start, round ${String(round)} of ${String(rounds)}\n`);
      samples.push(await coldAndWarm(parts));
    }
    return { samples };
  });
  await close();
  return medians(samples, FIELDS);
}

async function coldAndWarm(parts: Parts): Promise<StartUp> {
  const directory = mkdtempSync(join(parts.directory, 'start-'));
  const compiled = join(directory, 'compiled');
  mkdirSync(compiled);
  try {
    const cold = await startOnce({ ...parts, directory }, compiled);
    const warm = await startOnce({ ...parts, directory }, compiled);
    return { coldMs: cold.ms, coldCpuMs: cold.cpuMs, warmMs: warm.ms, warmCpuMs: warm.cpuMs };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function startOnce(
  parts: Parts,
  compiled: string,
): Promise<{ readonly ms: number; readonly cpuMs: number }> {
  const config = gatewayConfig(parts, await freePort(), await freePort(), EVERY_CHECK);
  const gateway = await launchGateway(join(parts.directory, 'gateway.yaml'), config, {
    NODE_COMPILE_CACHE: compiled,
  });
  // All their CPU time so far was part of the start.
  const cpuMs = spentCpu(gateway) * 1_000;
  await gateway.stop();
  return { ms: gateway.startMs, cpuMs };
}
