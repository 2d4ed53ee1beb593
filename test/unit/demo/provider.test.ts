import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { startDemoProvider, type DemoProvider } from '../../../src/demo/provider.ts';

let provider: DemoProvider;
beforeAll(async () => {
  provider = await startDemoProvider(0);
});
afterAll(() => provider.close());

const messages = [{ role: 'user' as const, content: 'Hello!' }];
const text = 'Hello from the demo provider. You said: Hello!';

describe("the demo provider, to OpenAI's own client,", () => {
  const client = (): OpenAI => new OpenAI({ baseURL: `${provider.baseUrl}/v1`, apiKey: 'x', maxRetries: 0 });

  it('answers whole, with usage', async () => {
    const answer = await client().chat.completions.create({ model: 'gpt-4o', messages });
    expect(answer.choices[0]?.message.content).toBe(text);
    expect(answer.usage).toMatchObject({ completion_tokens: 8 });
  });

  it('streams, with usage on request', async () => {
    const stream = await client().chat.completions.create({
      model: 'gpt-4o',
      messages,
      stream: true,
      stream_options: { include_usage: true },
    });
    let streamed = '';
    let tokens: number | undefined;
    for await (const chunk of stream) {
      streamed += chunk.choices[0]?.delta.content ?? '';
      tokens = chunk.usage?.completion_tokens ?? tokens;
    }
    expect([streamed, tokens]).toEqual([text, 8]);
  });

  it('stops at the output limit', async () => {
    const answer = await client().chat.completions.create({ model: 'gpt-4o', messages, max_tokens: 3 });
    expect(answer.choices[0]).toMatchObject({
      finish_reason: 'length',
      message: { content: 'Hello from the' },
    });
  });

  it('answers Responses, whole', async () => {
    const answer = await client().responses.create({ model: 'gpt-4o', input: 'Hello!' });
    expect(answer.output_text).toBe(text);
    expect(answer).toMatchObject({ status: 'completed', usage: { output_tokens: 8 } });
    const cut = await client().responses.create({ model: 'gpt-4o', input: messages, max_output_tokens: 3 });
    expect(cut).toMatchObject({ status: 'incomplete', output_text: 'Hello from the' });
  });

  it('streams Responses, which end with the whole answer', async () => {
    const stream = client().responses.stream({ model: 'gpt-4o', input: messages });
    let streamed = '';
    stream.on('response.output_text.delta', ({ delta }) => (streamed += delta));
    const answer = await stream.finalResponse();
    expect([streamed, answer.output_text, answer.status]).toEqual([text, text, 'completed']);
  });

  it('lists its models', async () => {
    expect((await client().models.list()).data.map(({ id }) => id)).toContain('gpt-4o');
  });

  it('answers 404 for an API that it does not have', async () => {
    await expect(client().images.generate({ prompt: 'x' })).rejects.toMatchObject({ status: 404 });
  });
});

describe("the demo provider, to Anthropic's own client,", () => {
  const client = (): Anthropic => new Anthropic({ baseURL: provider.baseUrl, apiKey: 'x', maxRetries: 0 });
  const request = { model: 'claude-sonnet-5', max_tokens: 100, messages };

  it('answers whole, with usage', async () => {
    const answer = await client().messages.create(request);
    expect(answer.content).toEqual([{ type: 'text', text }]);
    expect(answer.usage.output_tokens).toBe(8);
  });

  it('streams', async () => {
    const message = await client().messages.stream(request).finalMessage();
    expect(message.content).toMatchObject([{ type: 'text', text }]);
    expect(message.usage.output_tokens).toBe(8);
    expect(message.stop_reason).toBe('end_turn');
  });

  it('counts tokens and lists its models', async () => {
    expect(
      (await client().messages.countTokens({ model: request.model, messages })).input_tokens,
    ).toBeGreaterThan(0);
    expect((await client().models.list()).data.map(({ id }) => id)).toContain('claude-sonnet-5');
  });
});
