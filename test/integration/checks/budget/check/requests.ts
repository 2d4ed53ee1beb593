import { it, expect } from 'vitest';
import { answered } from '../../../../support/exchange.ts';
import { USD, budgetStore, newKeyHash } from '../support.ts';
import { budgetCheck, chat, spendOf, client, PINNED } from './rig.ts';

export function outputLimits(): void {
  it('are granted and written into the body if the client set none', async () => {
    const { check } = budgetCheck();
    const exchange = chat({ limits: { daily: 40_000_000 } });
    await check.requestBody?.(exchange, {});
    expect(exchange.edits).toEqual([expect.objectContaining({ kind: 'set', value: 8_192 }), PINNED]);
    const second = chat({ limits: { daily: 40_000_000 }, keyHash: exchange.key.keyHash });
    await check.requestBody?.(second, {});
    expect(second.edits).toEqual([expect.objectContaining({ value: 7_952 }), PINNED]);
  });

  it('are the client’s own if set, times the choices', async () => {
    const { check } = budgetCheck();
    const body = { model: 'flat', messages: [{ role: 'user', content: 'x' }], max_tokens: 100, n: 3 };
    const exchange = chat({ body });
    await check.requestBody?.(exchange, {});
    expect(exchange.edits).toEqual([PINNED]);
    expect(await spendOf(exchange)).toEqual({ spent: 0, reserved: 300_000 });
  });

  it('are reserved for every prompt of a batch', async () => {
    const { check } = budgetCheck();
    const prompt = Array.from({ length: 2_048 }, () => 'x');
    const path = '/v1/completions';
    const exchange = chat({ path, body: { model: 'flat', prompt, max_tokens: 16, n: 10 } });
    await check.requestBody?.(exchange, {});
    expect((await spendOf(exchange)).reserved).toBe(2_048 * 10 * 16 * 1_000);
  });

  it('are left alone for a key without a budget, whose spend is still recorded', async () => {
    const { check } = budgetCheck();
    const state = check.begin?.() ?? {};
    const exchange = chat({ limits: {} });
    await check.requestBody?.(exchange, state);
    expect(exchange.edits).toEqual([]);
    const whole = answered(exchange, { usage: { inputTokens: 1, outputTokens: 5 } });
    await check.response?.(whole, state);
    expect(await spendOf(exchange)).toEqual({ spent: 5_000, reserved: 0 });
    expect(Object.fromEntries(whole.responseHeaders)).toEqual({ 'x-gateway-request-cost': '0.000005' });
  });
}

export function absurdNumbers(): void {
  it('leave no trace in the account of a key without a budget', async () => {
    const { check } = budgetCheck();
    const state = check.begin?.() ?? {};
    const plain = chat({ limits: {} });
    // Numbers that a dialect accepts.
    const output = { tokens: 1e308, set: () => [] };
    const exchange = { ...plain, request: { ...plain.request, choices: 1e308, output } };
    await check.requestBody?.(exchange, state);
    expect((await spendOf(exchange)).reserved).toBe(10_000 * USD);
    const whole = answered(exchange, { usage: { inputTokens: 1, outputTokens: 3 } });
    await check.response?.(whole, state);
    expect(await spendOf(exchange)).toEqual({ spent: 3_000, reserved: 0 });
  });
}

