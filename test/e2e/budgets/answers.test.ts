import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { countWritten } from '../../../src/pricing/count.ts';
import { providers } from '../../../src/providers/registry.ts';
import { wav } from '../../support/media-files.ts';
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

/** docs/budgets.md: what an answer costs, and what its client is told of it. */
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
  stripping = await startBudgets(
    { server: { strip_budget_headers: true }, proxy: { stored_prompts: 'allow' } },
    budgets,
  );
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
    expect(refused.body).toMatch(/; it starts anew in \d+ (h|min|s)/);
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

  async function askFor(path: string, body: Readonly<Record<string, unknown>>): Promise<Client> {
    const client = await scripted.newClient(BUDGET);
    expect((await client.ask(body, { path })).status).toBe(200);
    return client;
  }

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

/** Asks the scripted provider, whose answer this is, whole or as a stream of these events. */
async function spentOn(
  path: string,
  body: Readonly<Record<string, unknown>>,
  ...events: readonly unknown[]
): Promise<Client> {
  const streams = events.length > 1;
  const lines = [...events.map((event) => JSON.stringify(event)), '[DONE]'].map(
    (data) => `data: ${data}\n\n`,
  );
  answer = streams
    ? { type: 'text/event-stream', body: lines.join('') }
    : { type: 'application/json', body: JSON.stringify(events[0]) };
  const client = await scripted.newClient(BUDGET);
  const reply = await client.ask(streams ? { ...body, ...STREAM } : body, { path });
  expect([reply.status, reply.body]).toEqual([200, expect.anything()]);
  return client;
}

describe('sound is charged at its own price', () => {
  const speech = { ...CHAT_BODY, model: 'spoken', modalities: ['text', 'audio'], audio: { voice: 'alloy' } };
  const usage = { prompt_tokens: 10, completion_tokens: 100, total_tokens: 110 };
  const told = { ...usage, completion_tokens_details: { audio_tokens: 80, reasoning_tokens: 0 } };
  const delta = { choices: [{ index: 0, delta: { audio: { data: 'AAAA' } } }] };
  const TOLD = 80 * 20_000 + 20 * 1_000;

  it('as its usage tells, whole and streamed', async () => {
    await (await spentOn(CHAT, speech, { choices: [], usage: told })).expectSpent(TOLD);
    await (await spentOn(CHAT, speech, delta, { choices: [], usage: told })).expectSpent(TOLD);
  });

  it('all of it, where its usage does not tell', async () => {
    await (await spentOn(CHAT, speech, { choices: [], usage })).expectSpent(100 * 20_000);
  });

  it('none of it, where its usage tells of none', async () => {
    const none = { ...usage, completion_tokens_details: { audio_tokens: 0 } };
    await (await spentOn(CHAT, speech, { choices: [], usage: none })).expectSpent(100 * TOKEN);
  });

  it('by modality, as Gemini tells', async () => {
    const path = '/gemini/v1beta/models/spoken:generateContent';
    const generationConfig = { maxOutputTokens: 1_000, responseModalities: ['AUDIO'] };
    const usageMetadata = {
      promptTokenCount: 10,
      candidatesTokenCount: 100,
      candidatesTokensDetails: [
        { modality: 'AUDIO', tokenCount: 80 },
        { modality: 'TEXT', tokenCount: 20 },
      ],
    };
    const asked = { contents: [{ parts: [{ text: 'Say.' }] }], generationConfig };
    await (await spentOn(path, asked, { candidates: [], usageMetadata })).expectSpent(TOLD);
  });

  it('heard, where it came and its usage does not tell: as much as its samples can be', async () => {
    const data = wav({}, 32_000).toString('base64');
    const content = [{ type: 'input_audio', input_audio: { data, format: 'wav' } }];
    const heard = { ...CHAT_BODY, model: 'spoken', messages: [{ role: 'user', content }] };
    const client = await spentOn(CHAT, heard, {
      choices: [],
      usage: { ...usage, prompt_tokens: 40, completion_tokens: 0, total_tokens: 40 },
    });
    await client.expectSpent(40 * 2_000);
  });

  it('whole, where the stream breaks off: nobody counts sound as it passes', async () => {
    answer = { type: 'text/event-stream', body: `data: ${JSON.stringify(delta)}\n\n` };
    const client = await scripted.newClient(BUDGET);
    await client.ask({ ...speech, ...STREAM });
    await client.expectSpent(CHAT_BODY.max_tokens * 20_000);
  });
});

describe('OpenRouter’s bill', () => {
  const path = '/openrouter/v1/chat/completions';
  const body = { ...CHAT_BODY };
  const usage = { prompt_tokens: 10, completion_tokens: 100, total_tokens: 110 };
  const LISTED = 100 * TOKEN;
  const word = { choices: [{ index: 0, delta: { content: 'x' } }] };

  it.each<[string, Readonly<Record<string, unknown>>, number]>([
    ['is charged where it is higher than the list', { cost: 0.25 }, 250_000_000],
    ['is not where it is lower', { cost: 0.00001 }, LISTED],
    ['below nothing is none', { cost: -1 }, LISTED],
    ['in words is none', { cost: '0.25' }, LISTED],
    ['of no number is none', { cost: null }, LISTED],
    ['beyond all sense is none', { cost: 1e12 }, LISTED],
    [
      'has the host’s on top, where the client has a key there',
      { cost: 0.01, is_byok: true, cost_details: { upstream_inference_cost: 0.2 } },
      210_000_000,
    ],
  ])('%s, whole and streamed', async (_what, more, nanoUsd) => {
    const last = { choices: [], usage: { ...usage, ...more } };
    await (await spentOn(path, body, last)).expectSpent(nanoUsd);
    await (await spentOn(path, body, word, last)).expectSpent(nanoUsd);
  });

  it('is no other provider’s', async () => {
    const client = await spentOn(CHAT, body, { choices: [], usage: { ...usage, cost: 0.25 } });
    await client.expectSpent(LISTED);
  });
});

describe('what is stored at a provider', () => {
  it('passes where proxy.stored_prompts allows it, and counts as the whole context', async () => {
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
});
