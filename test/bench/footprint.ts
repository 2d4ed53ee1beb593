import { setTimeout as sleep } from 'node:timers/promises';
import { runLoad } from '../support/load.ts';
import type { MissingRig, Rig } from './rig.ts';
import { newPrompts } from './prompts.ts';
import { residentMb, residentOnceMb } from './resident.ts';
import { startRigs } from './rigs.ts';

/** Resident memory of one process of a rig or of all of them. Each rig has the machine and a Redis to itself. */
export interface FootprintRow {
  readonly name: string;
  /** `envoy`, `worker`, …; `all` but Redis; the same with `each page once`. */
  readonly process: string;
  /** Memory some seconds after the start. */
  readonly restMb: number;
  /** The maximum while it serves. */
  readonly workMb: number;
}

export interface FootprintResult {
  readonly rows: readonly FootprintRow[];
  readonly missing: readonly MissingRig[];
}

const PROMPT_BYTES = 1_024;
const CONNECTIONS = 32;
const REQUESTS = 12_000;
const REST_MS = 6_000;
const LOOK_EVERY_MS = 200;

/** Measures one rig after another, each newly started. */
export async function measureFootprint(names: readonly string[]): Promise<FootprintResult> {
  const rows: FootprintRow[] = [];
  const missing: MissingRig[] = [];
  for (const name of names) {
    process.stderr.write(`memory: ${name}\n`);
    const started = await startRigs((one) => one === name);
    try {
      missing.push(...started.missing);
      for (const rig of started.rigs) rows.push(...(await footprintOf(rig)));
    } finally {
      await started.close();
    }
  }
  return { rows, missing };
}

async function footprintOf(rig: Rig): Promise<readonly FootprintRow[]> {
  await sleep(REST_MS);
  const rest = sizesMb(rig);
  const work = [...rest];
  const look = setInterval(() => {
    for (const [at, mb] of sizesMb(rig).entries()) work[at] = Math.max(work[at] ?? 0, mb);
  }, LOOK_EVERY_MS);
  try {
    await runLoad(rig, {
      connections: CONNECTIONS,
      requests: REQUESTS,
      bytes: newPrompts(rig, PROMPT_BYTES, rig),
    });
  } finally {
    clearInterval(look);
  }
  const titles = [...rig.processes.map(({ part, title }) => title ?? part), 'all', 'each page once'];
  return titles.map((title, at) => ({
    name: rig.name,
    process: title,
    restMb: rest[at] ?? 0,
    workMb: work[at] ?? 0,
  }));
}

/** Returns the memory of each process, of all processes except Redis, and of these with each page counted once. */
function sizesMb({ processes }: Rig): readonly number[] {
  const own = processes.filter(({ part }) => part !== 'redis').map(({ pid }) => pid);
  return [
    ...residentMb(processes.map(({ pid }) => pid)),
    residentMb(own).reduce((sum, mb) => sum + mb, 0),
    residentOnceMb(own),
  ];
}
