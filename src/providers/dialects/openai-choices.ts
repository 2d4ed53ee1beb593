import type { Refusal } from '../../errors.ts';
import { isObject, type JsonObject } from '../../json/is-object.ts';
import type { JsonPath } from '../../json/path.ts';
import type { AnswerFacts, CutPayload, Dialect } from '../dialect.ts';
import {
  type AnswerReading,
  answerReaders,
  type AnswerReaders,
  createChoiceEnds,
  DONE,
  type EventReading,
  jsonReader,
} from './answer-reader.ts';
import { choicesCut } from './error-frames.ts';
import { arrayOf, objectOf } from './fields.ts';
import { createChunkTexts, wholeChoice } from './openai-choice-texts.ts';
import { readOpenaiUsage } from './openai-usage.ts';
import { eachIn, type Places, stringsIn } from './places.ts';
import { listedTokens, parallelTokens } from './token-texts.ts';

/** Builds the payloads that cut a stream of chunks. `last` is the latest chunk with choices that was not withheld. */
export type ChoiceCut = (refusal: Refusal, last: JsonObject) => readonly CutPayload[];

export interface ChoiceVariant {
  /** Defaults to `choicesCut`. */
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

/** Builds readers for answers with `choices`: chat (`message`, `delta`) and completions (`text`). */
export function choiceAnswers(cut: ChoiceCut = choicesCut): AnswerReaders {
  return answerReaders(readChoices, () => createChoiceReader(cut));
}

function readChoices(answer: JsonObject): AnswerReading {
  const texts = eachIn(answer, 'choices', [], (value, path, position) => ({ texts: found }) => {
    const choice = objectOf(value);
    const before = found.length;
    return [
      wholeChoice(choice, position, path),
      () => {
        const at = path.join('.');
        const first = found.slice(before).find(({ kind, path: [, , name, member] }) => {
          return kind === 'text' && (name === 'text' ? !isObject(choice.message) : member === 'content');
        });
        return choiceTokens(choice, path, {
          content: first?.path.join('.') ?? `${at}.message.content`,
          refusal: `${at}.message.refusal`,
        });
      },
    ];
  });
  const places = [texts, eachIn(answer, 'choices', [], executedTools)];
  // Texts with the same channel form one text, as in a stream.
  return { usage: usageOf(answer), places, joinedName: (_text, channel) => channel };
}

/** Reads the results of provider-run tools, as in Groq's compound models. */
function executedTools(choice: unknown, path: JsonPath): Places {
  return stringsIn('text', objectOf(choice).message, 'executed_tools', [...path, 'message']);
}

function usageOf(answer: JsonObject): AnswerFacts['usage'] {
  return readOpenaiUsage(answer.usage) ?? readOpenaiUsage(objectOf(answer.x_groq).usage);
}

interface Spelled {
  readonly content: string;
  readonly refusal: string;
}

/** Reads `logprobs`: arrays of objects in chat; parallel arrays in completions and, on some servers, in chat. */
function choiceTokens({ logprobs }: JsonObject, path: JsonPath, spelled: Spelled): Places {
  if (!isObject(logprobs)) return [];
  const at = [...path, 'logprobs'];
  return [
    listedTokens(logprobs, 'content', at, spelled.content),
    listedTokens(logprobs, 'refusal', at, spelled.refusal),
    parallelTokens(logprobs, at, spelled.content),
  ];
}

/** Returns a reader for chunks. The usage in a chunk covers the answer up to that chunk. */
function createChoiceReader(cut: ChoiceCut) {
  const endsChoice = createChoiceEnds();
  const chunkTexts = createChunkTexts();
  let last: JsonObject = {};
  let before: JsonObject = {};

  function choicePlaces(value: unknown, path: JsonPath, position: number): Places {
    const choice = objectOf(value);
    const index = typeof choice.index === 'number' ? choice.index : position;
    return ({ texts }) => {
      const textsBefore = texts.length;
      return [
        chunkTexts(choice, index, path),
        choiceTokens(choice, path, { content: `${index}/text`, refusal: `${index}/refusal` }),
        () => (endsChoice(index, isStopped(choice), texts.length > textsBefore) ? { ends: `${index}/` } : []),
      ];
    };
  }

  return jsonReader(
    (refusal, isLastWithheld) => cut(refusal, isLastWithheld === true ? before : last),
    (chunk, { data }): EventReading => {
      if (data === '[DONE]') return DONE;
      const choices = arrayOf(chunk.choices);
      before = last;
      if (choices.length > 0) last = chunk;
      const usage = usageOf(chunk);
      const isUsageOnly = Array.isArray(chunk.choices) && choices.length === 0 && isObject(chunk.usage);
      return {
        places: eachIn(chunk, 'choices', [], choicePlaces),
        isInOrder: true,
        ...(usage !== undefined && { usage }),
        ...(isUsageOnly && { usageOnly: true }),
        ...(isObject(chunk.error) && { failed: true }),
      };
    },
  );
}

/** Mistral on Bedrock uses `stop_reason`. */
function isStopped({ finish_reason: finish, stop_reason: stop }: JsonObject): boolean {
  const reason = finish ?? stop;
  return typeof reason === 'string' && reason !== '';
}
