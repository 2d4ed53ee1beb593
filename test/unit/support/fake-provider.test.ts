import { once } from 'node:events';
import { connect, constants } from 'node:http2';
import { Mistral } from '@mistralai/mistralai';
import OpenAI from 'openai';
import { afterEach, describe, expect, it } from 'vitest';
import { createTestCa } from '../../support/certs.ts';
import {
  TOKENS_AFTER_ABORT,
  createFakeProvider,
  type FakeProvider,
  type FakeProviderOptions,
  type Script,
} from '../../support/fake-provider/index.ts';

const open: FakeProvider[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map((fake) => fake.close()));
});

async function start(script: Script = {}, options: FakeProviderOptions = {}): Promise<FakeProvider> {
  const fake = await createFakeProvider(options);
  open.push(fake);
  fake.behave(script);
  return fake;
}

function client(fake: FakeProvider): OpenAI {
  return new OpenAI({ baseURL: `${fake.url}/v1`, apiKey: 'sk-fake', maxRetries: 0 });
}

const messages = [{ role: 'user' as const, content: 'hi' }];
const chat = { model: 'gpt-fake', messages };

function post(fake: FakeProvider, body: object = chat, path = '/v1/chat/completions'): Promise<Response> {
  return fetch(fake.url + path, { method: 'POST', body: JSON.stringify(body) });
}

