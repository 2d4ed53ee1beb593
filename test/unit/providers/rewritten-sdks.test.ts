import Anthropic, { APIError as AnthropicError } from '@anthropic-ai/sdk';
import { ValidationException } from '@aws-sdk/client-bedrock-runtime';
import { ApiError as GoogleError } from '@google/genai';
import { Mistral } from '@mistralai/mistralai';
import { CohereClient, CohereClientV2 } from 'cohere-ai';
import OpenAI, { APIError as OpenaiError } from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PASS_EVENT, type RewrittenFrame, type StreamRewriter } from '../../../src/pipeline/check.ts';
import type { JsonEdit } from '../../../src/json/path.ts';
import { createFakeProvider, type FakeProvider } from '../../support/fake-provider/index.ts';
import { startRewritingProxy, type RewritingProxy } from '../../support/rewriting-proxy.ts';
import type { Access } from '../../support/sdk-rig.ts';
import { SDK_STREAMS, type SdkStream } from '../../support/sdk-streams.ts';

/** How the providers' SDKs read cut streams, and the gateway's frames among the provider's. */

const TEXT = 'Grüße from the fake 🙂 model';
const MESSAGE = 'the answer held a secret';
const DENIAL = { kind: 'deny', type: 'dlp_quarantine', message: MESSAGE } as const;

function cutAfter(pieces: number): StreamRewriter {
  let seen = 0;
  return {
    event({ deltas }) {
      seen += deltas.length;
      return seen > pieces ? { kind: 'cut', denial: DENIAL } : PASS_EVENT;
    },
  };
}

interface Rig {
  readonly fake: FakeProvider;
  access(stream: SdkStream): Access;
  close(): Promise<void>;
}

/** Bedrock's SDK uses HTTP/2, others HTTP/1.1. */
async function startRig(createRewriter: () => StreamRewriter): Promise<Rig> {
  const fake = await createFakeProvider();
  fake.behave({ text: TEXT });
  const proxies: RewritingProxy[] = [];
  for (const http2 of [false, true]) {
    proxies.push(await startRewritingProxy({ upstreamUrl: fake.url, createRewriter, http2 }));
  }
  return {
    fake,
    access: ({ provider }) => ({
      auth: 'path',
      baseUrl: `${proxies[provider === 'bedrock' ? 1 : 0]?.url ?? ''}/${provider}`,
      apiKey: 'key-0123456789',
      headers: {},
      providerKey: 'key-0123456789',
      rawKey: '',
      keyHash: '',
    }),
    close: async () => {
      await Promise.all([fake.close(), ...proxies.map((proxy) => proxy.close())]);
    },
  };
}

function named(name: string): SdkStream {
  const stream = SDK_STREAMS.find((one) => one.name === name);
  if (stream === undefined) throw new Error(`no stream ${name}`);
  return stream;
}

async function allOf<T>(events: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const event of events) all.push(event);
  return all;
}

async function read(pieces: AsyncIterable<string>): Promise<{ text: string; error: unknown }> {
  let text = '';
  try {
    for await (const piece of pieces) text += piece;
  } catch (error) {
    return { text, error };
  }
  return { text, error: undefined };
}

describe('a stream that is cut', () => {
  let rig: Rig;
  beforeAll(async () => {
    rig = await startRig(() => cutAfter(3));
  });
  afterAll(() => rig.close());

  const RAISED = [
    ['OpenAI chat', OpenaiError, { type: 'dlp_quarantine', code: '403' }],
    ['OpenAI responses', OpenaiError, { type: 'dlp_quarantine' }],
    ['Anthropic messages', AnthropicError, { type: 'dlp_quarantine', apiMessage: MESSAGE }],
    ['Gemini', GoogleError, { status: 403 }],
    ['Bedrock converse', ValidationException, { message: MESSAGE }],
    ['Bedrock invoke', ValidationException, { message: MESSAGE }],
  ] as const;

  it.each(RAISED)('%s: raises its own error, after the text so far', async (name, type, members) => {
    const stream = named(name);
    const { text, error } = await read(stream.text(rig.access(stream), 'hello'));
    expect(error).toBeInstanceOf(type);
    expect(error).toMatchObject(members);
    expect((error as Error).message).toContain(MESSAGE);
    expect(TEXT.startsWith(text) && text !== '' && text !== TEXT).toBe(true);
  });

  it('Mistral: raises anything but its own chunks, after the text so far', async () => {
    const stream = named('Mistral');
    const { text, error } = await read(stream.text(rig.access(stream), 'hello'));
    expect(String(error)).toContain('invalid_type');
    expect(TEXT.startsWith(text) && text !== '' && text !== TEXT).toBe(true);
  });

  const raises = [...RAISED.map(([name]) => name), 'Mistral'];
  it.each(SDK_STREAMS.filter(({ name }) => !raises.includes(name)))(
    '$name: which raises nothing in a stream, ends without a parse error',
    async (stream) => {
      const { text, error } = await read(stream.text(rig.access(stream), 'hello'));
      expect(error).toBeUndefined();
      expect(TEXT.startsWith(text) && text !== '' && text !== TEXT).toBe(true);
    },
  );

  it('ends with an event for Cohere clients, and with an invalid chunk for Mistral clients', async () => {
    const cohere = rig.access(named('Cohere v2'));
    const options = { token: cohere.apiKey, environment: cohere.baseUrl, maxRetries: 0 };
    const messages = [{ role: 'user' as const, content: 'hello' }];
    const v2 = await new CohereClientV2(options).chatStream({ model: 'command-r', messages });
    expect((await allOf(v2)).slice(-2)).toMatchObject([
      { type: 'dlp_quarantine', delta: { error: MESSAGE } },
      { type: 'message-end', delta: { finishReason: 'ERROR', error: MESSAGE } },
    ]);
    const v1 = await new CohereClient(options).chatStream({ model: 'command-r', message: 'hello' });
    expect((await allOf(v1)).at(-1)).toMatchObject({
      eventType: 'stream-end',
      finishReason: 'ERROR',
    });
    const mistral = rig.access(named('Mistral'));
    const client = new Mistral({ apiKey: mistral.apiKey, serverURL: mistral.baseUrl });
    async function reading(): Promise<void> {
      for await (const { data } of await client.chat.stream({ model: 'mistral-small-latest', messages }))
        expect(data.choices).toMatchObject([{ finishReason: null }]);
    }
    // The error is not a chunk: this client throws, and lists the missing members of a chunk.
    await expect(reading()).rejects.toThrow('choices');
  });
});

