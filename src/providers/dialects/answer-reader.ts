import type { JsonObject } from '../../json/is-object.ts';
import type { Frame } from '../../streams/frame.ts';
import type { Dialect, StreamEvent, StreamReader, Usage } from '../dialect.ts';
import type { RequestFacts } from '../request-facts.ts';
import { objectOf, parseJson } from './fields.ts';
import { FoundInAnswer, FoundInEvent, type JoinedName, type Places, placesReader } from './places.ts';

export interface AnswerReaders {
  readonly answer: Dialect['answer'];
  stream(request?: RequestFacts): StreamReader;
}

export interface AnswerReading {
  readonly usage: Usage | undefined;
  readonly places: Places;
  readonly joinedName?: JoinedName;
}

/** @param read receives the whole answer, or an empty object if the answer is not an object */
export function answerReaders(
  read: (answer: JsonObject) => AnswerReading,
  stream: AnswerReaders['stream'],
): AnswerReaders {
  const answer = placesReader((body: unknown) => {
    const { usage, places, joinedName } = read(objectOf(body));
    const found = new FoundInAnswer(joinedName);
    return {
      places,
      found,
      finish() {
        const { texts, joined, tokens } = found;
        return { usage, texts, ...(joined.length > 0 && { joined }), ...(tokens.length > 0 && { tokens }) };
      },
    };
  });
  return { answer, stream };
}

/** Readers for token-counting endpoints, whose answers have no text and are free. */
export const FREE_ANSWERS: Pick<Dialect, 'answer' | 'stream'> = {
  answer: () => ({ usage: { inputTokens: 0, outputTokens: 0 }, texts: [] }),
  stream: () => undefined,
};

type Meaning = Pick<StreamEvent, 'usage' | 'usageOnly' | 'done' | 'failed' | 'isInOrder'>;
type EventTexts = Pick<StreamEvent, 'deltas' | 'ends'>;

export interface EventReading extends Meaning {
  readonly places?: Places;
  /** Called once all places have been read. */
  finish?(texts: EventTexts): Partial<Meaning & EventTexts>;
}

export const DONE: EventReading = { places: { ends: '*' }, done: true };

/**
 * Returns a reader for frames of one JSON document each. `read` receives an empty object for documents that are not
 * objects.
 */
export function jsonReader(
  cut: StreamReader['cut'],
  read: (event: JsonObject, frame: Frame) => EventReading,
): StreamReader {
  const readFrame = placesReader((frame: Frame) => {
    const json = parseJson(frame);
    const reading = read(objectOf(json), frame);
    const found = new FoundInEvent();
    return { places: reading.places ?? [], found, finish: () => eventOf(frame, json, reading, found) };
  });
  return { read: readFrame, cut };
}

function eventOf(frame: Frame, json: unknown, reading: EventReading, found: FoundInEvent): StreamEvent {
  const { usage, usageOnly, done, failed, isInOrder, finish } = reading;
  const { texts: deltas, ends, begins, tokens } = found;
  const event: { -readonly [Name in keyof StreamEvent]: StreamEvent[Name] } = { frame, json, deltas };
  if (isInOrder !== undefined) event.isInOrder = isInOrder;
  if (ends.length > 0) event.ends = ends;
  if (begins.length > 0) event.begins = begins;
  if (tokens.length > 0) event.tokens = tokens;
  if (usage !== undefined) event.usage = usage;
  if (usageOnly !== undefined) event.usageOnly = usageOnly;
  if (done !== undefined) event.done = done;
  if (failed !== undefined) event.failed = failed;
  return finish === undefined ? event : { ...event, ...finish({ deltas, ends }) };
}

/**
 * Returns a function that reports whether a chunk ends its choice. If text follows a stop reason, the server sends one
 * with every chunk, so stop reasons are ignored.
 */
export function createChoiceEnds(): (index: number, isStopped: boolean, hasText: boolean) => boolean {
  const stopped = new Set<number>();
  let endsChoices = true;
  return (index, isStopped, hasText) => {
    if (hasText && stopped.has(index)) endsChoices = false;
    if (isStopped) stopped.add(index);
    return isStopped && endsChoices;
  };
}
