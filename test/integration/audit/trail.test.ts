import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { createStreamStore } from '../../../src/audit/stream-store.ts';
import { startAudit } from '../../../src/audit/start-audit.ts';
import { tail } from '../../../src/audit/tail.ts';
import { CREATE_PLANNER } from '../../support/create-planner.ts';
import { parsed } from '../../support/exchange.ts';
import { useTestRedis } from '../../support/redis.ts';
import { telemetryRig } from '../../support/telemetry-rig.ts';
import { runCli, type Ended } from '../../support/run-cli.ts';

const redis = useTestRedis();
beforeEach(() => redis.flush());

const exchange = () => parsed({ body: { model: 'gpt-4o', messages: [] } });

async function rig(audit: object = {}) {
  const { lines, ...made } = await telemetryRig({
    audit: { enabled: true, stdout: false, ...audit },
    redis: { addr: redis.addr, read_timeout: '200ms' },
  });
  const { metrics, redis: client } = made;
  const trail = await startAudit({ ...made, log: { error: () => undefined, warn: () => undefined } });
  async function counted(sink: string, outcome: string): Promise<number> {
    const { values } = await metrics.auditRecords.get();
    return values.find(({ labels }) => labels.sink === sink && labels.outcome === outcome)?.value ?? 0;
  }
  return {
    trail,
    lines,
    counted,
    async close() {
      await trail.close();
      client.disconnect();
    },
  };
}

const streamed = async (): Promise<string[]> =>
  (await redis.client.xrange('gateway:audit', '-', '+')).map(([, fields]) => fields[1] ?? '');

describe('the audit trail', () => {
  it('is in the stream before a request proceeds, and on standard output', async () => {
    const { trail, lines, close } = await rig({ stdout: true });
    await trail.audited.forwarding(exchange(), trail.audited.losses());
    expect(await streamed()).toHaveLength(1);
    expect(lines).toEqual([`${(await streamed())[0] ?? ''}\n`]);
    await close();
  });

  it('writes the records of many concurrent requests once each, in few round trips', async () => {
    const { trail, close } = await rig();
    const before = Number(/evalsha:calls=(\d+)/.exec(await redis.client.info('commandstats'))?.[1] ?? 0);
    await Promise.all(
      Array.from({ length: 500 }, () => trail.audited.forwarding(exchange(), trail.audited.losses())),
    );
    const after = Number(/evalsha:calls=(\d+)/.exec(await redis.client.info('commandstats'))?.[1] ?? 0);
    expect(after - before).toBeLessThan(10);
    const ids = (await streamed()).map(
      (line) => (JSON.parse(line) as { metadata: { uid: string } }).metadata.uid,
    );
    expect(new Set(ids).size).toBe(500);
    expect(ids).toHaveLength(500);
    await close();
  });

  it('ignores a repeated batch', async () => {
    const store = createStreamStore({ client: redis.client, deadlineMs: 1_000, maxLength: 100 });
    await store.append(['{"a":1}'], 'one');
    await store.append(['{"a":1}'], 'one');
    expect(await streamed()).toEqual(['{"a":1}']);
  });

  it('keeps about audit.stream_max_length records', async () => {
    const store = createStreamStore({ client: redis.client, deadlineMs: 1_000, maxLength: 200 });
    for (let batch = 0; batch < 20; batch += 1)
      await store.append(Array<string>(100).fill('{}'), String(batch));
    expect(await redis.client.xlen('gateway:audit')).toBeLessThan(400);
    expect(await redis.client.xlen('gateway:audit')).toBeGreaterThanOrEqual(200);
  });

  it('refuses requests that it cannot record while Redis hangs or is full, and catches up later', async () => {
    const { trail, close } = await rig();
    await trail.audited.forwarding(exchange(), trail.audited.losses());
    await redis.pause();
    await expect(trail.audited.forwarding(exchange(), trail.audited.losses())).rejects.toMatchObject({
      type: 'redis_unavailable',
    });
    await redis.resume();
    await expect.poll(streamed, { timeout: 10_000 }).toHaveLength(2);

    await redis.configSet('maxmemory', '1');
    await expect(trail.audited.forwarding(exchange(), trail.audited.losses())).rejects.toMatchObject({
      type: 'redis_unavailable',
    });
    await redis.configSet('maxmemory', '0');
    await expect.poll(streamed, { timeout: 10_000 }).toHaveLength(3);
    await trail.audited.answer(trail.audited.losses());
    await close();
  });

  it('delays no request without audit.required, and counts dropped records', async () => {
    const { trail, counted, close } = await rig();
    await redis.pause();
    const started = performance.now();
    const refusal = { type: 'policy_denied', message: 'no' };
    for (let nth = 0; nth < 10_050; nth += 1) {
      trail.observer.finished({
        requestId: 'r',
        clientAddress: '127.0.0.1',
        exchange: undefined,
        refusal,
        status: 403,
        outcome: { kind: 'not_forwarded' },
        usage: undefined,
        durationMs: 1,
        isLogged: true,
      });
    }
    expect(performance.now() - started).toBeLessThan(5_000);
    expect(await counted('stream', 'dropped')).toBe(50);
    // A request that began before a loss may have lost its record and is refused, even once the rest is written.
    // A later request is not.
    await redis.resume();
    const refused = { type: 'redis_unavailable' };
    await expect(trail.audited.answer(0)).rejects.toMatchObject(refused);
    await expect.poll(() => redis.client.xlen('gateway:audit'), { timeout: 10_000 }).toBe(10_000);
    await expect(trail.audited.answer(49)).rejects.toMatchObject(refused);
    await expect(trail.audited.answer(0)).rejects.toMatchObject(refused);
    expect(trail.audited.losses()).toBe(50);
    await trail.audited.answer(50);
    await close();
  });
});
const folder = await mkdtemp(join(tmpdir(), 'audit-on-'));
await writeFile(join(folder, 'gateway.yaml'), 'audit: { enabled: true }\n');
afterAll(() => rm(folder, { recursive: true }));

