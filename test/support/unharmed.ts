import { expect } from 'vitest';
import type { TestGateway } from './gateway.ts';

/** Expects that Envoy and the first worker still have these pids, and that nothing failed. */
export async function expectUnharmed(
  gateway: TestGateway,
  envoyPid: number | undefined,
  workerPid: number,
): Promise<void> {
  expect(gateway.envoy()?.pid).toBe(envoyPid);
  expect(gateway.workers()[0]?.pid).toBe(workerPid);
  const metrics = await gateway.metrics();
  expect(metrics).toContain('gateway_envoy_restarts_total 0');
  expect(metrics).toContain('gateway_worker_restarts_total 0');
  expect(metrics).toContain('gateway_failures_total 0');
}
