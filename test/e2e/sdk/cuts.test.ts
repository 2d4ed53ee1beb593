import { APIError as AnthropicError } from '@anthropic-ai/sdk';
import { ValidationException } from '@aws-sdk/client-bedrock-runtime';
import { ApiError as GoogleError } from '@google/genai';
import { CohereClient, CohereClientV2 } from 'cohere-ai';
import OpenAI, { APIError as OpenAIError } from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { send } from '../../support/http.ts';
import { createRandom } from '../../support/random.ts';
import { startSdkRig, type Access, type SdkRig } from '../../support/sdk-rig.ts';
import { SDK_STREAMS } from '../../support/sdk-streams.ts';
import { makeSecret } from '../../unit/detectors/secrets/samples.ts';

/** A cut is an error in every client, at any place in the stream, and never looks like an answer's end. */
const KEY = 'key-0123456789';
const SECRET = makeSecret('aws_access_key_id', createRandom(6)).text;
const WITHHELD = 'the answer was withheld: it contains secrets';

/** How a program sees a cut through each SDK. Mistral's SDKs recognize stream errors as events that are not chunks. */
interface Raised {
  readonly type: new (...args: never[]) => Error;
  readonly says: RegExp;
  /** Further members of the error. */
  readonly members?: Readonly<Record<string, unknown>>;
}

const says = new RegExp(WITHHELD);
const RAISED: Readonly<Record<string, Raised>> = {
  'OpenAI chat': { type: OpenAIError, says, members: { type: 'dlp_quarantine', code: '403' } },
  'OpenAI responses': { type: OpenAIError, says, members: { type: 'dlp_quarantine' } },
  'Anthropic messages': { type: AnthropicError, says, members: { type: 'dlp_quarantine' } },
  Gemini: { type: GoogleError, says, members: { status: 403 } },
  'Bedrock converse': { type: ValidationException, says },
  'Bedrock invoke': { type: ValidationException, says },
  Mistral: { type: Error, says: /invalid_type/ },
};

const RAISING = SDK_STREAMS.filter(({ name }) => name in RAISED);

/** Text before the cut, and the first piece of the answer. */
const PLACES = [
  ['in the middle', `The key that you asked for is ${SECRET}, and do not tell anybody.`],
  ['as the very first thing that is said', SECRET],
  ['at the end, where no more comes', `The key is ${SECRET}`],
] as const;

const MESSAGES = [{ role: 'user' as const, content: 'hello' }];

async function read(pieces: AsyncIterable<unknown>): Promise<void> {
  for await (const _piece of pieces);
}

