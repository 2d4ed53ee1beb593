import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  CHAT,
  CHAT_BODY,
  expectRefusal,
  NEVER,
  startBudgets,
  TOKEN,
  type Budgets,
  type Client,
} from './rig.ts';

/** DECISIONS "Budgets and cost": what bounds the cost of a request before it is sent. */
let budgets: Budgets;
beforeAll(async () => {
  budgets = await startBudgets({
    proxy: { provider_tools: ['web_search', 'code_interpreter'] },
    pricing: { tools: { web_search: 0.01 } },
  });
});
afterAll(() => budgets.close());

type Body = Readonly<Record<string, unknown>>;

const messages = [{ role: 'user', content: 'Say something.' }];
const CONVERSE = { messages: [{ role: 'user', content: [{ text: 'Say something.' }] }] };
const GENERATE = { contents: [{ role: 'user', parts: [{ text: 'Say something.' }] }] };
const GENERATE_PATH = '/gemini/v1beta/models/flat:generateContent';
const RESPONSES = '/openai/v1/responses';

const withBudget = (tokens: number): Promise<Client> =>
  budgets.newClient({ budget: { monthly: (tokens * TOKEN) / 1e9 } });

/** The body that reached the provider. */
async function sent(client: Client, body: Body, path: string): Promise<unknown> {
  const reply = await client.ask(body, { path });
  expect([reply.status, reply.body]).toEqual([200, expect.anything()]);
  return JSON.parse(client.forwarded().at(-1)?.body.toString() ?? '');
}

interface Dialect {
  readonly what: string;
  readonly path: string;
  readonly body: Body;
  /** What is added to the body, where so many tokens are granted. */
  readonly granted: (tokens: number) => Body;
}

const DIALECTS: readonly Dialect[] = [
  {
    what: 'openai chat',
    path: CHAT,
    body: { model: 'flat', messages },
    granted: (max_completion_tokens) => ({ max_completion_tokens }),
  },
  {
    what: 'openai responses',
    path: RESPONSES,
    body: { model: 'flat', input: 'Say.' },
    granted: (max_output_tokens) => ({ max_output_tokens }),
  },
  {
    what: 'mistral',
    path: '/mistral/v1/chat/completions',
    body: { model: 'flat', messages },
    granted: (max_tokens) => ({ max_tokens }),
  },
  {
    what: 'anthropic',
    path: '/anthropic/v1/messages',
    body: { model: 'flat', messages },
    granted: (max_tokens) => ({ max_tokens }),
  },
  {
    what: 'gemini',
    path: GENERATE_PATH,
    body: GENERATE,
    granted: (maxOutputTokens) => ({ generationConfig: { maxOutputTokens } }),
  },
  {
    what: 'gemini with a generationConfig',
    path: GENERATE_PATH,
    body: { ...GENERATE, generationConfig: { temperature: 0 } },
    granted: (maxOutputTokens) => ({ generationConfig: { temperature: 0, maxOutputTokens } }),
  },
  {
    what: 'bedrock converse',
    path: '/bedrock/model/flat/converse',
    body: CONVERSE,
    granted: (maxTokens) => ({ inferenceConfig: { maxTokens } }),
  },
  {
    what: 'bedrock converse with an inferenceConfig',
    path: '/bedrock/model/flat/converse',
    body: { ...CONVERSE, inferenceConfig: { temperature: 0 } },
    granted: (maxTokens) => ({ inferenceConfig: { temperature: 0, maxTokens } }),
  },
  {
    what: 'cohere v2',
    path: '/cohere/v2/chat',
    body: { model: 'flat', messages },
    granted: (max_tokens) => ({ max_tokens }),
  },
  {
    what: 'cohere v1',
    path: '/cohere/v1/chat',
    body: { model: 'flat', message: 'Say.' },
    granted: (max_tokens) => ({ max_tokens }),
  },
];

describe.each(DIALECTS)('the output of $what', ({ path, body, granted }) => {
  it('is limited where the client set no limit: the model’s maximum, or a quarter of what is left', async () => {
    expect(await sent(await withBudget(1_000_000), body, path)).toEqual({ ...body, ...granted(8_192) });
    expect(await sent(await withBudget(4_000), body, path)).toEqual({ ...body, ...granted(1_000) });
  });

  it('is limited in streams too', async () => {
    const streamed = path
      .replace(':generateContent', ':streamGenerateContent')
      .replace(/converse$/, 'converse-stream');
    const asked = streamed === path ? { ...body, stream: true } : body;
    expect(await sent(await withBudget(4_000), asked, streamed)).toMatchObject({
      ...asked,
      ...granted(1_000),
    });
  });

  it('is the client’s own affair where it set a limit, or has no budget', async () => {
    const own = { ...body, ...granted(77) };
    const client = await withBudget(4_000);
    expect(await sent(client, own, path)).toEqual(own);
    await client.expectSpent(77 * TOKEN);
    expect(await sent(await budgets.newClient(), body, path)).toEqual(body);
  });
});

