import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { PASS, type Check } from '../../../src/pipeline/check.ts';
import type { Logger } from '../../../src/telemetry/logger.ts';
import { startTracing } from '../../../src/tracing/start-tracing.ts';
import { answered, parsed } from '../../support/exchange.ts';
import { startGrpcReceiver, startHttpReceiver, type ReceivedSpan } from '../../support/otlp-receiver.ts';
import { freePort } from '../../support/ports.ts';
import { useTestRedis } from '../../support/redis.ts';
import { telemetryRig } from '../../support/telemetry-rig.ts';
import { readAllOf } from '../../unit/verify/run-verify.ts';

const redis = useTestRedis();

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';

async function rig(otel: object) {
  const { lines, ...made } = await telemetryRig({
    otel: { enabled: true, ...otel },
    redis: { addr: redis.addr },
  });
  const { metrics, redis: client } = made;
  const logged: { readonly fields: Record<string, unknown>; readonly message: string }[] = [];
  const log = {
    warn: (fields: Record<string, unknown>, message: string) => void logged.push({ fields, message }),
  };
  const tracing = await startTracing({
    ...made,
    worker: 3,
    version: '9.9.9',
    log: log as Pick<Logger, 'warn'>,
  });
  const exchange = parsed({ body: { model: 'gpt-4o', messages: [{ role: 'user', content: 'the prompt' }] } });
  const check: Check = {
    name: 'session',
    shadowable: false,
    async requestBody() {
      await client.set('a key of Redis', 'a value');
      await Promise.all([client.get('a key of Redis'), client.pttl('a key of Redis')]);
      return PASS;
    },
    response: () => ({
      kind: 'pending',
      verdict: Promise.resolve({ kind: 'deny' as const, type: 'loop_detected' as const, message: 'a loop' }),
    }),
  };
  const watched = tracing.watched(check);

  let sentUpstream: string | undefined;
  async function request(flags = '01', trace = TRACE, providerStatus = 200): Promise<void> {
    const traced = tracing.edge.begin([['traceparent', `00-${trace}-00f067aa0ba902b7-${flags}`]]);
    await traced.run(async () => {
      await watched.requestBody?.(exchange, undefined);
      await watched.response?.(answered(exchange), undefined);
      tracing.charged(0.5);
    });
    const [[, upstream] = []] = traced.forward({ provider: 'openai', host: 'api.example' });
    traced.answering(providerStatus);
    traced.answered();
    sentUpstream = upstream;
    traced.end({
      requestId: 'r-1',
      clientAddress: '127.0.0.1',
      exchange,
      refusal: undefined,
      status: 200,
      outcome: { kind: 'complete' },
      firstChunkMs: undefined,
      usage: undefined,
      identity: { model: 'gpt-4o-2024-08-06', id: 'chatcmpl-1', finishReasons: ['stop', 'length'] },
      durationMs: 1,
      isLogged: true,
      traceId: undefined,
    });
  }
  async function spans(outcome: string): Promise<number> {
    const { values } = await metrics.traceSpans.get();
    return values.find(({ labels }) => labels.outcome === outcome)?.value ?? 0;
  }
  return {
    tracing,
    lines,
    logged,
    request,
    sentUpstream: () => sentUpstream,
    spans,
    async close() {
      await tracing.close();
      client.disconnect();
    },
  };
}

/** Returns the only span of this name. */
function only(spans: readonly ReceivedSpan[], name: string): ReceivedSpan {
  const [found, another] = spans.filter((span) => span.name === name);
  if (found === undefined || another !== undefined)
    throw new Error(`not one span ${name} in ${spans.map((span) => span.name).join(', ')}`);
  return found;
}

