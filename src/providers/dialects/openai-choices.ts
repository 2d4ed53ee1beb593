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
import { arrayOf, isObject, objectOf, parseData } from './fields.ts';
import { answerTextsIn } from './json-text.ts';
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
  return {
    read(frame: Frame): StreamEvent {
      if (frame.data === '[DONE]') return { frame, deltas: [], done: true };
      const chunk = parseData(frame.data);
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
  };
}

/** Every text of one choice; a stream's choices are numbered by their `index`, not by their place. */
function choiceDeltas(choice: JsonObject, path: JsonPath, holder: 'message' | 'delta'): TextDelta[] {
  const index = typeof choice.index === 'number' ? choice.index : Number(path.at(-1));
  const found: TextDelta[] = [];
  const add = (channel: string, kind: TextDelta['kind'], text: unknown, at: JsonPath): void => {
    if (typeof text === 'string' && text !== '')
      found.push({ channel: `${index}/${channel}`, kind, text, path: at });
  };
  add('text', 'text', choice.text, [...path, 'text']);
  // Mistral's fill-in-the-middle streams `delta` and answers `message`, as chat does.
  const message = objectOf(choice[holder]);
  const at = [...path, holder];
  addContent(add, message.content, [...at, 'content']);
  for (const name of ['reasoning_content', 'reasoning']) {
    add(`reasoning/${name}`, 'reasoning', message[name], [...at, name]);
  }
  arrayOf(message.reasoning_details).forEach((detail, d) => {
    for (const name of ['text', 'summary']) {
      add(`reasoning/details/${name}`, 'reasoning', objectOf(detail)[name], [
        ...at,
        'reasoning_details',
        d,
        name,
      ]);
    }
  });
  add('refusal', 'text', message.refusal, [...at, 'refusal']);
  add('audio', 'text', objectOf(message.audio).transcript, [...at, 'audio', 'transcript']);
  addCalls(add, message, at);
  return found;
}

type Add = (channel: string, kind: TextDelta['kind'], text: unknown, at: JsonPath) => void;

/** A string, or Mistral's list of parts: `{type: 'text', text}`, `{type: 'thinking', thinking: [parts]}`. */
function addContent(add: Add, content: unknown, path: JsonPath): void {
  add('text', 'text', content, path);
  arrayOf(content).forEach((part, p) => {
    const { text, thinking } = objectOf(part);
    add('text', 'text', text, [...path, p, 'text']);
    add('reasoning/thinking', 'reasoning', thinking, [...path, p, 'thinking']);
    arrayOf(thinking).forEach((thought, t) => {
      add('reasoning/thinking', 'reasoning', objectOf(thought).text, [...path, p, 'thinking', t, 'text']);
    });
  });
}

function addCalls(add: Add, message: JsonObject, at: JsonPath): void {
  const { arguments: legacy } = objectOf(message.function_call);
  add('function_call', 'tool_arguments', legacy, [...at, 'function_call', 'arguments']);
  arrayOf(message.tool_calls).forEach((value, place) => {
    const call = objectOf(value);
    const channel = `tool/${typeof call.index === 'number' ? call.index : place}`;
    const path = [...at, 'tool_calls', place];
    add(channel, 'tool_arguments', objectOf(call.function).arguments, [...path, 'function', 'arguments']);
    add(channel, 'tool_arguments', objectOf(call.custom).input, [...path, 'custom', 'input']);
    for (const { text, path: inner, editable } of answerTextsIn(
      'tool_arguments',
      isObject(objectOf(call.function).arguments) ? objectOf(call.function).arguments : undefined,
      [...path, 'function', 'arguments'],
    )) {
      if (editable === undefined)
        add(`${channel}/${inner.slice(path.length).join('.')}`, 'tool_arguments', text, inner);
    }
  });
}
