import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { afterEach, describe, expect, it, vi } from 'vitest';

import { LEASE_MS, readAccount } from '../../support/account.ts';
import { startCannedProvider } from '../../support/canned.ts';
import { createFakeProvider, type FakeProvider } from '../../support/fake-provider/index.ts';
import { startGateway, type GatewayOptions, type TestGateway, type TestKey } from '../../support/gateway.ts';
import { send, type Reply } from '../../support/http.ts';
import { runLoad, type LoadResult } from '../../support/load.ts';
import { envoyAdminOf } from '../../support/memory.ts';
import { envoyPath } from '../../support/parts.ts';
import { startTestRedis } from '../../support/redis.ts';
import { WHOLE } from '../../support/seeded-part.ts';

/** Sidecar processes that die, hang or stop while clients come and go. */
const CHAT = '/openai/v1/chat/completions';
const PROVIDER_KEY = 'sk-the-provider-key';
const PRICING = {
  overrides: {
    'gpt-4o-mini': { input: 1, output: 10, max_output_tokens: 1_000 },
    'gpt-test': { input: 1, output: 10, max_output_tokens: 1_000 },
  },
};

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function start(providerUrl: string, options: GatewayOptions = {}): Promise<TestGateway> {
  const gateway = await startGateway({
    workers: 2,
    ...options,
    config: {
      server: { log_level: 'warn' },
      providers: { openai: { base_url: providerUrl } },
      pricing: PRICING,
      ...options.config,
    },
  });
  closers.push(() => gateway.stop());
  return gateway;
}