function expectTree(spans: readonly ReceivedSpan[]): void {
  const request = only(spans, 'chat gpt-4o');
  expect(request).toMatchObject({ traceId: TRACE, parentSpanId: '00f067aa0ba902b7', kind: 2 });
  expect(request.attributes).toMatchObject({
    'gateway.cost.usd': 0.5,
    'gen_ai.provider.name': 'openai',
    'gen_ai.response.model': 'gpt-4o-2024-08-06',
    'gen_ai.response.id': 'chatcmpl-1',
    'gen_ai.response.finish_reasons': 'stop,length',
  });
  expect(request.resource).toMatchObject({
    'service.name': 'ai-firewall-gateway',
    'service.version': '9.9.9',
    'service.instance.id': expect.stringMatching(/^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/) as string,
    'gateway.worker': 3,
  });
  // A check that passes has a span if it called Redis.
  const checks = spans.filter(({ name }) => name === 'check session');
  expect(checks.map(({ parentSpanId }) => parentSpanId)).toEqual([request.spanId, request.spanId]);
  expect(checks.map(({ attributes }) => attributes['gateway.check.hook']).sort()).toEqual([
    'requestBody',
    'response',
  ]);
  expect(checks.map(({ attributes }) => attributes['gateway.check.verdict'])).toContain('deny');
  const command = only(spans, 'SET');
  const asking = checks.find(({ spanId }) => spanId === command.parentSpanId);
  expect(asking?.attributes['gateway.check.hook']).toBe('requestBody');
  expect(command).toMatchObject({ kind: 3 });
  expect(command.attributes).toEqual({ 'db.system.name': 'redis', 'db.operation.name': 'SET' });
  expect(only(spans, 'PIPELINE').attributes).toEqual({
    'db.system.name': 'redis',
    'db.operation.name': 'PIPELINE',
    'db.operation.batch.size': 2,
  });
  expect(only(spans, 'upstream openai')).toMatchObject({
    parentSpanId: request.spanId,
    kind: 3,
    statusCode: 0,
    events: ['response headers'],
    attributes: { 'server.address': 'api.example', 'http.response.status_code': 200 },
  });
  expect(spans).toHaveLength(6);
  expect(JSON.stringify(spans)).not.toMatch(/the prompt|a key of Redis|a value/);
}

