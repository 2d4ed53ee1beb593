import { HTTPClient, Mistral } from '@mistralai/mistralai';
import { MistralError } from '@mistralai/mistralai/models/errors';
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
import { thrown } from '../../../support/thrown.ts';

const PROVIDER_KEY = 'mistral-0123456789';
const BEARER = ['authorization', `Bearer ${PROVIDER_KEY}`] as const;
const SMALL = { input: 0.1, output: 0.3 };
const EMBED = { input: 0.1, output: 0 };
const CHAT = { path: '/v1/chat/completions', credential: BEARER };
const chat = {
  model: 'mistral-small-latest',
  messages: [{ role: 'user' as const, content: PROMPT }],
  maxTokens: 100,
};
const tools = [{ type: 'function' as const, function: { name: 'weather', parameters: { type: 'object' } } }];

export function mistral(rig: SdkRig): void {
  // Mistral's streams report usage without a request for it.
  beforeEach(() => rig.provider.behave({ text: TEXT, unaskedUsage: 'last_chunk' }));

  function client({ baseUrl, apiKey, headers }: Access): Mistral {
    const httpClient = new HTTPClient();
    httpClient.addHook('beforeRequest', (request) => {
      for (const [name, value] of Object.entries(headers)) request.headers.set(name, value);
    });
    return new Mistral({ apiKey, serverURL: baseUrl, httpClient });
  }

  describe.each<AuthForm>(['header', 'path'])('with %s auth', (auth) => {
    let access: Access;
    beforeEach(async () => {
      access = await rig.access('mistral', auth, PROVIDER_KEY);
    });

    it('chats', async () => {
      const answer = await client(access).chat.complete(chat);
      expect(answer.choices[0]?.message?.content).toBe(TEXT);
      expect(answer.usage.promptTokens).toBe(INPUT_TOKENS);
      rig.forwarded(access, CHAT);
      await rig.expectSpent(access, usd(SMALL));
    });

    it('streams, without any added member that Mistral would refuse', async () => {
      let text = '';
      let outputTokens: number | undefined;
      for await (const { data } of await client(access).chat.stream(chat)) {
        text += String(data.choices[0]?.delta.content ?? '');
        outputTokens ??= data.usage?.completionTokens;
      }
      expect(text).toBe(TEXT);
      expect(outputTokens).toBe(OUTPUT_TOKENS);
      expect(rig.forwarded(access, CHAT).json).not.toHaveProperty('stream_options');
      await rig.expectSpent(access, usd(SMALL));
    });

    it('calls its tools', async () => {
      rig.provider.behave({ tool: { name: 'weather', arguments: { city: 'Zürich' } } });
      const answer = await client(access).chat.complete({ ...chat, tools });
      expect(answer.choices[0]?.message?.toolCalls).toMatchObject([
        { function: { name: 'weather', arguments: '{"city":"Zürich"}' } },
      ]);
    });

    it('embeds, and lists the models', async () => {
      const answer = await client(access).embeddings.create({ model: 'mistral-embed', inputs: [PROMPT] });
      expect(answer.data[0]?.embedding).toEqual([0.1, -0.2, 0.3]);
      rig.forwarded(access, { path: '/v1/embeddings', credential: BEARER });
      await rig.expectSpent(access, usd(EMBED, { input: INPUT_TOKENS, output: 0 }));
      await client(access).models.list();
      rig.forwarded(access, { path: '/v1/models', credential: BEARER });
    });
  });

  it("raises its own errors for the provider's and for ours", async () => {
    const access = await rig.access('mistral', 'header', PROVIDER_KEY);
    const poor = await rig.access('mistral', 'header', PROVIDER_KEY, { daily: 0.000_001 });
    const unknown = { ...access, apiKey: `gw-${'x'.repeat(43)}` };
    const foreign = { ...access, apiKey: (await rig.access('openai', 'header', PROVIDER_KEY)).rawKey };
    rig.provider.behave({ status: 400 });
    for (const [who, statusCode, body] of [
      [access, 400, 'the fake provider was told to fail'],
      [unknown, 401, 'invalid_key'],
      [foreign, 403, 'policy_denied'],
      [poor, 429, 'budget_exceeded'],
    ] as const) {
      for (const call of ['complete', 'stream'] as const) {
        const error: unknown = await thrown(client(who).chat[call](chat));
        expect(error).toBeInstanceOf(MistralError);
        expect(error).toMatchObject({ statusCode, body: expect.stringContaining(body) as string });
      }
    }
    await rig.expectSpent(access, 0);
  });
}
