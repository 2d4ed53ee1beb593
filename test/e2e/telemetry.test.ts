import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFakeProvider, type FakeProvider } from '../support/fake-provider/index.ts';
import { startGateway, type TestGateway, type TestKey } from '../support/gateway.ts';
import { startGrpcReceiver, type OtlpReceiver, type ReceivedSpan } from '../support/otlp-receiver.ts';
import { makeSecret, seededRandom } from '../unit/detectors/secrets/samples.ts';
import { askWith } from '../support/ask-provider.ts';

const { secret: SECRET } = makeSecret('aws_access_key_id', seededRandom(1));
const PROVIDER_KEY = 'sk-of-the-provider-alone';

type Line = Readonly<Record<string, unknown>>;

let folder = '';
let provider: FakeProvider;
let gateway: TestGateway;
let key: TestKey;
let receiver: OtlpReceiver;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gw-test-telemetry-'));
  provider = await createFakeProvider();
  receiver = await startGrpcReceiver();
  gateway = await startGateway({
    config: {
      providers: { openai: { base_url: provider.url } },
      server: { dlp: { enabled: true, action: 'mask' } },
      otel: { enabled: true, endpoint: receiver.endpoint },
      audit: { enabled: true, required: true, file: join(folder, 'audit.jsonl'), secret: 'of this test' },
    },
  });
  key = await gateway.createKey({}, { daily: 1 });
});
afterAll(async () => {
  await gateway.stop();
  await provider.close();
  await receiver.close();
  await rm(folder, { recursive: true });
});

