import { it, expect } from 'vitest';
import type { Outcome } from '../../../../../src/pipeline/exchange.ts';
import { type AnswerOptions, answered } from '../../../../support/exchange.ts';
import { budgetStore, windowStatus } from '../support.ts';
import { budgetCheck, chat, spendOf, client } from './rig.ts';

export function charges(): void {
  interface More {
    readonly model?: string;
    /** More members of the request. */
    readonly body?: Record<string, unknown>;
    /** From its reservation to its end; it is charged 300 tokens a second. */
    readonly afterMs?: number;
  }
  /** One request of at most 1,000 tokens (1,000,000 nano-USD): its charge, its outcome and its answer. */
  type Row = [what: string, charge: number, outcome: Outcome['kind'], answer?: AnswerOptions, more?: More];
  const lorem = { text: 'one two three four five six seven eight' };
  const used = (outputTokens: number, more: object = {}): AnswerOptions => ({
    usage: { inputTokens: 9, outputTokens, ...more },
  });
  const stream = (more: AnswerOptions = {}): AnswerOptions => ({ form: 'stream', ...more });
  const ended = (more: AnswerOptions = {}): AnswerOptions => stream({ complete: true, ...more });
  const status = (code: number): AnswerOptions => ({ status: code });
  const hidden = (afterMs: number, model = 'gpt-5'): More => ({ model, afterMs });
  const rows: Row[] = [
    ['never forwarded', 0, 'not_forwarded'],
    ['complete with usage', 70_000, 'complete', used(70)],
    ['complete with explicit zero usage', 0, 'complete', { ...used(0), ...lorem }],
    ['complete without usage', 8_000, 'complete', lorem],
    ['complete, but nothing of it readable', 1_000_000, 'complete', { readable: false }],
    ['complete, but neither usage nor a word in it', 1_000_000, 'complete', { readable: true }],
    ['stream complete, but neither usage nor a word in it', 1_000_000, 'complete', ended()],
    ['provider said 400', 0, 'complete', status(400)],
    ['provider said 429', 0, 'complete', status(429)],
    ['provider said 500', 0, 'complete', status(500)],
    ['provider said 529', 0, 'complete', status(529)],
    ['provider said 502', 1_000_000, 'complete', status(502)],
    ['provider said 504', 1_000_000, 'complete', status(504)],
    ['provider said 524', 1_000_000, 'complete', status(524)],
    ['stream complete with usage', 70_000, 'complete', ended(used(70))],
    ['stream complete without usage', 8_000, 'complete', ended(lorem)],
    ['stream broken off: output so far and the slack', 264_000, 'broken_off', stream(lorem)],
    ['stream broken off before its first word', 256_000, 'broken_off', stream()],
    ['stream broken off with running usage', 356_000, 'broken_off', stream(used(100))],
    ['stream broken off with stale running usage', 264_000, 'broken_off', stream({ ...used(1), ...lorem })],
    [
      'stream broken off: at most the reservation',
      1_000_000,
      'broken_off',
      stream({ text: 'w '.repeat(2_000) }),
    ],
    ['hidden reasoning broken off: its time', 600_000, 'broken_off', stream(lorem), hidden(2_000)],
    [
      'hidden reasoning broken off: what was seen, if more',
      264_000,
      'broken_off',
      stream(lorem),
      hidden(500),
    ],
    ['hidden reasoning broken off: at most all', 1_000_000, 'broken_off', stream(lorem), hidden(60_000)],
    ['hidden reasoning broken off before its first word', 600_000, 'broken_off', stream(), hidden(2_000)],
    ['a model written otherwise', 600_000, 'broken_off', stream(lorem), hidden(2_000, 'GPT-5')],
    [
      'reasoning that the client asked to leave out',
      600_000,
      'broken_off',
      stream(lorem),
      { body: { reasoning: { exclude: true } }, afterMs: 2_000 },
    ],
    [
      'hidden reasoning broken off: each of its answers took the time',
      600_000,
      'broken_off',
      stream(lorem),
      { ...hidden(1_000), body: { max_tokens: 500, n: 2 } },
    ],
    [
      'running usage that tells the reasoning broken off: what was seen',
      356_000,
      'broken_off',
      stream(used(100, { reasoningTokens: 90 })),
      hidden(2_000),
    ],
    ['several thoughts at once', 1_000_000, 'broken_off', stream(lorem), hidden(10, 'gpt-5-pro')],
    ['a summary, before its first word', 600_000, 'broken_off', stream(), hidden(2_000, 'claude-sonnet-4-5')],
    ['a summary, in its answer', 264_000, 'broken_off', stream(lorem), hidden(2_000, 'claude-sonnet-4-5')],
    ['error stream of the provider broken off', 0, 'broken_off', stream(status(500))],
    ['nothing seen after forwarding', 1_000_000, 'lost'],
  ];

  it.each(rows)(
    '%s: %d',
    async (_what, charge, outcome, answer, { model = 'flat', body, afterMs = 0 } = {}) => {
      let now = 0;
      const { check } = budgetCheck({}, { now: () => now });
      const state = check.begin?.() ?? {};
      const messages = [{ role: 'user', content: 'Say something.' }];
      const exchange = chat({ body: { model, messages, max_tokens: 1_000, ...body } });
      expect(await check.requestBody?.(exchange, state)).toEqual({ kind: 'pass' });
      expect(await spendOf(exchange)).toEqual({ spent: 0, reserved: 1_000_000 });
      now += afterMs;
      const seen = answer && answered(exchange, answer);
      if (seen !== undefined) await check.response?.(seen, state);
      if (seen?.form === 'stream') check.stream?.(seen, state);
      await check.end?.(seen ?? exchange, { kind: outcome }, state);
      await check.end?.(seen ?? exchange, { kind: 'lost' }, state);
      expect(await spendOf(exchange)).toEqual({ spent: charge, reserved: 0 });
    },
  );

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
