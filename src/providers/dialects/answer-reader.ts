import type { JsonPath } from '../../json/path.ts';
import type { Frame } from '../../streams/frame.ts';
import { ITEM_CHARS, stepwise, type Work } from '../../turns.ts';
import type { AnswerFacts, AnswerText, Dialect, StreamEvent, StreamReader, TextDelta } from '../dialect.ts';
import type { JsonObject } from '../../json/is-object.ts';
import type { RequestFacts } from '../request-facts.ts';
import { objectOf, parseJson } from './fields.ts';
import type { FoundText } from './json-text.ts';

export interface AnswerReaders {
  readonly answer: Dialect['answer'];
  stream(request?: RequestFacts): StreamReader;
}

/**
 * Builds readers for JSON answers.
 * @param read receives the whole answer, or an empty object if the answer is not an object
 */
export function answerReaders(
  read: (answer: JsonObject) => Work<AnswerFacts>,
  stream: AnswerReaders['stream'],
): AnswerReaders {
  return { answer: stepwise((body: unknown) => read(objectOf(body))), stream };
}

/** Readers of token-counting endpoints: no text, free of charge. */
export const FREE_ANSWERS: Pick<Dialect, 'answer' | 'stream'> = {
  answer: () => ({ usage: { inputTokens: 0, outputTokens: 0 }, texts: [] }),
  stream: () => undefined,
};

export type Meaning = Omit<StreamEvent, 'frame'>;

/** The meaning of OpenAI's `[DONE]` marker. */
export const DONE: Meaning = { deltas: [], ends: ['*'], done: true };

/**
 * Reads frames that each carry one JSON document.
 * @param read receives the document as `event`, or an empty object if it is not an object
 */
export function jsonReader(
  cut: StreamReader['cut'],
  read: (event: JsonObject, frame: Frame) => Work<Meaning>,
): StreamReader {
  return {
    read: stepwise(function* (frame: Frame): Work<StreamEvent> {
      const json = parseJson(frame);
      return { frame, json, ...(yield* read(objectOf(json), frame)) };
    }),
    cut,
  };
}

/**
 * Groups texts that clients concatenate, for the `joined` member of `AnswerFacts`. Tool arguments are never grouped:
 * each is a separate document.
 * @param nameOf returns the name of a text's group; undefined if the text belongs to none
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

const MAX_NAME_CHARS = 64;

/**
 * Names the channel of a whole text by its path. If the path has a long member name, which every text below it would
 * repeat, the channel is named by the text's number in the event.
 */
export function wholeChannel(under: string, path: JsonPath, nth: number): string {
  const isLong = path.some((step) => typeof step === 'string' && step.length > MAX_NAME_CHARS);
  return isLong ? `${under}#${String(nth)}` : under + path.join('.');
}

/**
 * Turns texts into deltas, each on its own channel (`wholeChannel`). Ending `under`, which ends in `/`, ends all of
 * them.
 * @param marks properties added to each delta
 */
export function* wholeDeltas(
  found: readonly AnswerText[],
  under: string,
  marks?: Pick<TextDelta, 'repeats'>,
): Work<TextDelta[]> {
  const deltas: TextDelta[] = [];
  for (const { editable: isEditable, ...text } of found) {
    if (isEditable !== undefined) continue;
    deltas.push({ ...text, channel: wholeChannel(under, text.path, deltas.length), ...marks });
    yield ITEM_CHARS;
  }
  return deltas;
}

/** Drops texts that cannot be edited: member names and numbers. */
export function editable<T extends FoundText>(found: readonly T[]): Omit<T, 'editable'>[] {
  return found.filter((text) => text.editable === undefined);
}

/**
 * Decides whether a stop reason ends a choice. Some servers put a reason on every chunk; once a stopped choice
 * continues, stop reasons no longer end anything.
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
