import Anthropic from '@anthropic-ai/sdk';
import {
  BedrockRuntimeClient,
  ConverseStreamCommand,
  InvokeModelWithResponseStreamCommand,
} from '@aws-sdk/client-bedrock-runtime';
import { GoogleGenAI } from '@google/genai';
import { Mistral } from '@mistralai/mistralai';
import { CohereClient, CohereClientV2 } from 'cohere-ai';
import OpenAI from 'openai';
import type { ProviderName } from '../../src/providers/registry.ts';
import type { Access } from './sdk-rig.ts';

/** One way to stream an answer: a dialect and its framing, through its own SDK if there is one. */
export interface SdkStream {
  readonly name: string;
  readonly provider: ProviderName;
  /** The pieces of text as they arrive. */
  text(access: Access, prompt: string, signal?: AbortSignal): AsyncIterable<string>;
}

const CLAUDE_ON_BEDROCK = 'anthropic.claude-3-haiku-20240307-v1:0';

function bedrock({ baseUrl, apiKey }: Access): BedrockRuntimeClient {
  return new BedrockRuntimeClient({
    region: 'us-east-1',
    endpoint: baseUrl,
    maxAttempts: 1,
    token: { token: apiKey },
    authSchemePreference: ['httpBearerAuth'],
  });
}

/** The text in Anthropic's events, which Bedrock's invoke streams contain too. */
function deltaText(event: unknown): string {
  return (event as { delta?: { text?: string } }).delta?.text ?? '';
}

/** The body's bytes as text, piece by piece. */
async function* post(url: string, key: string, body: unknown, signal?: AbortSignal): AsyncGenerator<string> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-goog-api-key': key },
    body: JSON.stringify(body),
    ...(signal && { signal }),
  });
  yield* (answer.body ?? new ReadableStream<Uint8Array>()).pipeThrough(new TextDecoderStream());
}

/** The strings under a member name, in JSON that may be cut anywhere outside of them. */
async function* members(name: string, pieces: AsyncIterable<string>): AsyncGenerator<string> {
  const member = new RegExp(`"${name}":("(?:[^"\\\\]|\\\\.)*")`, 'g');
  for await (const piece of pieces)
    for (const [, json = '""'] of piece.matchAll(member)) yield JSON.parse(json) as string;
}

