import type { Frame } from '../../streams/frame.ts';
import { ITEM_CHARS, stepwise, type Work } from '../../turns.ts';
import type {
  AnswerFacts,
  AnswerText,
  Dialect,
  JsonObject,
  RequestFacts,
  StreamEvent,
  StreamReader,
} from '../provider.ts';
import { objectOf, parseJson } from './fields.ts';

/** How a dialect's answers are read, whole and streamed. */
export interface AnswerReaders {
  readonly answer: Dialect['answer'];
  /** As in Dialect, where answers stream. */
  stream(request?: RequestFacts): StreamReader;
}

/**
 * @param read a whole answer's document, an empty one where it is no object
 */
export function answerReaders(
  read: (answer: JsonObject) => Work<AnswerFacts>,
  stream: AnswerReaders['stream'],
): AnswerReaders {
  return { answer: stepwise((body: unknown) => read(objectOf(body))), stream };
}

/** Answers without a word of the model's, free of charge: of what only counts tokens. */
export const FREE_ANSWERS: Pick<Dialect, 'answer' | 'stream'> = {
  answer: () => ({ usage: { inputTokens: 0, outputTokens: 0 }, texts: [] }),
  stream: () => undefined,
};

/** What of an event's meaning is left once its frame is put aside. */
export type Meaning = Omit<StreamEvent, 'frame'>;

/** What OpenAI's end marker says. */
export const DONE: Meaning = { deltas: [], ends: ['*'], done: true };

/**
 * Reads frames of which each is a JSON document.
 * @param read what one says; of a frame that is no object `event` is an empty one
 */
export function jsonReader(
  cut: StreamReader['cut'],
  read: (event: JsonObject, frame: Frame) => Work<Meaning>,
): StreamReader {
  return {
    read: stepwise(function* (frame: Frame): Work<StreamEvent> {
      const json = parseJson(frame.data);
      return { frame, json, ...(yield* read(objectOf(json), frame)) };
    }),
    cut,
  };
}

/**
 * Texts of one name that clients join into one, as a member of an answer's facts: absent where there are none. Arguments
 * are each a document of its own.
 * @param nameOf undefined for a text that stands alone
 */
export function* joinedMember(
  texts: readonly AnswerText[],
  nameOf: (text: AnswerText) => string | undefined,
): Work<Pick<AnswerFacts, 'joined'>> {
  const named = new Map<string, AnswerText[]>();
  for (const text of texts) {
    const name = text.kind === 'tool_arguments' || text.editable === false ? undefined : nameOf(text);
    if (name === undefined) continue;
    const known = named.get(name);
    if (known === undefined) named.set(name, [text]);
    else known.push(text);
    yield ITEM_CHARS;
  }
  const joined = [...named.values()].filter(({ length }) => length > 1);
  return joined.length === 0 ? {} : { joined };
}
