import Anthropic from '@anthropic-ai/sdk';
import {
  BedrockRuntimeClient,
  ConverseCommand,
  ConverseStreamCommand,
  InvokeModelCommand,
  InvokeModelWithResponseStreamCommand,
} from '@aws-sdk/client-bedrock-runtime';
import { GoogleGenAI } from '@google/genai';
import { CohereClient, CohereClientV2 } from 'cohere-ai';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { anthropic } from '../../../src/providers/anthropic.ts';
import { bedrock } from '../../../src/providers/bedrock.ts';
import { cohere } from '../../../src/providers/cohere.ts';
import { gemini } from '../../../src/providers/gemini.ts';
import type { RequestFacts } from '../../../src/providers/request-facts.ts';
import type { Provider } from '../../../src/providers/registry.ts';
import { signSigV4 } from '../../../src/signing/sigv4.ts';
import { FAKE_AWS_CREDENTIAL } from '../../support/fake-provider/bedrock.ts';
import { createFakeProvider, type FakeProvider } from '../../support/fake-provider/index.ts';

/**
 * Shows with the providers' SDKs that the dialects read what they send, and that they read the fake
 * provider's answers.
 */

const TEXT = 'Grüße from the fake 🙂 model';
const PROMPT = 'say something';

let fake: FakeProvider;
/** HTTP/2 without TLS, which the AWS SDK speaks to Bedrock by default. */
let fakeH2: FakeProvider;
beforeAll(async () => {
  fake = await createFakeProvider();
  fakeH2 = await createFakeProvider({ http2: true });
});
afterAll(() => Promise.all([fake.close(), fakeH2.close()]));
beforeEach(() => {
  fake.behave({ text: TEXT });
  fakeH2.behave({ text: TEXT });
});

/** Reads the last request in its dialect. */
function lastRead(provider: Provider): RequestFacts {
  const request = (provider === bedrock ? fakeH2 : fake).requests.at(-1);
  if (request === undefined) throw new Error('no request came');
  const endpoint = provider.endpoint(request.method, request.path, request.query.slice(1));
  if (endpoint === undefined) throw new Error(`not readable: ${request.method} ${request.path}`);
  return endpoint.dialect.request(request.json, endpoint);
}

function expectRead(provider: Provider, model: string, stream: boolean): void {
  const facts = lastRead(provider);
  expect(facts.model).toBe(model);
  expect(facts.stream).toBe(stream);
  expect(facts.texts.map(({ text }) => text)).toContain(PROMPT);
  expect(facts.output?.tokens).toBe(100);
}

describe('the Anthropic SDK', () => {
  const client = () => new Anthropic({ apiKey: 'sk-ant-x', baseURL: fake.url, maxRetries: 0 });
  const params = {
    model: 'claude-x',
    max_tokens: 100,
    messages: [{ role: 'user' as const, content: PROMPT }],
  };

  it('sends and gets a message', async () => {
    const message = await client().messages.create(params);
    expect(message.content).toMatchObject([{ type: 'text', text: TEXT }]);
    expect(message.usage.input_tokens).toBe(10);
    expectRead(anthropic, 'claude-x', false);
  });

  it('streams a message', async () => {
    const message = await client().messages.stream(params).finalMessage();
    expect(message.content).toMatchObject([{ type: 'text', text: TEXT }]);
    expect(message.usage.output_tokens).toBeGreaterThan(0);
    expectRead(anthropic, 'claude-x', true);
  });

  it('counts tokens and lists models', async () => {
    const { max_tokens: _limit, ...counted } = params;
    await client().messages.countTokens(counted);
    expect(lastRead(anthropic).output).toBeUndefined();
    const models = await client().models.list();
    expect(models.data).toHaveLength(1);
    expect(anthropic.endpoint('GET', fake.requests.at(-1)?.path ?? '')?.operation).toBe('models');
  });
});

describe('the Google SDK', () => {
  const client = () => new GoogleGenAI({ apiKey: 'AIzaX', httpOptions: { baseUrl: fake.url } });
  const params = {
    model: 'gemini-2.5-flash',
    contents: PROMPT,
    config: { maxOutputTokens: 100, systemInstruction: 'be brief', thinkingConfig: { thinkingBudget: 0 } },
  };

  it('sends and gets content', async () => {
    const answer = await client().models.generateContent(params);
    expect(answer.text).toBe(TEXT);
    expectRead(gemini, 'gemini-2.5-flash', false);
  });

  it('streams content', async () => {
    let text = '';
    for await (const chunk of await client().models.generateContentStream(params)) text += chunk.text ?? '';
    expect(text).toBe(TEXT);
    expectRead(gemini, 'gemini-2.5-flash', true);
  });

  it('counts tokens and embeds', async () => {
    await client().models.countTokens({ model: 'gemini-x', contents: PROMPT });
    expect(lastRead(gemini).texts.map(({ text }) => text)).toContain(PROMPT);
    await client().models.embedContent({ model: 'gemini-embedding-001', contents: PROMPT });
    expect(lastRead(gemini).texts.map(({ text }) => text)).toContain(PROMPT);
    expect(lastRead(gemini).models).toEqual(['gemini-embedding-001']);
  });
});

