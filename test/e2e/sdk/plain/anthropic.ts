import Anthropic from '@anthropic-ai/sdk';
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

const API_KEY = 'sk-ant-api03-0123456789';
const OAUTH_TOKEN = 'sk-ant-oat01-0123456789';
const X_API_KEY = ['x-api-key', API_KEY] as const;
const HAIKU = { input: 0.25, output: 1.25 };
const params = {
  model: 'claude-3-haiku-20240307',
  max_tokens: 100,
  messages: [{ role: 'user' as const, content: PROMPT }],
};
const tools: Anthropic.Tool[] = [{ name: 'weather', input_schema: { type: 'object', properties: {} } }];
const PATH = '/v1/messages';

export function anthropic(rig: SdkRig): void {
  beforeEach(() => rig.provider.behave({ text: TEXT }));

  const client = (access: Access, options: ConstructorParameters<typeof Anthropic>[0] = {}): Anthropic =>
    new Anthropic({
      baseURL: access.baseUrl,
      apiKey: access.apiKey,
      authToken: null,
      defaultHeaders: access.headers,
      maxRetries: 0,
      ...options,
    });

  describe.each<AuthForm>(['header', 'path'])('with %s auth', (auth) => {
    let access: Access;
    beforeEach(async () => {
      access = await rig.access('anthropic', auth, API_KEY);
    });

    it('gets a message', async () => {
      const { data, response } = await client(access).messages.create(params).withResponse();
      expect(data.content).toMatchObject([{ type: 'text', text: TEXT }]);
      expect(data.usage).toMatchObject({ input_tokens: INPUT_TOKENS, output_tokens: OUTPUT_TOKENS });
      expect(Number(response.headers.get('x-gateway-request-cost'))).toBe(usd(HAIKU));
      const { json, headers } = rig.forwarded(access, { path: PATH, credential: X_API_KEY });
      expect(json).toEqual({ ...params, service_tier: 'standard_only' });
      expect(headers['anthropic-version']).toMatch(/^\d{4}-\d{2}-\d{2}$/);
      await rig.expectSpent(access, usd(HAIKU));
    });

    it('streams a message', async () => {
      const message = await client(access).messages.stream(params).finalMessage();
      expect(message.content).toMatchObject([{ type: 'text', text: TEXT }]);
      expect(message.usage.output_tokens).toBe(OUTPUT_TOKENS);
      rig.forwarded(access, { path: PATH, credential: X_API_KEY });
      await rig.expectSpent(access, usd(HAIKU));
    });

    it('uses its tools, whole and streamed', async () => {
      rig.provider.behave({ tool: { name: 'weather', arguments: { city: 'Zürich' } } });
      const asked = { ...params, tools };
      const whole = await client(access).messages.create(asked);
      const streamed = await client(access).messages.stream(asked).finalMessage();
      for (const { stop_reason, content } of [whole, streamed]) {
        expect(stop_reason).toBe('tool_use');
        expect(content).toMatchObject([{ type: 'tool_use', name: 'weather', input: { city: 'Zürich' } }]);
      }
      expect(rig.forwarded(access, { path: PATH, credential: X_API_KEY }).json['tools']).toEqual(tools);
    });

    it('counts tokens and lists models, free of charge', async () => {
      const { model, messages } = params;
      const { input_tokens } = await client(access).messages.countTokens({ model, messages });
      expect(input_tokens).toBe(INPUT_TOKENS);
      rig.forwarded(access, { path: '/v1/messages/count_tokens', credential: X_API_KEY });
      const models = await client(access).models.list();
      expect(models.data.map(({ id }) => id)).toEqual(['claude-fake']);
      rig.forwarded(access, { path: '/v1/models', credential: X_API_KEY });
      await rig.expectSpent(access, 0);
    });
  });

  describe('with an auth token, which it sends as a bearer', () => {
    const bearing = (access: Access) => client(access, { apiKey: null, authToken: access.apiKey });

    it('is identified by it as by an API key', async () => {
      const access = await rig.access('anthropic', 'header', API_KEY);
      expect((await bearing(access).messages.create(params)).content).toMatchObject([{ text: TEXT }]);
      rig.forwarded(access, { path: PATH, credential: X_API_KEY });
    });

    it.each<AuthForm>(['header', 'path'])(
      "forwards a subscription's token as a bearer: %s auth",
      async (auth) => {
        const access = await rig.access('anthropic', auth, OAUTH_TOKEN);
        const message = await bearing(access).messages.stream(params).finalMessage();
        expect(message.content).toMatchObject([{ text: TEXT }]);
        rig.forwarded(access, { path: PATH, credential: ['authorization', `Bearer ${OAUTH_TOKEN}`] });
      },
    );

    it('accepts proxy key and provider key in the two headers at once', async () => {
      const access = await rig.access('anthropic', 'header', API_KEY);
      const both = client(access, {
        apiKey: null,
        authToken: access.rawKey,
        defaultHeaders: { 'x-api-key': API_KEY },
      });
      expect((await both.messages.create(params)).content).toMatchObject([{ text: TEXT }]);
      rig.forwarded(access, { path: PATH, credential: X_API_KEY });
    });
  });

  describe('raises its own typed errors', () => {
    it.each([
      [400, Anthropic.BadRequestError],
      [401, Anthropic.AuthenticationError],
      [429, Anthropic.RateLimitError],
      [529, Anthropic.InternalServerError],
    ])("for the provider's %i, which costs nothing", async (status, Type) => {
      const access = await rig.access('anthropic', 'header', API_KEY);
      rig.provider.behave({ status });
      for (const stream of [false, true]) {
        const error = await thrown(client(access).messages.create({ ...params, stream }));
        expect(error).toBeInstanceOf(Type);
        expect(error).toMatchObject({ status, error: { type: 'error' } });
      }
      await rig.expectSpent(access, 0);
    });

    it('for our 401, 403 and 429, and does not retry', async () => {
      const counted = countingFetch();
      const access = await rig.access('anthropic', 'header', API_KEY, { daily: 0.000_001 });
      const foreign = await rig.access('openai', 'header', API_KEY);
      const before = rig.provider.requests.length;
      function refused(apiKey: string): Promise<unknown> {
        const retrying = client(access, { apiKey, maxRetries: 2, fetch: counted.fetch });
        return thrown(retrying.messages.create(params));
      }
      expect(await refused(`gw-${'x'.repeat(43)}`)).toBeInstanceOf(Anthropic.AuthenticationError);
      expect(await refused(foreign.rawKey)).toBeInstanceOf(Anthropic.PermissionDeniedError);
      counted.attempts = 0;
      expect(await refused(access.rawKey)).toBeInstanceOf(Anthropic.RateLimitError);
      expect(counted.attempts).toBe(1);
      expect(rig.provider.requests.length).toBe(before);
    });
  });
}
