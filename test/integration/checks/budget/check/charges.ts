import { it, expect } from 'vitest';
import type { Outcome } from '../../../../../src/pipeline/exchange.ts';
import { type AnswerOptions, answered } from '../../../../support/exchange.ts';
import { budgetStore, windowStatus } from '../support.ts';
import { budgetCheck, chat, spendOf, client } from './rig.ts';

export function charges(): void {
  /** One request of at most 1,000 tokens (1,000,000 nano-USD) with this outcome. */
  interface Row {
    readonly what: string;
    readonly outcome: Outcome['kind'];
    readonly answer?: AnswerOptions;
    readonly model?: string;
    /** More members of the request. */
    readonly body?: Record<string, unknown>;
    /** From its reservation to its end; it is charged 300 tokens a second. */
    readonly afterMs?: number;
    readonly charge: number;
  }
  const lorem = 'one two three four five six seven eight';
  const rows: Row[] = [
    { what: 'never forwarded', outcome: 'not_forwarded', charge: 0 },
    {
      what: 'complete with usage',
      outcome: 'complete',
      answer: { usage: { inputTokens: 9, outputTokens: 70 } },
      charge: 70_000,
    },
    {
      what: 'complete with explicit zero usage',
      outcome: 'complete',
      answer: { usage: { inputTokens: 0, outputTokens: 0 }, text: lorem },
      charge: 0,
    },
    { what: 'complete without usage', outcome: 'complete', answer: { text: lorem }, charge: 8_000 },
    {
      what: 'complete, but nothing of it readable',
      outcome: 'complete',
      answer: { readable: false },
      charge: 1_000_000,
    },
    {
      what: 'complete, but neither usage nor a word in it',
      outcome: 'complete',
      answer: { readable: true },
      charge: 1_000_000,
    },
    {
      what: 'stream complete, but neither usage nor a word in it',
      outcome: 'complete',
      answer: { form: 'stream', complete: true },
      charge: 1_000_000,
    },
    { what: 'provider said 400', outcome: 'complete', answer: { status: 400 }, charge: 0 },
    { what: 'provider said 429', outcome: 'complete', answer: { status: 429 }, charge: 0 },
    { what: 'provider said 500', outcome: 'complete', answer: { status: 500 }, charge: 0 },
    { what: 'provider said 529', outcome: 'complete', answer: { status: 529 }, charge: 0 },
    { what: 'provider said 502', outcome: 'complete', answer: { status: 502 }, charge: 1_000_000 },
    { what: 'provider said 504', outcome: 'complete', answer: { status: 504 }, charge: 1_000_000 },
    { what: 'provider said 524', outcome: 'complete', answer: { status: 524 }, charge: 1_000_000 },
    {
      what: 'stream complete with usage',
      outcome: 'complete',
      answer: { form: 'stream', complete: true, usage: { inputTokens: 9, outputTokens: 70 } },
      charge: 70_000,
    },
    {
      what: 'stream complete without usage',
      outcome: 'complete',
      answer: { form: 'stream', complete: true, text: lorem },
      charge: 8_000,
    },
    {
      what: 'stream broken off: output so far and the slack',
      outcome: 'broken_off',
      answer: { form: 'stream', text: lorem },
      charge: 264_000,
    },
    {
      what: 'stream broken off before its first word',
      outcome: 'broken_off',
      answer: { form: 'stream' },
      charge: 256_000,
    },
    {
      what: 'stream broken off with running usage',
      outcome: 'broken_off',
      answer: { form: 'stream', usage: { inputTokens: 9, outputTokens: 100 } },
      charge: 356_000,
    },
    {
      what: 'stream broken off with stale running usage',
      outcome: 'broken_off',
      answer: { form: 'stream', text: lorem, usage: { inputTokens: 9, outputTokens: 1 } },
      charge: 264_000,
    },
    {
      what: 'stream broken off: at most the reservation',
      outcome: 'broken_off',
      answer: { form: 'stream', text: 'word '.repeat(2_000) },
      charge: 1_000_000,
    },
    {
      what: 'stream with hidden reasoning broken off: its time',
      outcome: 'broken_off',
      model: 'gpt-5',
      answer: { form: 'stream', text: lorem },
      afterMs: 2_000,
      charge: 600_000,
    },
    {
      what: 'stream with hidden reasoning broken off: what was seen, where that is more',
      outcome: 'broken_off',
      model: 'gpt-5',
      answer: { form: 'stream', text: lorem },
      afterMs: 500,
      charge: 264_000,
    },
    {
      what: 'stream with hidden reasoning broken off: at most the reservation',
      outcome: 'broken_off',
      model: 'gpt-5',
      answer: { form: 'stream', text: lorem },
      afterMs: 60_000,
      charge: 1_000_000,
    },
    {
      what: 'stream with hidden reasoning broken off before its first word',
      outcome: 'broken_off',
      model: 'gpt-5',
      answer: { form: 'stream' },
      afterMs: 2_000,
      charge: 600_000,
    },
    {
      what: 'stream with hidden reasoning broken off, its model written otherwise',
      outcome: 'broken_off',
      model: 'GPT-5',
      answer: { form: 'stream', text: lorem },
      afterMs: 2_000,
      charge: 600_000,
    },
    {
      what: 'stream broken off whose reasoning the client asked to leave out',
      outcome: 'broken_off',
      body: { reasoning: { exclude: true } },
      answer: { form: 'stream', text: lorem },
      afterMs: 2_000,
      charge: 600_000,
    },
    {
      what: 'stream with hidden reasoning broken off: each of its answers took the time',
      outcome: 'broken_off',
      model: 'gpt-5',
      body: { max_tokens: 500, n: 2 },
      answer: { form: 'stream', text: lorem },
      afterMs: 1_000,
      charge: 600_000,
    },
    {
      what: 'stream of running usage that tells the reasoning broken off: what was seen',
      outcome: 'broken_off',
      model: 'gpt-5',
      answer: { form: 'stream', usage: { inputTokens: 9, outputTokens: 100, reasoningTokens: 90 } },
      afterMs: 2_000,
      charge: 356_000,
    },
    {
      what: 'stream with hidden reasoning broken off, of a model that thinks on several paths at once',
      outcome: 'broken_off',
      model: 'gpt-5-pro',
      answer: { form: 'stream', text: lorem },
      afterMs: 10,
      charge: 1_000_000,
    },
    {
      what: 'stream of a model that shows a summary of its thoughts broken off before its first word',
      outcome: 'broken_off',
      model: 'claude-sonnet-4-5',
      answer: { form: 'stream' },
      afterMs: 2_000,
      charge: 600_000,
    },
    {
      what: 'stream of a model that thinks where it is asked to broken off in its answer',
      outcome: 'broken_off',
      model: 'claude-sonnet-4-5',
      answer: { form: 'stream', text: lorem },
      afterMs: 2_000,
      charge: 264_000,
    },
    {
      what: 'error stream of the provider broken off',
      outcome: 'broken_off',
      answer: { form: 'stream', status: 500 },
      charge: 0,
    },
    { what: 'nothing seen after forwarding', outcome: 'lost', charge: 1_000_000 },
  ];

  it.each(rows)('$what: $charge', async ({ outcome, answer, model = 'flat', body, afterMs, charge }) => {
    let now = 0;
    const { check } = budgetCheck({}, { now: () => now });
    const state = check.begin?.() ?? {};
    const messages = [{ role: 'user', content: 'Say something.' }];
    const exchange = chat({ body: { model, messages, max_tokens: 1_000, ...body } });
    expect(await check.requestBody?.(exchange, state)).toEqual({ kind: 'pass' });
    expect(await spendOf(exchange)).toEqual({ spent: 0, reserved: 1_000_000 });
    now += afterMs ?? 0;
    const answer_ = answer && answered(exchange, answer);
    if (answer_?.form === 'whole') {
      await check.response?.(answer_, state);
    } else if (answer_ !== undefined) {
      await check.response?.(answer_, state);
      check.stream?.(answer_, state);
    }
    await check.end?.(answer_ ?? exchange, { kind: outcome }, state);
    await check.end?.(answer_ ?? exchange, { kind: 'lost' }, state);
    expect(await spendOf(exchange)).toEqual({ spent: charge, reserved: 0 });
  });

  it('an answer that an earlier check withheld: its usage', async () => {
    const { check } = budgetCheck();
    const state = check.begin?.() ?? {};
    const exchange = chat({ maxTokens: 1_000 });
    await check.requestBody?.(exchange, state);
    const withheld = answered(exchange, { usage: { inputTokens: 9, outputTokens: 70 } });
    await check.end?.(withheld, { kind: 'complete' }, state);
    expect(await spendOf(exchange)).toEqual({ spent: 70_000, reserved: 0 });
  });

  it('a broken stream of an Azure deployment: its time if its model hides reasoning', async () => {
    let now = 0;
    const config = {
      providers: { azure: { base_url: 'https://r.openai.azure.com', deployments: { prod: 'gpt-5' } } },
      pricing: {
        overrides: { 'azure/gpt-5': { input: 0, output: 1 } },
        output_tokens_per_second: { azure: 400 },
      },
    };
    const { check } = budgetCheck(config, { now: () => now });
    const state = check.begin?.() ?? {};
    const exchange = chat({
      provider: 'azure',
      path: '/openai/deployments/prod/chat/completions',
      body: { messages: [], max_completion_tokens: 1_000 },
    });
    expect(await check.requestBody?.(exchange, state)).toEqual({ kind: 'pass' });
    const stream = answered(exchange, { form: 'stream', text: 'one two' });
    await check.response?.(stream, state);
    now = 2_000;
    await check.end?.(stream, { kind: 'broken_off' }, state);
    expect(await spendOf(exchange)).toEqual({ spent: 800_000, reserved: 0 });
  });

  it('an expired lease: the full reservation', async () => {
    let now = Date.now();
    const clocked = budgetStore(client, { now: () => now });
    const { check } = budgetCheck({}, { store: clocked });
    const exchange = chat({ maxTokens: 1_000 });
    await check.requestBody?.(exchange, check.begin?.() ?? {});
    now += 30_000;
    const { spent, reserved } = await windowStatus(clocked, exchange.key.keyHash, 'monthly');
    expect({ spent, reserved }).toEqual({ spent: 1_000_000, reserved: 0 });
  });

  it('a cost over the reservation is charged in full, and reported', async () => {
    const { check, counts } = budgetCheck();
    const state = check.begin?.() ?? {};
    const exchange = chat({ maxTokens: 10 });
    await check.requestBody?.(exchange, state);
    await check.response?.(answered(exchange, { usage: { inputTokens: 0, outputTokens: 500 } }), state);
    expect(await spendOf(exchange)).toEqual({ spent: 500_000, reserved: 0 });
    expect(counts.over).toBe(1);
  });
}
