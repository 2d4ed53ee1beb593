import { describe, expect, it } from 'vitest';
import { GatewayError } from '../../../src/errors.ts';
import { bedrock } from '../../../src/providers/bedrock.ts';
import { bedrockConverse, bedrockCountTokens } from '../../../src/providers/dialects/bedrock-converse.ts';
import { bedrockInvoke } from '../../../src/providers/dialects/bedrock-invoke.ts';
import type { Dialect, Endpoint, JsonObject, RequestFacts } from '../../../src/providers/provider.ts';
import { awsEventStream } from '../../../src/streams/aws-event-stream.ts';
import { eventFrame } from '../../support/fake-provider/bedrock.ts';
import { readCutAtEachByte } from '../../support/read-stream.ts';
import { quickestCpuMs } from '../../support/cpu-time.ts';

const ENDPOINT: Endpoint = { operation: 'chat', dialect: bedrockConverse, model: 'amazon.nova-lite-v1:0' };

function read(body: JsonObject, model = 'amazon.nova-lite-v1:0'): RequestFacts {
  return bedrockConverse.request(body, { ...ENDPOINT, model });
}

function invoke(model: string, stream = false): Dialect {
  const dialect = bedrockInvoke(model, stream);
  if (dialect === undefined) throw new Error(`no family for ${model}`);
  return dialect;
}

describe('bedrock endpoints', () => {
  it.each([
    ['/model/anthropic.claude-3-haiku-20240307-v1%3A0/converse', 'anthropic.claude-3-haiku-20240307-v1:0'],
    ['/model/us.amazon.nova-lite-v1:0/converse-stream', 'us.amazon.nova-lite-v1:0'],
    [
      '/model/arn%3Aaws%3Abedrock%3Aus-east-1%3A1%3Ainference-profile%2Fus.amazon.nova-lite-v1%3A0/converse',
      'us.amazon.nova-lite-v1:0',
    ],
    [
      '/model/arn%3Aaws%3Abedrock%3Aus-east-1%3A%3Afoundation-model%2Fanthropic.claude-x/converse',
      'anthropic.claude-x',
    ],
    [
      '/model/arn%3Aaws%3Abedrock%3Aus-east-1%3A1%3Aapplication-inference-profile%2Fabc/converse',
      'arn:aws:bedrock:us-east-1:1:application-inference-profile/abc',
    ],
    ['/model/meta.llama3-8b-instruct-v1%3A0/invoke', 'meta.llama3-8b-instruct-v1:0'],
    ['/model/anthropic.claude-x/count-tokens', 'anthropic.claude-x'],
  ])('reads the model of %s', (path, model) => {
    expect(bedrock.endpoint('POST', path)?.model).toBe(model);
  });

  it.each([
    ['GET', '/model/amazon.nova-lite-v1%3A0/converse'],
    ['POST', '/model/amazon.nova-lite-v1%3A0/async-invoke'],
    ['POST', '/model/amazon.nova-canvas-v1%3A0/invoke'],
    ['POST', '/model/stability.sd3/invoke'],
    ['POST', '/model/..%2F..%2Fguardrail/converse'],
    ['POST', '/model/a%2F..%2Fb/converse'],
    ['POST', '/model/a%00b/converse'],
    ['POST', '/model/a%zz/converse'],
    ['POST', '/model/a%252Fb/converse'],
    ['POST', '/guardrail/g/version/1/apply'],
  ])('does not read %s %s', (method, path) => {
    expect(bedrock.endpoint(method, path)).toBeUndefined();
  });

  it.each([
    ['amazon.titan-embed-text-v2%3A0', 'embeddings'],
    ['cohere.embed-english-v3', 'embeddings'],
    ['cohere.rerank-v3-5%3A0', 'rerank'],
    ['anthropic.claude-x', 'chat'],
  ])('knows what invoking %s is for', (model, operation) => {
    expect(bedrock.endpoint('POST', `/model/${model}/invoke`)?.operation).toBe(operation);
  });
});

