import { expect, it } from 'vitest';
import { type Client, CHAT_BODY, CHAT, TOKEN } from '../rig.ts';
import { wav } from '../../../support/media-files.ts';
import { scripted, BUDGET, STREAM, answerWith } from './rig.ts';

export function cachedTokens(): void {
  /** 1,000 input tokens, 600 of them from the cache; 10 output tokens. USD per million: 1, 0.1, and 10. */
  const CACHED = 400 * 1_000 + 600 * 100 + 10 * 10_000;
  /** Plus 200 cache-write tokens at 2. */
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
    answerWith({ type: 'application/json', body: JSON.stringify(json) });
    await (await askFor(path, body)).expectSpent(nanoUsd);
  });

  it('in streams: Anthropic sends usage in two parts', async () => {
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
    answerWith({ type: 'text/event-stream', body });
    await (await askFor('/anthropic/v1/messages', { ...chat, ...STREAM })).expectSpent(WRITTEN);
  });
}

/** Asks the scripted provider for this answer, whole or as a stream of these events. */
export async function spentOn(
  path: string,
  body: Readonly<Record<string, unknown>>,
  ...events: readonly unknown[]
): Promise<Client> {
  const streams = events.length > 1;
  const lines = [...events.map((event) => JSON.stringify(event)), '[DONE]'].map(
    (data) => `data: ${data}\n\n`,
  );
  answerWith(
    streams
      ? { type: 'text/event-stream', body: lines.join('') }
      : { type: 'application/json', body: JSON.stringify(events[0]) },
  );
  const client = await scripted.newClient(BUDGET);
  const reply = await client.ask(streams ? { ...body, ...STREAM } : body, { path });
  expect([reply.status, reply.body]).toEqual([200, expect.anything()]);
  return client;
}

export function sound(): void {
  const speech = { ...CHAT_BODY, model: 'spoken', modalities: ['text', 'audio'], audio: { voice: 'alloy' } };
  const usage = { prompt_tokens: 10, completion_tokens: 100, total_tokens: 110 };
  const told = { ...usage, completion_tokens_details: { audio_tokens: 80, reasoning_tokens: 0 } };
  const delta = { choices: [{ index: 0, delta: { audio: { data: 'AAAA' } } }] };
  const TOLD = 80 * 20_000 + 20 * 1_000;

  it('as reported by its usage, whole and streamed', async () => {
    await (await spentOn(CHAT, speech, { choices: [], usage: told })).expectSpent(TOLD);
    await (await spentOn(CHAT, speech, delta, { choices: [], usage: told })).expectSpent(TOLD);
  });

  it('in full if its usage does not mention it', async () => {
    await (await spentOn(CHAT, speech, { choices: [], usage })).expectSpent(100 * 20_000);
  });

  it('not at all if its usage reports none', async () => {
    const none = { ...usage, completion_tokens_details: { audio_tokens: 0 } };
    await (await spentOn(CHAT, speech, { choices: [], usage: none })).expectSpent(100 * TOKEN);
  });

  it('by modality, as Gemini reports', async () => {
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

  it('by its samples if it arrived and its usage does not mention it', async () => {
    const data = wav({}, 32_000).toString('base64');
    const content = [{ type: 'input_audio', input_audio: { data, format: 'wav' } }];
    const heard = { ...CHAT_BODY, model: 'spoken', messages: [{ role: 'user', content }] };
    const client = await spentOn(CHAT, heard, {
      choices: [],
      usage: { ...usage, prompt_tokens: 40, completion_tokens: 0, total_tokens: 40 },
    });
    await client.expectSpent(40 * 2_000);
  });

  it('in full if the stream breaks off, since passing audio is not counted', async () => {
    answerWith({ type: 'text/event-stream', body: `data: ${JSON.stringify(delta)}\n\n` });
    const client = await scripted.newClient(BUDGET);
    await client.ask({ ...speech, ...STREAM });
    await client.expectSpent(CHAT_BODY.max_tokens * 20_000);
  });
}

export function openRouterBill(): void {
  const path = '/openrouter/v1/chat/completions';
  const body = { ...CHAT_BODY };
  const usage = { prompt_tokens: 10, completion_tokens: 100, total_tokens: 110 };
  const LISTED = 100 * TOKEN;
  const word = { choices: [{ index: 0, delta: { content: 'x' } }] };

  it.each<[string, Readonly<Record<string, unknown>>, number]>([
    ['is charged where it is higher than the list', { cost: 0.25 }, 250_000_000],
    ['is not where it is lower', { cost: 0.00001 }, LISTED],
    ['below zero is ignored', { cost: -1 }, LISTED],
    ['as a string is ignored', { cost: '0.25' }, LISTED],
    ['of null is ignored', { cost: null }, LISTED],
    ['far too large is ignored', { cost: 1e12 }, LISTED],
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

  it('does not apply to other providers', async () => {
    const client = await spentOn(CHAT, body, { choices: [], usage: { ...usage, cost: 0.25 } });
    await client.expectSpent(LISTED);
  });
}

/** One dollar is 1e10 ticks (docs.x.ai, cost tracking). */
export function xaiBill(): void {
  const usage = { prompt_tokens: 10, completion_tokens: 100, total_tokens: 110 };
  const LISTED = 100 * TOKEN;
  const chat = '/xai/v1/chat/completions';
  const word = { choices: [{ index: 0, delta: { content: 'x' } }] };

  it.each<[string, unknown, number]>([
    ['is charged where it is higher than the list', 2_500_000_000, 250_000_000],
    ['is not where it is lower', 100, LISTED],
    ['below zero is ignored', -1, LISTED],
    ['as a string is ignored', '2500000000', LISTED],
    ['far too large is ignored', 1e20, LISTED],
  ])('%s, whole and streamed', async (_what, ticks, nanoUsd) => {
    const last = { choices: [], usage: { ...usage, cost_in_usd_ticks: ticks } };
    await (await spentOn(chat, CHAT_BODY, last)).expectSpent(nanoUsd);
    await (await spentOn(chat, CHAT_BODY, word, last)).expectSpent(nanoUsd);
  });

  it('is charged for responses too, whole and streamed', async () => {
    const path = '/xai/v1/responses';
    const body = { model: 'flat', max_output_tokens: 1_000, input: 'Say something.' };
    const bill = { usage: { input_tokens: 10, output_tokens: 100, cost_in_usd_ticks: 2_500_000_000 } };
    await (await spentOn(path, body, { output: [], ...bill })).expectSpent(250_000_000);
    const streamed = [
      { type: 'response.created', response: {} },
      { type: 'response.completed', response: bill },
    ];
    await (await spentOn(path, body, ...streamed)).expectSpent(250_000_000);
  });
}
