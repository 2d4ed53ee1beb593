import { describe, expect, it } from 'vitest';
import type { JsonPath } from '../../../src/json/path.ts';
import { createAnyJsonReader } from '../../../src/providers/dialects/any-json.ts';
import { anthropicAnswers } from '../../../src/providers/dialects/anthropic-answer.ts';
import { converseAnswers } from '../../../src/providers/dialects/bedrock-answer.ts';
import { bedrockInvoke } from '../../../src/providers/dialects/bedrock-invoke.ts';
import { cohereV1Answers, cohereV2Answers } from '../../../src/providers/dialects/cohere-answer.ts';
import { geminiAnswers } from '../../../src/providers/dialects/gemini-answer.ts';
import { ollamaChat } from '../../../src/providers/dialects/ollama-native.ts';
import { choiceAnswers } from '../../../src/providers/dialects/openai-choices.ts';
import { responsesAnswers } from '../../../src/providers/dialects/openai-responses-answer.ts';
import type { RequestFacts, StreamEvent, StreamReader } from '../../../src/providers/provider.ts';

/** Which text a frame continues, which it ends, what may be done with it. */

/** `channel: text`, with its marks after the channel: `J` JSON, `S` signed, `+name` joins others, `R` repeats. */
type Said = readonly string[];

interface MeaningRow {
  readonly name: string;
  readonly reader: () => StreamReader | undefined;
  /** A frame, what it says, and the channels that it ends. */
  readonly frames: readonly (readonly [frame: unknown, said: Said, ends?: readonly string[]])[];
}

const chat = (...choices: unknown[]) => ({ id: 'c', choices });
const delta = (index: number, members: object, finish: string | null = null) => ({
  index,
  delta: members,
  finish_reason: finish,
});
const call = (index: number, args: unknown, more: object = {}) => ({
  tool_calls: [{ index, function: { arguments: args }, ...more }],
});
const block = (type: string, index: number, more: object = {}) => ({ type, index, ...more });
const part = (...parts: unknown[]) => ({ candidates: [{ content: { parts } }] });
const converse = (event: string, payload: object) => ({ event, payload });

