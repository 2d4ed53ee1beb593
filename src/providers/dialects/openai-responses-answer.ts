import type { JsonPath } from '../../json/path.ts';
import type { Frame } from '../../streams/frame.ts';
import type {
  AnswerFacts,
  AnswerText,
  JsonObject,
  StreamEvent,
  StreamReader,
  TextDelta,
} from '../provider.ts';
import { responsesCut } from './cuts.ts';
import { arrayOf, isObject, objectOf, parseData } from './fields.ts';
import { answerTextsIn } from './json-text.ts';
import { readOpenaiUsage } from './openai-usage.ts';

/** Reads a whole response: its output items and usage. */
export function readResponse(body: unknown): AnswerFacts {
  const response = objectOf(body);
  return { usage: readOpenaiUsage(response.usage), texts: outputTexts(response, []) };
}

function outputTexts(response: JsonObject, path: JsonPath): AnswerText[] {
  return arrayOf(response.output).flatMap((item, index) => itemTexts(item, [...path, 'output', index]));
}

/** Members of items and parts that carry the model's words, with their kind. Others name and link. */
const WORDS: ReadonlyMap<string, AnswerText['kind']> = new Map([
  ['text', 'text'],
  ['refusal', 'text'],
  ['transcript', 'text'],
  ['arguments', 'tool_arguments'],
  ['input', 'tool_arguments'],
  ['code', 'tool_arguments'],
  ['action', 'tool_arguments'],
  ['operation', 'tool_arguments'],
  ['queries', 'tool_arguments'],
  ['output', 'text'],
  ['outputs', 'text'],
  ['results', 'text'],
  ['result', 'text'],
  ['error', 'text'],
  ['annotations', 'text'],
  ['tools', 'text'],
]);

/** An output item or content part: its own words, and those of its `content` and `summary` lists. */
function itemTexts(value: unknown, path: JsonPath, outer: AnswerText['kind'] = 'text'): AnswerText[] {
  if (!isObject(value)) return [];
  const kind = value.type === 'reasoning' || value.type === 'summary_text' ? 'reasoning' : outer;
  return Object.entries(value).flatMap(([name, member]) => {
    const at = [...path, name];
    if (name === 'content' || name === 'summary') {
      return arrayOf(member).flatMap((part, index) => itemTexts(part, [...at, index], kind));
    }
    const words = WORDS.get(name);
    // An image comes as base64: no words in it, and far too long to read as such.
    if (words === undefined || (name === 'result' && value.type === 'image_generation_call')) return [];
    return answerTextsIn(kind === 'reasoning' ? 'reasoning' : words, member, at);
  });
}

/** Events that carry a new piece of text in `delta`. */
const DELTAS: ReadonlyMap<unknown, readonly [TextDelta['kind'], string]> = new Map([
  ['response.output_text.delta', ['text', 'text']],
  ['response.refusal.delta', ['text', 'refusal']],
  ['response.audio.transcript.delta', ['text', 'audio']],
  ['response.reasoning_text.delta', ['reasoning', 'reasoning']],
  ['response.reasoning_summary_text.delta', ['reasoning', 'summary']],
  ['response.function_call_arguments.delta', ['tool_arguments', 'tool']],
  ['response.custom_tool_call_input.delta', ['tool_arguments', 'tool']],
  ['response.mcp_call_arguments.delta', ['tool_arguments', 'tool']],
  ['response.code_interpreter_call_code.delta', ['tool_arguments', 'tool']],
  ['response.shell_call_command.delta', ['tool_arguments', 'tool']],
]);

const ENDS: ReadonlySet<unknown> = new Set(['response.completed', 'response.incomplete', 'response.failed']);

/**
 * Reads the events of a streamed response. The `.done` events, and the last one, say again what the deltas
 * said: those copies are marked as repeats.
 */
export function createResponseReader(): StreamReader {
  return {
    read(frame: Frame): StreamEvent {
      // Some compatible servers close with chat's end marker after the last event.
      if (frame.data === '[DONE]') return { frame, deltas: [], done: true };
      const event = parseData(frame.data);
      const usage = readOpenaiUsage(objectOf(event.response).usage);
      return {
        frame,
        deltas: deltasOf(event),
        ...(usage !== undefined && { usage }),
        ...(ENDS.has(event.type) && { done: true }),
        ...((event.type === 'error' || event.type === 'response.failed') && { failed: true }),
      };
    },
    cut: responsesCut,
  };
}

function deltasOf(event: JsonObject): TextDelta[] {
  const known = DELTAS.get(event.type);
  if (known !== undefined) {
    if (typeof event.delta !== 'string' || event.delta === '') return [];
    const [kind, word] = known;
    return [{ channel: channel(event, word), kind, text: event.delta, path: ['delta'] }];
  }
  return repeats(event);
}

/** One channel for each output item and content part. */
function channel(event: JsonObject, word: string): string {
  const part = event.content_index ?? event.summary_index ?? event.command_index;
  return `${String(event.output_index ?? 0)}/${word}${typeof part === 'number' ? `/${part}` : ''}`;
}

function repeats(event: JsonObject): TextDelta[] {
  const isReasoning = typeof event.type === 'string' && event.type.includes('.reasoning');
  const texts = [
    ...itemTexts({ ...event, output: undefined }, [], isReasoning ? 'reasoning' : 'text'),
    ...itemTexts(event.item, ['item']),
    ...itemTexts(event.part, ['part'], isReasoning ? 'reasoning' : 'text'),
    ...outputTexts(objectOf(event.response), ['response']),
  ];
  return texts
    .filter((found) => found.editable === undefined)
    .map(({ kind, text, path }) => ({
      channel: `${String(event.output_index ?? 0)}/repeat/${path.join('.')}`,
      kind,
      text,
      path,
      repeats: true,
    }));
}
