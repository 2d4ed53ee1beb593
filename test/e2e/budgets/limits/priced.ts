import { it, expect } from 'vitest';
import { CHAT, CHAT_BODY, expectRefusal, TOKEN } from '../rig.ts';
import { flacOfSilence, film, wav, pdf, gif } from '../../../support/media-files.ts';
import {
  messages,
  type Body,
  RESPONSES,
  GENERATE_PATH,
  GENERATE,
  OPENROUTER,
  CONVERSE,
  withBudget,
  budgets,
  sent,
  held,
} from './rig.ts';

/** Audio and pictures without a price, requested in each dialect or native to the model. */
const SPEECH = { modalities: ['text', 'audio'], audio: { voice: 'alloy', format: 'pcm16' } };
const AUDIO_CHAT = { model: 'gpt-4o-audio-preview', max_completion_tokens: 10, messages };
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
    'an earlier answer, by its id',
    400,
    'input_audio',
    CHAT,
    { ...AUDIO_CHAT, messages: [...messages, { role: 'assistant', audio: { id: 'audio_1' } }, ...messages] },
  ],
];

export function unbounded(): void {
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
    ['an unknown model', 403, 'pricing.overrides', CHAT, { ...CHAT_BODY, model: 'unknown-model' }],
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
    const { headers } = await client.ask({ model: 'unknown-model' });
    expect(headers['x-gateway-request-cost']).toBe('0');
    await client.expectSpent(0);
  });

  it('a model with a free name costs nothing, with a budget too', async () => {
    const client = await withBudget(1);
    const path = '/openrouter/v1/chat/completions';
    const { status, headers } = await client.ask({ ...CHAT_BODY, model: 'any/model:free' }, { path });
    expect([status, headers['x-gateway-request-cost']]).toEqual([200, '0']);
    await client.expectSpent(0);
  });
}

export function ownPrices(): void {
  const base64 = (bytes: Buffer): string => bytes.toString('base64');
  const WHOLE_CONTEXT = 10_000 * 2_000;

  it('speech, at the highest possible price', async () => {
    const body = { model: 'spoken', messages, max_completion_tokens: 100, ...SPEECH };
    expect(await held(body, CHAT)).toBe(100 * 20_000);
    const config = { responseModalities: ['AUDIO'], maxOutputTokens: 100 };
    expect(
      await held({ ...GENERATE, generationConfig: config }, GENERATE_PATH.replace('flat', 'spoken')),
    ).toBe(100 * 20_000);
  });

  it('predicted output, as output that may be wrong', async () => {
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

  it('a second of audio, by its samples', async () => {
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
}
