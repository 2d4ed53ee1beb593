import Anthropic from '@anthropic-ai/sdk';
import OpenAI, { AzureOpenAI } from 'openai';
import { beforeEach, describe, expect, it } from 'vitest';
import type { ProviderName } from '../../../src/providers/registry.ts';
import type { Script } from '../../support/fake-provider/index.ts';
import {
  INPUT_TOKENS,
  PROMPT,
  useSdkRig,
  TEXT,
  TRANSPORTS,
  usd,
  type Access,
  type AuthForm,
} from '../../support/sdk-rig.ts';

const PROVIDER_KEY = 'pk-0123456789';
const FREE = { input: 0, output: 0 };
const DEPLOYMENT = 'our-deployment';
const messages = [{ role: 'user' as const, content: PROMPT }];

/** A provider that an OpenAI client reaches by its base URL alone. */
interface Row {
  readonly provider: ProviderName;
  /** After the provider's segment, as in the provider's own documentation after the host. */
  readonly base: string;
  readonly model: string;
  /** USD per million tokens. */
  readonly rates: { readonly input: number; readonly output: number };
  /** Path that the provider receives, and the header of its key if it is not a bearer token. */
  readonly path: string;
  readonly keyHeader?: string;
  /** Place of the usage in its streams; if unset, they report it only on request. */
  readonly unaskedUsage?: NonNullable<Script['unaskedUsage']>;
  /** Members that the gateway adds to a request of a key with a budget. */
  readonly added?: object;
}

const ROWS: readonly Row[] = [
  {
    provider: 'groq',
    base: '/openai/v1',
    model: 'llama-3.3-70b-versatile',
    rates: { input: 0.59, output: 0.79 },
    path: '/openai/v1/chat/completions',
    unaskedUsage: 'x_groq',
    added: { service_tier: 'on_demand' },
  },
  {
    provider: 'deepseek',
    base: '',
    model: 'deepseek-chat',
    rates: { input: 0.3, output: 0.5 },
    path: '/chat/completions',
  },
  {
    provider: 'together',
    base: '/v1',
    model: 'meta-llama/Llama-3.3-70B-Instruct-Turbo',
    rates: { input: 0.88, output: 0.88 },
    path: '/v1/chat/completions',
    unaskedUsage: 'last_chunk',
  },
  {
    provider: 'xai',
    base: '/v1',
    model: 'grok-3',
    rates: { input: 3, output: 15 },
    path: '/v1/chat/completions',
    unaskedUsage: 'last_chunk',
  },
  {
    provider: 'fireworks',
    base: '/inference/v1',
    model: 'accounts/fireworks/models/gpt-oss-120b',
    rates: { input: 0.15, output: 0.6 },
    path: '/inference/v1/chat/completions',
    unaskedUsage: 'last_chunk',
  },
  {
    provider: 'openrouter',
    base: '/api/v1',
    model: 'openai/gpt-4o',
    rates: { input: 2.5, output: 10 },
    path: '/api/v1/chat/completions',
    unaskedUsage: 'last_chunk',
    added: { provider: { max_price: { prompt: 2.5, completion: 10, request: 0 } } },
  },
  {
    provider: 'mistral',
    base: '/v1',
    model: 'mistral-small-latest',
    rates: { input: 0.1, output: 0.3 },
    path: '/v1/chat/completions',
    unaskedUsage: 'last_chunk',
  },
  { provider: 'vllm', base: '/v1', model: 'any', rates: FREE, path: '/v1/chat/completions' },
  { provider: 'ollama', base: '/v1', model: 'llama3.2', rates: FREE, path: '/v1/chat/completions' },
  {
    provider: 'gemini',
    base: '/v1beta/openai',
    model: 'gemini-2.0-flash',
    rates: { input: 0.1, output: 0.4 },
    path: '/v1beta/openai/chat/completions',
    keyHeader: 'x-goog-api-key',
  },
  {
    provider: 'cohere',
    base: '/compatibility/v1',
    model: 'command-r-08-2024',
    rates: { input: 0.15, output: 0.6 },
    path: '/compatibility/v1/chat/completions',
  },
  {
    provider: 'bedrock',
    base: '/openai/v1',
    model: 'openai.gpt-oss-120b-1:0',
    rates: { input: 0.15, output: 0.6 },
    path: '/openai/v1/chat/completions',
  },
];

