import { CohereClient, CohereClientV2, CohereError, Cohere } from 'cohere-ai';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  INPUT_TOKENS,
  PROMPT,
  TEXT,
  usd,
  type Access,
  type AuthForm,
  type SdkRig,
} from '../../../support/sdk-rig.ts';
import { thrown } from '../../../support/thrown.ts';

const PROVIDER_KEY = 'co-0123456789';
const BEARER = ['authorization', `Bearer ${PROVIDER_KEY}`] as const;
const COMMAND_R = { input: 0.15, output: 0.6 };
const EMBED_V4 = { input: 0.12, output: 0 };
/** USD for each search unit. */
const RERANK = 0.002;
const model = 'command-r-08-2024';
const chatV2 = { model, messages: [{ role: 'user' as const, content: PROMPT }], maxTokens: 100 };
const chatV1 = { model, message: PROMPT, maxTokens: 100 };

export function cohere(rig: SdkRig): void {
  beforeEach(() => rig.provider.behave({ text: TEXT }));

  const options = ({ baseUrl, apiKey, headers }: Access) => ({
    token: apiKey,
    environment: baseUrl,
    headers,
    maxRetries: 0,
  });

  describe.each<AuthForm>(['header', 'path'])('with %s auth', (auth) => {
    let access: Access;
    beforeEach(async () => {
      access = await rig.access('cohere', auth, PROVIDER_KEY);
    });

    it('chats in v2, whole and streamed', async () => {
      const client = new CohereClientV2(options(access));
      const { data, rawResponse } = await client.chat(chatV2).withRawResponse();
      expect(data.message.content).toMatchObject([{ type: 'text', text: TEXT }]);
      expect(data.usage?.billedUnits?.inputTokens).toBe(INPUT_TOKENS);
      expect(Number(rawResponse.headers.get('x-gateway-request-cost'))).toBe(usd(COMMAND_R));
      rig.forwarded(access, { path: '/v2/chat', credential: BEARER });

      let text = '';
      for await (const event of await client.chatStream(chatV2)) {
        if (event.type === 'content-delta') text += event.delta?.message?.content?.text ?? '';
      }
      expect(text).toBe(TEXT);
      rig.forwarded(access, { path: '/v2/chat', credential: BEARER });
      await rig.expectSpent(access, 2 * usd(COMMAND_R));
    });

    it('chats in v1, whole and streamed', async () => {
      const client = new CohereClient(options(access));
      expect((await client.chat(chatV1)).text).toBe(TEXT);
      rig.forwarded(access, { path: '/v1/chat', credential: BEARER });

      let text = '';
      for await (const event of await client.chatStream(chatV1)) {
        if (event.eventType === 'text-generation') text += event.text;
      }
      expect(text).toBe(TEXT);
      rig.forwarded(access, { path: '/v1/chat', credential: BEARER });
      await rig.expectSpent(access, 2 * usd(COMMAND_R));
    });

    it('embeds and reranks', async () => {
      const client = new CohereClientV2(options(access));
      const embedded = await client.embed({
        model: 'embed-v4.0',
        texts: [PROMPT],
        inputType: 'search_query',
        embeddingTypes: ['float'],
      });
      expect(embedded.embeddings.float).toEqual([[0.25, -0.5]]);
      rig.forwarded(access, { path: '/v2/embed', credential: BEARER });
      const embedding = usd(EMBED_V4, { input: INPUT_TOKENS, output: 0 });
      await rig.expectSpent(access, embedding);

      const ranked = await client.rerank({ model: 'rerank-v3.5', query: PROMPT, documents: ['a', 'b'] });
      expect(ranked.results).toMatchObject([{ index: 0, relevanceScore: 0.5 }]);
      rig.forwarded(access, { path: '/v2/rerank', credential: BEARER });
      await rig.expectSpent(access, embedding + RERANK);
    });

    it('lists the models, free of charge', async () => {
      const { models } = await new CohereClient(options(access)).models.list();
      expect(models.map(({ name }) => name)).toEqual(['command-fake']);
      rig.forwarded(access, { path: '/v1/models', credential: BEARER });
      await rig.expectSpent(access, 0);
    });
  });

  it("raises its own typed errors for the provider's and for ours", async () => {
    const access = await rig.access('cohere', 'header', PROVIDER_KEY);
    const poor = await rig.access('cohere', 'header', PROVIDER_KEY, { daily: 0.000_001 });
    const unknown = { ...access, apiKey: `gw-${'x'.repeat(43)}` };
    const foreign = { ...access, apiKey: (await rig.access('openai', 'header', PROVIDER_KEY)).rawKey };
    rig.provider.behave({ status: 400 });
    for (const [who, statusCode, Type] of [
      [access, 400, Cohere.BadRequestError],
      [unknown, 401, Cohere.UnauthorizedError],
      [foreign, 403, Cohere.ForbiddenError],
      [poor, 429, Cohere.TooManyRequestsError],
    ] as const) {
      for (const call of ['chat', 'chatStream'] as const) {
        const error: unknown = await thrown(new CohereClientV2(options(who))[call](chatV2));
        expect(error).toBeInstanceOf(CohereError);
        expect(error).toBeInstanceOf(Type);
        expect(error).toMatchObject({ statusCode });
      }
    }
    await rig.expectSpent(access, 0);
  });
}
