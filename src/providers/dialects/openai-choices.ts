import type { Refusal } from '../../errors.ts';
import type { JsonPath } from '../../json/path.ts';
import type { Frame } from '../../streams/frame.ts';
import { ITEM_CHARS, type Work } from '../../turns.ts';
import type { AnswerFacts, AnswerText, CutPayload, Dialect, TokenText } from '../dialect.ts';
import {
  answerReaders,
  type AnswerReaders,
  createChoiceEnds,
  DONE,
  joinedMember,
  jsonReader,
  type Meaning,
} from './answer-reader.ts';
import { choicesCut } from './error-frames.ts';
import { arrayOf, objectOf } from './fields.ts';
import { isObject, type JsonObject } from '../../json/is-object.ts';
import { addAnswerTextsIn } from './json-text.ts';
import { type ChoiceTexts, createChunkTexts, readChoiceTexts, wholeCall } from './openai-choice-texts.ts';
import { readOpenaiUsage } from './openai-usage.ts';
import { addListedTokens, addParallelTokens, tokensMember } from './token-texts.ts';

/** Builds the payloads that cut a stream of chunks. `last` is the previous chunk. */
export type ChoiceCut = (refusal: Refusal, last: JsonObject) => readonly CutPayload[];

export interface ChoiceVariant {
  /** Defaults to a chunk with an `error`. */
  readonly cut?: ChoiceCut;
  /** See `Dialect.acceptsComments`. */
  readonly acceptsComments?: false;
}

export function choiceDialect(
  name: string,
  { acceptsComments, cut }: ChoiceVariant,
  request: Dialect['request'],
): Dialect {
  return {
    name,
    hasBody: true,
    ...(acceptsComments === false && { acceptsComments }),
    request,
    ...choiceAnswers(cut),
  };
}

/** Builds readers of answers with `choices`: chat (`message`, `delta`) and completions (`text`). */
export function choiceAnswers(cut: ChoiceCut = choicesCut): AnswerReaders {
  return answerReaders(readChoices, () => createChoiceReader(cut));
}

function* readChoices(answer: JsonObject): Work<AnswerFacts> {
  const tokens: TokenText[] = [];
  /** Texts with the same channel form one text, as in a stream. */
  const channels = new Map<AnswerText, string>();
  const texts: AnswerText[] = [];
  for (const [place, value] of arrayOf(answer.choices).entries()) {
    const choice = objectOf(value);
    const path = ['choices', place];
    const into: ChoiceTexts = { deltas: [], ends: [] };
    yield* readChoiceTexts(into, choice, place, path, 'message', wholeCall);
    const at = path.join('.');
    const content = into.deltas.find(({ channel }) => channel === `${place}/text`)?.path.join('.');
    yield* addChoiceTokens(tokens, choice, path, {
      content: content ?? `${at}.message.content`,
      refusal: `${at}.message.refusal`,
    });
    for (const { channel, ...text } of into.deltas) {
      channels.set(text, channel);
      texts.push(text);
      yield ITEM_CHARS;
    }
  }
  const joined = yield* joinedMember(texts, (text) => channels.get(text));
  yield* addExecutedTools(texts, answer);
  return { usage: usageOf(answer), texts, ...joined, ...tokensMember(tokens) };
}

/** Adds the results of provider-run tools, as in Groq's compound models. */
function* addExecutedTools(into: AnswerText[], answer: JsonObject): Work<void> {
  for (const [index, choice] of arrayOf(answer.choices).entries()) {
    const { executed_tools: executed } = objectOf(objectOf(choice).message);
    const path = ['choices', index, 'message', 'executed_tools'];
    if (executed !== undefined) yield* addAnswerTextsIn(into, 'text', executed, path);
    yield ITEM_CHARS;
  }
}

function usageOf(answer: JsonObject): AnswerFacts['usage'] {
  return readOpenaiUsage(answer.usage) ?? readOpenaiUsage(objectOf(answer.x_groq).usage);
}

interface Spelled {
  readonly content: string;
  readonly refusal: string;
}

/** Adds `logprobs`: lists of objects in chat; parallel lists in completions, and in chat on some servers. */
function* addChoiceTokens(
  into: TokenText[],
  choice: JsonObject,
  path: JsonPath,
  spelled: Spelled,
): Work<void> {
  const { logprobs } = choice;
  if (!isObject(logprobs)) return;
  const at = [...path, 'logprobs'];
  yield* addListedTokens(into, logprobs.content, [...at, 'content'], spelled.content);
  yield* addListedTokens(into, logprobs.refusal, [...at, 'refusal'], spelled.refusal);
  yield* addParallelTokens(into, logprobs, at, spelled.content);
}

/** Reads chunks. The usage in a chunk covers the answer up to that chunk. */
function createChoiceReader(cut: ChoiceCut) {
  const endsChoice = createChoiceEnds();
  const readChunkTexts = createChunkTexts();
  let last: JsonObject = {};
  let before: JsonObject = {};
  function* read(chunk: JsonObject, { data }: Frame): Work<Meaning> {
    if (data === '[DONE]') return DONE;
    const choices = arrayOf(chunk.choices);
    before = last;
    if (choices.length > 0) last = chunk;
    const into: Required<ChoiceTexts> = { deltas: [], ends: [], begins: [] };
    const tokens: TokenText[] = [];
    for (const [place, value] of choices.entries()) {
      const choice = objectOf(value);
      const index = typeof choice.index === 'number' ? choice.index : place;
      const path = ['choices', place];
      const before = into.deltas.length;
      yield* readChunkTexts(into, choice, index, path);
      const spelled = { content: `${index}/text`, refusal: `${index}/refusal` };
      yield* addChoiceTokens(tokens, choice, path, spelled);
      if (endsChoice(index, isStopped(choice), into.deltas.length > before)) into.ends.push(`${index}/`);
      yield ITEM_CHARS;
    }
    const usage = usageOf(chunk);
    const { deltas, ends, begins } = into;
    return {
      deltas,
      ends,
      isInOrder: true,
      ...(begins.length > 0 && { begins }),
      ...tokensMember(tokens),
      ...(usage !== undefined && { usage }),
      ...(Array.isArray(chunk.choices) &&
        choices.length === 0 &&
        isObject(chunk.usage) && { usageOnly: true }),
      ...(isObject(chunk.error) && { failed: true }),
    };
  }
  return jsonReader((refusal, isLastWithheld) => cut(refusal, isLastWithheld === true ? before : last), read);
}

/** Mistral on Bedrock uses `stop_reason`. */
function isStopped({ finish_reason: finish, stop_reason: stop }: JsonObject): boolean {
  const reason = finish ?? stop;
  return typeof reason === 'string' && reason !== '';
}