export const SDK_STREAMS: readonly SdkStream[] = [
  {
    name: 'OpenAI chat',
    provider: 'openai',
    async *text({ baseUrl, apiKey }, prompt, signal) {
      const client = new OpenAI({ baseURL: `${baseUrl}/v1`, apiKey, maxRetries: 0 });
      const messages = [{ role: 'user' as const, content: prompt }];
      const stream = await client.chat.completions.create(
        { model: 'gpt-4o', messages, stream: true },
        { signal },
      );
      for await (const { choices } of stream) yield choices[0]?.delta.content ?? '';
    },
  },
  {
    name: 'OpenAI responses',
    provider: 'openai',
    async *text({ baseUrl, apiKey }, prompt, signal) {
      const client = new OpenAI({ baseURL: `${baseUrl}/v1`, apiKey, maxRetries: 0 });
      const stream = await client.responses.create(
        { model: 'gpt-4o', input: prompt, stream: true },
        { signal },
      );
      for await (const event of stream) yield event.type === 'response.output_text.delta' ? event.delta : '';
    },
  },
  {
    name: 'Anthropic messages',
    provider: 'anthropic',
    async *text({ baseUrl, apiKey }, prompt, signal) {
      const client = new Anthropic({ baseURL: baseUrl, apiKey, authToken: null, maxRetries: 0 });
      const messages = [{ role: 'user' as const, content: prompt }];
      const model = 'claude-3-haiku-20240307';
      const stream = await client.messages.create(
        { model, max_tokens: 100, messages, stream: true },
        { signal },
      );
      for await (const event of stream) yield deltaText(event);
    },
  },
  {
    name: 'Gemini',
    provider: 'gemini',
    async *text({ baseUrl, apiKey }, prompt, signal) {
      const client = new GoogleGenAI({ apiKey, httpOptions: { baseUrl } });
      const config = signal === undefined ? {} : { abortSignal: signal };
      const request = { model: 'gemini-2.0-flash', contents: prompt, config };
      for await (const chunk of await client.models.generateContentStream(request)) yield chunk.text ?? '';
    },
  },
  {
    name: 'Gemini as a JSON array',
    provider: 'gemini',
    text: ({ baseUrl, apiKey }, prompt, signal) =>
      members(
        'text',
        post(
          `${baseUrl}/v1beta/models/gemini-2.0-flash:streamGenerateContent`,
          apiKey,
          {
            contents: [{ role: 'user', parts: [{ text: prompt }] }],
          },
          signal,
        ),
      ),
  },
  {
    name: 'Bedrock converse',
    provider: 'bedrock',
    async *text(access, prompt, signal) {
      const messages = [{ role: 'user' as const, content: [{ text: prompt }] }];
      const command = new ConverseStreamCommand({ modelId: CLAUDE_ON_BEDROCK, messages });
      const { stream } = await bedrock(access).send(command, signal && { abortSignal: signal });
      for await (const event of stream ?? []) yield event.contentBlockDelta?.delta?.text ?? '';
    },
  },
  {
    name: 'Bedrock invoke',
    provider: 'bedrock',
    async *text(access, prompt, signal) {
      const command = new InvokeModelWithResponseStreamCommand({
        modelId: CLAUDE_ON_BEDROCK,
        contentType: 'application/json',
        body: JSON.stringify({
          anthropic_version: 'bedrock-2023-05-31',
          max_tokens: 100,
          messages: [{ role: 'user', content: prompt }],
        }),
      });
      const { body } = await bedrock(access).send(command, signal && { abortSignal: signal });
      for await (const { chunk } of body ?? [])
        yield deltaText(JSON.parse(Buffer.from(chunk?.bytes ?? []).toString()));
    },
  },
  {
    name: 'Cohere v2',
    provider: 'cohere',
    async *text({ baseUrl, apiKey }, prompt, signal) {
      const client = new CohereClientV2({ token: apiKey, environment: baseUrl, maxRetries: 0 });
      const messages = [{ role: 'user' as const, content: prompt }];
      for await (const event of await client.chatStream(
        { model: 'command-r-08-2024', messages },
        signal && { abortSignal: signal },
      ))
        yield event.type === 'content-delta' ? (event.delta?.message?.content?.text ?? '') : '';
    },
  },
  {
    name: 'Cohere v1',
    provider: 'cohere',
    async *text({ baseUrl, apiKey }, prompt, signal) {
      const client = new CohereClient({ token: apiKey, environment: baseUrl, maxRetries: 0 });
      for await (const event of await client.chatStream(
        { model: 'command-r-08-2024', message: prompt },
        signal && { abortSignal: signal },
      ))
        yield event.eventType === 'text-generation' ? event.text : '';
    },
  },
  {
    name: 'Mistral',
    provider: 'mistral',
    async *text({ baseUrl, apiKey }, prompt, signal) {
      const messages = [{ role: 'user' as const, content: prompt }];
      const client = new Mistral({ apiKey, serverURL: baseUrl });
      for await (const { data } of await client.chat.stream(
        { model: 'mistral-small-latest', messages },
        signal && { signal },
      ))
        yield String(data.choices[0]?.delta.content ?? '');
    },
  },
  {
    name: "Ollama's lines of JSON",
    provider: 'ollama',
    text: ({ baseUrl, apiKey }, prompt, signal) =>
      members(
        'content',
        post(
          `${baseUrl}/api/chat`,
          apiKey,
          { model: 'any', messages: [{ role: 'user', content: prompt }] },
          signal,
        ),
      ),
  },
];
