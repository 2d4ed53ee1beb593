import { it, expect } from 'vitest';
import { TOKEN, budgetStatus, WORDS, CHAT_BODY } from '../rig.ts';
import { countWritten } from '../../../../src/pricing/count.ts';
import { budgets, BUDGET, STREAM, stripping } from './rig.ts';

const telemetry = (headers: object): string[] =>
  Object.keys(headers)
    .filter((name) => /^x-gateway-(request-cost|session|budget)/.test(name))
    .sort();

export function told(): void {
  it('cost, remainder and window of a whole answer in its headers', async () => {
    const client = await budgets.newClient(BUDGET);
    client.behave({ outputTokens: 500 });
    const { headers } = await client.ask();
    expect(headers['x-gateway-request-cost']).toBe('0.0005');
    expect(headers['x-gateway-session-remaining']).toBe('0.9995');
    expect(headers['x-gateway-budget-window']).toBe('daily');
  });

  it('the maximum cost of a stream in its headers, and its cost in a comment before the end', async () => {
    const client = await budgets.newClient(BUDGET);
    client.behave({ outputTokens: 40 });
    const { headers, body } = await client.ask(STREAM);
    expect(telemetry(headers)).toEqual(['x-gateway-budget-window', 'x-gateway-session-remaining']);
    expect(headers['x-gateway-session-remaining']).toBe('0.999');
    expect(body.split('\n').filter((line) => line.startsWith(':'))).toEqual([
      ': x-gateway-request-cost=0.00004 x-gateway-session-remaining=0.99996 x-gateway-budget-window=daily',
    ]);
    expect(body).toMatch(/window=daily\n\n$/);
  });

  it('nothing if the budget headers are stripped, neither in headers nor in comments', async () => {
    const client = await stripping.newClient({ budget: { daily: 0.0015 } });
    client.behave({ outputTokens: 500 });
    const whole = await client.ask();
    const streamed = await client.ask(STREAM);
    const refused = await client.ask();
    expect([whole.status, streamed.status, refused.status]).toEqual([200, 200, 429]);
    for (const { headers } of [whole, streamed, refused]) expect(telemetry(headers)).toEqual([]);
    expect(streamed.body).not.toContain('x-gateway');
    expect(streamed.body).toMatch(/data: \[DONE\]\n\n$/);
    expect(refused.body).toMatch(/ and resets in \d+ (h|min|s)/);
    await client.expectSpent(1_000 * TOKEN);
  });

  const message = [{ role: 'user', content: [{ text: 'Say.' }] }];
  it.each<[string, string, Readonly<Record<string, unknown>>]>([
    [
      'AWS frames',
      '/bedrock/model/flat/converse-stream',
      { messages: message, inferenceConfig: { maxTokens: 40 } },
    ],
    ['lines of JSON', '/cohere/v1/chat', { model: 'flat', message: 'Say.', max_tokens: 40, ...STREAM }],
    [
      'a JSON array',
      '/gemini/v1beta/models/flat:streamGenerateContent',
      { contents: [{ parts: [{ text: 'Say.' }] }], generationConfig: { maxOutputTokens: 40 } },
    ],
  ])('nothing in a stream of %s; budget status has its cost', async (_form, path, body) => {
    const client = await budgets.newClient(BUDGET);
    const reply = await client.ask(body, { path });
    expect([reply.status, reply.cut, reply.body.includes('x-gateway')]).toEqual([200, false, false]);
    await client.expectSpent(40 * TOKEN);
    const [, , daily] = await budgetStatus(budgets.gateway, client.keyHash);
    expect(daily?.spent_usd).toBe(0.00004);
  });
}