const ROWS: readonly MeaningRow[] = [
  {
    name: 'chat: choices and tool calls side by side',
    reader: choiceAnswers().stream,
    frames: [
      [chat(delta(0, { content: 'a' }), delta(1, { content: 'b' })), ['0/text: a', '1/text: b']],
      [chat(delta(1, call(0, '{"x"'))), ['1/tool/0 J: {"x"']],
      [chat(delta(1, call(1, '{"y"'))), ['1/tool/1 J: {"y"']],
      [chat(delta(1, call(0, ':1}'), 'tool_calls')), ['1/tool/0 J: :1}'], ['1/']],
      [chat(delta(0, { refusal: 'no' }, 'stop')), ['0/refusal: no'], ['0/']],
      ['[DONE]', [], ['*']],
    ],
  },
  {
    name: 'chat: reasoning, audio, older function calls, text for custom tools',
    reader: choiceAnswers().stream,
    frames: [
      [
        chat(delta(0, { reasoning_content: 'r', reasoning: 's', audio: { transcript: 't' } })),
        ['0/reasoning/reasoning_content: r', '0/reasoning/reasoning: s', '0/audio: t'],
      ],
      [chat(delta(0, { function_call: { arguments: '{' } })), ['0/function_call J: {']],
      [chat(delta(0, { tool_calls: [{ index: 2, custom: { input: 'SELECT' } }] })), ['0/tool/2: SELECT']],
    ],
  },
  {
    name: 'chat: calls that share a number are told apart by their ids, where they have names',
    reader: choiceAnswers().stream,
    frames: [
      [chat(delta(0, call(0, '{"a":1', { id: 'one' }))), ['0/tool/0 J: {"a":1']],
      [chat(delta(0, call(0, '}', { id: 'one' }))), ['0/tool/0 J: }']],
      [
        chat(delta(0, call(0, '', { id: 'two', function: { name: 'f', arguments: '{"b":' } }))),
        ['0/tool/0.1 J: {"b":'],
      ],
      [chat(delta(0, call(0, ' ', { id: 'three' }))), ['0/tool/0.1 J:  ']],
      [chat(delta(0, call(0, '2}', { id: '' }))), ['0/tool/0.1 J: 2}']],
    ],
  },
  {
    name: "chat: Mistral's parts, and arguments that are an object",
    reader: choiceAnswers().stream,
    frames: [
      [
        chat(
          delta(0, {
            content: [
              { type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] },
              { type: 'text', text: 'so' },
            ],
          }),
        ),
        ['0/reasoning/thinking: hm', '0/text: so'],
      ],
      [
        chat(delta(0, call(0, { to: 'x', list: ['y'] }))),
        ['0/tool/0/to: x', '0/tool/0/list.0: y'],
        ['0/tool/0/to', '0/tool/0/list.0'],
      ],
    ],
  },
  {
    name: 'chat: a reason to stop in every chunk ends nothing, once that shows',
    reader: choiceAnswers().stream,
    frames: [
      [chat(delta(0, { content: 'a' }, 'stop')), ['0/text: a'], ['0/']],
      [chat(delta(0, { content: 'b' }, 'stop')), ['0/text: b']],
      [chat(delta(0, { content: 'c' }, 'stop')), ['0/text: c']],
      ['[DONE]', [], ['*']],
    ],
  },
  {
    name: 'completions',
    reader: choiceAnswers().stream,
    frames: [
      [{ choices: [{ index: 1, text: 'a', finish_reason: null }] }, ['1/text: a']],
      [{ choices: [{ index: 1, text: '', finish_reason: 'length' }] }, [], ['1/']],
    ],
  },
  {
    name: 'responses: text, reasoning and calls of several items and parts',
    reader: responsesAnswers.stream,
    frames: [
      [
        { type: 'response.reasoning_summary_text.delta', output_index: 0, summary_index: 1, delta: 'r' },
        ['0/summary/1 +summary: r'],
      ],
      [
        { type: 'response.reasoning_summary_text.done', output_index: 0, summary_index: 1, text: 'r' },
        ['0/repeat/text R: r'],
        ['0/summary/1', '0/repeat/'],
      ],
      [
        { type: 'response.output_text.delta', output_index: 1, content_index: 0, delta: 'a' },
        ['1/text/0 +text: a'],
      ],
      [
        { type: 'response.refusal.delta', output_index: 1, content_index: 1, delta: 'b' },
        ['1/refusal/1 +refusal: b'],
      ],
      [
        { type: 'response.output_text.done', output_index: 1, content_index: 0, text: 'a' },
        ['1/repeat/text R: a'],
        ['1/text/0', '1/repeat/'],
      ],
      [
        {
          type: 'response.content_part.done',
          output_index: 1,
          content_index: 1,
          part: { type: 'refusal', refusal: 'b' },
        },
        ['1/repeat/part.refusal R: b'],
        ['1/text/1', '1/refusal/1', '1/reasoning/1', '1/summary/1', '1/repeat/'],
      ],
      [
        { type: 'response.function_call_arguments.delta', output_index: 2, delta: '{"a"' },
        ['2/tool J: {"a"'],
      ],
      [
        { type: 'response.function_call_arguments.done', output_index: 2, arguments: '{"a":1}' },
        ['2/repeat/arguments J R: {"a":1}'],
        ['2/tool', '2/repeat/'],
      ],
      [{ type: 'response.custom_tool_call_input.delta', output_index: 3, delta: 'ls' }, ['3/tool: ls']],
      [
        {
          type: 'response.output_item.done',
          output_index: 3,
          item: { type: 'custom_tool_call', input: 'ls' },
        },
        ['3/repeat/item.input R: ls'],
        ['3/', '3/repeat/'],
      ],
      [
        {
          type: 'response.completed',
          response: { output: [{ type: 'message', content: [{ type: 'output_text', text: 'a' }] }] },
        },
        ['0/repeat/response.output.0.content.0.text R: a'],
        ['*', '0/repeat/'],
      ],
    ],
  },
  {
    name: 'anthropic: blocks, of which thoughts are signed',
    reader: anthropicAnswers.stream,
    frames: [
      [
        block('content_block_start', 0, { content_block: { type: 'thinking', thinking: '', signature: '' } }),
        [],
        ['0/text/0/whole/'],
      ],
      [
        block('content_block_delta', 0, { delta: { type: 'thinking_delta', thinking: 'hm' } }),
        ['0/reasoning/0 S +reasoning: hm'],
      ],
      [
        block('content_block_delta', 0, { delta: { type: 'signature_delta', signature: 'x' } }),
        [],
        ['0/reasoning/0'],
      ],
      [
        block('content_block_stop', 0),
        [],
        ['0/text/0', '0/text/0/', '0/reasoning/0', '0/reasoning/0/', '0/tool/0', '0/tool/0/'],
      ],
      [
        block('content_block_start', 1, { content_block: { type: 'text', text: 'A' } }),
        ['0/text/1 +text: A'],
        ['0/text/1/whole/'],
      ],
      [block('content_block_delta', 1, { delta: { type: 'text_delta', text: 'b' } }), ['0/text/1 +text: b']],
      [
        block('content_block_delta', 1, {
          delta: { type: 'citations_delta', citation: { cited_text: 'c', document_title: 'd' } },
        }),
        [
          '0/text/1/citation/delta.citation.cited_text: c',
          '0/text/1/citation/delta.citation.document_title: d',
        ],
        ['0/text/1/citation/'],
      ],
      [
        block('content_block_delta', 2, { delta: { type: 'input_json_delta', partial_json: '{"a"' } }),
        ['0/tool/2 J: {"a"'],
      ],
      [
        block('content_block_start', 3, {
          content_block: { type: 'web_search_tool_result', content: [{ title: 't', url: 'u' }] },
        }),
        [
          '0/text/3/whole/content_block.type: web_search_tool_result',
          '0/text/3/whole/content_block.content.0.title: t',
          '0/text/3/whole/content_block.content.0.url: u',
        ],
        ['0/text/3/whole/'],
      ],
      [{ type: 'message_delta', delta: { stop_reason: 'end_turn' } }, [], ['*']],
      [{ type: 'message_stop' }, [], ['*']],
    ],
  },
  {
    name: 'gemini: candidates, parts, whole calls and calls in pieces',
    reader: geminiAnswers.stream,
    frames: [
      [part({ text: 'hm', thought: true }), ['0/reasoning: hm'], ['0/whole/']],
      [part({ text: 'a' }), ['0/text: a'], ['0/whole/']],
      [
        part({ functionCall: { name: 'f', args: { x: 'y', z: 1 } } }),
        [
          '0/tool/1/whole/candidates.0.content.parts.0.functionCall.name: f',
          '0/tool/1/whole/candidates.0.content.parts.0.functionCall.args.x: y',
        ],
        ['0/whole/', '0/text', '0/reasoning', '0/tool/1/'],
      ],
      [
        part({ functionCall: { name: 'g', willContinue: true } }),
        ['0/tool/2/whole/candidates.0.content.parts.0.functionCall.name: g'],
        ['0/whole/', '0/text', '0/reasoning', '0/tool/2/whole/'],
      ],
      [
        part({ functionCall: { partialArgs: [{ jsonPath: '$.x', stringValue: 'ab' }], willContinue: true } }),
        ['0/tool/2/$.x: ab'],
        ['0/whole/', '0/text', '0/reasoning', '0/tool/2/whole/'],
      ],
      [
        {
          candidates: [
            { index: 1, content: { parts: [{ functionCall: { name: 'h', willContinue: true } }] } },
          ],
        },
        ['1/tool/1/whole/candidates.0.content.parts.0.functionCall.name: h'],
        ['1/whole/', '1/text', '1/reasoning', '1/tool/1/whole/'],
      ],
      [
        part({ functionCall: { partialArgs: [{ jsonPath: '$.x', stringValue: 'cd', willContinue: true }] } }),
        ['0/tool/2/$.x: cd'],
        ['0/whole/', '0/text', '0/reasoning', '0/tool/2/whole/'],
      ],
      [part({ functionCall: {} }), [], ['0/whole/', '0/text', '0/reasoning', '0/tool/2/']],
      [
        { candidates: [{ index: 1, content: { parts: [{ text: 'b' }] }, finishReason: 'STOP' }] },
        ['1/text: b'],
        ['1/whole/', '1/'],
      ],
      [{ promptFeedback: { blockReason: 'SAFETY' } }, [], ['*']],
    ],
  },
  {
    name: 'converse',
    reader: () => converseAnswers.stream({ model: 'us.anthropic.claude-x' } as RequestFacts),
    frames: [
      [
        converse('contentBlockDelta', { contentBlockIndex: 0, delta: { reasoningContent: { text: 'hm' } } }),
        ['0/reasoning/0 S +reasoning: hm'],
        ['0/citation/0/'],
      ],
      [
        converse('contentBlockDelta', {
          contentBlockIndex: 0,
          delta: { reasoningContent: { signature: 'x' } },
        }),
        [],
        ['0/citation/0/', '0/reasoning/0'],
      ],
      [
        converse('contentBlockStop', { contentBlockIndex: 0 }),
        [],
        ['0/text/0', '0/tool/0', '0/reasoning/0', '0/more/0/'],
      ],
      [
        converse('contentBlockDelta', { contentBlockIndex: 1, delta: { text: 'a' } }),
        ['0/text/1 +text: a'],
        ['0/citation/1/'],
      ],
      [
        converse('contentBlockDelta', { contentBlockIndex: 2, delta: { toolUse: { input: '{"a"' } } }),
        ['0/tool/2 J: {"a"'],
        ['0/citation/2/'],
      ],
      [
        converse('contentBlockDelta', { contentBlockIndex: 3, delta: { toolResult: [{ text: 'r' }] } }),
        ['0/more/3/delta.toolResult.0.text: r'],
        ['0/citation/3/'],
      ],
      [
        converse('contentBlockDelta', { contentBlockIndex: 1, delta: { citation: { title: 't' } } }),
        ['0/citation/1/delta.citation.title: t'],
        ['0/citation/1/'],
      ],
      [converse('messageStop', { stopReason: 'end_turn' }), [], ['*']],
      [converse('metadata', {}), [], ['*']],
    ],
  },
  {
    name: 'converse of a model that signs nothing',
    reader: () => converseAnswers.stream({ model: 'us.deepseek.r1-v1:0' } as RequestFacts),
    frames: [
      [
        converse('contentBlockDelta', { contentBlockIndex: 0, delta: { reasoningContent: { text: 'hm' } } }),
        ['0/reasoning/0 +reasoning: hm'],
        ['0/citation/0/'],
      ],
    ],
  },
  {
    name: 'cohere v2',
    reader: cohereV2Answers.stream,
    frames: [
      [{ type: 'tool-plan-delta', delta: { message: { tool_plan: 'p' } } }, ['0/plan: p']],
      [
        {
          type: 'tool-call-start',
          index: 0,
          delta: { message: { tool_calls: { function: { name: 'f', arguments: '{' } } } },
        },
        ['0/tool/0 J: {'],
        ['0/plan'],
      ],
      [
        {
          type: 'tool-call-delta',
          index: 0,
          delta: { message: { tool_calls: { function: { arguments: '}' } } } },
        },
        ['0/tool/0 J: }'],
        ['0/plan'],
      ],
      [{ type: 'tool-call-end', index: 0 }, [], ['0/tool/0']],
      [{ type: 'content-start', index: 1, delta: { message: { content: { type: 'text', text: '' } } } }, []],
      [
        { type: 'content-delta', index: 1, delta: { message: { content: { text: 'a' } } } },
        ['0/text/1 +text: a'],
      ],
      [
        { type: 'content-delta', index: 0, delta: { message: { content: { thinking: 'b' } } } },
        ['0/reasoning/0 +reasoning: b'],
      ],
      [{ type: 'content-end', index: 1 }, [], ['0/text/1', '0/reasoning/1']],
      [
        {
          type: 'citation-start',
          index: 0,
          delta: { message: { citations: { text: 'c', sources: [{ id: 'd' }] } } },
        },
        [
          '0/citation/0/delta.message.citations.text: c',
          '0/citation/0/delta.message.citations.sources.0.id: d',
        ],
        ['0/citation/0/'],
      ],
      [{ type: 'message-end', delta: {} }, [], ['*']],
    ],
  },
  {
    name: 'cohere v1',
    reader: cohereV1Answers.stream,
    frames: [
      [{ event_type: 'text-generation', text: 'a' }, ['0/text: a']],
      [{ event_type: 'tool-calls-chunk', tool_call_delta: { index: 1, parameters: '{' } }, ['0/tool/1 J: {']],
      [
        { event_type: 'tool-calls-generation', tool_calls: [{ name: 'f', parameters: { x: 'y' } }] },
        ['0/whole/tool_calls.0.name: f', '0/whole/tool_calls.0.parameters.x: y'],
        ['0/whole/'],
      ],
      [{ event_type: 'stream-end', response: { text: 'a' } }, ['0/whole/response.text R: a'], ['*']],
    ],
  },
  {
    name: 'ollama',
    reader: () => ollamaChat.stream(),
    frames: [
      [{ message: { thinking: 'hm', content: 'a' } }, ['0/reasoning: hm', '0/text: a'], ['0/tool/']],
      [
        { message: { content: '', tool_calls: [{ function: { name: 'f', arguments: { x: 'y' } } }] } },
        ['0/tool/message.tool_calls.0.function.arguments.x: y'],
        ['0/tool/'],
      ],
      [{ response: 'b', done: true }, ['0/text: b'], ['*']],
    ],
  },
  {
    name: 'a stream of no known dialect',
    reader: createAnyJsonReader,
    frames: [
      [{ error: { message: 'm' }, list: ['x', 1] }, ['any/error.message R: m', 'any/list.0 R: x']],
      ['"alone"', ['any/ R: alone']],
      ['plain text', []],
      ['[DONE]', [], ['*']],
    ],
  },
];

