import { it, expect } from 'vitest';
import { USD, connect, budgetStore, windowStatus } from '../support.ts';
import { answered, streamEvent } from '../../../../support/exchange.ts';
import type { ConfigInput } from '../../../../../src/config/schema.ts';
import type { Answered } from '../../../../../src/pipeline/exchange.ts';
import { startTestRedis } from '../../../../support/redis.ts';
import { budgetCheck, chat, client, PINNED, spendOf } from './rig.ts';

export function toldToClients(): void {
  it('cost, remainder and window of a whole answer in its headers', async () => {
    const { check } = budgetCheck();
    const state = check.begin?.() ?? {};
    const exchange = chat({ maxTokens: 1_000, limits: { daily: USD, hourly: 3_000_000 } });
    await check.requestBody?.(exchange, state);
    const whole = answered(exchange, { usage: { inputTokens: 1, outputTokens: 500 } });
    await check.response?.(whole, state);
    expect(Object.fromEntries(whole.responseHeaders)).toEqual({
      'x-gateway-request-cost': '0.0005',
      'x-gateway-session-remaining': '0.0025',
      'x-gateway-budget-window': 'hourly',
    });
  });

  async function stream(input: ConfigInput, body: Record<string, unknown> = {}) {
    const { check } = budgetCheck(input);
    const state = check.begin?.() ?? {};
    const exchange = chat({
      body: {
        model: 'flat',
        messages: [{ role: 'user', content: 'x' }],
        stream: true,
        max_tokens: 1_000,
        ...body,
      },
    });
    await check.requestBody?.(exchange, state);
    const answer = answered(exchange, { form: 'stream' });
    await check.response?.(answer, state);
    return { exchange, answer, rewriter: check.stream?.(answer, state) };
  }

  it('the remainder at the start of a stream in its headers, and the cost in a comment at its end', async () => {
    const { answer, rewriter } = await stream({});
    expect(Object.fromEntries(answer.responseHeaders)).toEqual({
      'x-gateway-session-remaining': '0.999',
      'x-gateway-budget-window': 'daily',
    });
    answer.answer.usage = { inputTokens: 1, outputTokens: 40 };
    answer.answer.complete = true;
    expect(await rewriter?.comment?.()).toBe(
      'x-gateway-request-cost=0.00004 x-gateway-session-remaining=0.99996 x-gateway-budget-window=daily',
    );
    expect(await rewriter?.comment?.()).toBeUndefined();
  });

  it('no usage chunk that it did not request', async () => {
    const { exchange, rewriter } = await stream({});
    expect(exchange.request.askUsage).toHaveLength(1);
    expect(exchange.edits).toEqual([...(exchange.request.askUsage ?? []), PINNED]);
    expect(rewriter?.event?.(streamEvent())).toEqual({ kind: 'pass' });
    expect(rewriter?.event?.(streamEvent({ usageOnly: true }))).toEqual({ kind: 'drop' });
  });

  it('the usage chunk that it requested', async () => {
    const { exchange, rewriter } = await stream({}, { stream_options: { include_usage: true } });
    expect(exchange.edits).toEqual([PINNED]);
    expect(rewriter).toBeDefined();
    expect(rewriter?.event).toBeUndefined();
  });
}

export function alerts(): void {
  it('are reported once, with key, window and threshold', async () => {
    const { check, close, alerts } = budgetCheck();
    async function spend(keyHash?: string): Promise<Answered> {
      const state = check.begin?.() ?? {};
      const exchange = chat({
        maxTokens: 100,
        limits: { daily: 200_000 },
        ...(keyHash === undefined ? {} : { keyHash }),
      });
      await check.requestBody?.(exchange, state);
      const whole = answered(exchange, { usage: { inputTokens: 0, outputTokens: 100 } });
      await check.response?.(whole, state);
      return whole;
    }
    const { key } = await spend();
    await spend(key.keyHash);
    await close();
    expect(alerts).toEqual([
      {
        ...{ keyHash: key.keyHash, keyName: 'test key', window: 'daily' },
        ...{ thresholdPercent: 50, percent: 50, spentUsd: 0.0001, limitUsd: 0.0002 },
      },
    ]);
  });
}

export function redisFailures(): void {
  it('a request is refused, and so is a finished answer; pending settlements follow when Redis is back', async () => {
    const own = await startTestRedis({ args: ['--appendonly', 'yes', '--appendfsync', 'always'] });
    const ownClient = await connect(own.addr, { read_timeout: 300 });
    const ownStore = budgetStore(ownClient, { deadlineMs: 500 });
    const { check, counts, close } = budgetCheck({}, { store: ownStore });
    const state = check.begin?.() ?? {};
    const exchange = chat({ maxTokens: 1_000 });
    await check.requestBody?.(exchange, state);

    await own.pause();
    const answer = answered(exchange, { usage: { inputTokens: 0, outputTokens: 10 } });
    await expect(check.response?.(answer, state)).rejects.toMatchObject({ type: 'redis_unavailable' });
    const refused = check.begin?.() ?? {};
    const second = chat({ maxTokens: 1_000, keyHash: exchange.key.keyHash });
    await expect(check.requestBody?.(second, refused)).rejects.toMatchObject({ type: 'redis_unavailable' });
    await check.end?.(answer, { kind: 'complete' }, state);
    await check.end?.(second, { kind: 'not_forwarded' }, refused);
    expect(counts.failures).toBeGreaterThan(0);

    await own.resume();
    await expect
      .poll(async () => windowStatus(ownStore, exchange.key.keyHash, 'daily').catch(() => undefined), {
        timeout: 10_000,
      })
      .toMatchObject({ spent: 10_000, reserved: 0 });
    await close();
    ownClient.disconnect();
    await own.close();
  });
}

export function runningStream(): void {
  it('keeps its reservation beyond the lease', async () => {
    const short = budgetStore(client, { leaseMs: 600 });
    const { check, close } = budgetCheck({}, { store: short, renewAfterMs: 200 });
    const state = check.begin?.() ?? {};
    const exchange = chat({ maxTokens: 1_000 });
    await check.requestBody?.(exchange, state);
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect(await spendOf(exchange)).toEqual({ spent: 0, reserved: 1_000_000 });
    await check.end?.(exchange, { kind: 'not_forwarded' }, state);
    await close();
  });
}