describe('bedrock credentials', () => {
  it('are an API key as bearer, or an access key to sign with', () => {
    expect(bedrock.credential('bedrock-api-key-abc=')).toMatchObject({
      name: 'authorization',
      value: 'Bearer bedrock-api-key-abc=',
    });
    expect(bedrock.credential('AKIDEXAMPLE000000000:sec/ret')).toEqual({
      kind: 'sigv4',
      accessKeyId: 'AKIDEXAMPLE000000000',
      secretAccessKey: 'sec/ret',
    });
    expect(bedrock.credential('ASIAEXAMPLE000000000:sec/ret:tok==')).toMatchObject({ sessionToken: 'tok==' });
  });

  it.each([
    'AKIDEXAMPLE000000000:',
    ':secret',
    'a:b',
    'AKIDEXAMPLE000000000:s:',
    'AKIDEXAMPLE000000000:s:t:u',
  ])('of a broken form are refused without being repeated: %s', (key) => {
    try {
      bedrock.credential(key);
      expect.unreachable();
    } catch (error) {
      expect(error).toBeInstanceOf(GatewayError);
      expect(String(error)).not.toContain(key);
    }
  });
});

describe('bedrock request headers', () => {
  it.each([
    ['x-amzn-bedrock-service-tier', 'priority', true],
    ['x-amzn-bedrock-service-tier', 'flex', false],
    ['x-amzn-bedrock-performanceconfig-latency', 'optimized', true],
    ['x-amzn-bedrock-performanceconfig-latency', 'standard', false],
    ['x-amzn-bedrock-guardrailidentifier', 'g', true],
    ['accept', '*/*', false],
  ])('%s: %s leave the cost unbounded: %s', (name, value, unbounded) => {
    expect(bedrock.unboundedBy?.(new Map([[name, value]]))).toBe(unbounded ? name : undefined);
  });
});

