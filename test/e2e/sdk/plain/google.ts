import { ApiError, GoogleGenAI } from '@google/genai';
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

const PROVIDER_KEY = 'AIzaSy0123456789';
const CREDENTIAL = ['x-goog-api-key', PROVIDER_KEY] as const;
const MODEL = 'gemini-2.0-flash';
const EMBEDDING_001 = { input: 0.15, output: 0 };
const FLASH = { input: 0.1, output: 0.4 };
const params = { model: MODEL, contents: PROMPT, config: { maxOutputTokens: 100 } };
const at = (verb: string): string => `/v1/models/${MODEL}:${verb}`;

export function google(rig: SdkRig): void {
  beforeEach(() => rig.provider.behave({ text: TEXT }));

  const client = ({ baseUrl, apiKey, headers }: Access): GoogleGenAI =>
    new GoogleGenAI({ apiKey, httpOptions: { baseUrl, headers } });

  describe.each<AuthForm>(['header', 'path'])('with %s auth', (auth) => {
    let access: Access;
    beforeEach(async () => {
      access = await rig.access('gemini', auth, PROVIDER_KEY);
    });

    it('generates content', async () => {
      const answer = await client(access).models.generateContent(params);
      expect(answer.text).toBe(TEXT);
      expect(answer.usageMetadata?.promptTokenCount).toBe(INPUT_TOKENS);
      expect(Number(answer.sdkHttpResponse?.headers?.['x-gateway-request-cost'])).toBe(usd(FLASH));
      rig.forwarded(access, { path: at('generateContent'), credential: CREDENTIAL });
      await rig.expectSpent(access, usd(FLASH));
    });

    it('streams content', async () => {
      let text = '';
      for await (const chunk of await client(access).models.generateContentStream(params))
        text += chunk.text ?? '';
      expect(text).toBe(TEXT);
      const { query } = rig.forwarded(access, {
        path: at('streamGenerateContent'),
        credential: CREDENTIAL,
      });
      expect(query).toBe('?alt=sse');
      await rig.expectSpent(access, usd(FLASH));
    });

    it('calls its functions', async () => {
      rig.provider.behave({ tool: { name: 'weather', arguments: { city: 'Zürich' } } });
      const tools = [{ functionDeclarations: [{ name: 'weather' }] }];
      const asked = { ...params, config: { ...params.config, tools } };
      const calls = [(await client(access).models.generateContent(asked)).functionCalls];
      for await (const chunk of await client(access).models.generateContentStream(asked))
        calls.push(chunk.functionCalls);
      const call = [{ name: 'weather', args: { city: 'Zürich' } }];
      expect(calls).toMatchObject([call, call]);
    });

    it('counts tokens free of charge, and embeds', async () => {
      const { totalTokens } = await client(access).models.countTokens({ model: MODEL, contents: PROMPT });
      expect(totalTokens).toBe(INPUT_TOKENS);
      rig.forwarded(access, { path: at('countTokens'), credential: CREDENTIAL });
      await rig.expectSpent(access, 0);

      const model = 'gemini-embedding-001';
      const answer = await client(access).models.embedContent({ model, contents: PROMPT });
      expect(answer.embeddings?.[0]?.values).toEqual([0.25, -0.5]);
      rig.forwarded(access, { path: `/v1/models/${model}:batchEmbedContents`, credential: CREDENTIAL });
      // The answer reports no usage: the prompt is counted, plus a template's possible additions to its two words.
      const spent = await rig.spentUsd(access);
      expect(spent).toBeGreaterThanOrEqual(usd(EMBEDDING_001, { input: 2, output: 0 }));
      expect(spent).toBeLessThanOrEqual(usd(EMBEDDING_001, { input: 16, output: 0 }));
    });
  });

  it("raises its own errors for the provider's and for ours", async () => {
    const access = await rig.access('gemini', 'header', PROVIDER_KEY);
    const poor = await rig.access('gemini', 'header', PROVIDER_KEY, { daily: 0.000_001 });
    const unknown = { ...access, apiKey: `gw-${'x'.repeat(43)}` };
    const foreign = await rig.access('openai', 'header', PROVIDER_KEY);
    rig.provider.behave({ status: 400 });
    for (const [who, status, message] of [
      [access, 400, 'the fake provider was told to fail'],
      [unknown, 401, 'invalid proxy key'],
      [{ ...access, apiKey: foreign.rawKey }, 403, 'policy_denied'],
      [poor, 429, 'budget_exceeded'],
    ] as const) {
      for (const method of ['generateContent', 'generateContentStream'] as const) {
        const error: unknown = await thrown(client(who).models[method](params));
        expect(error).toBeInstanceOf(ApiError);
        expect(error).toMatchObject({ status, message: expect.stringContaining(message) });
      }
    }
    await rig.expectSpent(access, 0);
  });
}
