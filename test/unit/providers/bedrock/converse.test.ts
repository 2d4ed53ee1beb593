import { describe, expect, it } from 'vitest';
import { bedrock } from '../../../../src/providers/bedrock.ts';
import { bedrockConverse, bedrockCountTokens } from '../../../../src/providers/dialects/bedrock-converse.ts';
import type { JsonObject } from '../../../../src/json/is-object.ts';
import { awsEventStream } from '../../../../src/streams/aws-event-stream.ts';
import { eventFrame } from '../../../support/fake-provider/bedrock.ts';
import { readCutAtEachByte } from '../../../support/read-stream.ts';
import { quickestCpuMs } from '../../../support/cpu-time.ts';
import { ENDPOINT, read } from './rig.ts';
import { wordsOf, expectPathsToHold } from '../../../support/request-facts.ts';

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

  it('are read in every place with text', () => {
    const words = wordsOf(read(body));
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

  it('give the path of each editable text', () => {
    expectPathsToHold(read(body), body);
  });

  it('report tools, media and limit', () => {
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

  it('treat system tools, and server tools in the additional fields, as the provider’s', () => {
    const tools = [{ toolSpec: { name: 'f' } }, { systemTool: { name: 'nova_grounding' } }];
    const additionalModelRequestFields = { tools: [{ type: 'web_search_20250305', name: 'web_search' }] };
    expect(read({ toolConfig: { tools }, additionalModelRequestFields }).hostedTools).toEqual([
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
    expect(read({ toolConfig: { tools, toolChoice } }).hostedTools[0]?.forced).toBe(true);
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

  it('report a stored prompt and a file in S3 as unseen', () => {
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

  it('are searched quickly for a costly name among many letters', () => {
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

  it('are read the same at any cut', () => {
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

  it('recognize an exception', () => {
    const bytes = eventFrame('throttlingException', { message: 'slow down' }, 'exception');
    expect(readCutAtEachByte(awsEventStream, bedrockConverse.stream, bytes)).toMatchObject([
      { done: false, failed: true },
    ]);
  });
});