describe('converse requests', () => {
  const body: JsonObject = {
    system: [
      { text: 'sys' },
      { cachePoint: { type: 'default' } },
      { guardContent: { text: { text: 'guarded' } } },
    ],
    messages: [
      {
        role: 'user',
        content: [
          { text: 'hi' },
          { image: { format: 'png', source: { bytes: 'AAAA' } } },
          { document: { format: 'pdf', name: 'report', source: { bytes: 'BBBB' } } },
          {
            document: {
              format: 'txt',
              name: 'n',
              source: { bytes: Buffer.from('in a file').toString('base64') },
            },
          },
          { document: { format: 'txt', name: 'p', source: { text: 'plain' } } },
        ],
      },
      {
        role: 'assistant',
        content: [
          { reasoningContent: { reasoningText: { text: 'hm', signature: 'SIG' } } },
          { toolUse: { toolUseId: 't', name: 'f', input: { city: 'Bonn' } } },
        ],
      },
      {
        role: 'user',
        content: [
          { toolResult: { toolUseId: 't', content: [{ json: { weather: 'rain' } }, { text: 'wet' }] } },
        ],
      },
    ],
    toolConfig: { tools: [{ toolSpec: { name: 'f', description: 'does', inputSchema: { json: {} } } }] },
    inferenceConfig: { maxTokens: 77 },
    additionalModelRequestFields: { top_k: 3, note: 'extra' },
    brandNewMember: { text: 'new' },
  };

  it('are read in every place where text hides', () => {
    const words = read(body).texts.map(({ role, kind, text }) => `${role} ${kind}: ${text}`);
    for (const expected of [
      'system text: sys',
      'system text: guarded',
      'user text: hi',
      'user text: report',
      'user text: in a file',
      'user text: plain',
      'assistant reasoning: hm',
      'assistant reasoning: SIG',
      'assistant tool_arguments: Bonn',
      'tool tool_result: rain',
      'tool tool_result: wet',
      'system tool_definition: does',
      'system text: extra',
      'system text: new',
    ]) {
      expect(words).toContain(expected);
    }
  });

  it('say of each editable text exactly where its string stands', () => {
    for (const { text, path, editable } of read(body).texts) {
      if (editable === false) continue;
      const at = path.reduce<unknown>(
        (value, step) => (value as Record<string | number, unknown>)[step],
        body,
      );
      expect(at).toBe(text);
    }
  });

  it('give tools, media and limit', () => {
    const facts = read(body);
    expect(facts.tools).toEqual(['f']);
    expect(facts.media).toEqual([
      { kind: 'image', source: 'inline', data: 'AAAA', mimeType: 'image/png' },
      { kind: 'document', source: 'inline', data: 'BBBB', mimeType: 'application/pdf' },
    ]);
    expect(facts.output?.tokens).toBe(77);
    expect(facts.unbounded).toBeUndefined();
    expect(read({ messages: [] }).output?.set(5)).toEqual([
      { kind: 'set', path: ['inferenceConfig'], value: { maxTokens: 5 } },
    ]);
  });

  it('take system tools, and server tools among the additional fields, for the provider’s', () => {
    const tools = [{ toolSpec: { name: 'f' } }, { systemTool: { name: 'nova_grounding' } }];
    const additionalModelRequestFields = { tools: [{ type: 'web_search_20250305', name: 'web_search' }] };
    expect(read({ toolConfig: { tools }, additionalModelRequestFields }).providerTools).toEqual([
      {
        type: 'nova_grounding',
        remove: [{ kind: 'remove', path: ['toolConfig', 'tools', 1] }],
        forced: false,
      },
      {
        type: 'web_search_20250305',
        remove: [{ kind: 'remove', path: ['additionalModelRequestFields', 'tools', 0] }],
        forced: false,
      },
    ]);
    const toolChoice = { tool: { name: 'nova_grounding' } };
    expect(read({ toolConfig: { tools, toolChoice } }).providerTools[0]?.forced).toBe(true);
  });

  it.each<[string, JsonObject]>([
    ['performanceConfig', { performanceConfig: { latency: 'optimized' } }],
    ['serviceTier', { serviceTier: { type: 'priority' } }],
    ['guardrailConfig', { guardrailConfig: { guardrailIdentifier: 'g' } }],
    ['additionalModelRequestFields', { additionalModelRequestFields: { max_tokens: 100000 } }],
    [
      'additionalModelRequestFields',
      { additionalModelRequestFields: { inferenceConfig: { max_new_tokens: 9 } } },
    ],
    ['additionalModelRequestFields', { additionalModelRequestFields: { num_generations: 5 } }],
  ])('cannot be bounded with %s', (reason, more) => {
    expect(read({ messages: [], ...more }).unbounded).toBe(reason);
  });

  it.each<JsonObject>([
    { performanceConfig: { latency: 'standard' } },
    { serviceTier: { type: 'flex' } },
    { additionalModelRequestFields: { thinking: { type: 'enabled', budget_tokens: 1024 }, top_k: 1 } },
  ])('can be bounded with %j', (more) => {
    expect(read({ messages: [], ...more }).unbounded).toBeUndefined();
  });

  it('know that a stored prompt and a file in S3 stay unseen', () => {
    const prompt = read(
      { promptVariables: { topic: { text: 'cats' } } },
      'arn:aws:bedrock:us-east-1:1:prompt/P:1',
    );
    expect(prompt.unseenContent).toBe(true);
    expect(prompt.unbounded).toBe('a stored prompt');
    expect(prompt.texts.map(({ text }) => text)).toContain('cats');
    const video = { video: { format: 'mp4', source: { s3Location: { uri: 's3://b/k' } } } };
    const facts = read({ messages: [{ role: 'user', content: [video] }] });
    expect(facts.unseenContent).toBe(true);
    expect(facts.media).toEqual([{ kind: 'video', source: 'id', mimeType: 'video/mp4' }]);
  });

  it('find a costly name among many letters in no time', () => {
    const name = `max${'token'.repeat(100_000)}-`;
    const fields = { [name]: 1, max_tokens: 9 };
    const endpoint = bedrock.endpoint('POST', '/model/anthropic.claude-3-haiku-20240307-v1:0/converse');
    const body = { messages: [], additionalModelRequestFields: fields };
    expect(endpoint?.dialect.request(body, endpoint).unbounded).toBe('additionalModelRequestFields');
    expect(quickestCpuMs(() => endpoint?.dialect.request(body, endpoint))).toBeLessThan(500);
  });

  it('of count-tokens are read in both forms', () => {
    const converse = { messages: [{ role: 'user', content: [{ text: 'hi' }] }] };
    const invokeModel = { body: Buffer.from('{"prompt":"secret"}').toString('base64') };
    const count = (input: JsonObject) => bedrockCountTokens.request({ input }, ENDPOINT).texts;
    expect(count({ converse })[0]).toMatchObject({
      text: 'hi',
      path: ['input', 'converse', 'messages', 0, 'content', 0, 'text'],
    });
    expect(count({ invokeModel })[0]).toMatchObject({ text: '{"prompt":"secret"}', editable: false });
  });
});