describe('traces', () => {
  it.each([
    ['grpc', startGrpcReceiver],
    ['http', startHttpReceiver],
  ] as const)(
    'reach a receiver over %s: a request, its checks, its Redis round trips',
    async (protocol, start) => {
      const receiver = await start();
      const { request, sentUpstream, close } = await rig({ endpoint: receiver.endpoint, protocol });
      await request();
      await close();
      expectTree(receiver.spans);
      const { spanId } = only(receiver.spans, 'upstream openai');
      expect(sentUpstream()).toBe(`00-${TRACE}-${spanId}-01`);
      await receiver.close();
    },
  );

  it('have no span for a hook that passes at once', async () => {
    const receiver = await startGrpcReceiver();
    const { tracing, close } = await rig({ endpoint: receiver.endpoint });
    const watched = tracing.watched({ name: 'mcp', shadowable: false, requestHeaders: () => PASS });
    const traced = tracing.edge.begin([['traceparent', `00-${TRACE}-00f067aa0ba902b7-01`]]);
    const exchange = parsed({ body: { model: 'gpt-4o', messages: [] } });
    traced.run(() => {
      for (let nth = 0; nth < 100; nth += 1) void watched.requestHeaders?.(exchange, undefined);
    });
    traced.end(undefined);
    await close();
    expect(receiver.spans.map(({ name }) => name)).toContain('request');
    // A slow machine can hold a hook up for a millisecond, which earns it a span.
    const quick = receiver.spans.filter(({ name, durationMs }) => name === 'check mcp' && durationMs < 1);
    expect(quick).toEqual([]);
    await receiver.close();
  });

  it('are lines on standard output that gateway verify reads', async () => {
    const { request, lines, close } = await rig({ protocol: 'stdout' });
    await request();
    await close();
    const spans = lines.map((line) => JSON.parse(line) as { name: string; traceId: string });
    const names = new Set(spans.map(({ name }) => name));
    expect([...names].sort()).toEqual(['PIPELINE', 'SET', 'chat gpt-4o', 'check session', 'upstream openai']);
    expect(spans[0]?.traceId).toBe(TRACE);
    const read = await readAllOf(lines.join(''));
    expect(read.map(({ kind }) => kind)).not.toContain('unreadable');
  });

  it('are sampled at otel.sampling_rate, by trace id, including those of callers', async () => {
    const receiver = await startGrpcReceiver();
    const { request, tracing, close } = await rig({ endpoint: receiver.endpoint, sampling_rate: 0.25 });
    for (let nth = 0; nth < 200; nth += 1) {
      await request('01', createHash('md5').update(String(nth)).digest('hex'));
    }
    await request('00');
    // The upstream learns that it is not sampled.
    const unsampled = tracing.edge.begin([['traceparent', `00-${TRACE}-00f067aa0ba902b7-00`]]);
    expect(unsampled.forward({ provider: 'openai', host: 'api.example' })).toEqual([
      ['traceparent', expect.stringMatching(new RegExp(`^00-${TRACE}-[0-9a-f]{16}-00$`)) as string],
    ]);
    await close();
    const traces = new Set(receiver.spans.map(({ traceId }) => traceId));
    expect(traces).not.toContain(TRACE);
    expect(traces.size).toBeGreaterThan(20);
    expect(traces.size).toBeLessThan(80);
    await receiver.close();
  });

  it('show that the provider failed, while the request itself did not', async () => {
    const receiver = await startGrpcReceiver();
    const { request, close } = await rig({ endpoint: receiver.endpoint });
    await request('01', TRACE, 429);
    await close();
    expect(only(receiver.spans, 'upstream openai')).toMatchObject({
      statusCode: 2,
      attributes: { 'error.type': '429', 'http.response.status_code': 429 },
    });
    expect(only(receiver.spans, 'chat gpt-4o').statusCode).toBe(0);
    await receiver.close();
  });

  it.each([
    ['grpc', startGrpcReceiver],
    ['http', startHttpReceiver],
  ] as const)('follow OpenTelemetry’s variables, over %s', async (protocol, start) => {
    const receiver = await start();
    const { request, close } = await rig({
      endpoint: receiver.endpoint,
      protocol,
      variables: {
        OTEL_SERVICE_NAME: 'edge',
        OTEL_RESOURCE_ATTRIBUTES: 'service.name=loses,deployment.environment.name=staging',
        OTEL_EXPORTER_OTLP_HEADERS: 'x-tenant=one,x-lost=general',
        OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'x-lost=traces',
        OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip',
        OTEL_SPAN_ATTRIBUTE_VALUE_LENGTH_LIMIT: '6',
      },
    });
    await request();
    await close();
    expect(only(receiver.spans, 'chat gpt-4o').resource).toMatchObject({
      'service.name': 'edge',
      'service.version': '9.9.9',
      'deployment.environment.name': 'staging',
    });
    expect(only(receiver.spans, 'chat gpt-4o').attributes['gen_ai.response.model']).toBe('gpt-4o');
    expect(receiver.headers[0]).toMatchObject({ 'x-tenant': 'one', 'x-lost': 'traces' });
    if (protocol === 'http') expect(receiver.headers[0]).toMatchObject({ 'content-encoding': 'gzip' });
    await receiver.close();
  });

  it.each([
    ['always_off', '01', 0],
    ['always_on', '00', 1],
    ['parentbased_always_off', '01', 1],
    ['parentbased_always_on', '00', 0],
  ])('are sampled as %s says: caller %s', async (sampler, flags, traces) => {
    const receiver = await startGrpcReceiver();
    const sampling_rate = sampler.endsWith('off') ? 0 : 1;
    const { request, close } = await rig({
      endpoint: receiver.endpoint,
      sampling_rate,
      variables: { OTEL_TRACES_SAMPLER: sampler },
    });
    await request(flags);
    await close();
    expect(receiver.spans.filter(({ kind }) => kind === 2)).toHaveLength(traces);
    await receiver.close();
  });

  it('beyond the queue are dropped, counted and logged', async () => {
    const receiver = await startHttpReceiver();
    const { request, spans, logged, close } = await rig({
      endpoint: receiver.endpoint,
      protocol: 'http',
      variables: { OTEL_BSP_MAX_QUEUE_SIZE: '7', OTEL_BSP_SCHEDULE_DELAY: '60000' },
    });
    // A batch leaves the queue at its seventh span; the next seven wait meanwhile.
    await Promise.all(Array.from({ length: 10 }, () => request()));
    await close();
    const exported = await spans('exported');
    const dropped = await spans('dropped');
    expect(exported).toBe(receiver.spans.length);
    expect(dropped).toBeGreaterThan(0);
    expect(exported + dropped).toBe(60);
    expect(logged[0]?.message).toMatch(/^trace spans are lost/);
    expect(logged.reduce((sum, { fields }) => sum + Number(fields['spans_dropped']), 0)).toBe(dropped);
    await receiver.close();
  });

  it('refused by a collector are counted and logged by its status, without its text', async () => {
    const receiver = await startHttpReceiver(400);
    const { request, spans, logged, close } = await rig({ endpoint: receiver.endpoint, protocol: 'http' });
    await request();
    await close();
    expect(await spans('failed')).toBe(6);
    expect(logged).toEqual([
      {
        fields: { spans_dropped: 0, spans_failed: 6, cause: '400' },
        message: expect.stringContaining('otel.endpoint') as string,
      },
    ]);
    await receiver.close();
  });

  it('without a receiver delay no request, and are bounded', async () => {
    const endpoint = `127.0.0.1:${String(await freePort())}`;
    const { request, spans, close } = await rig({ endpoint, protocol: 'http' });
    const before = process.memoryUsage().heapUsed;
    const started = performance.now();
    for (let nth = 0; nth < 3_000; nth += 1) await request();
    expect(performance.now() - started).toBeLessThan(20_000);
    const closing = performance.now();
    await close();
    expect(performance.now() - closing).toBeLessThan(6_000);
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(100_000_000);
    expect(await spans('exported')).toBe(0);
  });
});