const CONFIG = {
  // DeepSeek's listed price depends on the hour.
  pricing: { overrides: { 'deepseek/deepseek-chat': { input: 0.3, output: 0.5 } } },
  providers: { azure: { deployments: { [DEPLOYMENT]: 'gpt-4o' } } },
};

function credentialOf({ keyHeader }: Row): readonly [string, string] {
  return keyHeader === undefined ? ['authorization', `Bearer ${PROVIDER_KEY}`] : [keyHeader, PROVIDER_KEY];
}

describe.each(TRANSPORTS)('$name', (transport) => {
  const rig = useSdkRig(transport, CONFIG);
  beforeEach(() => rig.provider.behave({ text: TEXT }));

  const openai = (access: Access, base: string): OpenAI =>
    new OpenAI({
      baseURL: access.baseUrl + base,
      apiKey: access.apiKey,
      defaultHeaders: access.headers,
      maxRetries: 0,
    });

  describe.each(ROWS)("OpenAI's SDK at $provider", (row) => {
    it.each<AuthForm>(['header', 'path'])('chats, whole and streamed, with %s auth', async (auth) => {
      const { unaskedUsage, model } = row;
      rig.provider.behave({ text: TEXT, ...(unaskedUsage !== undefined && { unaskedUsage }) });
      const access = await rig.access(row.provider, auth, PROVIDER_KEY);
      const request = { model, messages, max_tokens: 100 };
      const { data, response } = await openai(access, row.base)
        .chat.completions.create(request)
        .withResponse();
      expect(data.choices[0]?.message.content).toBe(TEXT);
      expect(Number(response.headers.get('x-gateway-request-cost'))).toBe(usd(row.rates));
      const wanted = { path: row.path, credential: credentialOf(row) };
      expect(rig.forwarded(access, wanted).json).toEqual({ ...request, ...row.added });

      const stream = await openai(access, row.base).chat.completions.create({ ...request, stream: true });
      let text = '';
      for await (const chunk of stream) {
        expect(chunk.choices).toHaveLength(1);
        text += chunk.choices[0]?.delta.content ?? '';
      }
      expect(text).toBe(TEXT);
      const { json } = rig.forwarded(access, wanted);
      expect('stream_options' in json).toBe(unaskedUsage === undefined);
      await rig.expectSpent(access, 2 * usd(row.rates));
    });
  });

  describe("OpenAI's SDK for Azure", () => {
    const client = ({ baseUrl, apiKey, headers }: Access, entra = false): AzureOpenAI =>
      new AzureOpenAI({
        endpoint: baseUrl,
        apiVersion: '2024-10-21',
        defaultHeaders: headers,
        maxRetries: 0,
        ...(entra ? { azureADTokenProvider: () => Promise.resolve(apiKey) } : { apiKey }),
      });
    const request = { model: DEPLOYMENT, messages, max_tokens: 100 };
    const path = `/openai/deployments/${DEPLOYMENT}/chat/completions`;
    const GPT_4O = { input: 2.5, output: 10 };

    it.each<AuthForm>(['header', 'path'])('chats with a deployment, %s auth', async (auth) => {
      const access = await rig.access('azure', auth, PROVIDER_KEY);
      const { data, response } = await client(access).chat.completions.create(request).withResponse();
      expect(data.choices[0]?.message.content).toBe(TEXT);
      expect(Number(response.headers.get('x-gateway-request-cost'))).toBe(usd(GPT_4O));
      const wanted = { path, credential: ['api-key', PROVIDER_KEY] as const };
      expect(rig.forwarded(access, wanted).query).toBe('?api-version=2024-10-21');
      const final = await client(access).chat.completions.stream(request).finalChatCompletion();
      expect(final.choices[0]?.message.content).toBe(TEXT);
      rig.forwarded(access, wanted);
      await rig.expectSpent(access, 2 * usd(GPT_4O));
    });

    it.each<AuthForm>(['header', 'path'])('forwards an Entra token as a bearer, %s auth', async (auth) => {
      const token = 'eyJ0eXAiOiJKV1QifQ.eyJhdWQiOiJ4In0.c2lnbmF0dXJl';
      const access = await rig.access('azure', auth, token);
      const answer = await client(access, true).chat.completions.create(request);
      expect(answer.choices[0]?.message.content).toBe(TEXT);
      rig.forwarded(access, { path, credential: ['authorization', `Bearer ${token}`] });
    });

    it('gets embeddings', async () => {
      const access = await rig.access('azure', 'header', PROVIDER_KEY);
      const answer = await client(access).embeddings.create({ model: DEPLOYMENT, input: PROMPT });
      expect(answer.data[0]?.embedding).toHaveLength(3);
      rig.forwarded(access, {
        path: `/openai/deployments/${DEPLOYMENT}/embeddings`,
        credential: ['api-key', PROVIDER_KEY],
      });
    });
  });

  it.each([
    ['deepseek', '/anthropic', '/anthropic/v1/messages'],
    ['openrouter', '/api', '/api/v1/messages'],
    ['vllm', '', '/v1/messages'],
    ['ollama', '', '/v1/messages'],
  ] as const)("Anthropic's SDK at %s chats, whole and streamed", async (name, base, path) => {
    const access = await rig.access(name, 'header', PROVIDER_KEY);
    const { baseUrl, apiKey, headers } = access;
    const client = new Anthropic({ baseURL: baseUrl + base, apiKey, defaultHeaders: headers, maxRetries: 0 });
    const model = name === 'openrouter' ? 'openai/gpt-4o' : 'deepseek-chat';
    const request = { model, messages, max_tokens: 100 };
    expect((await client.messages.create(request)).content).toMatchObject([{ text: TEXT }]);
    const wanted = { path, credential: ['authorization', `Bearer ${PROVIDER_KEY}`] as const };
    rig.forwarded(access, wanted);
    const streamed = await client.messages.stream(request).finalMessage();
    expect(streamed.content).toMatchObject([{ text: TEXT }]);
    rig.forwarded(access, wanted);
  });

  describe('self-hosted providers', () => {
    it.each(['ollama', 'vllm'] as const)('%s gets no credential if the client has none', async (name) => {
      const access = await rig.access(name, 'header', PROVIDER_KEY);
      const request = { model: 'any', messages };
      const answer = await openai({ ...access, headers: {} }, '/v1').chat.completions.create(request);
      expect(answer.choices[0]?.message.content).toBe(TEXT);
      rig.forwarded(access, { path: '/v1/chat/completions', credential: 'none' });
    });

    it("ollama's own API answers in lines of JSON", async () => {
      const access = await rig.access('ollama', 'path', PROVIDER_KEY);
      for (const [path, body] of [
        ['/api/chat', { model: 'llama3.2', messages }],
        ['/api/generate', { model: 'llama3.2', prompt: PROMPT }],
      ] as const) {
        const answer = await fetch(access.baseUrl + path, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(body),
        });
        expect(answer.headers.get('content-type')).toBe('application/x-ndjson');
        const lines = (await answer.text())
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line) as { message?: { content: string }; response?: string });
        expect(lines.map(({ message, response }) => message?.content ?? response ?? '').join('')).toBe(TEXT);
        expect(lines.at(-1)).toMatchObject({ done: true, prompt_eval_count: INPUT_TOKENS });
        rig.forwarded(access, { path, credential: 'none' });
      }
      await rig.expectSpent(access, 0);
    });
  });

  it('a stream reports its cost in a closing comment, which SDKs ignore', async () => {
    const { baseUrl, apiKey, headers } = await rig.access('openai', 'header', PROVIDER_KEY);
    const answer = await fetch(`${baseUrl}/v1/chat/completions`, {
      method: 'POST',
      headers: { ...headers, authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'gpt-4o', messages, stream: true }),
    });
    const text = await answer.text();
    const [, cost] = /^: x-gateway-request-cost=(\S+)/m.exec(text) ?? [];
    expect(Number(cost)).toBe(usd({ input: 2.5, output: 10 }));
    expect(answer.headers.get('x-gateway-request-cost')).toBeNull();
  });
});
