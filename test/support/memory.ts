import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { createEnvoyAdmin, type EnvoyAdmin } from '../../src/runtime/envoy-process.ts';
import type { TestGateway } from './gateway.ts';

/** Lets SIGUSR1 open a process's debugger on a free loopback port; pass it to `startGateway` as `env`. */
export const DEBUGGABLE = { NODE_OPTIONS: '--inspect-port=127.0.0.1:0' };

const DEBUGGER_WITHIN_MS = 10_000;

/** Resident memory of a process, in bytes (Linux); 0 if it is gone. */
export function residentBytes(pid: number): number {
  try {
    const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${String(pid)}/status`, 'utf8'))?.[1];
    return Number(kilobytes ?? 0) * 1024;
  } catch {
    return 0;
  }
}

/** The admin interface of the gateway's own Envoy. */
export function envoyAdminOf(gateway: TestGateway): EnvoyAdmin {
  const configFile = /-c (\S+)/.exec(gateway.envoy()?.command ?? '')?.[1] ?? '';
  return createEnvoyAdmin(join(dirname(configFile), 'admin.sock'));
}

/** Bytes allocated by Envoy. */
export async function envoyAllocatedBytes(gateway: TestGateway): Promise<number> {
  const { body } = await envoyAdminOf(gateway).get('/memory');
  return Number((JSON.parse(body) as { allocated: string }).allocated);
}

/** Envoy's counters and gauges whose names match. */
export async function envoyStats(gateway: TestGateway, filter: string): Promise<ReadonlyMap<string, number>> {
  const { body } = await envoyAdminOf(gateway).get(`/stats?filter=${encodeURIComponent(filter)}`);
  const stats = body.matchAll(/^(\S+): (\d+)$/gm);
  return new Map(Array.from(stats, ([, name = '', value]) => [name, Number(value)]));
}

/** The debugger of one Node process of a gateway that runs with `DEBUGGABLE`. */
export interface Inspector {
  /** Memory after a full collection: the JavaScript heap, and the buffers that it refers to. */
  heapAfterGc(): Promise<number>;
}

export async function inspect(gateway: TestGateway, pid: number): Promise<Inspector> {
  const before = gateway.logs().length;
  process.kill(pid, 'SIGUSR1');
  const deadline = Date.now() + DEBUGGER_WITHIN_MS;
  let url: string | undefined;
  while (url === undefined) {
    if (Date.now() > deadline) throw new Error('the debugger did not open');
    await sleep(20);
    url = /Debugger listening on (ws:\S+)/.exec(gateway.logs().slice(before))?.[1];
  }
  const address = url;
  return {
    heapAfterGc: async () => {
      const socket = new WebSocket(address);
      await new Promise((resolve, reject) => {
        socket.addEventListener('open', resolve);
        socket.addEventListener('error', () => reject(new Error('the debugger does not answer')));
      });
      await call(socket, 1, 'HeapProfiler.collectGarbage');
      const { usedSize, backingStorageSize } = await call(socket, 2, 'Runtime.getHeapUsage');
      socket.close();
      return Number(usedSize) + Number(backingStorageSize);
    },
  };
}

function call(socket: WebSocket, id: number, method: string): Promise<Readonly<Record<string, unknown>>> {
  return new Promise((resolve, reject) => {
    socket.addEventListener('message', ({ data }) => {
      const message = JSON.parse(String(data)) as { id?: number; result?: Record<string, unknown> };
      if (message.id === id) resolve(message.result ?? {});
    });
    socket.addEventListener('close', () => reject(new Error('the debugger hung up')));
    socket.send(JSON.stringify({ id, method }));
  });
}

/** Slope of a least-squares line through points `[x, y]`. */
export function slope(points: readonly (readonly [number, number])[]): number {
  const mean = (index: 0 | 1): number => points.reduce((sum, point) => sum + point[index], 0) / points.length;
  const [meanX, meanY] = [mean(0), mean(1)];
  const covariance = points.reduce((sum, [x, y]) => sum + (x - meanX) * (y - meanY), 0);
  return covariance / points.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0);
}