export function refusals(): void {
  it.each([
    ['minute', '15:04:20', ' and resets in 40 s', '40'],
    [
      'hourly',
      '15:46:30',
      ' and resets in 14 min. Wait until then, or lower max_tokens or n. For clients that retry: Quota exceeded, it will reset in 14 min. Please retry in 810s',
      undefined,
    ],
    ['hourly', '15:59:00', ' and resets in 1 min', '60'],
    [
      'hourly',
      '15:58:59',
      ' and resets in 2 min. Wait until then, or lower max_tokens or n. For clients that retry: Quota exceeded, it will reset in 2 min. Please retry in 61s',
      undefined,
    ],
    [
      'daily',
      '15:46:30',
      ' and resets in 8 h 14 min. Wait until then, or lower max_tokens or n. For clients that retry: Quota exceeded, it will reset in 8 h 14 min. Please retry in 29610s',
      undefined,
    ],
    [
      'monthly',
      '15:46:30',
      ' and resets in 3 d 9 h. Wait until then, or lower max_tokens or n. For clients that retry: Quota exceeded, it will reset in 3 d 9 h. Please retry in 288810s',
      undefined,
    ],
  ])('429 of the %s window at %s names its reset%s', async (window, time, words, retryAfter) => {
    const clocked = budgetStore(client, { now: () => Date.parse(`2031-05-28T${time}Z`) });
    const { check } = budgetCheck({ pricing: { lower_client_limits: false } }, { store: clocked });
    const keyHash = newKeyHash();
    const limits = { hourly: USD, monthly: USD, [window]: 3_500_000 };
    await check.requestBody?.(chat({ maxTokens: 2_000, limits, keyHash }), {});
    const verdict = await check.requestBody?.(chat({ maxTokens: 2_000, limits, keyHash }), {});
    expect(verdict).toMatchObject({
      kind: 'deny',
      type: 'budget_exceeded',
      message: `This request could cost up to 0.002 USD; the ${window} budget of this key has 0.0015 USD left${words}`,
    });
    const { headers } = verdict as { headers: Record<string, string> };
    expect(headers['retry-after']).toBe(retryAfter);
  });

  it('429 names no time if the whole window could not hold the request', async () => {
    const { check } = budgetCheck();
    const exchange = chat({ maxTokens: 1_000, limits: { hourly: 900_000, monthly: USD } });
    const verdict = await check.requestBody?.(exchange, {});
    expect(verdict).toMatchObject({
      kind: 'deny',
      type: 'budget_exceeded',
      message:
        "This request could cost up to 0.001 USD; the hourly budget of this key is 0.0009 USD. Lower max_tokens or n, or ask the gateway's operator for a larger budget. For clients that retry: Quota exceeded (limit: 0), no wait will reset it",
      headers: { 'x-gateway-session-remaining': '0.0009', 'x-gateway-budget-window': 'hourly' },
    });
    expect(verdict).not.toHaveProperty('headers.retry-after');
    expect(await spendOf(exchange)).toEqual({ spent: 0, reserved: 0 });
  });

  it('a limit of 0 blocks, and names no time', async () => {
    const { check } = budgetCheck();
    const verdict = await check.requestBody?.(chat({ limits: { daily: 0 } }), {});
    expect(verdict).toMatchObject({
      type: 'budget_exceeded',
      message: expect.stringMatching(
        /^This key may not spend anything: its daily budget is 0 USD\. Ask .*\(limit: 0\)/,
      ),
    });
    expect(verdict).not.toHaveProperty('headers.retry-after');
  });

  it.each([
    [
      'an unknown model',
      { body: { model: 'nobody-knows', messages: [] } },
      'policy_denied',
      'pricing.overrides',
    ],
    [
      'a cost left open',
      { body: { model: 'flat', messages: [], service_tier: 'priority' } },
      'invalid_request',
      'service_tier',
    ],
    [
      'sound without a price',
      {
        body: {
          model: 'gpt-4o',
          messages: [
            {
              role: 'user',
              content: [{ type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } }],
            },
          ],
        },
      },
      'invalid_request',
      'input_audio',
    ],
  ])('%s, only with a budget', async (_what, request, type, named) => {
    const { check } = budgetCheck();
    const verdict = await check.requestBody?.(chat(request), {});
    expect(verdict).toMatchObject({ kind: 'deny', type, message: expect.stringContaining(named) });
    expect(await check.requestBody?.(chat({ ...request, limits: {} }), {})).toEqual({ kind: 'pass' });
  });

  it('a provider’s tool without a price', async () => {
    const body = { model: 'flat', input: 'x', max_output_tokens: 10, tools: [{ type: 'web_search' }] };
    const request = { body, path: '/v1/responses' };
    const proxy = { provider_tools: ['web_search'] };
    const verdict = await budgetCheck({ proxy }).check.requestBody?.(chat(request), {});
    expect(verdict).toMatchObject({
      type: 'invalid_request',
      message: expect.stringContaining('pricing.tools'),
    });
    const priced = chat(request);
    const pricing = { tools: { web_search: 0.01 } };
    expect(await budgetCheck({ proxy, pricing }).check.requestBody?.(priced, {})).toEqual({ kind: 'pass' });
    expect((await spendOf(priced)).reserved).toBe(10_010_000);
  });

  it('no unknown model under pricing.unknown_model: free, or a price', async () => {
    const body = { model: 'nobody-knows', messages: [], max_tokens: 100 };
    const free = chat({ body });
    expect(await budgetCheck({ pricing: { unknown_model: 'free' } }).check.requestBody?.(free, {})).toEqual({
      kind: 'pass',
    });
    expect((await spendOf(free)).reserved).toBe(0);
    const priced = chat({ body });
    await budgetCheck({ pricing: { unknown_model: { input: 0, output: 3 } } }).check.requestBody?.(
      priced,
      {},
    );
    expect((await spendOf(priced)).reserved).toBe(300_000);
  });
}

export function input(): void {
  it('is counted if its bytes do not fit', async () => {
    const { check } = budgetCheck();
    const content = 'the quick brown fox jumps over the lazy dog '.repeat(100);
    const body = { model: 'both', messages: [{ role: 'user', content }], max_tokens: 1 };
    const wide = chat({ body });
    await check.requestBody?.(wide, {});
    const byBytes = (await spendOf(wide)).reserved;
    expect(byBytes).toBeGreaterThan(4_400_000);
    const narrow = chat({ body, limits: { daily: 2_000_000 } });
    expect(await check.requestBody?.(narrow, {})).toEqual({ kind: 'pass' });
    expect((await spendOf(narrow)).reserved).toBeLessThan(1_200_000);
    expect(await check.requestBody?.(chat({ body, limits: { daily: 800_000 } }), {})).toMatchObject({
      kind: 'deny',
    });
  });

  it('that the gateway cannot see counts as the whole context', async () => {
    const { check } = budgetCheck({ pricing: { default_context_tokens: 50_000 } });
    const body = { model: 'both', input: 'x', previous_response_id: 'resp_1', max_output_tokens: 1 };
    const exchange = chat({ body, path: '/v1/responses' });
    await check.requestBody?.(exchange, {});
    expect((await spendOf(exchange)).reserved).toBe(50_001_000);
  });
}