function gateway(...args: readonly string[]): Promise<Ended> {
  const own =
    args[0] !== 'audit' || args.includes('--config') ? [] : ['--config', join(folder, 'gateway.yaml')];
  return runCli(redis, [...args, ...own]);
}

describe('gateway audit tail', () => {
  it('reports that the trail is off, and exits with 1', async () => {
    const off = join(folder, 'off.yaml');
    await writeFile(off, 'audit: { enabled: false }\n');
    for (const args of [
      ['--config', off],
      ['--config', off, '--follow', '--output', 'json'],
    ]) {
      const { code, stdout, stderr } = await gateway('audit', 'tail', ...args);
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr).toBe(
        `gateway: the audit trail is off (audit.enabled: false in ${off}). Set audit.enabled: true and restart the gateway, or pass the gateway's configuration file with --config\n`,
      );
    }
  });

  it('shows the last records, by key and time, as lines or as JSON', async () => {
    const created = await gateway(...CREATE_PLANNER);
    const { key_hash: keyHash } = JSON.parse(created.stdout) as { key_hash: string };
    const { trail, close } = await rig();
    await trail.audited.forwarding(parsed({ body: { model: 'mine', messages: [] }, keyHash }), 0);
    for (let nth = 0; nth < 30; nth += 1) trail.observer.forwarding(exchange());
    await trail.audited.answer(trail.audited.losses());

    expect((await gateway('audit', 'tail')).stdout.trimEnd().split('\n')).toHaveLength(20);
    expect((await gateway('audit', 'tail', '-n', '3')).stdout.trimEnd().split('\n')).toHaveLength(3);
    const mine = await gateway('audit', 'tail', '--key', 'planner', '--since', '1h', '--output', 'json');
    expect(mine.code).toBe(0);
    expect(JSON.parse(mine.stdout)).toMatchObject({ class_uid: 6003, ai_model: { name: 'mine' } });
    expect(
      (await gateway('audit', 'tail', '--since', '2001-01-01T00:00:00Z')).stdout.trimEnd().split('\n'),
    ).toHaveLength(31);
    expect((await gateway('audit', 'tail', '--since', 'yesterday')).code).toBe(2);
    await close();
  });

  it("shows operators' changes of a key under --key, and nothing older than --since", async () => {
    const created = await gateway(
      'keys',
      'create',
      '--name',
      'mine',
      '--provider',
      'openai',
      '--output',
      'json',
    );
    const { key_hash: keyHash } = JSON.parse(created.stdout) as { key_hash: string };
    await redis.client.del('gateway:audit');
    for (const minutes of [180, 90, 0]) {
      for (const [whose, key] of [
        ['mine', keyHash],
        ['other', 'another'],
      ] as const) {
        const record = { unmapped: { key_hash: key }, api: { operation: `${whose} ${String(minutes)}` } };
        const id = `${String(Date.now() - minutes * 60_000)}-*`;
        await redis.client.xadd('gateway:audit', id, 'ocsf', JSON.stringify(record));
      }
    }
    async function shown(...args: string[]) {
      const { stdout } = await gateway('audit', 'tail', '--output', 'json', ...args);
      const lines = stdout
        .trimEnd()
        .split('\n')
        .filter((line) => line !== '');
      return lines.map((line) => (JSON.parse(line) as { api: { operation: string } }).api.operation);
    }
    expect(await shown('--key', 'mine')).toEqual(['mine 180', 'mine 90', 'mine 0']);
    expect(await shown('--key', 'mine', '--since', '2h')).toEqual(['mine 90', 'mine 0']);
    expect(await shown('--since', '30m')).toEqual(['mine 0', 'other 0']);
  });

  it('follows new records until aborted', async () => {
    const store = createStreamStore({ client: redis.client, deadlineMs: 1_000, maxLength: 100 });
    await store.append(['{"nth":1}', 'not ours', '{"nth":2}'], 'one');
    const stop = new AbortController();
    const read: unknown[] = [];
    const options = { lines: 1, follow: true, matches: () => true, signal: stop.signal };
    for await (const { record } of tail(store, options)) {
      read.push(record['nth']);
      if (read.length === 1) await store.append(['{"nth":3}'], 'two');
      if (read.length === 2) stop.abort();
    }
    expect(read).toEqual([2, 3]);
  });
});

