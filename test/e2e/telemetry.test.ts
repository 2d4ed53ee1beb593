import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFakeProvider, type FakeProvider } from '../support/fake-provider/index.ts';
import { startGateway } from '../support/gateway.ts';
import type { TestGateway, TestKey } from '../support/gateway.ts';
import { send } from '../support/http.ts';
import { makeSecret, seededRandom } from '../unit/detectors/secret-samples.ts';

const { secret: SECRET } = makeSecret('aws_access_key_id', seededRandom(1));
const PROVIDER_KEY = 'sk-of-the-provider-alone';

type Line = Readonly<Record<string, unknown>>;

let folder = '';
let provider: FakeProvider;
let gateway: TestGateway;
let key: TestKey;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gw-test-telemetry-'));
  provider = await createFakeProvider();
  gateway = await startGateway({
    config: {
      providers: { openai: { base_url: provider.url } },
      server: { dlp: { enabled: true, action: 'mask' } },
      audit: { enabled: true, required: true, file: join(folder, 'audit.jsonl'), secret: 'of this test' },
    },
  });
  key = await gateway.createKey({}, { daily: 1 });
});
afterAll(async () => {
  await gateway.stop();
  await provider.close();
  await rm(folder, { recursive: true });
});

function ask(content: string, over: object = {}) {
  return send(gateway.baseUrl, {
    method: 'POST',
    path: '/openai/v1/chat/completions',
    headers: {
      authorization: `Bearer ${key.rawKey}`,
      'x-gateway-provider-key': PROVIDER_KEY,
      'content-type': 'application/json',
      ...over,
    },
    body: JSON.stringify({ model: 'gpt-4o', max_tokens: 50, messages: [{ role: 'user', content }] }),
  });
}

const linesOf = (text: string): Line[] =>
  text
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Line);
const requestIdOf = (line: Line): unknown =>
  (line['metadata'] as Readonly<Record<string, unknown>> | undefined)?.['correlation_uid'];
const streamed = async (): Promise<Line[]> =>
  (await gateway.redis.client.xrange('gateway:audit', '-', '+')).map(
    ([, fields]) => JSON.parse(fields[1] ?? '{}') as Line,
  );

describe('SPEC "Events": the audit trail', () => {
  it('holds a request, what was found in its answer and how it ended, alike in stream, file and output', async () => {
    provider.behave({ text: `The key is ${SECRET}, keep it.` });
    const reply = await ask('What is the key?');
    provider.behave({});
    expect(reply.status).toBe(200);
    expect(reply.headers['x-gateway-dlp-redacted']).toBe('true');
    const id = reply.headers['x-gateway-request-id'];
    const ofRequest = (lines: readonly Line[]): Line[] => lines.filter((line) => requestIdOf(line) === id);
    await expect.poll(async () => ofRequest(await streamed())).toHaveLength(4);
    const records = ofRequest(await streamed());
    expect(records.map((record) => record['class_uid'])).toEqual([6003, 2004, 2004, 6003]);
    expect(records[0]).toMatchObject({ message: 'forwarded', actor: { user: { uid: key.keyHash } } });
    expect(records[1]).toMatchObject({ evidences: [{ name: 'aws_access_key_id' }] });
    expect(records[3]).toMatchObject({
      status_code: '200',
      api: { operation: 'chat', service: { name: 'openai' } },
      authorizations: [{ decision: 'rewritten', policy: { name: 'dlp' } }],
      unmapped: { outcome: 'complete', cost_usd: Number(reply.headers['x-gateway-request-cost']) },
    });
    const file = async (): Promise<Line[]> =>
      ofRequest(linesOf(await readFile(join(folder, 'audit.jsonl'), 'utf8')));
    await expect.poll(file).toEqual(records);
    expect(ofRequest(linesOf(gateway.logs()))).toEqual(records);
  });

  it('is shown to nobody who looks for secrets: keys, prompts and matches stand nowhere in it', async () => {
    await ask('a prompt of its own', { authorization: `Bearer gw-${'x'.repeat(43)}` });
    const id = (await ask('a prompt of its own')).headers['x-gateway-request-id'];
    await expect
      .poll(async () => (await streamed()).filter((line) => requestIdOf(line) === id).length)
      .toBeGreaterThan(1);
    const all = JSON.stringify(await streamed()) + gateway.logs();
    for (const hidden of [SECRET, key.rawKey, PROVIDER_KEY, 'a prompt of its own', `gw-${'x'.repeat(43)}`]) {
      expect(all).not.toContain(hidden);
    }
    expect(await gateway.metrics()).toMatch(
      /gateway_audit_records_total\{sink="stream",outcome="written"\} \d/,
    );
  });

  it('that cannot be written lets no request through (audit.required)', async () => {
    await gateway.redis.client.rename('gateway:audit', 'elsewhere');
    await gateway.redis.client.set('gateway:audit', 'no stream');
    const before = provider.requests.length;
    const reply = await ask('hello');
    expect(reply.status).toBe(503);
    expect(JSON.parse(reply.body)).toMatchObject({ type: 'redis_unavailable' });
    expect(provider.requests).toHaveLength(before);
    await gateway.redis.client.rename('elsewhere', 'gateway:audit');
    await expect.poll(async () => (await ask('hello')).status, { timeout: 10_000 }).toBe(200);
  });
});
