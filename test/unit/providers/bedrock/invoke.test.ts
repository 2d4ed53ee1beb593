import { describe, expect, it } from 'vitest';
import { GatewayError } from '../../../../src/errors.ts';
import { bedrockInvoke } from '../../../../src/providers/dialects/bedrock-invoke.ts';
import type { Dialect } from '../../../../src/providers/dialect.ts';
import type { JsonObject } from '../../../../src/json/is-object.ts';
import { awsEventStream } from '../../../../src/streams/aws-event-stream.ts';
import { eventFrame } from '../../../support/fake-provider/bedrock.ts';
import { readCutAtEachByte } from '../../../support/read-stream.ts';
import { ENDPOINT } from './rig.ts';

function invoke(model: string, stream = false): Dialect {
  const dialect = bedrockInvoke(model, stream);
  if (dialect === undefined) throw new Error(`no family for ${model}`);
  return dialect;
}

describe('invoke', () => {
  const user = { role: 'user', content: [{ type: 'text', text: 'hi' }] };

  it.each<[string, JsonObject, string, number | undefined]>([
    [
      'anthropic.claude-sonnet-4-v1:0',
      { anthropic_version: 'bedrock-2023-05-31', max_tokens: 9, messages: [user] },
      'hi',
      9,
    ],
    ['us.anthropic.claude-sonnet-4-v1:0', { max_tokens: 9, messages: [user] }, 'hi', 9],
    [
      'amazon.nova-pro-v1:0',
      { messages: [{ role: 'user', content: [{ text: 'hi' }] }], inferenceConfig: { maxTokens: 9 } },
      'hi',
      9,
    ],
    [
      'amazon.nova-pro-v1:0',
      { messages: [{ role: 'user', content: [{ text: 'hi' }] }], inferenceConfig: { max_new_tokens: 8 } },
      'hi',
      8,
    ],
    ['meta.llama3-8b-instruct-v1:0', { prompt: 'hi', max_gen_len: 9 }, 'hi', 9],
    ['mistral.mixtral-8x7b-instruct-v0:1', { prompt: 'hi', max_tokens: 9 }, 'hi', 9],
    [
      'mistral.mistral-large-2407-v1:0',
      { messages: [{ role: 'user', content: 'hi' }], max_tokens: 9 },
      'hi',
      9,
    ],
    [
      'openai.gpt-oss-20b-1:0',
      { messages: [{ role: 'user', content: 'hi' }], max_completion_tokens: 9 },
      'hi',
      9,
    ],
    ['deepseek.r1-v1:0', { prompt: 'hi', max_tokens: 9 }, 'hi', 9],
    ['deepseek.v3-v1:0', { messages: [{ role: 'user', content: 'hi' }], max_tokens: 9 }, 'hi', 9],
    [
      'amazon.titan-text-express-v1',
      { inputText: 'hi', textGenerationConfig: { maxTokenCount: 9 } },
      'hi',
      9,
    ],
    ['cohere.command-r-plus-v1:0', { message: 'hi', max_tokens: 9 }, 'hi', 9],
    ['amazon.titan-embed-text-v2:0', { inputText: 'hi' }, 'hi', undefined],
    ['cohere.embed-english-v3', { texts: ['hi'], input_type: 'search_query' }, 'hi', undefined],
    ['cohere.rerank-v3-5:0', { query: 'hi', documents: ['d'], api_version: 2 }, 'hi', undefined],
  ])('reads the body of %s %j', (model, body, text, limit) => {
    const facts = invoke(model).request(body, { ...ENDPOINT, model });
    expect(facts.texts.map((each) => each.text)).toContain(text);
    expect(facts.output?.tokens).toBe(limit);
    expect(facts.models).toEqual([model]);
    expect(facts.stream).toBe(false);
  });

  it.each([
    'stability.sd3-large-v1:0',
    'ai21.jamba-1-5-large-v1:0',
    'anthropic.claude-v2:1',
    'twelvelabs.pegasus',
  ])('does not read %s', (model) => {
    expect(bedrockInvoke(model, false)).toBeUndefined();
  });

  it('reads an application profile only if the body is Anthropic’s', () => {
    const model = 'arn:aws:bedrock:us-east-1:1:application-inference-profile/abc';
    const dialect = invoke(model);
    const body = { max_tokens: 9, messages: [user], prompt: 'smuggled' };
    const endpoint = { ...ENDPOINT, model };
    expect(() => dialect.request(body, endpoint)).toThrow(GatewayError);
    const facts = dialect.request({ ...body, anthropic_version: 'bedrock-2023-05-31' }, endpoint);
    expect(facts.texts.map(({ text }) => text)).toEqual(expect.arrayContaining(['hi', 'smuggled']));
  });

  it.each<[string, JsonObject, JsonObject]>([
    [
      'anthropic.claude-x',
      { content: [{ type: 'text', text: 'yo' }], usage: { input_tokens: 3, output_tokens: 4 } },
      { inputTokens: 3, outputTokens: 4 },
    ],
    [
      'amazon.nova-pro-v1:0',
      {
        output: { message: { content: [{ text: 'yo' }] } },
        usage: { inputTokens: 3, outputTokens: 4, cacheReadInputTokenCount: 2 },
      },
      { inputTokens: 5, outputTokens: 4, cacheReadTokens: 2 },
    ],
    [
      'meta.llama3-8b-instruct-v1:0',
      { generation: 'yo', prompt_token_count: 3, generation_token_count: 4 },
      { inputTokens: 3, outputTokens: 4 },
    ],
    [
      'amazon.titan-text-express-v1',
      { inputTextTokenCount: 3, results: [{ tokenCount: 4, outputText: 'yo' }] },
      { inputTokens: 3, outputTokens: 4 },
    ],
  ])('reads text and usage of an answer by %s', (model, body, usage) => {
    const answer = invoke(model).answer(body);
    expect(answer.usage).toMatchObject(usage);
    expect(answer.texts.map(({ text }) => text)).toEqual(['yo']);
  });

  const chunk = (document: JsonObject) =>
    eventFrame('chunk', { bytes: Buffer.from(JSON.stringify(document)).toString('base64'), p: 'abc' });
  const metrics = { inputTokenCount: 3, outputTokenCount: 4, cacheReadInputTokenCount: 100 };

  it.each<[string, JsonObject[], JsonObject]>([
    [
      'anthropic.claude-x',
      [
        {
          type: 'message_start',
          message: { usage: { input_tokens: 3, cache_read_input_tokens: 100, output_tokens: 1 } },
        },
        { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Grüße' } },
        { type: 'message_delta', delta: {}, usage: { output_tokens: 4 } },
        { type: 'message_stop', 'amazon-bedrock-invocationMetrics': metrics },
      ],
      {
        texts: { '0/text/0': 'Grüße' },
        usage: { inputTokens: 103, outputTokens: 4, cacheReadTokens: 100 },
        done: true,
      },
    ],
    [
      'amazon.nova-pro-v1:0',
      [
        { messageStart: { role: 'assistant' } },
        { contentBlockDelta: { contentBlockIndex: 0, delta: { text: 'Grüße' } } },
        { metadata: { usage: { inputTokens: 3, outputTokens: 4 } } },
      ],
      { texts: { '0/text/0': 'Grüße' }, usage: { inputTokens: 3, outputTokens: 4 }, done: true },
    ],
    [
      'meta.llama3-8b-instruct-v1:0',
      [{ generation: 'Grü' }, { generation: 'ße', 'amazon-bedrock-invocationMetrics': metrics }],
      { texts: { '0/text': 'Grüße' }, usage: { inputTokens: 103, outputTokens: 4 }, done: true },
    ],
    [
      'mistral.mistral-large-2407-v1:0',
      [
        { choices: [{ index: 0, message: { role: 'assistant', content: 'Grü' } }] },
        { choices: [{ index: 0, message: { content: 'ße' } }], 'amazon-bedrock-invocationMetrics': metrics },
      ],
      { texts: { '0/text': 'Grüße' }, usage: { inputTokens: 103, outputTokens: 4 }, done: true },
    ],
  ])('streams of %s are read the same at any cut', (model, documents, expected) => {
    const dialect = invoke(model, true);
    const results = readCutAtEachByte(awsEventStream, dialect.stream, Buffer.concat(documents.map(chunk)));
    expect(results).toHaveLength(1);
    expect(results[0]).toMatchObject({ ...expected, failed: false });
  });

  it('packs a changed document back into its frame', () => {
    const [frame] = awsEventStream
      .createDecoder({ maxFrameBytes: 1 << 20 })
      .push(chunk({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'secret' } }));
    if (frame === undefined) throw new Error('no frame');
    const event = invoke('anthropic.claude-x', true).stream()?.read(frame);
    expect(event?.deltas).toEqual([
      { channel: '0/text/0', kind: 'text', text: 'secret', path: ['delta', 'text'], joins: 'text' },
    ]);
    const changed = event?.inner?.pack(event.inner.json.replace('secret', '***'));
    const payload = JSON.parse(changed ?? '{}') as { bytes: string; p: string };
    expect(Buffer.from(payload.bytes, 'base64').toString()).toContain('"text":"***"');
    expect(payload.p).toBe('abc');
  });

  it('marks a request with a streamed answer', () => {
    const body = { prompt: 'hi' };
    expect(invoke('meta.llama3-8b-instruct-v1:0', true).request(body, ENDPOINT).stream).toBe(true);
  });
});
