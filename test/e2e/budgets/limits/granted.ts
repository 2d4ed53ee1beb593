import { it, expect, beforeAll, afterAll } from 'vitest';
import { expectRefusal, CHAT, TOKEN, NEVER, type Budgets, startBudgets, CHAT_BODY } from '../rig.ts';
import { type Body, messages, withBudget, sent, budgets, GENERATE, GENERATE_PATH, held } from './rig.ts';

export function clientLimits(): void {
  const asking = (max_tokens: number): Body => ({ model: 'flat', messages, max_tokens });
  const ANTHROPIC = '/anthropic/v1/messages';

  it('is left alone if it fits, byte for byte', async () => {
    const client = await withBudget(3_000);
    // DeepSeek has no service tiers.
    const reply = await client.ask(asking(3_000), { path: '/deepseek/anthropic/v1/messages' });
    expect([reply.status, reply.headers['x-gateway-output-limit']]).toEqual([200, undefined]);
    expect(client.forwarded().at(-1)?.body.toString()).toBe(JSON.stringify(asking(3_000)));
  });

  it.each([
    ['lowered to less than 1,024', 1_023, asking(2_000)],
    ['under 1,024 itself', 900, asking(1_000)],
    [
      'lowered to less than the model is to think',
      3_000,
      { ...asking(64_000), thinking: { type: 'enabled', budget_tokens: 3_000 } },
    ],
  ])('is refused if it would be %s', async (_what, budget, body) => {
    const client = await withBudget(budget);
    const reply = await client.ask(body, { path: ANTHROPIC });
    expectRefusal(reply, 429, 'budget_exceeded');
    expect(client.forwarded()).toHaveLength(0);
    expect(await client.account()).toEqual({ spent: 0, reserved: 0 });
  });

  it('is lowered to 1,024, and to one more than the thinking tokens', async () => {
    const few = await withBudget(1_024);
    expect(await sent(few, asking(2_000), ANTHROPIC)).toEqual(asking(1_024));
    const thinking = { type: 'enabled', budget_tokens: 3_000 };
    const body = { ...asking(64_000), thinking };
    expect(await sent(await withBudget(3_001), body, ANTHROPIC)).toEqual({ ...asking(3_001), thinking });
  });

  it('is lowered in streams, and shown in their headers', async () => {
    const client = await withBudget(2_000);
    const reply = await client.ask({ ...asking(64_000), stream: true }, { path: ANTHROPIC });
    expect([reply.status, reply.headers['x-gateway-output-limit']]).toEqual([200, '2000']);
  });

  it('is shared by all requested answers', async () => {
    const client = await withBudget(4_400);
    const body = { model: 'flat', messages, n: 4, max_completion_tokens: 8_000 };
    expect(await sent(client, body, CHAT)).toEqual({ ...body, max_completion_tokens: 1_100 });
  });

  it('is lowered under each of its names, and never raised', async () => {
    const body = { model: 'flat', messages, max_tokens: 50, max_completion_tokens: 8_000 };
    expect(await sent(await withBudget(2_000), body, CHAT)).toEqual({
      ...body,
      max_completion_tokens: 2_000,
    });
  });

  it('is lowered to the remainder of the session', async () => {
    const client = await budgets.newClient();
    const headers = {
      'x-gateway-session-id': 's',
      'x-gateway-session-budget': String((1_500 * TOKEN) / 1e9),
    };
    const reply = await client.ask(asking(64_000), { path: ANTHROPIC, headers });
    expect([reply.status, reply.headers['x-gateway-output-limit']]).toEqual([200, '1500']);
  });

  it('leaves room for a long prompt: only the output is lowered', async () => {
    const client = await budgets.newClient({ budget: { monthly: 0.03 } });
    const body = {
      ...asking(64_000),
      model: 'detailed',
      messages: [{ role: 'user', content: 'word '.repeat(2_000) }],
    };
    const reply = await client.ask(body, { path: CHAT });
    const limit = Number(reply.headers['x-gateway-output-limit']);
    expect(reply.status).toBe(200);
    // 2,000 input tokens at 2 USD a million (cache write), the rest at 10.
    expect(limit).toBeGreaterThan(2_400);
    expect(limit).toBeLessThanOrEqual(2_600);
  });

  it('is lowered for many simultaneous calls so that all of them fit together', async () => {
    const client = await withBudget(5_000);
    client.behave({ hold: NEVER });
    const leaving = new AbortController();
    const refusals: number[] = [];
    const asks = Array.from({ length: 200 }, async () => {
      const { status } = await client.ask(asking(3_000), { path: ANTHROPIC, signal: leaving.signal });
      if (!leaving.signal.aborted) refusals.push(status);
    });
    await expect.poll(() => refusals, { timeout: 20_000 }).toHaveLength(198);
    expect(new Set(refusals)).toEqual(new Set([429]));
    expect(client.forwarded().map(({ json }) => json.max_tokens)).toEqual([3_000, 2_000]);
    expect(await client.account()).toEqual({ spent: 0, reserved: 5_000 * TOKEN });
    leaving.abort();
    await Promise.all(asks);
  });
}

