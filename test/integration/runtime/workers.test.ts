import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { AggregatorRegistry } from 'prom-client';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { renderMetrics } from '../../../src/admin/metrics.ts';
import { readiness } from '../../../src/admin/readiness.ts';
import { defaultConfig } from '../../support/default-config.ts';
import { forkWorker } from '../../../src/runtime/fork.ts';
import { startWorkers, type Workers, type WorkersOptions } from '../../../src/runtime/workers.ts';

const entry = fileURLToPath(new URL('../../support/fake-worker.ts', import.meta.url));
const backoff = { initialMs: 20, maxMs: 100, resetAfterMs: 10_000, random: () => 0 };

describe('the worker processes', () => {
  let directory: string;
  let workers: Workers | undefined;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'gw-test-workers-'));
  });
  afterEach(async () => {
    await workers?.kill();
    await rm(directory, { recursive: true, force: true });
  });
  function start(count: number, options: Partial<WorkersOptions> = {}): Workers {
    workers = startWorkers({
      config: defaultConfig(),
      addresses: Array.from({ length: count }, (_, index) => ({
        kind: 'unix',
        path: join(directory, `${String(index)}.sock`),
      })),
      entry,
      backoff,
      ...options,
    });
    return workers;
  }

  it('are up once each of them listens', async () => {
    const running = start(2);
    await running.started();
    await vi.waitFor(() => {
      expect(running.status().map(({ listening, redis }) => [listening, redis])).toEqual([
        [true, true],
        [true, true],
      ]);
    });
  });

  it('add up their metrics, and report their versions', async () => {
    const running = start(3);
    await running.started();
    const state = readiness({
      envoyLive: true,
      envoyLoops: false,
      workers: running.status(),
      wantedWorkers: 3,
      redisUnfit: false,
      draining: false,
    });
    const text = await renderMetrics(await running.metrics(), {
      readiness: state,
      workers: running.status(),
      envoyRestarts: 0,
      envoyReplies: undefined,
      build: undefined,
      credentials: new Map(),
      certificates: new Map(),
    });
    expect(text).toContain('demo_total{kind="x"} 6');
    expect(text).toContain('demo_open 3');
    expect(text).toContain('gateway_workers 3');
    expect(text.match(/# TYPE demo_total counter/g)).toHaveLength(1);
  });

  it('are independent: a killed one is restarted alone', async () => {
    const running = start(2);
    await running.started();
    const [first, second] = running.status();
    process.kill(first?.pid ?? 0, 'SIGKILL');
    await vi.waitFor(() => {
      expect(running.status()[0]).toMatchObject({ listening: true, restarts: 1 });
    }, 10_000);
    expect(running.status()[1]).toMatchObject({ pid: second?.pid, restarts: 0, listening: true });
    expect(running.status()[0]?.pid).not.toBe(first?.pid);
  });

  it('are watched: a stopped one is killed and restarted, the other continues', async () => {
    const hung: number[] = [];
    const patience = { tickMs: 50, ticks: 8, startTicks: 400 };
    const running = start(2, { patience, onHang: (index) => hung.push(index) });
    await running.started();
    const [first, second] = running.status();
    process.kill(first?.pid ?? 0, 'SIGSTOP');
    await vi.waitFor(() => {
      expect(running.status()[0]).toMatchObject({ listening: true, restarts: 1, hangs: 1 });
    }, 10_000);
    expect(() => process.kill(first?.pid ?? 0, 0)).toThrow(/ESRCH/);
    expect(running.status()[1]).toMatchObject({ pid: second?.pid, restarts: 0, hangs: 0 });
    expect(hung).toEqual([0]);
    // The counts of the killed one remain.
    expect((await valuesOf(running))[0]).toBe(1 + 2 + 1);
  });

  it('are killed if they hang before they ever served', async () => {
    const running = start(1, { patience: { tickMs: 20, ticks: 5, startTicks: 10 } });
    running.started().catch(() => undefined);
    process.kill(running.status()[0]?.pid ?? 0, 'SIGSTOP');
    await vi.waitFor(() => expect(running.status()[0]?.hangs).toBeGreaterThan(0), 10_000);
  });

  it('that exit again and again are reported as a crash loop', async () => {
    const running = start(2);
    await running.started();
    for (let end = 1; end <= 4; end++) {
      expect(running.status().map(({ crashLoop }) => crashLoop)).toEqual([false, false]);
      process.kill(running.status()[1]?.pid ?? 0, 'SIGKILL');
      await vi.waitFor(() => {
        expect(running.status()[1]).toMatchObject({ listening: true, restarts: end });
      }, 10_000);
    }
    const workersNow = running.status();
    expect(workersNow.map(({ crashLoop }) => crashLoop)).toEqual([false, true]);
    const state = readiness({
      envoyLive: true,
      envoyLoops: false,
      workers: workersNow,
      wantedWorkers: 2,
      redisUnfit: false,
      draining: false,
    });
    expect(state.crash_loops).toEqual(['worker 1']);
    const text = await renderMetrics([], {
      readiness: state,
      workers: workersNow,
      envoyRestarts: 0,
      envoyReplies: undefined,
      build: undefined,
      credentials: new Map(),
      certificates: new Map(),
    });
    expect(text).toContain('gateway_crash_loops 1');
  });

  it('answer for metrics with the counts of the frozen one, and without its gauges', async () => {
    const running = start(2);
    await running.started();
    await vi.waitFor(async () => expect(await valuesOf(running)).toEqual([3, 2, 2]));
    const pid = running.status()[0]?.pid ?? 0;
    process.kill(pid, 'SIGSTOP');
    try {
      expect(await valuesOf(running)).toEqual([3, 2, 1]);
    } finally {
      process.kill(pid, 'SIGCONT');
    }
  });

  it('leave their counts behind when they are killed, and their metrics never fall', async () => {
    const running = start(2);
    await running.started();
    // No metrics are read before the first one dies.
    const seen: number[] = [];
    for (const restarts of [1, 2]) {
      process.kill(running.status()[1]?.pid ?? 0, 'SIGKILL');
      await vi.waitFor(async () => {
        seen.push((await valuesOf(running))[0] ?? 0);
        expect(running.status()[1]).toMatchObject({ listening: true, restarts });
      }, 10_000);
    }
    await vi.waitFor(async () => expect(await valuesOf(running)).toEqual([1 + 3 * 2, 4, 2]));
    expect(seen).toEqual(seen.toSorted((a, b) => a - b));
    expect(seen[0]).toBe(1 + 2);
  });

  it('start in spite of a socket file that a killed one left behind', async () => {
    await writeFile(join(directory, '0.sock'), '');
    const running = start(1);
    await expect(running.started()).resolves.toBeUndefined();
  });

  it('are joined once by one that began to load before them', async () => {
    const ahead = forkWorker(entry);
    const running = start(2, { ahead });
    await running.started();
    expect(running.status().map(({ pid }) => pid === ahead.pid)).toEqual([true, false]);
    ahead.kill('SIGKILL');
    await vi.waitFor(() => {
      expect(running.status()[0]).toMatchObject({ listening: true, restarts: 1 });
    }, 10_000);
  });

  it('start again if the first one has died', async () => {
    const ahead = forkWorker(entry);
    ahead.kill('SIGKILL');
    await once(ahead, 'exit');
    const running = start(1, { ahead });
    await running.started();
    expect(running.status()[0]).toMatchObject({ listening: true, restarts: 0 });
  });

  it('report why they cannot start', async () => {
    const running = start(1, { addresses: [{ kind: 'unix', path: join(directory, 'broken.sock') }] });
    await expect(running.started()).rejects.toThrow('the address is broken');
  });

  it('exit by themselves when they drain', async () => {
    const running = start(2);
    await running.started();
    const pids = running.status().map((worker) => worker.pid ?? 0);
    await running.drain(5_000);
    for (const pid of pids) expect(() => process.kill(pid, 0)).toThrow(/ESRCH/);
    expect(existsSync(join(directory, '0.sock'))).toBe(false);
  });

  it('do not count as hung while they drain, even if they are silent', async () => {
    const hung: number[] = [];
    const patience = { tickMs: 20, ticks: 5, startTicks: 400 };
    const running = start(1, { patience, onHang: (index) => hung.push(index) });
    await running.started();
    process.kill(running.status()[0]?.pid ?? 0, 'SIGSTOP');
    await running.drain(1_000);
    expect([hung, running.status()[0]?.hangs]).toEqual([[], 0]);
  });

  it('are killed if they do not drain in time', async () => {
    const running = start(1);
    await running.started();
    const pid = running.status()[0]?.pid ?? 0;
    process.kill(pid, 'SIGSTOP');
    await running.drain(200);
    expect(() => process.kill(pid, 0)).toThrow(/ESRCH/);
  });
});

/** The values of the fake workers' counter, histogram and gauge. */
async function valuesOf(workers: Workers): Promise<number[]> {
  const text = await AggregatorRegistry.aggregate(await workers.metrics()).metrics();
  return ['demo_total{kind="x"}', 'demo_seconds_count', 'demo_open'].map((series) => {
    const line = text.split('\n').find((one) => one.startsWith(`${series} `)) ?? '';
    return Number(line.slice(series.length));
  });
}
