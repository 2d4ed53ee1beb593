import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { COUNTS_MS } from '../../src/runtime/worker-protocol.ts';
import { createFakeProvider, type FakeProvider } from '../support/fake-provider/index.ts';
import { startGateway, type TestGateway, type TestKey } from '../support/gateway.ts';
import { send, type Reply } from '../support/http.ts';
import { readMetrics } from '../support/metrics.ts';
import { askWith } from '../support/ask-provider.ts';

let provider: FakeProvider;
let gateway: TestGateway;
let key: TestKey;
beforeAll(async () => {
  provider = await createFakeProvider();
  gateway = await startGateway({
    workers: 2,
    config: { providers: { openai: { base_url: provider.url } } },
  });
  key = await gateway.createKey({}, { daily: 100 });
});
afterAll(async () => {
  await gateway.stop();
  await provider.close();
});

function ask(): Promise<Reply> {
  const body = { model: 'gpt-4o', max_tokens: 50, messages: [{ role: 'user', content: 'Hi' }] };
  return askWith(gateway, key.rawKey, '/openai/v1/chat/completions', body);
}

const pidsOfWorkers = (): number[] => gateway.workers().map(({ pid }) => pid);

describe('docs/telemetry.md: before the first request', () => {
  it('the series of closed label sets exist, and the running version', async () => {
    const metrics = await readMetrics(gateway);
    const locks = { trigger: 'secret_exfiltration' };
    expect(metrics.sum('gateway_risk_locks_total', locks)).toBe(0);
    expect(metrics.sum('gateway_audit_records_total', { sink: 'file', outcome: 'dropped' })).toBe(0);
    expect(metrics.sum('gateway_policies_broken')).toBe(0);
    expect(metrics.sum('gateway_requests_total')).toBeUndefined();
    expect(metrics.sum('gateway_build_info', { version: manifest.version })).toBe(1);
  });
});

describe('docs/telemetry.md: counters', () => {
  it('never fall when workers die, so no requests and no money are invented', async () => {
    const REQUESTS = 40;
    for (let sent = 0; sent < REQUESTS; sent += 1) expect((await ask()).status).toBe(200);
    const settled = await vi.waitFor(async () => {
      const metrics = await readMetrics(gateway);
      expect(metrics.sum('gateway_requests_total')).toBe(REQUESTS);
      return metrics;
    });
    const spent = settled.sum('gateway_spend_usd_total') ?? 0;
    expect(spent).toBeGreaterThan(0);

    for (const pid of pidsOfWorkers()) {
      process.kill(pid, 'SIGKILL');
      await vi.waitFor(
        async () => {
          const metrics = await readMetrics(gateway);
          expect(metrics.sum('gateway_requests_total')).toBe(REQUESTS);
          expect(metrics.sum('gateway_request_duration_seconds_count')).toBe(REQUESTS);
          expect(metrics.sum('gateway_spend_usd_total')).toBeCloseTo(spent, 9);
          expect(pidsOfWorkers()).not.toContain(pid);
          expect((await gateway.readiness()).ready).toBe(true);
        },
        { timeout: 20_000, interval: 20 },
      );
    }
    expect((await ask()).status).toBe(200);
    await vi.waitFor(async () =>
      expect((await readMetrics(gateway)).sum('gateway_requests_total')).toBe(REQUESTS + 1),
    );
  });

  it('include the counts of a worker that died before a scrape', async () => {
    const before = (await readMetrics(gateway)).sum('gateway_requests_total') ?? 0;
    for (let sent = 0; sent < 10; sent += 1) expect((await ask()).status).toBe(200);
    await new Promise((resolve) => setTimeout(resolve, 2 * COUNTS_MS));
    for (const pid of pidsOfWorkers()) process.kill(pid, 'SIGKILL');
    await gateway.waitUntil((now) => now.workers.ready < 2);
    expect((await readMetrics(gateway)).sum('gateway_requests_total')).toBe(before + 10);
    await gateway.waitUntil((now) => now.ready);
  });
});

/** Envoy writes its access log every 10 s. */
const ACCESS_LOG_WAIT = { timeout: 30_000, interval: 250 };

describe('docs/telemetry.md: Envoy’s replies', () => {
  it('are counted if no sidecar could count them, and so are the restarts of the sidecars', async () => {
    const before = await readMetrics(gateway);
    expect(before.sum('gateway_envoy_replies_total', { type: 'gateway_unavailable' })).toBe(0);
    for (const pid of pidsOfWorkers()) process.kill(pid, 'SIGKILL');
    const refused = await vi.waitFor(async () => {
      const reply = await ask();
      expect(reply.status).toBe(503);
      return reply;
    });
    expect(refused.headers['x-gateway-error-type']).toBe('gateway_unavailable');
    const restarts = (before.sum('gateway_worker_restarts_total') ?? 0) + 2;
    await vi.waitFor(async () => {
      const after = await readMetrics(gateway);
      expect(after.sum('gateway_envoy_replies_total', { type: 'gateway_unavailable' })).toBeGreaterThan(0);
      expect(after.sum('gateway_worker_restarts_total')).toBe(restarts);
    }, ACCESS_LOG_WAIT);
    await gateway.waitUntil((now) => now.ready);
  });

  it('do not include the refusals of a sidecar', async () => {
    const before = await readMetrics(gateway);
    const refused = await send(gateway.baseUrl, { path: '/openai/v1/models' });
    expect([refused.status, refused.headers['x-gateway-error-type']]).toEqual([401, 'invalid_key']);
    const upgrade = await send(gateway.baseUrl, { headers: { connection: 'upgrade', upgrade: 'websocket' } });
    expect(upgrade.status).toBe(426);
    await vi.waitFor(async () => {
      const after = await readMetrics(gateway);
      const rises = [{}, { type: 'upgrade_not_supported' }].map((labels) => {
        const [now = NaN, then = NaN] = [after, before].map((metrics) =>
          metrics.sum('gateway_envoy_replies_total', labels),
        );
        return now - then;
      });
      expect(rises).toEqual([1, 1]);
    }, ACCESS_LOG_WAIT);
  });
});