export function untouched(): void {
  let others: Budgets;
  beforeAll(async () => {
    others = await startBudgets({ pricing: { lower_client_limits: false } }, budgets);
  });
  afterAll(() => others.close());

  it('is refused if it does not fit', async () => {
    const client = await others.newClient({ budget: { monthly: (3_000 * TOKEN) / 1e9 } });
    expectRefusal(await client.ask({ max_tokens: 128_000 }), 429, 'budget_exceeded');
    expect(client.forwarded()).toHaveLength(0);
  });
}

export function granted(): void {
  it('shrinks while others run, and is never below 256', async () => {
    const client = await withBudget(2_000);
    client.behave({ hold: NEVER });
    const leaving = new AbortController();
    async function limits(count: number): Promise<unknown[]> {
      void client.ask({ max_tokens: undefined }, { signal: leaving.signal });
      await expect.poll(() => client.forwarded()).toHaveLength(count);
      return client.forwarded().map(({ json }) => json.max_completion_tokens);
    }
    expect(await limits(1)).toEqual([500]);
    expect(await limits(2)).toEqual([500, 375]);
    expect(await limits(3)).toEqual([500, 375, 281]);
    expect(await limits(4)).toEqual([500, 375, 281, 256]);
    expect(await limits(5)).toEqual([500, 375, 281, 256, 256]);
    expect(await limits(6)).toEqual([500, 375, 281, 256, 256, 256]);
    expect(await client.account()).toEqual({ spent: 0, reserved: 1_924 * TOKEN });
    expectRefusal(await client.ask({ max_tokens: undefined }), 429, 'budget_exceeded');
    leaving.abort();
  });

  it('replaces null', async () => {
    const body = { model: 'flat', messages, max_tokens: null, max_completion_tokens: null };
    const limited = { ...body, max_completion_tokens: 1_000 };
    expect(await sent(await withBudget(4_000), body, CHAT)).toEqual(limited);
  });

  it('uses the name that the client uses', async () => {
    const body = { ...GENERATE, generation_config: { temperature: 0 } };
    const limited = { ...GENERATE, generation_config: { temperature: 0, maxOutputTokens: 1_000 } };
    expect(await sent(await withBudget(4_000), body, GENERATE_PATH)).toEqual(limited);
  });

  it('is unnecessary if the provider stops by itself: 16 tokens of a completion', async () => {
    const body = { model: 'flat', prompt: 'Say.' };
    const client = await withBudget(16);
    expect(await sent(client, body, '/openai/v1/completions')).toEqual(body);
    await client.expectSpent(16 * TOKEN);
  });

  it('is shared by all requested answers', async () => {
    const body = { model: 'flat', messages, n: 4 };
    const client = await withBudget(16_000);
    expect(await sent(client, body, CHAT)).toEqual({ ...body, max_completion_tokens: 1_000 });
    await client.expectSpent(4_000 * TOKEN);
  });
}

export function severalAnswers(): void {
  it.each<[string, Body, string]>([
    ['n', { ...CHAT_BODY, max_tokens: 100, n: 3 }, CHAT],
    ['best_of', { model: 'flat', prompt: 'x', max_tokens: 100, n: 2, best_of: 3 }, '/openai/v1/completions'],
    [
      'candidateCount',
      { ...GENERATE, generationConfig: { maxOutputTokens: 100, candidateCount: 3 } },
      GENERATE_PATH,
    ],
    [
      'candidate_count',
      { ...GENERATE, generation_config: { max_output_tokens: 100, candidate_count: 3 } },
      GENERATE_PATH,
    ],
  ])('%s', async (_name, body, path) => {
    expect(await held(body, path)).toBe(300 * TOKEN);
  });
}