describe('converse answers', () => {
  it('count cache reads and writes into the input', () => {
    const usage = {
      inputTokens: 10,
      outputTokens: 5,
      totalTokens: 245,
      cacheReadInputTokens: 200,
      cacheWriteInputTokens: 30,
      cacheDetails: [{ ttl: '1h', inputTokens: 20 }],
    };
    expect(bedrockConverse.answer({ usage }).usage).toEqual({
      inputTokens: 240,
      outputTokens: 5,
      cacheReadTokens: 200,
      cacheWriteTokens: 10,
      cacheWrite1hTokens: 20,
    });
    expect(bedrockConverse.answer({ usage: { inputTokens: -1, outputTokens: 1 } }).usage).toBeUndefined();
  });

  it('are read for text, reasoning and tool arguments', () => {
    const content = [
      { reasoningContent: { reasoningText: { text: 'hm', signature: 's' } } },
      { text: 'hello' },
      { toolUse: { toolUseId: 't', name: 'f', input: { a: 'b' } } },
    ];
    const { texts } = bedrockConverse.answer({ output: { message: { content } } });
    expect(
      texts.filter((each) => each.editable === undefined).map(({ kind, text }) => `${kind}: ${text}`),
    ).toEqual(['reasoning: hm', 'text: hello', 'tool_arguments: b']);
  });
});

describe('converse streams', () => {
  const frames = [
    eventFrame('messageStart', { role: 'assistant' }),
    eventFrame('contentBlockDelta', { contentBlockIndex: 0, delta: { reasoningContent: { text: 'hm' } } }),
    eventFrame('contentBlockDelta', {
      contentBlockIndex: 0,
      delta: { reasoningContent: { signature: 'SIG' } },
    }),
    eventFrame('contentBlockDelta', { contentBlockIndex: 1, delta: { text: 'Grüße ' } }),
    eventFrame('contentBlockDelta', { contentBlockIndex: 1, delta: { text: '🙂' }, p: 'abc' }),
    eventFrame('contentBlockStart', {
      contentBlockIndex: 2,
      start: { toolUse: { toolUseId: 't', name: 'f' } },
    }),
    eventFrame('contentBlockDelta', { contentBlockIndex: 2, delta: { toolUse: { input: '{"a":1}' } } }),
    eventFrame('messageStop', { stopReason: 'tool_use' }),
    eventFrame('metadata', {
      usage: { inputTokens: 3, outputTokens: 4, totalTokens: 7 },
      metrics: { latencyMs: 1 },
    }),
  ];

  it('say the same wherever the bytes are cut', () => {
    const [result, ...others] = readCutAtEachByte(
      awsEventStream,
      bedrockConverse.stream,
      Buffer.concat(frames),
    );
    expect(others).toEqual([]);
    expect(result).toMatchObject({
      texts: { '0/reasoning/0': 'hm', '0/text/1': 'Grüße 🙂', '0/tool/2': '{"a":1}' },
      usage: { inputTokens: 3, outputTokens: 4 },
      done: true,
      failed: false,
    });
  });

  it('know an exception', () => {
    const bytes = eventFrame('throttlingException', { message: 'slow down' }, 'exception');
    expect(readCutAtEachByte(awsEventStream, bedrockConverse.stream, bytes)).toMatchObject([
      { done: false, failed: true },
    ]);
  });
});

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
  ])('has no reading for %s', (model) => {
    expect(bedrockInvoke(model, false)).toBeUndefined();
  });

  it('reads an application’s own profile only where the body says it is Anthropic’s', () => {
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
  ])('streams of %s say the same wherever the bytes are cut', (model, documents, expected) => {
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

  it('says in the request that an answer streams', () => {
    const body = { prompt: 'hi' };
    expect(invoke('meta.llama3-8b-instruct-v1:0', true).request(body, ENDPOINT).stream).toBe(true);
  });
});
