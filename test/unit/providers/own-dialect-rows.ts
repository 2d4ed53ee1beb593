import { EventStreamCodec } from '@smithy/eventstream-codec';
import { awsEventStream } from '../../../src/streams/aws-event-stream.ts';
import { jsonArray } from '../../../src/streams/json-array.ts';
import { sse } from '../../../src/streams/sse.ts';
import { sseBytes, type ConformanceRow } from '../../support/conformance-row.ts';

const codec = new EventStreamCodec(
  (bytes) => Buffer.from(bytes as Uint8Array).toString(),
  (text) => Buffer.from(text),
);

function awsMessage(event: string, payload: unknown): Buffer {
  const headers = {
    ':message-type': { type: 'string', value: 'event' },
    ':event-type': { type: 'string', value: event },
  } as const;
  return Buffer.from(codec.encode({ headers, body: Buffer.from(JSON.stringify(payload)) }));
}

const geminiUsage = {
  promptTokenCount: 10,
  candidatesTokenCount: 3,
  thoughtsTokenCount: 2,
  totalTokenCount: 15,
};
const geminiAnswer = {
  candidates: [{ content: { parts: [{ text: 'Hi' }] }, finishReason: 'STOP' }],
  usageMetadata: geminiUsage,
};

/** A row for each provider with its own dialect; its own tests go deeper. */
export const ownDialectRows: readonly ConformanceRow[] = [
  {
    provider: 'anthropic',
    path: '/v1/messages',
    operation: 'chat',
    body: {
      model: 'claude-x',
      max_tokens: 12,
      system: '§system',
      messages: [{ role: 'user', content: [{ type: 'text', text: '§user' }] }],
      tools: [{ name: 'weather', description: '§description', input_schema: {} }],
    },
    model: 'claude-x',
    limit: 12,
    tools: ['weather'],
    answer: {
      content: [{ type: 'text', text: 'Hi' }],
      usage: { input_tokens: 5, cache_read_input_tokens: 4, output_tokens: 2 },
    },
    usage: {
      inputTokens: 9,
      outputTokens: 2,
      cacheReadTokens: 4,
    },
    texts: ['Hi'],
    stream: {
      format: sse,
      bytes: sseBytes(
        { type: 'message_start', message: { usage: { input_tokens: 5, output_tokens: 1 } } },
        { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hi' } },
        { type: 'message_delta', delta: {}, usage: { output_tokens: 2 } },
        { type: 'message_stop' },
      ),
      usage: {
        inputTokens: 5,
        outputTokens: 2,
      },
      texts: { '0/text/0': 'Hi' },
    },
  },
  {
    provider: 'gemini',
    path: '/v1beta/models/gemini-x:streamGenerateContent',
    operation: 'chat',
    body: {
      systemInstruction: { parts: [{ text: '§system' }] },
      contents: [{ role: 'user', parts: [{ text: '§user' }] }],
      generationConfig: { maxOutputTokens: 12 },
    },
    model: 'gemini-x',
    limit: 12,
    answer: geminiAnswer,
    usage: { inputTokens: 10, outputTokens: 5, reasoningTokens: 2 },
    texts: ['Hi'],
    stream: {
      format: jsonArray,
      bytes: Buffer.from(
        `[${JSON.stringify({ ...geminiAnswer, usageMetadata: undefined })},\n${JSON.stringify({ candidates: [{ finishReason: 'STOP' }], usageMetadata: geminiUsage })}]`,
      ),
      usage: { inputTokens: 10, outputTokens: 5, reasoningTokens: 2 },
      texts: { '0/text': 'Hi' },
    },
  },
  {
    provider: 'bedrock',
    path: '/model/amazon.nova-lite-v1%3A0/converse-stream',
    operation: 'chat',
    body: {
      system: [{ text: '§system' }],
      messages: [{ role: 'user', content: [{ text: '§user' }] }],
      inferenceConfig: { maxTokens: 12 },
    },
    model: 'amazon.nova-lite-v1:0',
    limit: 12,
    answer: {
      output: { message: { role: 'assistant', content: [{ text: 'Hi' }] } },
      usage: { inputTokens: 5, outputTokens: 2, totalTokens: 7 },
    },
    usage: { inputTokens: 5, outputTokens: 2 },
    texts: ['Hi'],
    stream: {
      format: awsEventStream,
      bytes: Buffer.concat([
        awsMessage('contentBlockDelta', { contentBlockIndex: 0, delta: { text: 'Hi' } }),
        awsMessage('messageStop', { stopReason: 'end_turn' }),
        awsMessage('metadata', { usage: { inputTokens: 5, outputTokens: 2, totalTokens: 7 } }),
      ]),
      usage: { inputTokens: 5, outputTokens: 2 },
      texts: { '0/text/0': 'Hi' },
    },
  },
  {
    provider: 'cohere',
    path: '/v2/chat',
    operation: 'chat',
    body: { model: 'command-x', messages: [{ role: 'user', content: '§user' }], max_tokens: 12 },
    model: 'command-x',
    limit: 12,
    answer: {
      message: { role: 'assistant', content: [{ type: 'text', text: 'Hi' }] },
      usage: {
        tokens: { input_tokens: 5, output_tokens: 2 },
        billed_units: { input_tokens: 5, output_tokens: 2 },
      },
    },
    usage: { inputTokens: 5, outputTokens: 2 },
    texts: ['Hi'],
    stream: {
      format: sse,
      bytes: sseBytes(
        { type: 'content-delta', index: 0, delta: { message: { content: { text: 'Hi' } } } },
        {
          type: 'message-end',
          delta: {
            usage: {
              tokens: { input_tokens: 5, output_tokens: 2 },
              billed_units: { input_tokens: 5, output_tokens: 2 },
            },
          },
        },
      ),
      usage: { inputTokens: 5, outputTokens: 2 },
      texts: { '0/text/0': 'Hi' },
    },
  },
];