export function usageChunk(): void {
  const usageChunks = (text: string): number => (text.match(/"choices":\[\],"usage":\{/g) ?? []).length;

  it.each<[string, Readonly<Record<string, unknown>>]>([
    ['that does not mention it', {}],
    ['that says null', { stream_options: null }],
    ['that says no', { stream_options: { include_usage: false } }],
    ['that has other options', { stream_options: { include_obfuscation: false } }],
  ])('is requested, and hidden from a client %s', async (_what, body) => {
    const client = await budgets.newClient(BUDGET);
    client.behave({ outputTokens: 30 });
    const reply = await client.ask({ ...STREAM, ...body });
    expect(client.forwarded()[0]?.json.stream_options).toEqual({
      ...(body.stream_options as object | null | undefined),
      include_usage: true,
    });
    expect([reply.body.includes('word29'), usageChunks(reply.body)]).toEqual([true, 0]);
    expect(reply.body).toContain('data: [DONE]');
    await client.expectSpent(30 * TOKEN);
  });

  it('is shown to a client that requested it', async () => {
    const client = await budgets.newClient(BUDGET);
    const reply = await client.ask({ ...STREAM, stream_options: { include_usage: true } });
    expect(usageChunks(reply.body)).toBe(1);
  });

  it('is requested without a budget too, since spend is always recorded', async () => {
    const client = await budgets.newClient();
    client.behave({ outputTokens: 30 });
    expect(usageChunks((await client.ask(STREAM)).body)).toBe(0);
    await client.expectSpent(30 * TOKEN);
  });
}

export function usages(): void {
  const counted = 9 * TOKEN;
  it.each<[string, 'zero' | 'negative' | 'missing' | { inputTokens: number; outputTokens: number }, number]>([
    ['zero is zero', 'zero', 0],
    ['negative numbers counts as missing', 'negative', counted],
    ['absurd numbers costs the reservation', { inputTokens: 1, outputTokens: 5e12 }, 1_000 * TOKEN],
    ['no numbers counts as missing', { inputTokens: Number.NaN, outputTokens: Number.NaN }, counted],
    ['nothing is counted from the text', 'missing', counted],
  ])('%s', async (_what, usage, nanoUsd) => {
    for (const body of [{}, STREAM]) {
      const client = await budgets.newClient(BUDGET);
      client.behave({ text: WORDS, usage });
      expect((await client.ask(body)).status).toBe(200);
      await client.expectSpent(nanoUsd);
    }
  });

  it('nothing charges the input too', async () => {
    const client = await budgets.newClient(BUDGET);
    client.behave({ text: WORDS, usage: 'missing' });
    await client.ask({ model: 'detailed' });
    const prompt = countWritten('openai', { text: CHAT_BODY.messages[0].content, beyondBytes: 0 });
    await client.expectSpent((prompt + 8) * 1_000 + 9 * 10_000);
  });

  it('more than the reservation is charged in full, and counted in a metric', async () => {
    const over = async (): Promise<number> =>
      Number(/gateway_cost_over_reservation_total (\d+)/.exec(await budgets.gateway.metrics())?.[1]);
    const before = await over();
    const client = await budgets.newClient(BUDGET);
    client.behave({ usage: { inputTokens: 1, outputTokens: 5_000 } });
    await client.ask();
    await client.expectSpent(5_000 * TOKEN);
    expect((await over()) - before).toBe(1);
  });
}

export function storedAtProvider(): void {
  it('passes if proxy.stored_prompts allows it, and counts as the whole context', async () => {
    const path = '/gemini/v1beta/models/detailed:generateContent';
    const body = {
      contents: [{ parts: [{ text: 'Say.' }] }],
      cachedContent: 'cachedContents/1',
      generationConfig: { maxOutputTokens: 1 },
    };
    const poor = await stripping.newClient({ budget: { daily: 0.4 } });
    expect((await poor.ask(body, { path })).status).toBe(429);
    const rich = await stripping.newClient({ budget: { daily: 0.41 } });
    expect((await rich.ask(body, { path })).status).toBe(200);
    expect(rich.forwarded()[0]?.json).toEqual(body);
  });
}
