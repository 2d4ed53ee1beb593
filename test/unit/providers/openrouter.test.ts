import { describe, expect, it } from 'vitest';
import { applyEdits } from '../../../src/json/edit.ts';
import type { JsonObject } from '../../../src/json/is-object.ts';
import type { PriceCap } from '../../../src/providers/request-facts.ts';
import { providers } from '../../../src/providers/registry.ts';
import { parsed } from '../../support/exchange.ts';

const messages = [{ role: 'user', content: 'Say.' }];
const BODIES: readonly (readonly [string, JsonObject])[] = [
  ['/v1/chat/completions', { model: 'm', messages }],
  ['/v1/completions', { model: 'm', prompt: 'Say.' }],
  ['/v1/responses', { model: 'm', input: 'Say.' }],
  ['/v1/messages', { model: 'm', messages, max_tokens: 9 }],
  ['/v1/embeddings', { model: 'm', input: 'Say.' }],
];
const CAP: PriceCap = { inputUsdPerMillion: 2.5, outputUsdPerMillion: 10, requestUsd: 0 };

function capped(path: string, body: JsonObject, cap = CAP): unknown {
  const { request, body: bytes } = parsed({ provider: 'openrouter', path, body });
  return JSON.parse(applyEdits(bytes, request.capPrice?.(cap) ?? []).toString());
}

describe.each(BODIES)('hosts of %s', (path, body) => {
  it('get the highest allowed price', () => {
    const max_price = { prompt: 2.5, completion: 10, request: 0 };
    expect(capped(path, body)).toEqual({ ...body, provider: { max_price } });
    expect(capped(path, { ...body, provider: null })).toEqual({ ...body, provider: { max_price } });
    const nitro = { sort: 'throughput', max_price: null };
    expect(capped(path, { ...body, provider: nitro })).toEqual({
      ...body,
      provider: { ...nitro, max_price },
    });
  });

  it('keep the client’s lower price, but not a higher one', () => {
    const provider = { only: ['x'], max_price: { prompt: 1, completion: '99.5', image: 0.1 } };
    expect(capped(path, { ...body, provider })).toEqual({
      ...body,
      provider: { only: ['x'], max_price: { prompt: 1, completion: 10, image: 0.1, request: 0 } },
    });
    const written = { max_price: { prompt: '2.4', completion: '10', request: 0 } };
    expect(capped(path, { ...body, provider: written })).toEqual({ ...body, provider: written });
    const dearer = { max_price: { image: 5, audio: null } };
    expect(
      capped(path, { ...body, provider: dearer }, { ...CAP, imageUsd: 0.02, audioUsdPerMillion: 32 }),
    ).toEqual({
      ...body,
      provider: { max_price: { image: 0.02, audio: 32, prompt: 2.5, completion: 10, request: 0 } },
    });
  });

  it.each([
    5,
    'free',
    [],
    { prompt: -1 },
    { prompt: 'NaN' },
    { prompt: '1e9' },
    { completion: {} },
    { completion: true },
    { completion: '' },
    { Prompt: 1 },
    { request: ' 1' },
  ])('may not have an invalid price: %j', (max_price) => {
    expect(() =>
      parsed({ provider: 'openrouter', path, body: { ...body, provider: { max_price } } }),
    ).toThrow(expect.objectContaining({ type: 'invalid_request' }));
  });

  it.each([{ Provider: {} }, { provider: 'x' }, { provider: { MAX_PRICE: {} } }])(
    'may not have the price limit under another name or type: %j',
    (more) => {
      expect(() => parsed({ provider: 'openrouter', path, body: { ...body, ...more } })).toThrow(
        expect.objectContaining({ type: 'invalid_request' }),
      );
    },
  );

  it('are those of all models that may serve', () => {
    const { request } = parsed({
      provider: 'openrouter',
      path,
      body: { ...body, models: ['n', 'o:online'] },
    });
    expect(request.models).toEqual(['m', 'n', 'o']);
  });
});

it('requests of other providers are not capped', () => {
  expect(parsed({ body: { model: 'm', messages } }).request.capPrice).toBeUndefined();
});

describe('a bill', () => {
  const chat = providers.openrouter.endpoint('POST', '/v1/chat/completions')?.dialect;
  const counts = { prompt_tokens: 10, completion_tokens: 5 };
  const billed = (usage: JsonObject): number | undefined =>
    chat?.answer({ choices: [], usage: { ...counts, ...usage } }).usage?.billedNanoUsd;

  it.each<[string, JsonObject, number | undefined]>([
    ['is read', { cost: 0.0125 }, 12_500_000],
    ['may be zero', { cost: 0 }, 0],
    [
      'includes the host’s bill if the client has its own key there',
      { cost: 0.05, is_byok: true, cost_details: { upstream_inference_cost: 1 } },
      1_050_000_000,
    ],
    [
      'does not include the host’s bill twice',
      { cost: 1, is_byok: false, cost_details: { upstream_inference_cost: 1 } },
      1_000_000_000,
    ],
    ['may not be negative', { cost: -1 }, undefined],
    ['may not be a string', { cost: '1' }, undefined],
    ['may not be null', { cost: null }, undefined],
    ['may not be absurdly high', { cost: 1e300 }, undefined],
    ['may not be NaN', { cost: Number.NaN }, undefined],
  ])('%s', (_what, usage, nanoUsd) => {
    expect(billed(usage)).toBe(nanoUsd);
  });

  it('counts without readable tokens', () => {
    const answer = { choices: [], usage: { prompt_tokens: -1, cost: 0.5 } };
    expect(chat?.answer(answer).usage).toEqual({
      inputTokens: 0,
      outputTokens: 0,
      billedNanoUsd: 500_000_000,
    });
    expect(chat?.answer({ choices: [], usage: { prompt_tokens: -1, cost: 0 } }).usage).toBeUndefined();
    expect(chat?.answer({ choices: [] }).usage).toBeUndefined();
  });

  it.each<[string, readonly JsonObject[]]>([
    [
      '/v1/chat/completions',
      [{ choices: [{ delta: { content: 'x' } }] }, { choices: [], usage: { ...counts, cost: 0.5 } }],
    ],
    [
      '/v1/responses',
      [
        {
          type: 'response.completed',
          response: { output: [], usage: { input_tokens: 10, output_tokens: 5, cost: 0.5 } },
        },
      ],
    ],
    [
      '/v1/messages',
      [
        { type: 'message_start', message: { usage: { input_tokens: 10, output_tokens: 1, cost: 0.1 } } },
        { type: 'message_delta', delta: {}, usage: { output_tokens: 5, cost: 0.5 } },
      ],
    ],
  ])('is read in the stream of %s', (path, events) => {
    const reader = providers.openrouter.endpoint('POST', path)?.dialect.stream();
    const usages = events.map((event) => {
      const data = JSON.stringify(event);
      return reader?.read({ raw: Buffer.from(data), data }).usage;
    });
    expect(usages.at(-1)).toMatchObject({ inputTokens: 10, outputTokens: 5, billedNanoUsd: 500_000_000 });
  });

  it('is not read at other providers', () => {
    const answer = { choices: [], usage: { ...counts, cost: 5 } };
    const openai = providers.openai.endpoint('POST', '/v1/chat/completions')?.dialect;
    expect(openai?.answer(answer).usage).toEqual({ inputTokens: 10, outputTokens: 5 });
  });
});
