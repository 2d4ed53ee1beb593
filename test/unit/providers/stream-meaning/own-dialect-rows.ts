import { createAnyJsonReader } from '../../../../src/providers/dialects/any-json.ts';
import { anthropicAnswers } from '../../../../src/providers/dialects/anthropic-answer.ts';
import { converseAnswers } from '../../../../src/providers/dialects/bedrock-answer.ts';
import { cohereV1Answers, cohereV2Answers } from '../../../../src/providers/dialects/cohere-answer.ts';
import { geminiAnswers } from '../../../../src/providers/dialects/gemini-answer.ts';
import { ollamaChat } from '../../../../src/providers/dialects/ollama-native.ts';
import type { RequestFacts } from '../../../../src/providers/request-facts.ts';
import { type MeaningRow, block, part, converse } from './rig.ts';

/** Dialects of single providers, and the unknown one. */
export const OWN_DIALECT_ROWS: readonly MeaningRow[] = [
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
        ['0/whole/', '0/tool/1/'],
      ],
      [
        part({ functionCall: { name: 'g', willContinue: true } }),
        ['0/tool/2/whole/candidates.0.content.parts.0.functionCall.name: g'],
        ['0/whole/', '0/tool/2/whole/'],
      ],
      [
        part({ functionCall: { partialArgs: [{ jsonPath: '$.x', stringValue: 'ab' }], willContinue: true } }),
        ['0/tool/2/$.x: ab'],
        ['0/whole/', '0/tool/2/whole/'],
      ],
      [
        part({
          functionCall: { partialArgs: [{ jsonPath: '$.x/', stringValue: 'cd' }], willContinue: true },
        }),
        ['0/tool/2/$.x/: cd'],
        ['0/whole/', '0/tool/2/whole/'],
      ],
      [
        {
          candidates: [
            { index: 1, content: { parts: [{ functionCall: { name: 'h', willContinue: true } }] } },
          ],
        },
        ['1/tool/1/whole/candidates.0.content.parts.0.functionCall.name: h'],
        ['1/whole/', '1/tool/1/whole/'],
      ],
      [
        part({ functionCall: { partialArgs: [{ jsonPath: '$.x', stringValue: 'cd', willContinue: true }] } }),
        ['0/tool/2/$.x: cd'],
        ['0/whole/', '0/tool/2/whole/'],
      ],
      [part({ functionCall: {} }), [], ['0/whole/', '0/tool/2/']],
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
        [],
      ],
      [
        {
          type: 'tool-call-delta',
          index: 0,
          delta: { message: { tool_calls: { function: { arguments: '}' } } } },
        },
        ['0/tool/0 J: }'],
        [],
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
      [{ response: 'b', done: true }, ['0/root/text: b'], ['*']],
    ],
  },
  {
    name: 'a stream of an unknown dialect',
    reader: createAnyJsonReader,
    frames: [
      [{ error: { message: 'm' }, list: ['x', 1] }, ['any/error.message R: m', 'any/list.0 R: x']],
      ['"alone"', ['any/ R: alone']],
      ['plain text', []],
      ['[DONE]', [], ['*']],
    ],
  },
];