describe('a granted limit', () => {
  it('shrinks while others run, and is never under 256', async () => {
    const client = await withBudget(2_000);
    client.behave({ hold: NEVER });
    const leaving = new AbortController();
    const limits = async (count: number): Promise<unknown[]> => {
      void client.ask({ max_tokens: undefined }, { signal: leaving.signal });
      await expect.poll(() => client.forwarded()).toHaveLength(count);
      return client.forwarded().map(({ json }) => json.max_completion_tokens);
    };
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

  it('takes the place of null', async () => {
    const body = { model: 'flat', messages, max_tokens: null, max_completion_tokens: null };
    const limited = { ...body, max_completion_tokens: 1_000 };
    expect(await sent(await withBudget(4_000), body, CHAT)).toEqual(limited);
  });

  it('is written under the name that the client uses', async () => {
    const body = { ...GENERATE, generation_config: { temperature: 0 } };
    const limited = { ...GENERATE, generation_config: { temperature: 0, maxOutputTokens: 1_000 } };
    expect(await sent(await withBudget(4_000), body, GENERATE_PATH)).toEqual(limited);
  });

  it('is not needed where the provider stops by itself: 16 tokens of a completion', async () => {
    const body = { model: 'flat', prompt: 'Say.' };
    const client = await withBudget(16);
    expect(await sent(client, body, '/openai/v1/completions')).toEqual(body);
    await client.expectSpent(16 * TOKEN);
  });

  it('is shared by all answers that are asked for', async () => {
    const body = { model: 'flat', messages, n: 4 };
    const client = await withBudget(16_000);
    expect(await sent(client, body, CHAT)).toEqual({ ...body, max_completion_tokens: 1_000 });
    await client.expectSpent(4_000 * TOKEN);
  });
});

describe('several answers are reserved for', () => {
  const held = async (body: Body, path: string): Promise<number> => {
    const client = await withBudget(10_000);
    client.behave({ hold: NEVER });
    const leaving = new AbortController();
    void client.ask(body, { path, signal: leaving.signal });
    await expect.poll(() => client.forwarded()).toHaveLength(1);
    const { reserved } = await client.account();
    leaving.abort();
    return reserved;
  };

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
});

describe('what cannot be bounded is refused with a budget, and passes without', () => {
  const RESPONSE = { model: 'flat', input: 'Say.', max_output_tokens: 10 };
  const ASKS: readonly (readonly [string, number, string, string, Body])[] = [
    ['a background response', 400, 'background', RESPONSES, { ...RESPONSE, background: true }],
    ['a dearer service tier', 400, 'service_tier', CHAT, { ...CHAT_BODY, service_tier: 'priority' }],
    ['gemini’s service tier', 400, 'serviceTier', GENERATE_PATH, { ...GENERATE, serviceTier: 'PRIORITY' }],
    [
      'bedrock’s latency',
      400,
      'performanceConfig',
      '/bedrock/model/flat/converse',
      { ...CONVERSE, performanceConfig: { latency: 'optimized' } },
    ],
    ['anthropic’s fast mode', 400, 'speed', '/anthropic/v1/messages', { ...CHAT_BODY, speed: 'fast' }],
    [
      'a provider’s tool without a price',
      400,
      'pricing.tools',
      RESPONSES,
      { ...RESPONSE, tools: [{ type: 'code_interpreter' }] },
    ],
    [
      'sound without a price',
      400,
      'input_audio',
      CHAT,
      {
        model: 'gpt-4o',
        max_tokens: 10,
        messages: [
          { role: 'user', content: [{ type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } }] },
        ],
      },
    ],
    ['an unknown model', 403, 'pricing.overrides', CHAT, { ...CHAT_BODY, model: 'nobody-knows' }],
    [
      'a model that the router picks',
      403,
      'pricing.overrides',
      '/openrouter/v1/chat/completions',
      { ...CHAT_BODY, model: 'openrouter/auto' },
    ],
  ];

  it.each(ASKS)('%s: %i', async (_what, status, named, path, body) => {
    const client = await withBudget(1_000_000);
    const refused = await client.ask(body, { path });
    expectRefusal(refused, status, status === 400 ? 'invalid_request' : 'policy_denied');
    expect(refused.body).toContain(named);
    expect(client.forwarded()).toHaveLength(0);
    expect(await client.account()).toEqual({ spent: 0, reserved: 0 });
    const free = await budgets.newClient();
    expect((await free.ask(body, { path })).status).toBe(200);
  });

  it('a provider’s tool with a price is charged once', async () => {
    const client = await budgets.newClient({ budget: { monthly: 1 } });
    await sent(client, { ...RESPONSE, tools: [{ type: 'web_search' }] }, RESPONSES);
    await client.expectSpent(10_000_000 + 10 * TOKEN);
  });

  it('an unknown model costs nothing without a budget', async () => {
    const client = await budgets.newClient();
    const { headers } = await client.ask({ model: 'nobody-knows' });
    expect(headers['x-gateway-request-cost']).toBe('0');
    await client.expectSpent(0);
  });

  it('a model that is free by its name costs nothing, with a budget too', async () => {
    const client = await withBudget(1);
    const path = '/openrouter/v1/chat/completions';
    const { status, headers } = await client.ask({ ...CHAT_BODY, model: 'any/model:free' }, { path });
    expect([status, headers['x-gateway-request-cost']]).toEqual([200, '0']);
    await client.expectSpent(0);
  });
});