function frameOf(frame: unknown): { raw: Buffer; data: string; event?: string } {
  const named = typeof frame === 'object' && frame !== null && 'payload' in frame;
  const { event, payload } = named
    ? (frame as { event?: string; payload: unknown })
    : { event: undefined, payload: frame };
  const data = typeof payload === 'string' ? payload : JSON.stringify(payload);
  return { raw: Buffer.alloc(0), data, ...(event !== undefined && { event }) };
}

function saidBy({ deltas }: StreamEvent): string[] {
  return deltas.map(({ channel, text, isJson, signed, joins, repeats }) => {
    const marks = [isJson && 'J', signed && 'S', joins && `+${joins}`, repeats && 'R'].filter(Boolean);
    return `${[channel, ...marks].join(' ')}: ${text}`;
  });
}

function valueAt(value: unknown, path: JsonPath): unknown {
  return path.reduce<unknown>((at, step) => (at as Record<string | number, unknown>)[step], value);
}

describe('what frames mean', () => {
  it.each(ROWS)('$name', ({ reader: create, frames }) => {
    const reader = create();
    for (const [frame, said, ends = []] of frames) {
      const event = reader?.read(frameOf(frame));
      if (event === undefined) throw new Error('this dialect does not stream');
      expect({ frame, said: saidBy(event), ends: event.ends ?? [] }).toEqual({ frame, said, ends });
      for (const { path, text } of event.deltas) expect(valueAt(event.json, path)).toBe(text);
    }
  });
});

