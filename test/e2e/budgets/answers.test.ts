import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { countWritten } from '../../../src/pricing/count.ts';
import { providers } from '../../../src/providers/registry.ts';
import {
  budgetStatus,
  CHAT,
  CHAT_BODY,
  startBudgets,
  TOKEN,
  WORDS,
  type Budgets,
  type Client,
} from './rig.ts';

/** DECISIONS "Budgets and cost": what an answer costs, and what its client is told of it. */
const STREAM = { stream: true };
const BUDGET = { budget: { daily: 1 } };

let budgets: Budgets;
/** With `server.strip_budget_headers`. */
let stripping: Budgets;
/** Before a provider that answers what it is told. */
let scripted: Budgets;
let server: Server;
let answer: { readonly type: string; readonly body: string };

beforeAll(async () => {
  server = createServer((request, response) => {
    request
      .resume()
      .on('end', () => response.writeHead(200, { 'content-type': answer.type }).end(answer.body));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const base_url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  const upstreams = Object.fromEntries(Object.keys(providers).map((name) => [name, { base_url }]));
  budgets = await startBudgets();
  stripping = await startBudgets({ server: { strip_budget_headers: true } }, budgets);
  scripted = await startBudgets({ providers: upstreams }, budgets);
});
afterAll(async () => {
  await scripted.close();
  await stripping.close();
  await budgets.close();
  server.close();
});

const telemetry = (headers: object): string[] =>
  Object.keys(headers)
    .filter((name) => /^x-gateway-(request-cost|session|budget)/.test(name))
    .sort();

describe('a client is told', () => {
  it('cost, remainder and window of a whole answer in its headers', async () => {
    const client = await budgets.newClient(BUDGET);
    client.behave({ outputTokens: 500 });
    const { headers } = await client.ask();
    expect(headers['x-gateway-request-cost']).toBe('0.0005');
    expect(headers['x-gateway-session-remaining']).toBe('0.9995');
    expect(headers['x-gateway-budget-window']).toBe('daily');
  });

  it('what a stream may cost in its headers, and its cost in a comment before the end', async () => {
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

  it('nothing where the budget headers are stripped, neither in headers nor in comments', async () => {
    const client = await stripping.newClient({ budget: { daily: 0.0015 } });
    client.behave({ outputTokens: 500 });
    const whole = await client.ask();
    const streamed = await client.ask(STREAM);
    const refused = await client.ask();
    expect([whole.status, streamed.status, refused.status]).toEqual([200, 200, 429]);
    for (const { headers } of [whole, streamed, refused]) expect(telemetry(headers)).toEqual([]);
    expect(streamed.body).not.toContain('x-gateway');
    expect(streamed.body).toMatch(/data: \[DONE\]\n\n$/);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
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
  ])('nothing in a stream of %s, whose cost stands in budget status', async (_form, path, body) => {
    const client = await budgets.newClient(BUDGET);
    const reply = await client.ask(body, { path });
    expect([reply.status, reply.cut, reply.body.includes('x-gateway')]).toEqual([200, false, false]);
    await client.expectSpent(40 * TOKEN);
    const [, , daily] = await budgetStatus(budgets.gateway, client.keyHash);
    expect(daily?.spent_usd).toBe(0.00004);
  });
});

describe('the usage chunk of a stream', () => {
  const usageChunks = (text: string): number => (text.match(/"choices":\[\],"usage":\{/g) ?? []).length;

  it.each<[string, Readonly<Record<string, unknown>>]>([
    ['that says nothing of it', {}],
    ['that says null', { stream_options: null }],
    ['that says no', { stream_options: { include_usage: false } }],
    ['that has other options', { stream_options: { include_obfuscation: false } }],
  ])('is asked for, and hidden from a client %s', async (_what, body) => {
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

  it('is shown to a client that asked for it', async () => {
    const client = await budgets.newClient(BUDGET);
    const reply = await client.ask({ ...STREAM, stream_options: { include_usage: true } });
    expect(usageChunks(reply.body)).toBe(1);
  });

  it('is asked for without a budget too, since spend is recorded all the same', async () => {
    const client = await budgets.newClient();
    client.behave({ outputTokens: 30 });
    expect(usageChunks((await client.ask(STREAM)).body)).toBe(0);
    await client.expectSpent(30 * TOKEN);
  });
});

describe('a usage of', () => {
  const counted = 9 * TOKEN;
  it.each<[string, 'zero' | 'negative' | 'missing' | { inputTokens: number; outputTokens: number }, number]>([
    ['zero is zero', 'zero', 0],
    ['negative numbers counts as missing', 'negative', counted],
    ['absurd numbers counts as missing', { inputTokens: 1, outputTokens: 5e12 }, counted],
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

  it('nothing counts the input too', async () => {
    const client = await budgets.newClient(BUDGET);
    client.behave({ text: WORDS, usage: 'missing' });
    await client.ask({ model: 'detailed' });
    const prompt = countWritten('openai', { text: CHAT_BODY.messages[0].content, beyondBytes: 0 });
    await client.expectSpent((prompt + 8) * 1_000 + 9 * 10_000);
  });

  it('more than was reserved is charged all the same, and counted in a metric', async () => {
    const over = async (): Promise<number> =>
      Number(/gateway_cost_over_reservation_total (\d+)/.exec(await budgets.gateway.metrics())?.[1]);
    const before = await over();
    const client = await budgets.newClient(BUDGET);
    client.behave({ usage: { inputTokens: 1, outputTokens: 5_000 } });
    await client.ask();
    await client.expectSpent(5_000 * TOKEN);
    expect((await over()) - before).toBe(1);
  });
});

describe('cached tokens have a price of their own', () => {
  /** 1,000 tokens read, 600 of them from the cache; 10 written. USD per million: 1, 0.1, and 10. */
  const CACHED = 400 * 1_000 + 600 * 100 + 10 * 10_000;
  /** And 200 more, written to the cache at 2. */
  const WRITTEN = CACHED + 200 * 2_000;
  interface Row {
    readonly what: string;
    readonly path: string;
    readonly body: Readonly<Record<string, unknown>>;
    readonly answer: unknown;
    readonly nanoUsd: number;
  }
  const chat = { ...CHAT_BODY, model: 'detailed' };
  const chatUsage = { prompt_tokens: 1_000, completion_tokens: 10, total_tokens: 1_010 };
  const contents = [{ parts: [{ text: 'Say.' }] }];
  const ROWS: readonly Row[] = [
    {
      what: 'OpenAI’s prompt count includes them',
      path: CHAT,
      body: chat,
      answer: { choices: [], usage: { ...chatUsage, prompt_tokens_details: { cached_tokens: 600 } } },
      nanoUsd: CACHED,
    },
    {
      what: 'so does that of its responses',
      path: '/openai/v1/responses',
      body: { model: 'detailed', input: 'Say.', max_output_tokens: 100 },
      answer: {
        output: [],
        usage: { input_tokens: 1_000, input_tokens_details: { cached_tokens: 600 }, output_tokens: 10 },
      },
      nanoUsd: CACHED,
    },
    {
      what: 'DeepSeek’s, under another name',
      path: '/deepseek/chat/completions',
      body: chat,
      answer: { choices: [], usage: { ...chatUsage, prompt_cache_hit_tokens: 600 } },
      nanoUsd: CACHED,
    },
    {
      what: 'Gemini’s',
      path: '/gemini/v1beta/models/detailed:generateContent',
      body: { contents, generationConfig: { maxOutputTokens: 100 } },
      answer: {
        candidates: [],
        usageMetadata: { promptTokenCount: 1_000, cachedContentTokenCount: 600, candidatesTokenCount: 10 },
      },
      nanoUsd: CACHED,
    },
    {
      what: 'Anthropic’s input count leaves them out, reads and writes',
      path: '/anthropic/v1/messages',
      body: chat,
      answer: {
        content: [],
        usage: {
          input_tokens: 400,
          cache_read_input_tokens: 600,
          cache_creation_input_tokens: 200,
          output_tokens: 10,
        },
      },
      nanoUsd: WRITTEN,
    },
    {
      what: 'Bedrock’s too',
      path: '/bedrock/model/detailed/converse',
      body: {
        messages: [{ role: 'user', content: [{ text: 'Say.' }] }],
        inferenceConfig: { maxTokens: 100 },
      },
      answer: {
        output: {},
        usage: { inputTokens: 400, cacheReadInputTokens: 600, cacheWriteInputTokens: 200, outputTokens: 10 },
      },
      nanoUsd: WRITTEN,
    },
  ];

  const askFor = async (path: string, body: Readonly<Record<string, unknown>>): Promise<Client> => {
    const client = await scripted.newClient(BUDGET);
    expect((await client.ask(body, { path })).status).toBe(200);
    return client;
  };

  it.each(ROWS)('$what', async ({ path, body, answer: json, nanoUsd }) => {
    answer = { type: 'application/json', body: JSON.stringify(json) };
    await (await askFor(path, body)).expectSpent(nanoUsd);
  });

  it('in streams: Anthropic’s usage comes in two parts', async () => {
    const events = [
      {
        type: 'message_start',
        message: {
          usage: {
            input_tokens: 400,
            cache_read_input_tokens: 600,
            cache_creation_input_tokens: 200,
            output_tokens: 1,
          },
        },
      },
      { type: 'message_delta', delta: {}, usage: { output_tokens: 10 } },
      { type: 'message_stop' },
    ];
    const body = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('');
    answer = { type: 'text/event-stream', body };
    await (await askFor('/anthropic/v1/messages', { ...chat, ...STREAM })).expectSpent(WRITTEN);
  });
});
