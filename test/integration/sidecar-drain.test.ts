import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ConfigInput } from '../../src/config/schema.ts';
import { defaultConfig } from '../support/default-config.ts';
import { chat } from '../support/settings/asking.ts';
import { startListener, type Listener } from '../support/settings/listener.ts';
import { startTestSidecar } from '../support/settings/sidecar.ts';
import { useTestRedis } from '../support/redis.ts';

/** The end of a sidecar, through its own composition root: pending writes are made, and everything opened is closed. */
const STRANGER = `gw-${'b'.repeat(43)}`;
const SECRET = '0123456789abcdef0123456789abcdef';

const redis = useTestRedis();
let hooks: Listener;
let folder: string;

beforeAll(async () => {
  hooks = await startListener();
  folder = mkdtempSync(join(tmpdir(), 'gw-test-drain-'));
  writeFileSync(
    join(folder, 'a.rego'),
    'package gateway.policy\nescalate contains "asked" if input.request.model == "gpt-4-dear"\n',
  );
});
afterAll(() => rmSync(folder, { recursive: true }));

function configOf(): ConfigInput {
  return {
    server: { log_level: 'error' },
    redis: { addr: redis.addr },
    auth: { max_failures_per_minute: 1 },
    audit: { enabled: true, stdout: false },
    policy: { enabled: true, policy_dir: folder },
    zsp: { escalation_enabled: true, escalation_secret: SECRET, escalation_timeout: '0.3s' },
    alerting: {
      webhook_url: `${hooks.url}/hook`,
      secret: `whsec_${Buffer.alloc(32, 7).toString('base64')}`,
      events: ['escalation'],
    },
  };
}

/** Connections of a sidecar, by the names that it sets. */
async function connections(): Promise<readonly string[]> {
  const list = String(await redis.client.client('LIST'));
  return [...list.matchAll(/ name=(gateway-\S+)/g)].map(([, name = '']) => name).toSorted();
}

/** Threads that were started since, and still run. */
function watchThreads(): ReadonlySet<Worker> {
  const running = new Set<Worker>();
  process.on('worker', (worker) => {
    running.add(worker);
    worker.on('exit', () => running.delete(worker));
  });
  return running;
}

async function recordsWith(text: string): Promise<readonly string[]> {
  const entries = await redis.client.xrange('gateway:audit', '-', '+');
  return entries.map(([, fields]) => fields[1] ?? '').filter((record) => record.includes(text));
}

describe('a draining sidecar', () => {
  it('makes pending writes, sends its alerts, and leaves no connection and no thread', async () => {
    const threads = watchThreads();
    const config = defaultConfig(configOf(), { SERVER_INSECURE_DEV: 'true' });
    const sidecar = await startTestSidecar(config, redis);
    await expect.poll(connections).toEqual(['gateway-approvals-0', 'gateway-worker-0']);
    // The Rego engine, and its standby.
    await expect.poll(() => threads.size).toBe(2);
    const { rawKey } = await sidecar.newKey();
    for (let nth = 0; nth < 4; nth++) await sidecar.ask({ rawKey: STRANGER, body: chat('x') });
    const escalated = { ...chat('x'), model: 'gpt-4-dear' };
    expect((await sidecar.ask({ rawKey, body: escalated })).status).toBe(504);

    await sidecar.drain();

    await expect.poll(connections).toEqual([]);
    await expect.poll(() => threads.size).toBe(0);
    expect(await recordsWith('further requests without a valid key')).toEqual([
      expect.stringContaining('"requests":3'),
    ]);
    expect(await recordsWith('"status_detail":"escalation_timeout"')).toHaveLength(1);
    expect((await hooks.take(100)).map(({ body }) => body)).toEqual([
      expect.stringContaining('escalation.requested'),
    ]);
    await sidecar.close();
  });

  it('writes the audit records that wait for Redis', async () => {
    const REQUESTS = 250;
    await redis.flush();
    const { zsp: _zsp, policy: _policy, alerting: _alerting, ...audited } = configOf();
    const patient = { ...audited, auth: { max_failures_per_minute: 2 * REQUESTS } };
    const sidecar = await startTestSidecar(defaultConfig(patient, { SERVER_INSECURE_DEV: 'true' }), redis);
    await redis.pause();
    // Without a proxy key Redis is not called.
    const asked = Array.from({ length: REQUESTS }, () => sidecar.ask({ rawKey: 'none', body: chat('x') }));
    expect((await Promise.all(asked)).every(({ status }) => status === 401)).toBe(true);
    const drained = sidecar.drain();
    await delay(300);
    await redis.resume();
    await drained;
    expect(await recordsWith('"status_detail":"invalid_key"')).toHaveLength(REQUESTS);
    await sidecar.close();
  });
});