describe('a cut', () => {
  let rig: SdkRig;
  beforeAll(async () => {
    const transport = { name: 'plain', tlsListener: false, http2Upstream: false };
    rig = await startSdkRig(transport, { server: { dlp: { enabled: true } } });
  });
  afterAll(() => rig.close());

  describe.each(PLACES)('%s', (_where, text) => {
    it.each(RAISING)('is an error with its reason: $name', async (stream) => {
      const access = await rig.access(stream.provider, 'path', KEY);
      rig.provider.behave({ text });
      const failure: unknown = await read(stream.text(access, 'hello')).catch((cause: unknown) => cause);
      const expected = RAISED[stream.name];
      expect(failure).toBeInstanceOf(expected?.type);
      expect(failure).toMatchObject(expected?.members ?? {});
      expect(String(failure)).toMatch(expected?.says ?? /^$/);
    });

    it('ends a message with an error and its reason: Cohere v2', async () => {
      const { baseUrl, apiKey } = await rig.access('cohere', 'path', KEY);
      rig.provider.behave({ text });
      const client = new CohereClientV2({ token: apiKey, environment: baseUrl, maxRetries: 0 });
      const ends: unknown[] = [];
      for await (const event of await client.chatStream({ model: 'command-r-08-2024', messages: MESSAGES }))
        if (event.type === 'message-end') ends.push(event.delta);
      expect(ends).toEqual([{ finishReason: 'ERROR', error: WITHHELD }]);
    });

    it('ends a stream with an error and its reason: Cohere v1', async () => {
      const { baseUrl, apiKey } = await rig.access('cohere', 'path', KEY);
      rig.provider.behave({ text });
      const client = new CohereClient({ token: apiKey, environment: baseUrl, maxRetries: 0 });
      const ends: unknown[] = [];
      for await (const event of await client.chatStream({ model: 'command-r-08-2024', message: 'hello' }))
        if (event.eventType === 'stream-end') ends.push(event);
      expect(ends).toEqual([expect.objectContaining({ finishReason: 'ERROR', message: WITHHELD })]);
    });
  });

  async function openai(more: Partial<OpenAI.ChatCompletionCreateParamsStreaming>): Promise<unknown> {
    const { baseUrl, apiKey } = await rig.access('openai', 'path', KEY);
    const client = new OpenAI({ baseURL: `${baseUrl}/v1`, apiKey, maxRetries: 0 });
    const body = { model: 'gpt-4o', messages: MESSAGES, ...more, stream: true as const };
    return read(await client.chat.completions.create(body)).catch((cause: unknown) => cause);
  }

  it.each([
    ['with usage asked for', { stream_options: { include_usage: true } }],
    ['of three choices', { n: 3 }],
  ])('is the same error in a chat %s', async (_what, more) => {
    rig.provider.behave({ text: `it is ${SECRET} then` });
    expect(await openai(more)).toMatchObject({ message: WITHHELD, type: 'dlp_quarantine', code: '403' });
  });

  it('is the same error within a tool call, and in a completion', async () => {
    rig.provider.behave({ tool: { name: 'note', arguments: { first: 'words', then: SECRET, last: 'x' } } });
    expect(await openai({})).toMatchObject({ message: WITHHELD });
    const { baseUrl, apiKey } = await rig.access('openai', 'path', KEY);
    rig.provider.behave({ text: `it is ${SECRET} then` });
    const client = new OpenAI({ baseURL: `${baseUrl}/v1`, apiKey, maxRetries: 0 });
    const body = { model: 'gpt-3.5-turbo-instruct', prompt: 'hello', max_tokens: 50, stream: true as const };
    await expect(read(await client.completions.create(body))).rejects.toThrow(WITHHELD);
  });

  it('of content that cannot be inspected says so, and is an error too', async () => {
    const { baseUrl, apiKey } = await rig.access('openai', 'path', KEY);
    // SSE declared as NDJSON.
    rig.provider.behave({ text: 'words', headers: { 'content-type': 'application/x-ndjson' } });
    const client = new OpenAI({ baseURL: `${baseUrl}/v1`, apiKey, maxRetries: 0 });
    const body = { model: 'gpt-4o', messages: MESSAGES, stream: true as const };
    const raw = await (await client.chat.completions.create(body).asResponse()).text();
    expect(JSON.parse(raw.split('\n')[0] ?? '')).toMatchObject({
      error: { message: "the provider's stream does not match its Content-Type" },
      type: 'upstream_unavailable',
    });
  });

  /** The lines of a stream with the line ends of Google's servers. */
  async function geminiLines(access: Access): Promise<string[]> {
    const url = new URL(access.baseUrl);
    const reply = await send(url.origin, {
      path: `${url.pathname}/v1beta/models/gemini-2.0-flash:streamGenerateContent?alt=sse`,
      headers: { 'x-goog-api-key': access.apiKey, 'content-type': 'application/json' },
      body: JSON.stringify({ contents: [{ role: 'user', parts: [{ text: 'hello' }] }] }),
    });
    expect(reply.status).toBe(200);
    return reply.body.split('\r\n').filter((line) => line !== '');
  }

  it('and its end add no comments to Mistral’s streams, since an old SDK fails on them', async () => {
    for (const path of ['/v1/chat/completions', '/v1/fim/completions']) {
      const asked = path.includes('fim') ? { prompt: 'hello' } : { messages: MESSAGES };
      for (const text of ['Write to jane.doe@mail.example.com.', `it is ${SECRET} then`]) {
        // A cut locks the key.
        const { baseUrl, apiKey } = await rig.access('mistral', 'path', KEY);
        const url = new URL(baseUrl);
        rig.provider.behave({ text });
        const reply = await send(url.origin, {
          path: `${url.pathname}${path}`,
          headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
          body: JSON.stringify({ model: 'codestral-latest', ...asked, stream: true, max_tokens: 50 }),
        });
        expect(reply.status, reply.body).toBe(200);
        expect(reply.body).toMatch(/\*\*\*|dlp_quarantine/);
        expect(reply.body.split('\n').filter((line) => line.startsWith(':'))).toEqual([]);
      }
    }
  });

  it('leaves a final line in Gemini’s streams, which have no comments', async () => {
    rig.provider.behave({ text: 'Write to jane.doe@mail.example.com or call +1 415 555 2671.' });
    const masked = await geminiLines(await rig.access('gemini', 'path', KEY));
    expect(masked.join()).toContain('***');
    expect(masked.filter((line) => !line.startsWith('data: {'))).toEqual([]);

    rig.provider.behave({ text: `it is ${SECRET} then` });
    const cut = await geminiLines(await rig.access('gemini', 'path', KEY));
    expect(cut.filter((line) => !line.startsWith('data: {'))).toEqual([`error: dlp_quarantine: ${WITHHELD}`]);
    expect(cut.at(-2)).toMatch(/^data: \{"error":\{"code":403,.*"type":"dlp_quarantine"\}$/);
  });
});
