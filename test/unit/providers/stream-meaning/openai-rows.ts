import { choiceAnswers } from '../../../../src/providers/dialects/openai-choices.ts';
import { responsesAnswers } from '../../../../src/providers/dialects/openai-responses-answer.ts';
import { type MeaningRow, chat, delta, call } from './rig.ts';

/** OpenAI's dialects. */
export const OPENAI_ROWS: readonly MeaningRow[] = [
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
        ['0/tool/0/'],
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
];
