import OpenAI from 'openai';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  INPUT_TOKENS,
  OUTPUT_TOKENS,
  PROMPT,
  TEXT,
  usd,
  type Access,
  type AuthForm,
  type SdkRig,
} from '../../../support/sdk-rig.ts';
import { thrown, countingFetch } from '../../../support/thrown.ts';

const PROVIDER_KEY = 'sk-openai-0123456789';
const BEARER = ['authorization', `Bearer ${PROVIDER_KEY}`] as const;
const GPT_4O = { input: 2.5, output: 10 };
const EMBEDDING_3_SMALL = { input: 0.02, output: 0 };
const tools: OpenAI.ChatCompletionTool[] = [
  { type: 'function', function: { name: 'weather', parameters: { type: 'object', properties: {} } } },
];
const chat = { model: 'gpt-4o', messages: [{ role: 'user' as const, content: PROMPT }], max_tokens: 100 };

export function openAi(rig: SdkRig): void {
  beforeEach(() => rig.provider.behave({ text: TEXT }));

  const client = (access: Access, options: ConstructorParameters<typeof OpenAI>[0] = {}): OpenAI =>
    new OpenAI({
      baseURL: `${access.baseUrl}/v1`,
      apiKey: access.apiKey,
      defaultHeaders: access.headers,
      maxRetries: 0,
      ...options,
    });

  describe.each<AuthForm>(['header', 'path'])('with %s auth', (auth) => {
    let access: Access;
    beforeEach(async () => {
      access = await rig.access('openai', auth, PROVIDER_KEY);
    });

    it('gets a chat completion', async () => {
      const { data, response } = await client(access).chat.completions.create(chat).withResponse();
      expect(data.choices[0]?.message.content).toBe(TEXT);
      expect(data.usage).toMatchObject({ prompt_tokens: INPUT_TOKENS, completion_tokens: OUTPUT_TOKENS });
      expect(Number(response.headers.get('x-gateway-request-cost'))).toBe(usd(GPT_4O));
      const { body } = rig.forwarded(access, { path: '/v1/chat/completions', credential: BEARER });
      expect(JSON.parse(body.toString())).toEqual({ ...chat, service_tier: 'default' });
      await rig.expectSpent(access, usd(GPT_4O));
    });

    it('streams a chat completion, with its usage only if requested', async () => {
      const helper = client(access).chat.completions.stream(chat);
      expect((await helper.finalChatCompletion()).choices[0]?.message.content).toBe(TEXT);
      const { json } = rig.forwarded(access, { path: '/v1/chat/completions', credential: BEARER });
      expect(json['stream_options']).toEqual({ include_usage: true });
      await rig.expectSpent(access, usd(GPT_4O));

      const asking = { ...chat, stream: true, stream_options: { include_usage: true } } as const;
      const usages: unknown[] = [];
      for await (const chunk of await client(access).chat.completions.create(asking))
        usages.push(chunk.usage);
      expect(usages.at(-1)).toMatchObject({ completion_tokens: OUTPUT_TOKENS });
      await rig.expectSpent(access, 2 * usd(GPT_4O));
    });

    it('gets a response, whole and streamed', async () => {
      const request = { model: 'gpt-4o', input: PROMPT, max_output_tokens: 100 };
      const { data, response } = await client(access).responses.create(request).withResponse();
      expect(data.output_text).toBe(TEXT);
      expect(Number(response.headers.get('x-gateway-request-cost'))).toBe(usd(GPT_4O));
      rig.forwarded(access, { path: '/v1/responses', credential: BEARER });

      const final = await client(access).responses.stream(request).finalResponse();
      expect(final.output_text).toBe(TEXT);
      expect(final.usage?.output_tokens).toBe(OUTPUT_TOKENS);
      rig.forwarded(access, { path: '/v1/responses', credential: BEARER });
      await rig.expectSpent(access, 2 * usd(GPT_4O));
    });

    it('calls its tools, whole and streamed', async () => {
      rig.provider.behave({ tool: { name: 'weather', arguments: { city: 'Zürich' } } });
      const asked = { ...chat, tools };
      const whole = await client(access).chat.completions.create(asked);
      const streamed = await client(access).chat.completions.stream(asked).finalChatCompletion();
      for (const { choices } of [whole, streamed]) {
        expect(choices[0]?.finish_reason).toBe('tool_calls');
        expect(choices[0]?.message.tool_calls?.[0]).toMatchObject({
          function: { name: 'weather', arguments: '{"city":"Zürich"}' },
        });
      }
      const { json } = rig.forwarded(access, { path: '/v1/chat/completions', credential: BEARER });
      expect(json['tools']).toEqual(tools);
    });

    it('gets embeddings', async () => {
      const request = { model: 'text-embedding-3-small', input: [PROMPT, TEXT] };
      const { data, response } = await client(access).embeddings.create(request).withResponse();
      expect(data.data).toHaveLength(2);
      expect(data.data[1]?.embedding[1]).toBeCloseTo(-0.2);
      const cost = usd(EMBEDDING_3_SMALL, { input: INPUT_TOKENS, output: 0 });
      expect(Number(response.headers.get('x-gateway-request-cost'))).toBe(cost);
      rig.forwarded(access, { path: '/v1/embeddings', credential: BEARER });
      await rig.expectSpent(access, cost);
    });

    it('lists the models, free of charge', async () => {
      const { data, response } = await client(access).models.list().withResponse();
      expect(data.data[0]?.id).toBe('gpt-fake');
      expect(response.headers.get('x-gateway-request-cost')).toBeNull();
      rig.forwarded(access, { path: '/v1/models', credential: BEARER });
      await rig.expectSpent(access, 0);
    });
  });

  describe('raises its own typed errors', () => {
    it.each([
      [400, OpenAI.BadRequestError],
      [401, OpenAI.AuthenticationError],
      [404, OpenAI.NotFoundError],
      [422, OpenAI.UnprocessableEntityError],
      [429, OpenAI.RateLimitError],
      [500, OpenAI.InternalServerError],
    ])("for the provider's %i, which costs nothing", async (status, Type) => {
      const access = await rig.access('openai', 'header', PROVIDER_KEY);
      rig.provider.behave({ status });
      for (const stream of [false, true]) {
        const error: unknown = await thrown(client(access).chat.completions.create({ ...chat, stream }));
        expect(error).toBeInstanceOf(Type);
        expect(error).toMatchObject({ status, error: { message: 'the fake provider was told to fail' } });
      }
      await rig.expectSpent(access, 0);
    });

    it('for our 401, 403 and 429, and does not retry', async () => {
      const counted = countingFetch();
      async function refused(access: Access): Promise<unknown> {
        counted.attempts = 0;
        return thrown(client(access, { maxRetries: 2, fetch: counted.fetch }).chat.completions.create(chat));
      }
      const before = rig.provider.requests.length;
      const access = await rig.access('openai', 'header', PROVIDER_KEY, { daily: 0.000_001 });

      const unknown = await refused({ ...access, apiKey: `gw-${'x'.repeat(43)}` });
      expect(unknown).toBeInstanceOf(OpenAI.AuthenticationError);
      expect(unknown).toMatchObject({ status: 401, error: 'invalid proxy key' });

      const foreign = await rig.access('anthropic', 'header', PROVIDER_KEY);
      const denied = await refused({ ...access, apiKey: foreign.rawKey });
      expect(denied).toBeInstanceOf(OpenAI.PermissionDeniedError);
      expect(denied).toMatchObject({ status: 403 });

      const poor = await refused(access);
      expect(poor).toBeInstanceOf(OpenAI.RateLimitError);
      expect(poor).toMatchObject({ status: 429 });
      expect(counted.attempts).toBe(1);
      expect((poor as InstanceType<typeof OpenAI.RateLimitError>).headers?.get('x-should-retry')).toBe(
        'false',
      );
      expect(rig.provider.requests.length).toBe(before);
    });
  });
}
