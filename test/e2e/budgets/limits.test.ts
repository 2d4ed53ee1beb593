import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { film, flacOfSilence, gif, pdf, wav } from '../../support/media-files.ts';
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

/** docs/budgets.md: what bounds the cost of a request before it is sent. */
let budgets: Budgets;
beforeAll(async () => {
  budgets = await startBudgets({
    proxy: { provider_tools: ['web_search', 'code_interpreter'] },
    pricing: { tools: { web_search: 0.01 } },
    providers: { azure: { deployments: { 'my-dep': 'gpt-4o', 'gpt-4o-mini': 'gpt-5', cheap: 'flat' } } },
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

describe.each(DIALECTS)('a limit of the client’s that does not fit, in $what', ({ path, body, granted }) => {
  it('is lowered to what fits, and told', async () => {
    const client = await withBudget(3_000);
    const reply = await client.ask({ ...body, ...granted(128_000) }, { path });
    expect([reply.status, reply.headers['x-gateway-output-limit']]).toEqual([200, '3000']);
    expect(client.forwarded().at(-1)?.json).toEqual({ ...body, ...granted(3_000) });
  });

  it('is the client’s own affair without a budget', async () => {
    const client = await budgets.newClient();
    const reply = await client.ask({ ...body, ...granted(128_000) }, { path });
    expect([reply.status, reply.headers['x-gateway-output-limit']]).toEqual([200, undefined]);
    expect(client.forwarded().at(-1)?.json).toEqual({ ...body, ...granted(128_000) });
  });
});

describe('a limit of the client’s', () => {
  const asking = (max_tokens: number): Body => ({ model: 'flat', messages, max_tokens });
  const ANTHROPIC = '/anthropic/v1/messages';

  it('that fits is left alone, byte for byte', async () => {
    const client = await withBudget(3_000);
    const reply = await client.ask(asking(3_000), { path: ANTHROPIC });
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
  ])('is refused where it would be %s', async (_what, budget, body) => {
    const client = await withBudget(budget);
    const reply = await client.ask(body, { path: ANTHROPIC });
    expectRefusal(reply, 429, 'budget_exceeded');
    expect(client.forwarded()).toHaveLength(0);
    expect(await client.account()).toEqual({ spent: 0, reserved: 0 });
  });

  it('is lowered to 1,024, and to one more than the tokens for thinking', async () => {
    const few = await withBudget(1_024);
    expect(await sent(few, asking(2_000), ANTHROPIC)).toEqual(asking(1_024));
    const thinking = { type: 'enabled', budget_tokens: 3_000 };
    const body = { ...asking(64_000), thinking };
    expect(await sent(await withBudget(3_001), body, ANTHROPIC)).toEqual({ ...asking(3_001), thinking });
  });

  it('is lowered in streams, whose headers tell it', async () => {
    const client = await withBudget(2_000);
    const reply = await client.ask({ ...asking(64_000), stream: true }, { path: ANTHROPIC });
    expect([reply.status, reply.headers['x-gateway-output-limit']]).toEqual([200, '2000']);
  });

  it('is shared by all answers that are asked for', async () => {
    const client = await withBudget(4_400);
    const body = { model: 'flat', messages, n: 4, max_completion_tokens: 8_000 };
    expect(await sent(client, body, CHAT)).toEqual({ ...body, max_completion_tokens: 1_100 });
  });

  it('is lowered under each of its names, and raised under none', async () => {
    const body = { model: 'flat', messages, max_tokens: 50, max_completion_tokens: 8_000 };
    expect(await sent(await withBudget(2_000), body, CHAT)).toEqual({
      ...body,
      max_completion_tokens: 2_000,
    });
  });

  it('is lowered to what the session has left', async () => {
    const client = await budgets.newClient();
    const headers = {
      'x-gateway-session-id': 's',
      'x-gateway-session-budget': String((1_500 * TOKEN) / 1e9),
    };
    const reply = await client.ask(asking(64_000), { path: ANTHROPIC, headers });
    expect([reply.status, reply.headers['x-gateway-output-limit']]).toEqual([200, '1500']);
  });

  it('leaves room for a long prompt: what is lowered is the output', async () => {
    const client = await budgets.newClient({ budget: { monthly: 0.03 } });
    const body = {
      ...asking(64_000),
      model: 'detailed',
      messages: [{ role: 'user', content: 'word '.repeat(2_000) }],
    };
    const reply = await client.ask(body, { path: CHAT });
    const limit = Number(reply.headers['x-gateway-output-limit']);
    expect(reply.status).toBe(200);
    // 2,000 tokens of input at 2 USD a million (cache write), the rest at 10.
    expect(limit).toBeGreaterThan(2_400);
    expect(limit).toBeLessThanOrEqual(2_600);
  });

  it('of many calls at once is lowered so that all of them together fit', async () => {
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
});

describe('where clients’ limits are not lowered and budgets not told', () => {
  let others: Budgets;
  beforeAll(async () => {
    others = await startBudgets({ pricing: { lower_client_limits: false } }, budgets);
  });
  afterAll(() => others.close());

  it('one that does not fit is refused', async () => {
    const client = await others.newClient({ budget: { monthly: (3_000 * TOKEN) / 1e9 } });
    expectRefusal(await client.ask({ max_tokens: 128_000 }), 429, 'budget_exceeded');
    expect(client.forwarded()).toHaveLength(0);
  });
});

describe('a granted limit', () => {
  it('shrinks while others run, and is never under 256', async () => {
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

/** What is reserved while a request runs, in nano-USD. */
async function held(body: Body, path: string, budgetTokens = 10_000): Promise<number> {
  const client = await withBudget(budgetTokens);
  client.behave({ hold: NEVER });
  const leaving = new AbortController();
  void client.ask(body, { path, signal: leaving.signal });
  await expect.poll(() => client.forwarded()).toHaveLength(1);
  const { reserved } = await client.account();
  leaving.abort();
  return reserved;
}

describe('several answers are reserved for', () => {
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

/** Sound and pictures that have no price, asked for in each dialect, or written by nature. */
const SPEECH = { modalities: ['text', 'audio'], audio: { voice: 'alloy', format: 'pcm16' } };
const AUDIO_CHAT = { model: 'gpt-4o-audio-preview', max_completion_tokens: 10, messages };
const OPENROUTER = '/openrouter/v1/chat/completions';
const SOUND_ASKS: readonly (readonly [string, number, string, string, Body])[] = [
  ['speech without a price', 400, 'output_audio in pricing.overrides', CHAT, { ...AUDIO_CHAT, ...SPEECH }],
  ['speech in a stream', 400, 'output_audio', CHAT, { ...AUDIO_CHAT, ...SPEECH, stream: true }],
  ['speech by its voice alone', 400, 'output_audio', CHAT, { ...AUDIO_CHAT, audio: SPEECH.audio }],
  [
    'speech beside an overridden price of text',
    400,
    'output_audio',
    RESPONSES,
    { model: 'flat', input: 'Say.', max_output_tokens: 10, ...SPEECH },
  ],
  [
    'gemini’s speech',
    400,
    'output_audio',
    GENERATE_PATH.replace(':generate', ':streamGenerate'),
    { ...GENERATE, generationConfig: { responseModalities: ['AUDIO'] } },
  ],
  [
    'gemini’s speech in snake case',
    400,
    'output_audio',
    GENERATE_PATH,
    { ...GENERATE, generation_config: { speech_config: { voice_config: {} } } },
  ],
  [
    'openrouter’s pictures',
    400,
    'output_image',
    OPENROUTER,
    { model: 'openai/gpt-4o', max_tokens: 10, messages, modalities: ['image', 'text'] },
  ],
  [
    'a model that paints by itself',
    400,
    'output_image',
    OPENROUTER,
    { model: 'google/gemini-2.5-flash-image', max_tokens: 10, messages },
  ],
  [
    'a model that sings by itself',
    400,
    'output_audio',
    OPENROUTER,
    { model: 'google/lyria-3-clip-preview', max_tokens: 10, messages },
  ],
  [
    'what was said before, by its id',
    400,
    'input_audio',
    CHAT,
    { ...AUDIO_CHAT, messages: [...messages, { role: 'assistant', audio: { id: 'audio_1' } }, ...messages] },
  ],
];

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
    ...SOUND_ASKS,
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

describe('what has a price of its own is reserved at it:', () => {
  const base64 = (bytes: Buffer): string => bytes.toString('base64');
  const WHOLE_CONTEXT = 10_000 * 2_000;

  it('speech, at the dearest that can be written', async () => {
    const body = { model: 'spoken', messages, max_completion_tokens: 100, ...SPEECH };
    expect(await held(body, CHAT)).toBe(100 * 20_000);
    const config = { responseModalities: ['AUDIO'], maxOutputTokens: 100 };
    expect(
      await held({ ...GENERATE, generationConfig: config }, GENERATE_PATH.replace('flat', 'spoken')),
    ).toBe(100 * 20_000);
  });

  it('what the client foretells, as output that may be wrong', async () => {
    const prediction = { type: 'content', content: 'x'.repeat(500) };
    expect(await held({ ...CHAT_BODY, max_tokens: 100, prediction }, CHAT)).toBeGreaterThanOrEqual(
      600 * TOKEN,
    );
  });

  it('silence and still film, at the whole context', async () => {
    const sound = { type: 'input_audio', input_audio: { data: base64(flacOfSilence(10)), format: 'wav' } };
    const heard = {
      model: 'spoken',
      max_completion_tokens: 1,
      messages: [{ role: 'user', content: [sound] }],
    };
    expect(await held(heard, CHAT, 1e6)).toBe(WHOLE_CONTEXT + 20_000);
    const parts = [{ inlineData: { mimeType: 'video/mp4', data: base64(film()) } }];
    const watched = { contents: [{ parts }], generationConfig: { maxOutputTokens: 1 } };
    expect(await held(watched, GENERATE_PATH.replace('flat', 'spoken'), 1e6)).toBe(WHOLE_CONTEXT + 20_000);
  });

  it('a second of sound, by its samples', async () => {
    const sound = { type: 'input_audio', input_audio: { data: base64(wav({}, 32_000)), format: 'wav' } };
    const heard = {
      model: 'spoken',
      max_completion_tokens: 1,
      messages: [{ role: 'user', content: [sound] }],
    };
    expect(await held(heard, CHAT)).toBeLessThanOrEqual(3 * 32 * 2_000 + 20_000);
  });

  it.each<[string, string, Buffer]>([
    ['a PDF with escaped names', 'application/pdf', pdf('<< /Type /P#61ge >>')],
    ['a PDF that says it is a picture', 'image/png', pdf('')],
    [
      'an animation on a screen of one pixel',
      'image/gif',
      gif([1, 1], { width: 9, height: 9 }, { width: 9, height: 9 }),
    ],
  ])('%s, at the whole context', async (_what, mimeType, bytes) => {
    const url = `data:${mimeType};base64,${base64(bytes)}`;
    const part = { type: 'image_url', image_url: { url } };
    const body = {
      model: 'detailed',
      max_completion_tokens: 1,
      messages: [{ role: 'user', content: [part] }],
    };
    expect(await held(body, CHAT, 1e6)).toBeGreaterThan(200_000 * 2_000);
  });
});

describe('hosts behind OpenRouter', () => {
  const asked = { model: 'openai/gpt-4o', max_tokens: 10, messages };
  const max_price = { prompt: 2.5, completion: 10, request: 0 };

  it('may be no dearer than the price that was reserved at, whole and streamed', async () => {
    const provider = { sort: 'throughput', max_price: { completion: 1_000 } };
    for (const stream of [false, true]) {
      const client = await withBudget(1e6);
      const body = { ...asked, stream, model: 'openai/gpt-4o:nitro' };
      expect(await sent(client, body, OPENROUTER)).toEqual({ ...body, provider: { max_price } });
      expect(await sent(client, { ...body, provider }, OPENROUTER)).toEqual({
        ...body,
        provider: { sort: 'throughput', max_price },
      });
    }
  });

  it('may be as dear as the dearest model that is asked for', async () => {
    const body = { ...asked, model: 'openai/gpt-4o-mini', models: ['openai/gpt-4o'] };
    expect(await sent(await withBudget(1e6), body, OPENROUTER)).toEqual({ ...body, provider: { max_price } });
    const auto = { ...body, models: ['openrouter/auto'] };
    expectRefusal(await (await withBudget(1e6)).ask(auto, { path: OPENROUTER }), 403, 'policy_denied');
  });

  it('are held to a lower price of the client’s, and to a client’s own without a budget', async () => {
    const lower = { ...asked, provider: { max_price: { prompt: 1, completion: '2', request: 0 } } };
    expect(await sent(await withBudget(1e6), lower, OPENROUTER)).toEqual(lower);
    const own = { ...asked, provider: { max_price: { prompt: 1_000 } } };
    expect(await sent(await budgets.newClient(), own, OPENROUTER)).toEqual(own);
  });

  it.each([5, { prompt: -1 }, { prompt: 'free' }, { completion: [] }])(
    'have no price of %j',
    async (price) => {
      const client = await withBudget(1e6);
      const body = { ...asked, provider: { max_price: price } };
      expectRefusal(await client.ask(body, { path: OPENROUTER }), 400, 'invalid_request');
      expect(client.forwarded()).toHaveLength(0);
    },
  );
});

describe('an Azure deployment', () => {
  const body = { messages, max_completion_tokens: 10 };
  const classic = (name: string) =>
    `/azure/openai/deployments/${name}/chat/completions?api-version=2024-10-21`;
  const current = '/azure/openai/v1/chat/completions';
  const limited = (...allowedModels: string[]): Promise<Client> =>
    budgets.newClient({ budget: { monthly: 1 }, key: { allowedModels } });

  it('may be used by a key that may use its model, whatever it is called', async () => {
    const client = await limited('gpt-4o*');
    expect((await client.ask(body, { path: classic('my-dep') })).status).toBe(200);
    expect((await client.ask({ ...body, model: 'My-Dep' }, { path: current })).status).toBe(200);
    expect(client.forwarded()).toHaveLength(2);
  });

  it('may not be used by a key that may use the model that it is called like', async () => {
    const client = await limited('gpt-4o*');
    for (const name of ['gpt-4o-mini', 'gpt-4o-MINI']) {
      const asks = [
        await client.ask({ ...body, model: 'gpt-4o' }, { path: classic(name) }),
        await client.ask({ ...body, model: name }, { path: current }),
      ];
      for (const reply of asks) {
        expectRefusal(reply, 403, 'policy_denied');
        expect(reply.headers['x-gateway-policy-block']).toBe('true');
        expect(reply.headers['x-gateway-block-reason']).toContain('model');
      }
    }
    const other = await limited('o3');
    expectRefusal(await other.ask(body, { path: classic('my-dep') }), 403, 'policy_denied');
    expect([client.forwarded().length, other.forwarded().length]).toEqual([0, 0]);
  });

  it('costs what its model costs', async () => {
    const client = await withBudget(1_000);
    expect((await client.ask(body, { path: classic('cheap') })).status).toBe(200);
    await client.expectSpent(10 * TOKEN);
  });
});

describe('what is stored at a provider is refused', () => {
  it.each<[string, string, Body]>([
    ['a prompt', RESPONSES, { model: 'flat', input: 'Say.', prompt: { id: 'pmpt_1' } }],
    ['a cache', GENERATE_PATH, { ...GENERATE, cachedContent: 'cachedContents/1' }],
    ['a cache in snake case', GENERATE_PATH, { ...GENERATE, cached_content: 'cachedContents/1' }],
    ['a preset', OPENROUTER, { model: '@preset/mine', messages }],
    [
      'bedrock’s prompt',
      `/bedrock/model/${encodeURIComponent('arn:aws:bedrock:us-east-1:123456789012:prompt/A')}/converse`,
      CONVERSE,
    ],
  ])('%s', async (_what, path, body) => {
    for (const client of [await budgets.newClient(), await withBudget(1e6)]) {
      const reply = await client.ask(body, { path });
      expectRefusal(reply, 403, 'policy_denied');
      expect(reply.body).toContain('proxy.stored_prompts');
      expect(reply.headers['x-gateway-policy-block']).toBe('true');
      expect(reply.headers['x-gateway-block-reason']).toContain('proxy.stored_prompts');
      expect(client.forwarded()).toHaveLength(0);
    }
  });
});