describe('the fake provider', () => {
  it('answers the OpenAI client in every form it knows', async () => {
    const fake = await start({ inputTokens: 7 });
    const openai = client(fake);
    const whole = await openai.chat.completions.create({ ...chat, max_tokens: 3, n: 2 });
    expect(whole.choices.map((choice) => choice.message.content)).toEqual([
      ' word0 word1 word2',
      ' word0 word1 word2',
    ]);
    expect(whole.usage).toMatchObject({ prompt_tokens: 7, completion_tokens: 6 });

    let text = '';
    let usage;
    const stream = await openai.chat.completions.create({
      ...chat,
      stream: true,
      stream_options: { include_usage: true },
    });
    for await (const chunk of stream) {
      text += chunk.choices[0]?.delta.content ?? '';
      usage = chunk.usage;
    }
    expect(text.split(' ')).toHaveLength(17);
    expect(usage).toMatchObject({ prompt_tokens: 7, completion_tokens: 16 });

    const response = await openai.responses.create({ model: 'gpt-fake', input: 'hi', max_output_tokens: 2 });
    expect(response.output_text).toBe(' word0 word1');
    expect(response.usage?.output_tokens).toBe(2);
    const final = await openai.responses.stream({ model: 'gpt-fake', input: 'hi' }).finalResponse();
    expect(final.usage?.output_tokens).toBe(16);

    const embedding = await openai.embeddings.create({ model: 'gpt-fake', input: ['a', 'b'] });
    expect(embedding.data.map((item) => item.embedding.length)).toEqual([3, 3]);
    const models = await openai.models.list();
    expect(models.data[0]?.id).toBe('gpt-fake');
    expect(fake.billedOutputTokens()).toBe(6 + 16 + 2 + 16);
    expect(fake.requests[0]).toMatchObject({ method: 'POST', path: '/v1/chat/completions', ended: true });
    expect(fake.requests[0]?.headers.authorization).toBe('Bearer sk-fake');
  });

  it('answers the Mistral client, whose streams report usage unasked', async () => {
    const fake = await start({ unaskedUsage: 'last_chunk' });
    const mistral = new Mistral({ apiKey: 'k', serverURL: fake.url });
    const whole = await mistral.chat.complete({ model: 'mistral-fake', messages, maxTokens: 2 });
    expect(whole.choices[0]?.message?.content).toBe(' word0 word1');
    let text = '';
    let usage;
    for await (const { data } of await mistral.chat.stream({
      model: 'mistral-fake',
      messages,
      maxTokens: 3,
    })) {
      text += String(data.choices[0]?.delta.content ?? '');
      usage = data.usage ?? usage;
    }
    expect(text).toBe(' word0 word1 word2');
    expect(usage?.completionTokens).toBe(3);
  });

  it('speaks HTTP/2 and HTTP/1.1 under TLS, and sends trailers', async () => {
    const ca = await createTestCa();
    const tls = await ca.issue('localhost');
    const fake = await start({ trailers: { 'x-last': 'yes' } }, { tls, http2: true });
    const session = connect(fake.url, { ca: ca.ca });
    const stream = session.request({ ':path': '/v1/chat/completions', ':method': 'POST' });
    stream.end(JSON.stringify({ ...chat, stream: true }));
    let text = '';
    let trailers;
    stream.on('trailers', (headers) => (trailers = headers['x-last']));
    for await (const chunk of stream) text += String(chunk);
    session.close();
    ca.close();
    expect(text).toContain('data: [DONE]');
    expect(trailers).toBe('yes');
    expect(fake.requests[0]?.httpVersion).toBe('2.0');
  });

  it('bills on for a while when its client leaves in mid-stream, and no longer', async () => {
    const fake = await start({ outputTokens: 1000, pieceDelayMs: 1 });
    const abort = new AbortController();
    const response = await fetch(`${fake.url}/v1/chat/completions`, {
      method: 'POST',
      body: JSON.stringify({ ...chat, stream: true }),
      signal: abort.signal,
    });
    const reader = response.body?.getReader();
    await reader?.read();
    abort.abort();
    while (fake.requests[0]?.ended !== true) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(fake.requests[0].clientGone).toBe(true);
    expect(fake.billedOutputTokens()).toBeGreaterThanOrEqual(TOKENS_AFTER_ABORT);
    expect(fake.billedOutputTokens()).toBeLessThan(TOKENS_AFTER_ABORT + 200);
  });

  it('notices over HTTP/2 too that its client has left', async () => {
    const fake = await start({ outputTokens: 1000, pieceDelayMs: 1 }, { http2: true });
    const session = connect(fake.url);
    const stream = session.request({ ':method': 'POST', ':path': '/v1/chat/completions' });
    stream.end(JSON.stringify({ ...chat, stream: true }));
    await once(stream, 'data');
    stream.close(constants.NGHTTP2_CANCEL);
    while (fake.requests[0]?.ended !== true) await new Promise((resolve) => setTimeout(resolve, 5));
    session.close();
    expect(fake.requests[0].clientGone).toBe(true);
    expect(fake.billedOutputTokens()).toBeLessThan(TOKENS_AFTER_ABORT + 200);
  });

  it.each<[string, Script, number, (body: Record<string, unknown>) => unknown, unknown]>([
    ['missing usage', { usage: 'missing' }, 200, (body) => 'usage' in body, false],
    [
      'negative usage',
      { usage: 'negative' },
      200,
      (body) => (body.usage as { prompt_tokens: number }).prompt_tokens,
      -5,
    ],
    [
      'zero usage',
      { usage: 'zero' },
      200,
      (body) => (body.usage as { total_tokens: number }).total_tokens,
      0,
    ],
    [
      'an error',
      { status: 429, headers: { 'retry-after': '3' } },
      429,
      (body) => typeof body.error,
      'object',
    ],
    ['gzip', { gzip: true }, 200, (body) => body.object, 'chat.completion'],
    [
      'slow headers and body',
      { headersDelayMs: 5, bodyDelayMs: 5 },
      200,
      (body) => body.object,
      'chat.completion',
    ],
    [
      'a configured text',
      { text: 'my own words' },
      200,
      (body) => JSON.stringify(body).includes('my own words'),
      true,
    ],
  ])('sends %s on demand', async (_, script, status, read, expected) => {
    const fake = await start(script);
    const response = await post(fake);
    expect(response.status).toBe(status);
    expect(read((await response.json()) as Record<string, unknown>)).toBe(expected);
  });

  it.each<Script['breakOff']>([
    { at: 'before_headers', how: 'reset' },
    { at: 'after_headers', how: 'reset' },
    { at: 2, how: 'reset' },
  ])('breaks off on demand: %j', async (breakOff) => {
    const fake = await start({ ...(breakOff !== undefined && { breakOff }) });
    await expect(post(fake, { ...chat, stream: true }).then((response) => response.text())).rejects.toThrow();
    expect(fake.billedOutputTokens()).toBeLessThan(3);
  });

  it('holds answers until all requests are in', async () => {
    const fake = await start();
    const hold = fake.received(5);
    fake.behave({ hold });
    const answers = await Promise.all(Array.from({ length: 5 }, () => post(fake)));
    expect(answers.map((answer) => answer.status)).toEqual([200, 200, 200, 200, 200]);
  });

  it('streams lines as Ollama does', async () => {
    const fake = await start();
    const body = { model: 'llama-fake', messages, options: { num_predict: 2 } };
    const response = await post(fake, body, '/api/chat');
    const lines = (await response.text()).trim().split('\n');
    expect(lines).toHaveLength(3);
    expect(JSON.parse(lines[2] ?? '')).toMatchObject({ done: true, eval_count: 2, prompt_eval_count: 10 });
  });

  it('finds the dialect under other providers base paths', async () => {
    const fake = await start();
    for (const path of [
      '/openai/v1/chat/completions',
      '/api/v1/messages',
      '/openai/deployments/d/chat/completions',
    ]) {
      const response = await post(fake, { ...chat, max_tokens: 2 }, path);
      expect(response.status).toBe(200);
    }
  });
});