describe('two sidecar processes under load', () => {
  const CONNECTIONS = 32;
  const SLACK_MS = 200;

  interface Failure {
    readonly status: string;
    /** When it was sent and when it failed, relative to the fault. */
    readonly sentMs: number;
    readonly failedMs: number;
  }

  /** Load before, at and after a fault. */
  function underLoad(gateway: TestGateway, key: TestKey) {
    const stopping = new AbortController();
    const failures: { status: string; sentAt: number; at: number }[] = [];
    let faultAt = Infinity;
    const load = runLoad(
      {
        port: gateway.port,
        path: CHAT,
        headers: { authorization: `Bearer ${key.rawKey}`, 'x-gateway-provider-key': PROVIDER_KEY },
      },
      {
        connections: CONNECTIONS,
        requests: Infinity,
        signal: stopping.signal,
        onAnswer: (status, latencyMs) => {
          const at = performance.now();
          if (status !== '200') failures.push({ status, sentAt: at - latencyMs, at });
        },
      },
    );
    return {
      fault: (cause: () => void) => {
        faultAt = performance.now();
        cause();
      },
      sinceFaultMs: () => performance.now() - faultAt,
      stop: async (): Promise<{ load: LoadResult; failures: readonly Failure[] }> => {
        stopping.abort();
        return {
          load: await load,
          failures: failures.map(({ status, sentAt, at }) => ({
            status,
            sentMs: sentAt - faultAt,
            failedMs: at - faultAt,
          })),
        };
      },
    };
  }

  async function rig(): Promise<{ gateway: TestGateway; key: TestKey }> {
    const provider = await startCannedProvider();
    closers.push(() => provider.close());
    const gateway = await start(provider.url);
    return { gateway, key: await gateway.createKey({}, { monthly: 100_000 }) };
  }

  it('share the work, and /metrics adds their counts', async () => {
    const { gateway, key } = await rig();
    const running = underLoad(gateway, key);
    await eachServes(gateway, 500);
    const { load, failures } = await running.stop();
    expect(failures).toEqual([]);
    const shares = [...(await requestsByWorker(gateway)).values()];
    expect(shares).toHaveLength(2);
    for (const share of shares) expect(share).toBeGreaterThan(load.requests / 3);
    await vi.waitFor(async () => {
      const metrics = await gateway.metrics();
      expect(total(metrics, 'gateway_requests_total')).toBe(load.requests);
      expect(total(metrics, 'gateway_request_duration_seconds_count')).toBe(load.requests);
      expect(total(metrics, 'gateway_workers')).toBe(2);
    });
  });

  it('one is killed: only its requests in flight fail, the other continues, and it is restarted', async () => {
    const { gateway, key } = await rig();
    const pids = gateway.workers().map(({ pid }) => pid);
    const running = underLoad(gateway, key);
    await eachServes(gateway, 500);
    running.fault(() => process.kill(pids[0] ?? 0, 'SIGKILL'));
    await gateway.waitUntil((now) => now.workers.ready < 2);
    await gateway.waitUntil((now) => now.ready);
    const backMs = running.sinceFaultMs();
    // Both serve again.
    await eachServes(gateway, 500);
    const { load, failures } = await running.stop();
    report('killed', load, failures, `back after ${backMs.toFixed(0)} ms`);

    expect(failures.length).toBeLessThanOrEqual(CONNECTIONS);
    for (const { status, sentMs, failedMs } of failures) {
      expect(status).toBe('503');
      expect(sentMs).toBeLessThan(100);
      expect(failedMs).toBeLessThan(1_000);
    }
    const now = gateway.workers().map(({ pid }) => pid);
    expect(now.filter((pid) => pids.includes(pid))).toHaveLength(1);
    expect(now).toHaveLength(2);
    await expectNothingHeld(gateway, key, LEASE_MS + 1_000);
  });

  it('one hangs: it is replaced within 5 s, /metrics does not wait for it, and it is restarted', async () => {
    const { gateway, key } = await rig();
    const [hung = 0] = gateway.workers().map(({ pid }) => pid);
    const running = underLoad(gateway, key);
    await delay(1_000);
    running.fault(() => process.kill(hung, 'SIGSTOP'));
    closers.push(() => resume(hung));
    await delay(5_000);
    const askedAt = performance.now();
    const metrics = await gateway.metrics();
    expect(performance.now() - askedAt).toBeLessThan(2_500);
    expect(metrics).toContain('gateway_requests_total');
    // Envoy abandons the worker's requests, and sends it no more.
    await delay(4_000);
    const outMs = running.sinceFaultMs();
    resume(hung);
    await eachServes(gateway, 50);
    await delay(1_000);
    const { load, failures } = await running.stop();
    report('hung', load, failures, `resumed after ${outMs.toFixed(0)} ms`);

    for (const { status } of failures) expect(status).toBe('503');
    const whileHung = failures.filter(({ sentMs }) => sentMs < outMs - SLACK_MS);
    expect(whileHung.length).toBeGreaterThan(0);
    expect(whileHung.length).toBeLessThanOrEqual(2 * CONNECTIONS);
    for (const { sentMs } of whileHung) expect(sentMs).toBeLessThan(5_000);
    // It resumes with a Redis connection that timed out meanwhile, and refuses until it has another.
    for (const { failedMs } of failures) expect(failedMs).toBeLessThan(outMs + 1_500);
    expect(gateway.workers().map(({ pid }) => pid)).toContain(hung);
    await expectNothingHeld(gateway, key, LEASE_MS + 1_000);
  });

  function report(what: string, load: LoadResult, failures: readonly Failure[], more: string): void {
    const span = (values: readonly number[]): string =>
      values.length === 0
        ? '-'
        : `${Math.min(...values).toFixed(0)}..${Math.max(...values).toFixed(0)} ms after the fault`;
    console.log(
      `${what}: ${String(failures.length)} of ${String(load.requests)} failed, ` +
        `sent ${span(failures.map(({ sentMs }) => sentMs))}, failed ${span(failures.map(({ failedMs }) => failedMs))}; ${more}`,
    );
  }
});

function resume(pid: number): void {
  try {
    process.kill(pid, 'SIGCONT');
  } catch {
    // It has ended since.
  }
}

/** ext_proc streams and health checks of each worker's socket, as counted by Envoy. */
async function requestsByWorker(gateway: TestGateway): Promise<ReadonlyMap<string, number>> {
  const { body } = await envoyAdminOf(gateway).get('/clusters');
  const lines = body.matchAll(/^sidecar::(\S+worker-\d\.sock)::rq_total::(\d+)$/gm);
  return new Map(Array.from(lines, ([, worker = '', count]) => [worker, Number(count)]));
}