/** Holds the second half of each piece and sends it later, in a copy of its frame. */
function putOff(): StreamRewriter {
  const late = new Map<string, RewrittenFrame>();
  function take(isTaken: (channel: string) => boolean): RewrittenFrame[] {
    const taken = [...late].filter(([channel]) => isTaken(channel));
    for (const [channel] of taken) late.delete(channel);
    return taken.map(([, frame]) => frame);
  }
  return {
    event(event) {
      const { ends = [], deltas } = event;
      const isEnding = (channel: string): boolean =>
        ends.some((end) => end === '*' || end === channel || (end.endsWith('/') && channel.startsWith(end)));
      const pieces = deltas.filter(({ repeats }) => repeats !== true);
      const before = take(
        (channel) => isEnding(channel) || pieces.some((piece) => piece.channel === channel),
      );
      const edits: JsonEdit[] = [];
      for (const { channel, path, text } of pieces) {
        const half = isEnding(channel) ? text.length : Math.ceil(text.length / 2);
        edits.push({ kind: 'set', path, value: text.slice(0, half) });
        const rest: JsonEdit = { kind: 'set', path, value: text.slice(half) };
        if (half < text.length) late.set(channel, { event, copy: true, edits: [rest] });
      }
      return { kind: 'rewrite', before, edits };
    },
    end: () => ({ before: take(() => true) }),
  };
}

describe('a stream with delayed text', () => {
  let rig: Rig;
  beforeAll(async () => {
    rig = await startRig(putOff);
  });
  afterAll(() => rig.close());

  it.each(SDK_STREAMS)('$name: reads the same', async (stream) => {
    expect(await read(stream.text(rig.access(stream), 'hello'))).toEqual({ text: TEXT, error: undefined });
  });

  it('is assembled by the SDKs into one answer', async () => {
    const { baseUrl, apiKey } = rig.access(named('OpenAI chat'));
    const messages = [{ role: 'user' as const, content: 'hello' }];
    const openai = new OpenAI({ baseURL: `${baseUrl}/v1`, apiKey, maxRetries: 0 });
    const chat = openai.chat.completions.stream({ model: 'gpt-4o', messages });
    expect((await chat.finalChatCompletion()).choices[0]?.message.content).toBe(TEXT);
    const response = openai.responses.stream({ model: 'gpt-4o', input: 'hello' });
    expect((await response.finalResponse()).output_text).toBe(TEXT);
    const { baseUrl: baseURL } = rig.access(named('Anthropic messages'));
    const anthropic = new Anthropic({ baseURL, apiKey, authToken: null, maxRetries: 0 });
    const message = anthropic.messages.stream({ model: 'claude-3-haiku-20240307', max_tokens: 9, messages });
    expect((await message.finalMessage()).content).toMatchObject([{ type: 'text', text: TEXT }]);
  });

  it('has tool calls that the SDKs assemble', async () => {
    const { baseUrl, apiKey } = rig.access(named('OpenAI chat'));
    rig.fake.behave({ tool: { name: 'weather', arguments: { city: 'Zürich', days: 3 } } });
    const openai = new OpenAI({ baseURL: `${baseUrl}/v1`, apiKey, maxRetries: 0 });
    const messages = [{ role: 'user' as const, content: 'hello' }];
    const chat = await openai.chat.completions.stream({ model: 'gpt-4o', messages }).finalChatCompletion();
    expect(chat.choices[0]?.message.tool_calls).toMatchObject([
      { id: 'call_weather', function: { name: 'weather', arguments: '{"city":"Zürich","days":3}' } },
    ]);
  });
});
