import { readdirSync } from 'node:fs';
import type { TestGateway } from '../support/gateway.ts';
import { envoyAllocatedBytes, inspect, residentBytes, type Inspector } from '../support/memory.ts';

const SUPERVISOR_HEAP = 'supervisor, heap';

/** Memory and descriptors of the processes while no request is open. */
export interface Sample {
  readonly atSeconds: number;
  readonly requests: number;
  /** By unit: bytes, or descriptors. */
  readonly bytes: Readonly<Record<string, number>>;
  readonly descriptors: Readonly<Record<string, number>>;
}

export interface Watch {
  sample(atSeconds: number, requests: number): Promise<Sample>;
}

/** Heaps are measured after a collection, with the debuggers of their processes, each opened once. */
export function watchProcesses(gateway: TestGateway): Watch {
  const inspectors = new Map<number, Inspector>();
  async function heapOf(pid: number): Promise<number> {
    const inspector = inspectors.get(pid) ?? (await inspect(gateway, pid));
    inspectors.set(pid, inspector);
    return inspector.heapAfterGc();
  }
  return {
    async sample(atSeconds, requests) {
      const workers = gateway.workers().map(({ pid }) => pid);
      const heaps: number[] = [];
      for (const pid of workers) heaps.push(await heapOf(pid));
      const envoy = gateway.envoy()?.pid ?? 0;
      return {
        atSeconds,
        requests,
        bytes: {
          [SUPERVISOR_HEAP]: await heapOf(gateway.pid),
          'supervisor, resident': residentBytes(gateway.pid),
          'workers, heap': mean(heaps),
          'Envoy, allocated': await envoyAllocatedBytes(gateway),
        },
        descriptors: {
          supervisor: descriptorsOf(gateway.pid),
          workers: mean(workers.map(descriptorsOf)),
          Envoy: descriptorsOf(envoy),
        },
      };
    },
  };
}

function descriptorsOf(pid: number): number {
  return readdirSync(`/proc/${String(pid)}/fd`).length;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}

/** Caches fill, and pages are kept; a steady growth exceeds that. */
const MORE_BYTES = 25_000_000;
/** The supervisor's heap after a collection has no caches. */
const MORE_HEAP_BYTES = 4_000_000;
const MORE_DESCRIPTORS = 16;

/** The values that have grown from the first third of the samples to the last. */
export function rises(samples: readonly Sample[]): string[] {
  const third = Math.max(1, Math.floor(samples.length / 3));
  const [early, late] = [samples.slice(0, third), samples.slice(-third)];
  const mostBytes = (name: string): number => (name === SUPERVISOR_HEAP ? MORE_HEAP_BYTES : MORE_BYTES);
  return [
    ...risesOf(early, late, ({ bytes }) => bytes, mostBytes, 'bytes'),
    ...risesOf(
      early,
      late,
      ({ descriptors }) => descriptors,
      () => MORE_DESCRIPTORS,
      'descriptors',
    ),
  ];
}

function risesOf(
  early: readonly Sample[],
  late: readonly Sample[],
  valuesOf: (sample: Sample) => Readonly<Record<string, number>>,
  most: (name: string) => number,
  unit: string,
): string[] {
  return Object.keys(valuesOf(early[0] as Sample)).flatMap((name) => {
    const [before, after] = [early, late].map((some) =>
      mean(some.map((sample) => valuesOf(sample)[name] ?? 0)),
    );
    const more = (after ?? 0) - (before ?? 0);
    return more > most(name) ? [`${name}: ${more.toFixed(0)} ${unit} more at the end`] : [];
  });
}
