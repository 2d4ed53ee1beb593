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
import { choicesCut } from './cuts.ts';
import { arrayOf, isObject, objectOf, parseData } from './fields.ts';
import { answerTextsIn, textsIn } from './json-text.ts';
import { readOpenaiUsage } from './openai-usage.ts';

/** Reads a whole answer with `choices`: chat (`message`) and completions (`text`). */
export function readChoices(body: unknown): AnswerFacts {
  const answer = objectOf(body);
  const texts = arrayOf(answer.choices).flatMap((choice, index) => {
    const path = ['choices', index];
    return choiceDeltas(objectOf(choice), path, 'message').map(({ kind, text, path: at }) => ({
      kind,
      text,
      path: at,
    }));
  });
  return { usage: usageOf(answer), texts: [...texts, ...executedTools(answer)] };
}

/** Groq's compound models and the like show what their own tools did. */
function executedTools(answer: JsonObject): AnswerText[] {
  return arrayOf(answer.choices).flatMap((choice, index) => {
    const { executed_tools: executed } = objectOf(objectOf(choice).message);
    return answerTextsIn('text', executed, ['choices', index, 'message', 'executed_tools']);
  });
}

function usageOf(answer: JsonObject): AnswerFacts['usage'] {
  return readOpenaiUsage(answer.usage) ?? readOpenaiUsage(objectOf(answer.x_groq).usage);
}

/** Reads the chunks of a streamed answer, in which usage is that of the whole answer so far. */
export function createChoiceReader(): StreamReader {
  let last: JsonObject = {};
  return {
    read(frame: Frame): StreamEvent {
      if (frame.data === '[DONE]') return { frame, deltas: [], done: true };
      const chunk = parseData(frame.data);
      last = chunk;
      const choices = arrayOf(chunk.choices);
      const deltas = choices.flatMap((choice, at) =>
        choiceDeltas(objectOf(choice), ['choices', at], 'delta'),
      );
      const usage = usageOf(chunk);
      return {
        frame,
        deltas,
        ...(usage !== undefined && { usage }),
        ...(Array.isArray(chunk.choices) &&
          choices.length === 0 &&
          isObject(chunk.usage) && { usageOnly: true }),
        ...(isObject(chunk.error) && { failed: true }),
      };
    },
    cut: (refusal) => choicesCut(refusal, last),
  };
}

/** Every text of one choice; a stream's choices are numbered by their `index`, not by their place. */
function choiceDeltas(choice: JsonObject, path: JsonPath, holder: 'message' | 'delta'): TextDelta[] {
  const index = typeof choice.index === 'number' ? choice.index : Number(path.at(-1));
  const found: TextDelta[] = [];
  // Runs for every chunk of a stream: paths are made only for texts that are there.
  const add: Add = (from, name, at, channel, kind) => {
    const text = from[name];
    if (typeof text === 'string') {
      if (text !== '') found.push({ channel: `${index}/${channel}`, kind, text, path: [...at, name] });
    } else if (kind === 'tool_arguments' && isObject(text)) {
      // Mistral may give arguments as an object: each string in it is a text of its own.
      for (const inner of textsIn(text, [...at, name])) {
        if (inner.editable !== undefined) continue;
        const below = inner.path.slice(at.length + 1).join('.');
        found.push({ channel: `${index}/${channel}/${below}`, kind, text: inner.text, path: inner.path });
      }
    }
  };
  add(choice, 'text', path, 'text', 'text');
  // Mistral's fill-in-the-middle streams `delta` and answers `message`, as chat does.
  const message = choice[holder];
  if (isObject(message)) addMessage(add, message, [...path, holder]);
  return found;
}

/** Adds the text that an object has under a name, if it has one; `at` is the object's own path. */
type Add = (from: JsonObject, name: string, at: JsonPath, channel: string, kind: TextDelta['kind']) => void;

function addMessage(add: Add, message: JsonObject, at: JsonPath): void {
  add(message, 'content', at, 'text', 'text');
  if (Array.isArray(message.content)) addContentParts(add, message.content, [...at, 'content']);
  add(message, 'reasoning_content', at, 'reasoning/reasoning_content', 'reasoning');
  add(message, 'reasoning', at, 'reasoning/reasoning', 'reasoning');
  arrayOf(message.reasoning_details).forEach((value, d) => {
    const detail = objectOf(value);
    const path = [...at, 'reasoning_details', d];
    add(detail, 'text', path, 'reasoning/details/text', 'reasoning');
    add(detail, 'summary', path, 'reasoning/details/summary', 'reasoning');
  });
  add(message, 'refusal', at, 'refusal', 'text');
  if (isObject(message.audio)) add(message.audio, 'transcript', [...at, 'audio'], 'audio', 'text');
  if (isObject(message.function_call)) {
    add(message.function_call, 'arguments', [...at, 'function_call'], 'function_call', 'tool_arguments');
  }
  arrayOf(message.tool_calls).forEach((call, place) => {
    addCall(add, objectOf(call), place, [...at, 'tool_calls', place]);
  });
}

/** Mistral's list of parts: `{type: 'text', text}`, `{type: 'thinking', thinking: [parts]}`. */
function addContentParts(add: Add, parts: readonly unknown[], path: JsonPath): void {
  parts.forEach((value, p) => {
    const part = objectOf(value);
    add(part, 'text', [...path, p], 'text', 'text');
    add(part, 'thinking', [...path, p], 'reasoning/thinking', 'reasoning');
    arrayOf(part.thinking).forEach((thought, t) => {
      add(objectOf(thought), 'text', [...path, p, 'thinking', t], 'reasoning/thinking', 'reasoning');
    });
  });
}

function addCall(add: Add, call: JsonObject, place: number, path: JsonPath): void {
  const channel = `tool/${typeof call.index === 'number' ? call.index : place}`;
  add(objectOf(call.function), 'arguments', [...path, 'function'], channel, 'tool_arguments');
  add(objectOf(call.custom), 'input', [...path, 'custom'], channel, 'tool_arguments');
}
