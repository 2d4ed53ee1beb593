import Anthropic, { APIError as AnthropicError } from '@anthropic-ai/sdk';
import { BedrockRuntimeServiceException } from '@aws-sdk/client-bedrock-runtime';
import { ApiError as GoogleError } from '@google/genai';
import OpenAI, { APIError as OpenAIError } from 'openai';
import { describe, expect, it } from 'vitest';
import { quarantineKey } from '../../../src/redis/keys.ts';
import { createRandom } from '../../support/random.ts';
import { useSdkRig, type Transport } from '../../support/sdk-rig.ts';
import { SDK_STREAMS } from '../../support/sdk-streams.ts';
import { makeSecret } from '../../unit/detectors/secrets/samples.ts';

/** docs/dlp-streams.md, as each provider's own SDK sees it. */
const KEY = 'key-0123456789';
const CLEAN = 'Grüße from the fake 🙂 model, at 9.30 sharp – as "agreed".';
const PERSONAL =
  'Write to jane.doe@mail.example.com or call +1 415 555 2671, SSN 219-09-9999, host 10.0.0.7.';
const MASKED = 'Write to *** or call ***, SSN ***, host ***.';
const SECRET = makeSecret('aws_access_key_id', createRandom(5)).text;
const LEAKING = `The key that you asked for is ${SECRET}, and do not tell anybody.`;

/**
 * The error that each SDK raises for a provider's error. Cohere's SDK raises none: it yields the error event, and
 * the stream ends, as without an SDK.
 */
const ERRORS: Readonly<Record<string, new (...args: never[]) => Error>> = {
  'OpenAI chat': OpenAIError,
  'OpenAI responses': OpenAIError,
  'Anthropic messages': AnthropicError,
  Gemini: GoogleError,
  Mistral: Error,
  'Bedrock converse': BedrockRuntimeServiceException,
  'Bedrock invoke': BedrockRuntimeServiceException,
};

const TRANSPORTS: readonly Transport[] = [
  { name: 'over HTTP/1.1', tlsListener: false, http2Upstream: false },
  { name: 'from an HTTP/2 provider', tlsListener: false, http2Upstream: true },
];

async function read(pieces: AsyncIterable<string>, onPiece: (piece: string) => void): Promise<void> {
  for await (const piece of pieces) onPiece(piece);
}

describe.each(TRANSPORTS)('DLP on streams $name', (transport) => {
  const rig = useSdkRig(transport, { server: { dlp: { enabled: true, scan_network: true } } });

  it.each(SDK_STREAMS)('$name: text without findings arrives unchanged', async ({ provider, text }) => {
    const access = await rig.access(provider, 'path', KEY);
    rig.provider.behave({ text: CLEAN });
    let seen = '';
    await read(text(access, 'hello'), (piece) => (seen += piece));
    expect(seen).toBe(CLEAN);
  });

  it.each(SDK_STREAMS)(
    '$name: personal and network data are masked in flight',
    async ({ provider, text }) => {
      const access = await rig.access(provider, 'path', KEY);
      rig.provider.behave({ text: PERSONAL });
      let seen = '';
      await read(text(access, 'hello'), (piece) => (seen += piece));
      expect(seen).toBe(MASKED);
    },
  );

  it.each(SDK_STREAMS)(
    '$name: a secret cuts the stream, locks the key and scores 30',
    async ({ name, provider, text }) => {
      const access = await rig.access(provider, 'path', KEY);
      rig.provider.behave({ text: LEAKING });
      let seen = '';
      const reading = read(text(access, 'hello'), (piece) => (seen += piece));
      const expected = ERRORS[name];
      if (expected === undefined) await reading.catch(() => undefined);
      else await expect(reading).rejects.toThrow(expected);

      expect(LEAKING.startsWith(seen)).toBe(true);
      expect(seen).not.toContain(SECRET.slice(0, 4));
      const { client } = rig.gateway.redis;
      expect(await client.exists(quarantineKey(access.keyHash))).toBe(1);
      expect(await client.hget(`gateway:risk_profile:${access.keyHash}`, 'risk_score')).toBe('30');
      let more = '';
      await read(text(access, 'hello again'), (piece) => (more += piece)).catch(() => undefined);
      expect(more).toBe('');
      expect(rig.provider.requests.at(-1)?.body.toString()).not.toContain('hello again');
    },
  );

  it('masked text and tool calls are assembled by the SDKs', async () => {
    const messages = [{ role: 'user' as const, content: 'hello' }];
    const anthropic = await rig.access('anthropic', 'path', KEY);
    const { baseUrl, apiKey } = await rig.access('openai', 'path', KEY);
    const openai = new OpenAI({ baseURL: `${baseUrl}/v1`, apiKey, maxRetries: 0 });
    rig.provider.behave({ text: PERSONAL });
    const chat = openai.chat.completions.stream({ model: 'gpt-4o', messages });
    expect((await chat.finalChatCompletion()).choices[0]?.message.content).toBe(MASKED);
    const response = openai.responses.stream({ model: 'gpt-4o', input: 'hello' });
    expect((await response.finalResponse()).output_text).toBe(MASKED);
    const message = new Anthropic({
      baseURL: anthropic.baseUrl,
      apiKey: anthropic.apiKey,
      authToken: null,
      maxRetries: 0,
    }).messages.stream({ model: 'claude-3-haiku-20240307', max_tokens: 50, messages });
    expect((await message.finalMessage()).content).toMatchObject([{ type: 'text', text: MASKED }]);

    rig.provider.behave({
      tool: { name: 'weather', arguments: { city: 'Zürich', mail: 'a.doe@mail.example.com' } },
    });
    const call = await openai.chat.completions.stream({ model: 'gpt-4o', messages }).finalChatCompletion();
    expect(call.choices[0]?.message.tool_calls).toMatchObject([
      { id: 'call_weather', function: { name: 'weather', arguments: '{"city":"Zürich","mail":"***"}' } },
    ]);
  });
});