/** Waits until each of two workers has got this many more requests. */
async function eachServes(gateway: TestGateway, more: number): Promise<void> {
  const before = await requestsByWorker(gateway);
  await vi.waitFor(
    async () => {
      const now = await requestsByWorker(gateway);
      expect(now.size).toBe(2);
      for (const [worker, requests] of now)
        expect(requests).toBeGreaterThan((before.get(worker) ?? 0) + more);
    },
    { timeout: 10_000, interval: 100 },
  );
}

/** The sum of a metric over its labels. */
function total(metrics: string, name: string): number {
  const values = metrics.matchAll(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, 'gm'));
  return Array.from(values, ([, value]) => Number(value)).reduce((sum, value) => sum + value, 0);
}

async function expectNothingHeld({ redis }: TestGateway, key: TestKey, afterMs = 0): Promise<void> {
  await vi.waitFor(async () => {
    const { spent, reserved } = await readAccount(redis, key.keyHash, afterMs);
    expect(reserved).toBe(0);
    expect(spent).toBeGreaterThan(0);
  });
}

describe('SIGTERM while clients come and go', () => {
  const CLIENTS = 40;
  const PIECES = 16;
  const DRAIN_TIMEOUT = '5s';
  /** New connections are accepted for a fifth of it. */
  const REFUSED_AFTER_MS = 1_000;
  const SLACK_MS = 200;

  /** One request, and what its client knows of it. */
  interface Sent {
    readonly id: string;
    /** When it was sent, relative to the signal; negative before it. */
    readonly sentMs: number;
    readonly hungUp: boolean;
    readonly reply: Reply;
  }

  it.each(WHOLE ? [1, 2, 3, 4, 5] : [1, 2])(
    'no accepted request fails, and none is uncharged (round %i)',
    async () => {
      const provider = await createFakeProvider();
      closers.push(() => provider.close());
      provider.behave(({ json }) =>
        json.stream === true
          ? { outputTokens: PIECES, pieceDelayMs: 50 }
          : { outputTokens: 5, headersDelayMs: Math.random() * 100 },
      );
      const redis = await startTestRedis();
      closers.push(() => redis.close());
      const envoy = await watchedEnvoy();
      const gateway = await start(provider.url, {
        redis,
        config: {
          server: { log_level: 'warn', drain_timeout: DRAIN_TIMEOUT },
          envoy: { path: envoy.path },
        },
      });
      const key = await gateway.createKey({}, { monthly: 100_000 });

      const clients = comeAndGo(gateway, key);
      await delay(1_500);
      const signalledAt = performance.now();
      gateway.signal('SIGTERM');
      const code = await gateway.exited;
      const tookMs = performance.now() - signalledAt;
      const sent = await clients.stop(signalledAt);

      const seen = byId(provider);
      const failed = sent.filter(({ reply }) => reply.status >= 500);
      const dropped = sent.filter(
        ({ id, hungUp, reply }) => !hungUp && seen.has(id) && (reply.status !== 200 || reply.cut),
      );
      const refused = sent.filter(({ hungUp, reply }) => !hungUp && reply.status === 0);
      const served = sent.filter(({ reply }) => reply.status === 200 && !reply.cut);
      console.log(
        `${String(sent.length)} sent, ${String(served.length)} served (${String(served.filter(({ sentMs }) => sentMs > 0).length)} after the signal), ` +
          `${String(sent.filter(({ hungUp }) => hungUp).length)} hung up, ${String(refused.length)} refused, ` +
          `${String(failed.length)} failed, ${String(dropped.length)} dropped; gone after ${tookMs.toFixed(0)} ms`,
      );
      expect([code, await envoy.exitCode()]).toEqual([0, 0]);
      expect(failed.map(({ sentMs, reply }) => [sentMs, reply.status, reply.body])).toEqual([]);
      expect(dropped.map(({ sentMs, reply }) => [sentMs, reply.status, reply.body.length])).toEqual([]);
      expect(refused.filter(({ sentMs }) => sentMs < REFUSED_AFTER_MS - SLACK_MS)).toEqual([]);
      expect(served.length).toBeGreaterThan(100);

      expect(provider.requests.length).toBeGreaterThan(100);
      for (const request of provider.requests) expectVouchedFor(request, key);
      const { spent, reserved } = await readAccount(redis, key.keyHash);
      expect(reserved).toBe(0);
      expect(spent).toBeGreaterThan(0);
    },
  );

  /** Only the sidecar sets the provider's key, requests the usage, and removes our key. */
  function expectVouchedFor(request: FakeProvider['requests'][number], key: TestKey): void {
    expect(request.headers['authorization']).toBe(`Bearer ${PROVIDER_KEY}`);
    expect(JSON.stringify(request.headers) + request.body.toString()).not.toContain(key.rawKey);
    expect(Object.keys(request.headers).filter((name) => name.startsWith('x-gateway'))).toEqual([]);
    if (request.json['stream'] === true)
      expect(request.json['stream_options']).toEqual({ include_usage: true });
  }

  function byId(provider: FakeProvider): ReadonlySet<unknown> {
    return new Set(provider.requests.map(({ json }) => json['user']));
  }

  /** Clients that repeat requests, half of them streams; they abort a third of the requests. */
  function comeAndGo(gateway: TestGateway, key: TestKey) {
    const sent: (Omit<Sent, 'sentMs'> & { sentAt: number })[] = [];
    const agent = new Agent({ keepAlive: true });
    let stopped = false;
    async function ask(client: number, turn: number): Promise<void> {
      const id = `c${String(client)}-${String(turn)}`;
      const leave = new AbortController();
      const patience =
        Math.random() < 0.33 ? setTimeout(() => leave.abort(), Math.random() * 400) : undefined;
      const sentAt = performance.now();
      const reply = await send(gateway.baseUrl, {
        path: CHAT,
        headers: {
          authorization: `Bearer ${key.rawKey}`,
          'x-gateway-provider-key': PROVIDER_KEY,
          'content-type': 'application/json',
        },
        body: JSON.stringify({
          model: 'gpt-test',
          max_tokens: 100,
          stream: client % 2 === 0,
          user: id,
          messages: [{ role: 'user', content: 'Hello' }],
        }),
        signal: leave.signal,
        ...(client % 3 === 0 ? { agent } : {}),
      });
      clearTimeout(patience);
      sent.push({ id, sentAt, hungUp: leave.signal.aborted, reply });
      if (reply.status === 0) await delay(20);
    }
    const clients = Array.from({ length: CLIENTS }, async (_, client) => {
      for (let turn = 0; !stopped; turn++) await ask(client, turn);
    });
    return {
      stop: async (signalledAt: number): Promise<readonly Sent[]> => {
        stopped = true;
        await Promise.all(clients);
        agent.destroy();
        return sent.map(({ sentAt, ...rest }) => ({ ...rest, sentMs: sentAt - signalledAt }));
      },
    };
  }

  /** Envoy behind a shell that records how it ended. */
  async function watchedEnvoy(): Promise<{ readonly path: string; exitCode(): Promise<number> }> {
    const directory = await mkdtemp(join(tmpdir(), 'gw-test-envoy-'));
    closers.push(() => rm(directory, { recursive: true, force: true }));
    const path = join(directory, 'envoy');
    const script = [
      '#!/bin/sh',
      `'${await envoyPath()}' "$@" &`,
      'child=$!',
      `trap 'kill -TERM $child' TERM`,
      'wait $child; code=$?',
      // The trap interrupts the first wait.
      'while kill -0 $child 2>/dev/null; do wait $child; code=$?; done',
      `echo $code > '${directory}/code'`,
      'exit $code',
    ];
    await writeFile(path, `${script.join('\n')}\n`);
    await chmod(path, 0o755);
    return { path, exitCode: async () => Number(await readFile(join(directory, 'code'), 'utf8')) };
  }
});