describe('documents inside of frames', () => {
  const inner = JSON.stringify({
    type: 'content_block_delta',
    index: 0,
    delta: { type: 'thinking_delta', thinking: 'hm' },
  });
  const bytes = Buffer.from(inner).toString('base64');
  const read = (data: string): StreamEvent | undefined =>
    bedrockInvoke('anthropic.claude-3-x', true)
      ?.stream()
      ?.read({ raw: Buffer.alloc(0), event: 'chunk', data });

  it('are what the paths point into', () => {
    const event = read(`{"bytes":"${bytes}","p":"abc"}`);
    expect(event?.deltas).toEqual([
      {
        channel: '0/reasoning/0',
        kind: 'reasoning',
        text: 'hm',
        path: ['delta', 'thinking'],
        signed: true,
        joins: 'reasoning',
      },
    ]);
    expect(event?.json).toEqual(JSON.parse(inner));
    expect(event?.frame.data).toBe(`{"bytes":"${bytes}","p":"abc"}`);
    expect(event?.inner?.pack('{}')).toBe('{"bytes":"e30=","p":"abc"}');
  });

  it.each([
    ['other members', `{"bytes":"${bytes}","note":"hidden"}`],
    ['padding that says something', `{"bytes":"${bytes}","p":"a-b"}`],
    ['another document first', `{"bytes":"e30=","bytes":"${bytes}"}`],
    ['bytes that are no base64', `{"bytes":"${bytes.slice(0, 4)}!${bytes.slice(4)}"}`],
  ])('have nothing beside them where it is sent on: %s', (_, data) => {
    expect(read(data)?.frame.data).toBe(`{"bytes":"${bytes}"}`);
  });
});
