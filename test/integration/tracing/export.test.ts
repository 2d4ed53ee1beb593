import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PASS, type Check } from '../../../src/pipeline/check.ts';
import { startTracing } from '../../../src/tracing/start-tracing.ts';
import { answered, parsed } from '../../support/exchange.ts';
import { startGrpcReceiver, startHttpReceiver, type ReceivedSpan } from '../../support/otlp-receiver.ts';
import { freePort } from '../../support/ports.ts';
import { startTestRedis, type TestRedis } from '../../support/redis.ts';
import { telemetryRig } from '../../support/telemetry-rig.ts';
import { readAllOf } from '../../unit/verify/run-verify.ts';

let redis: TestRedis;
beforeAll(async () => (redis = await startTestRedis()));
afterAll(() => redis.close());

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';

async function rig(otel: object) {
  const { lines, ...made } = await telemetryRig({
    otel: { enabled: true, ...otel },
    redis: { addr: redis.addr },
  });
  const { metrics, redis: client } = made;
  const tracing = await startTracing({ ...made, worker: 0 });
  const exchange = parsed({ body: { model: 'gpt-4o', messages: [{ role: 'user', content: 'the prompt' }] } });
  const check: Check = {
    name: 'session',
    shadowable: false,
    async requestBody() {
      await client.set('a key of Redis', 'a value');
      return PASS;
    },
    response: () => ({
      kind: 'pending',
      verdict: Promise.resolve({ kind: 'deny' as const, type: 'loop_detected' as const, message: 'a loop' }),
    }),
  };
  const watched = tracing.watched(check);

  async function request(flags = '01', trace = TRACE): Promise<void> {
    const traced = tracing.edge.begin([['traceparent', `00-${trace}-00f067aa0ba902b7-${flags}`]]);
    await traced.run(async () => {
      await watched.requestBody?.(exchange, undefined);
      await watched.response?.(answered(exchange), undefined);
      tracing.charged(0.5);
    });
    await traced.run(() => Promise.resolve());
    traced.end({
      requestId: 'r-1',
      clientAddress: '127.0.0.1',
      exchange,
      refusal: undefined,
      status: 200,
      outcome: { kind: 'complete' },
      firstChunkMs: undefined,
      usage: undefined,
      durationMs: 1,
      isLogged: true,
    });
  }
  async function spans(outcome: string): Promise<number> {
    const { values } = await metrics.traceSpans.get();
    return values.find(({ labels }) => labels.outcome === outcome)?.value ?? 0;
  }
  return {
    tracing,
    lines,
    request,
    spans,
    async close() {
      await tracing.close();
      client.disconnect();
    },
  };
}

function expectTree(spans: readonly ReceivedSpan[]): void {
  function of(name: string): ReceivedSpan {
    const found = spans.find((span) => span.name === name);
    if (found === undefined)
      throw new Error(`no span ${name} in ${spans.map((span) => span.name).join(', ')}`);
    return found;
  }
  const request = of('chat gpt-4o');
  expect(request).toMatchObject({ traceId: TRACE, parentSpanId: '00f067aa0ba902b7', kind: 2 });
  expect(request.attributes).toMatchObject({ 'gateway.cost.usd': 0.5, 'gen_ai.provider.name': 'openai' });
  expect(request.resource).toMatchObject({ 'service.name': 'ai-firewall-gateway' });
  const checks = spans.filter(({ name }) => name === 'check session');
  expect(checks.map(({ parentSpanId }) => parentSpanId)).toEqual([request.spanId, request.spanId]);
  expect(checks.map(({ attributes }) => attributes['gateway.check.verdict']).sort()).toEqual([
    'deny',
    'pass',
  ]);
  const command = of('SET');
  expect(command).toMatchObject({ parentSpanId: of('check session').spanId, kind: 3 });
  expect(command.attributes).toEqual({ 'db.system.name': 'redis', 'db.operation.name': 'SET' });
  expect(JSON.stringify(spans)).not.toMatch(/the prompt|a key of Redis|a value/);
}

describe('traces', () => {
  it.each([
    ['grpc', startGrpcReceiver],
    ['http', startHttpReceiver],
  ] as const)(
    'reach a receiver over %s: a request, its checks, its round trips to Redis',
    async (protocol, start) => {
      const receiver = await start();
      const { request, close } = await rig({ endpoint: receiver.endpoint, protocol });
      await request();
      await close();
      expectTree(receiver.spans);
      await receiver.close();
    },
  );

  it('are lines on standard output that gateway verify reads', async () => {
    const { request, lines, close } = await rig({ protocol: 'stdout' });
    await request();
    await close();
    const spans = lines.map((line) => JSON.parse(line) as { name: string; traceId: string });
    expect(spans.map(({ name }) => name).sort()).toEqual([
      'SET',
      'chat gpt-4o',
      'check session',
      'check session',
    ]);
    expect(spans[0]?.traceId).toBe(TRACE);
    const read = await readAllOf(lines.join(''));
    expect(read.map(({ kind }) => kind)).not.toContain('unreadable');
  });

  it('are sampled at otel.sampling_rate, by trace id, also those of callers', async () => {
    const receiver = await startGrpcReceiver();
    const { request, tracing, close } = await rig({ endpoint: receiver.endpoint, sampling_rate: 0.25 });
    for (let nth = 0; nth < 200; nth += 1) {
      await request('01', createHash('md5').update(String(nth)).digest('hex'));
    }
    await request('00');
    // Who is asked upstream learns that it is not sampled.
    expect(tracing.edge.begin([['traceparent', `00-${TRACE}-00f067aa0ba902b7-00`]]).upstreamHeaders).toEqual([
      ['traceparent', expect.stringMatching(new RegExp(`^00-${TRACE}-[0-9a-f]{16}-00$`)) as string],
    ]);
    await close();
    const traces = new Set(receiver.spans.map(({ traceId }) => traceId));
    expect(traces).not.toContain(TRACE);
    expect(traces.size).toBeGreaterThan(20);
    expect(traces.size).toBeLessThan(80);
    await receiver.close();
  });

  it('that nobody takes hold up no request, and are bounded', async () => {
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