describe('the AWS SDK', () => {
  const client = (secretAccessKey: string = FAKE_AWS_CREDENTIAL.secretAccessKey) =>
    new BedrockRuntimeClient({
      region: 'eu-west-1',
      endpoint: fakeH2.url,
      maxAttempts: 1,
      credentials: { ...FAKE_AWS_CREDENTIAL, secretAccessKey },
    });
  const modelId = 'us.anthropic.claude-3-haiku-20240307-v1:0';
  const params = {
    modelId,
    messages: [{ role: 'user' as const, content: [{ text: PROMPT }] }],
    inferenceConfig: { maxTokens: 100 },
  };

  it('converses, by model id and by ARN', async () => {
    for (const id of [modelId, `arn:aws:bedrock:us-east-1:123456789012:inference-profile/${modelId}`]) {
      const answer = await client().send(new ConverseCommand({ ...params, modelId: id }));
      expect(answer.output?.message?.content?.[0]?.text).toBe(TEXT);
      expectRead(bedrock, modelId, false);
    }
  });

  it('streams a conversation', async () => {
    const answer = await client().send(new ConverseStreamCommand(params));
    let text = '';
    let outputTokens = 0;
    for await (const event of answer.stream ?? []) {
      text += event.contentBlockDelta?.delta?.text ?? '';
      outputTokens = event.metadata?.usage?.outputTokens ?? outputTokens;
    }
    expect(text).toBe(TEXT);
    expect(outputTokens).toBeGreaterThan(0);
    expectRead(bedrock, modelId, true);
  });

  const body = JSON.stringify({
    anthropic_version: 'bedrock-2023-05-31',
    max_tokens: 100,
    messages: [{ role: 'user', content: PROMPT }],
  });

  it('invokes a model', async () => {
    const command = new InvokeModelCommand({ modelId, body, contentType: 'application/json' });
    const answer = await client().send(command);
    expect(JSON.parse(answer.body.transformToString())).toMatchObject({ content: [{ text: TEXT }] });
    expectRead(bedrock, modelId, false);
  });

  it('streams an invoked model', async () => {
    const command = new InvokeModelWithResponseStreamCommand({
      modelId,
      body,
      contentType: 'application/json',
    });
    const answer = await client().send(command);
    const documents: unknown[] = [];
    for await (const { chunk } of answer.body ?? []) {
      if (chunk?.bytes) documents.push(JSON.parse(Buffer.from(chunk.bytes).toString()));
    }
    expect(documents.at(-1)).toMatchObject({ 'amazon-bedrock-invocationMetrics': { inputTokenCount: 10 } });
    expectRead(bedrock, modelId, true);
  });

  it('is refused with a wrong secret', async () => {
    await expect(client('wrong').send(new ConverseCommand(params))).rejects.toThrow(/signature/);
  });
});

describe('the gateway’s SigV4 signature', () => {
  const credential = { kind: 'sigv4', ...FAKE_AWS_CREDENTIAL } as const;
  const send = (path: string, secretAccessKey: string, sent = '{}') =>
    fetch(fake.url + path, {
      method: 'POST',
      body: sent,
      headers: signSigV4({
        credential: { ...credential, secretAccessKey },
        method: 'POST',
        authority: new URL(fake.url).host,
        path,
        body: Buffer.from('{}'),
      }),
    });

  it.each([
    '/model/amazon.nova-lite-v1:0/converse',
    '/model/amazon.nova-lite-v1%3A0/converse',
    '/model/arn%3Aaws%3Abedrock%3Aus-east-1%3A1%3Ainference-profile%2Fus.amazon.nova-lite-v1%3A0/converse',
    '/model/amazon.nova-lite-v1%3A0/converse?b=2&a=1',
  ])('is valid for %s', async (path) => {
    expect((await send(path, credential.secretAccessKey)).status).toBe(200);
  });

  it('is refused with a wrong secret, or over another body', async () => {
    const path = '/model/amazon.nova-lite-v1%3A0/converse';
    expect((await send(path, 'wrong')).status).toBe(403);
    expect((await send(path, credential.secretAccessKey, '{"messages":[]}')).status).toBe(403);
  });
});

describe('the Cohere SDK', () => {
  const options = () => ({ token: 'co-x', environment: fake.url, maxRetries: 0 });

  it('chats in v2', async () => {
    const params = {
      model: 'command-x',
      messages: [{ role: 'user' as const, content: PROMPT }],
      maxTokens: 100,
    };
    const client = new CohereClientV2(options());
    const answer = await client.chat(params);
    expect(answer.message.content).toMatchObject([{ type: 'text', text: TEXT }]);
    expectRead(cohere, 'command-x', false);
    let text = '';
    for await (const event of await client.chatStream(params)) {
      if (event.type === 'content-delta') text += event.delta?.message?.content?.text ?? '';
    }
    expect(text).toBe(TEXT);
    expectRead(cohere, 'command-x', true);
  });

  it('chats in v1', async () => {
    const params = { model: 'command-x', message: PROMPT, maxTokens: 100 };
    const client = new CohereClient(options());
    expect((await client.chat(params)).text).toBe(TEXT);
    expectRead(cohere, 'command-x', false);
    let text = '';
    for await (const event of await client.chatStream(params)) {
      if (event.eventType === 'text-generation') text += event.text;
    }
    expect(text).toBe(TEXT);
    expectRead(cohere, 'command-x', true);
  });

  it('embeds and reranks', async () => {
    const client = new CohereClientV2(options());
    await client.embed({
      model: 'embed-x',
      texts: [PROMPT],
      inputType: 'search_query',
      embeddingTypes: ['float'],
    });
    expect(lastRead(cohere).texts.map(({ text }) => text)).toContain(PROMPT);
    await client.rerank({ model: 'rerank-x', query: PROMPT, documents: ['d'] });
    expect(lastRead(cohere)).toMatchObject({ model: 'rerank-x', stream: false });
  });
});