describe('gateway audit show', () => {
  it('shows one request among others: caller, checks, findings and outcome', async () => {
    const { trail, close } = await rig();
    for (let nth = 0; nth < 600; nth += 1)
      trail.observer.forwarding({ ...exchange(), requestId: `other-${String(nth)}` });
    const asked = { ...exchange(), requestId: 'r-shown' };
    const findings = [
      {
        rule: 'no-orders',
        detector: 'prompt_injection',
        finding: 'dismiss_instructions',
        class: 'override',
        place: 'messages[3]',
        role: 'tool' as const,
        score: 0.93,
      },
    ];
    trail.observer.verdict(
      asked,
      'policy',
      { kind: 'deny', type: 'policy_denied', message: 'an order' },
      true,
    );
    trail.observer.finished({
      requestId: 'r-shown',
      clientAddress: '192.0.2.7',
      exchange: asked,
      refusal: { type: 'policy_denied', message: 'an order', findings },
      status: 403,
      outcome: { kind: 'refused' },
      usage: undefined,
      durationMs: 3,
      isLogged: true,
    });
    for (let nth = 0; nth < 600; nth += 1)
      trail.observer.forwarding({ ...exchange(), requestId: `later-${String(nth)}` });
    await trail.audited.answer(trail.audited.losses());

    const shown = await gateway('audit', 'show', 'r-shown');
    expect(shown.code).toBe(0);
    for (const said of [
      'r-shown',
      'test key',
      'openai',
      'Blocked  403  policy_denied',
      'policy  denied  an order',
    ])
      expect(shown.stdout).toContain(said);
    expect(shown.stdout).toContain(
      'no-orders  prompt_injection  dismiss_instructions  override  messages[3]  tool  score 0.93',
    );
    expect(shown.stdout).toContain('LLM01:2026, ASI01:2026');
    expect(shown.stdout).not.toContain('other-');

    const json = await gateway('audit', 'show', 'r-shown', '--output', 'json');
    const records = [
      {
        metadata: { correlation_uid: 'r-shown' },
        unmapped: { findings, owasp: ['LLM01:2026', 'ASI01:2026'] },
      },
    ];
    expect(JSON.parse(json.stdout)).toMatchObject({ request_id: 'r-shown', records });
    const old = await gateway('audit', 'show', 'r-shown', '--json');
    expect(JSON.parse(old.stdout)).toMatchObject(records);
    expect(old.stderr).toMatch(/--json is deprecated.*Use --output json/);
    await close();
  });

  it('reports an unknown request, and exits with 1', async () => {
    const missing = await gateway('audit', 'show', 'r-none');
    expect(missing).toMatchObject({ code: 1, stdout: '' });
    expect(missing.stderr).toContain('no record of request r-none in the audit trail in Redis');
  });
});

describe('gateway audit show, for a request that Redis has dropped', () => {
  it('reads audit.file', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'audit-'));
    const file = join(folder, 'audit.jsonl');
    const config = join(folder, 'gateway.yaml');
    await writeFile(config, `audit: { enabled: true, file: ${file} }\n`);
    const { trail, close } = await rig({ file });
    trail.observer.forwarding({ ...exchange(), requestId: 'r-old' });
    trail.observer.forwarding({ ...exchange(), requestId: 'r-new' });
    await trail.audited.answer(trail.audited.losses());
    await close();
    await redis.flush();
    const shown = await gateway('audit', 'show', 'r-old', '--output', 'json', '--config', config);
    expect(shown.code).toBe(0);
    expect(JSON.parse(shown.stdout)).toMatchObject({ records: [{ metadata: { correlation_uid: 'r-old' } }] });
    const missing = await gateway('audit', 'show', 'r-none', '--config', config);
    expect(missing.stderr).toContain(file);
    await rm(folder, { recursive: true });
  });
});
