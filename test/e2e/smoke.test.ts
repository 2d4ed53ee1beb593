import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { startDemoProvider, type DemoProvider } from '../../src/demo/provider.ts';
import { startGateway, type TestGateway, type TestKey } from '../support/gateway.ts';

/** The whole path once: an unmodified client, real Envoy, real sidecar, real Redis. */
describe('a chat request through the gateway', () => {
  let provider: DemoProvider;
  let gateway: TestGateway;
  let key: TestKey;
  beforeAll(async () => {
    provider = await startDemoProvider(0);
    gateway = await startGateway({ config: { providers: { openai: { base_url: provider.baseUrl } } } });
    key = await gateway.createKey({}, { daily: 1 });
  });
  afterAll(async () => {
    await gateway.stop();
    await provider.close();
  });
  const client = (rawKey = key.rawKey): OpenAI =>
    new OpenAI({
      baseURL: `${gateway.baseUrl}/openai/v1`,
      apiKey: rawKey,
      defaultHeaders: { 'X-Gateway-Provider-Key': 'sk-test' },
      maxRetries: 0,
    });
  const messages = [{ role: 'user' as const, content: 'Hello!' }];

  it('is answered as JSON, with its cost and its budget window', async () => {
    const { data, response } = await client()
      .chat.completions.create({ model: 'gpt-4o', messages, max_tokens: 50 })
      .withResponse();
    expect(data.choices[0]?.message.content).toBe('Hello from the demo provider. You said: Hello!');
    expect(Number(response.headers.get('x-gateway-request-cost'))).toBeGreaterThan(0);
    expect(response.headers.get('x-gateway-budget-window')).toBe('daily');
    expect(response.headers.get('x-gateway-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('is answered as a stream, piece by piece, without usage that it did not request', async () => {
    const stream = await client().chat.completions.create({ model: 'gpt-4o', messages, stream: true });
    let text = '';
    let chunks = 0;
    for await (const chunk of stream) {
      chunks += 1;
      expect(chunk.choices).toHaveLength(1);
      text += chunk.choices[0]?.delta.content ?? '';
    }
    expect(text).toBe('Hello from the demo provider. You said: Hello!');
    expect(chunks).toBeGreaterThan(5);
  });

  it('is refused without a known key', async () => {
    await expect(client('gw-unknown').models.list()).rejects.toMatchObject({ status: 401 });
  });
});