function ask(content: string, over: object = {}, body: object = {}) {
  const asked = { model: 'gpt-4o', max_tokens: 50, messages: [{ role: 'user', content }], ...body };
  const headers = { 'x-gateway-provider-key': PROVIDER_KEY, ...over };
  return askWith(gateway, key.rawKey, '/openai/v1/chat/completions', asked, headers);
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

describe('docs/audit.md: the audit trail', () => {
  it('has a request, the findings in its answer and its end, equally in stream, file and output', async () => {
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
    await expect.poll(() => ofRequest(linesOf(gateway.logs()))).toEqual(records);
  });

  it('contains no secrets: no keys, prompts and matches', async () => {
    await ask('a prompt of its own', { authorization: `Bearer gw-${'x'.repeat(43)}` });
    const id = (await ask('a prompt of its own')).headers['x-gateway-request-id'];
    await expect
      .poll(async () => (await streamed()).filter((line) => requestIdOf(line) === id).length)
      .toBeGreaterThan(1);
    const all = JSON.stringify(await streamed()) + gateway.logs();
    for (const hidden of [SECRET, key.rawKey, PROVIDER_KEY, 'a prompt of its own', `gw-${'x'.repeat(43)}`]) {
      expect(all).not.toContain(hidden);
    }
    await expect
      .poll(() => gateway.metrics())
      .toMatch(/gateway_audit_records_total\{sink="stream",outcome="written"\} [1-9]/);
  });

  it('that cannot be written admits no request (audit.required)', async () => {
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

describe('docs/audit.md: trace spans', () => {
  const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
  const CALLER = '00f067aa0ba902b7';
  const spansOf = (traceId: string): ReceivedSpan[] =>
    receiver.spans.filter((span) => span.traceId === traceId);

  it('continue the client’s trace, and are continued by the provider; baggage is not forwarded', async () => {
    const reply = await ask(
      'a prompt of its own',
      { traceparent: `00-${TRACE}-${CALLER}-01`, tracestate: 'vendor=1', baggage: 'user=alice' },
      { stream: true },
    );
    expect(reply.status).toBe(200);
    const upstream = provider.requests.at(-1)?.headers ?? {};
    expect(upstream).toMatchObject({ tracestate: 'vendor=1' });
    expect(upstream).not.toHaveProperty('baggage');
    const request = (): ReceivedSpan | undefined =>
      spansOf(TRACE).find(({ parentSpanId }) => parentSpanId === CALLER);
    await expect.poll(request, { timeout: 10_000 }).toBeDefined();
    const waiting = spansOf(TRACE).find(({ name }) => name === 'upstream openai');
    expect(waiting).toMatchObject({
      parentSpanId: request()?.spanId,
      kind: 3,
      statusCode: 0,
      events: ['response headers'],
      attributes: { 'gen_ai.provider.name': 'openai', 'http.response.status_code': 200 },
    });
    expect(upstream['traceparent']).toBe(`00-${TRACE}-${waiting?.spanId ?? ''}-01`);
    expect(request()).toMatchObject({ name: 'chat gpt-4o', kind: 2, statusCode: 0, traceState: 'vendor=1' });
    expect(request()?.attributes).toMatchObject({
      'gen_ai.provider.name': 'openai',
      'gen_ai.request.model': 'gpt-4o',
      'gen_ai.usage.output_tokens': 50,
      'gateway.key.hash': key.keyHash,
      'gateway.request.id': reply.headers['x-gateway-request-id'],
      'gateway.cost.usd': expect.any(Number) as number,
      'gen_ai.response.model': 'gpt-4o',
      'gen_ai.response.id': 'chatcmpl-fake',
      'gen_ai.response.finish_reasons': 'stop',
      'gen_ai.response.time_to_first_chunk': expect.any(Number) as number,
    });
    // Passes without duration have no span, and pipelined commands share one.
    expect(spansOf(TRACE).length).toBeLessThanOrEqual(12);
    expect(spansOf(TRACE).map(({ name }) => name)).toEqual(expect.arrayContaining(['PIPELINE', 'EVALSHA']));
    const told = JSON.stringify(receiver.spans);
    for (const hidden of [key.rawKey, PROVIDER_KEY, 'a prompt of its own', 'alice', '/v1/chat', SECRET]) {
      expect(told).not.toContain(hidden);
    }
    await expect
      .poll(() => gateway.metrics())
      .toMatch(/gen_ai_server_time_to_first_token_seconds_count\{provider="openai",operation="chat"\} 1/);
  });

  it('name the model that answered, and its stop reason, of a whole answer too', async () => {
    const trace = TRACE.replace('4b', 'bb');
    expect((await ask('hello', { traceparent: `00-${trace}-${CALLER}-01` })).status).toBe(200);
    await expect
      .poll(() => spansOf(trace).find(({ kind }) => kind === 2)?.attributes, { timeout: 10_000 })
      .toMatchObject({
        'gen_ai.response.model': 'gpt-4o',
        'gen_ai.response.id': 'chatcmpl-fake',
        'gen_ai.response.finish_reasons': 'stop',
      });
  });

  it('say which check denied a request', async () => {
    const trace = TRACE.replace('4b', 'cc');
    const poor = await gateway.createKey({}, { daily: 0.000001 });
    const headers = {
      authorization: `Bearer ${poor.rawKey}`,
      traceparent: `00-${trace}-${CALLER}-01`,
    };
    expect((await ask('hello', headers)).status).toBe(429);
    await expect
      .poll(() => spansOf(trace).find(({ name }) => name === 'check budget'), { timeout: 10_000 })
      .toMatchObject({
        statusCode: 0,
        attributes: { 'gateway.check.verdict': 'deny', 'gateway.refusal.type': 'budget_exceeded' },
      });
    expect(spansOf(trace).map(({ name }) => name)).not.toContain('upstream openai');
  });

  it('give the reason of a refusal', async () => {
    const trace = TRACE.replace('4b', 'aa');
    const headers = { authorization: `Bearer gw-${'y'.repeat(43)}`, traceparent: `00-${trace}-${CALLER}-01` };
    expect((await ask('hello', headers)).status).toBe(401);
    await expect
      .poll(() => spansOf(trace).find(({ name }) => name === 'refused'), { timeout: 10_000 })
      .toMatchObject({ statusCode: 0, attributes: { 'gateway.refusal.type': 'invalid_key' } });
  });
});
