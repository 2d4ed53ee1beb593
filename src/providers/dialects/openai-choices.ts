import type { JsonPath } from '../../json/path.ts';
import type {
  AnswerFacts,
  AnswerText,
  CutPayload,
  JsonObject,
  StreamReader,
  StreamRefusal,
  TokenText,
} from '../provider.ts';
import { choicesCut } from './cuts.ts';
import { createChoiceEnds } from './deltas.ts';
import { arrayOf, isObject, objectOf, parseJson } from './fields.ts';
import { joinedMember } from './joined-texts.ts';
import { answerTextsIn } from './json-text.ts';
import { createCallNames, readChoiceTexts, wholeCall } from './openai-choice-texts.ts';
import type { ChoiceTexts } from './openai-choice-texts.ts';
import { readOpenaiUsage } from './openai-usage.ts';
import { listedTokens, parallelTokens, tokensMember } from './token-texts.ts';

/** Reads a whole answer with `choices`: chat (`message`) and completions (`text`). */
export function readChoices(body: unknown): AnswerFacts {
  const answer = objectOf(body);
  const tokens: TokenText[] = [];
  /** Parts of one channel are one text, as the pieces of a stream are. */
  const channels = new Map<AnswerText, string>();
  const texts = arrayOf(answer.choices).flatMap((value, place) => {
    const choice = objectOf(value);
    const path = ['choices', place];
    const into: ChoiceTexts = { deltas: [], ends: [] };
    readChoiceTexts(into, choice, place, path, 'message', wholeCall);
    const at = path.join('.');
    const content = into.deltas.find(({ channel }) => channel === `${place}/text`)?.path.join('.');
    tokens.push(
      ...choiceTokens(choice, path, {
        content: content ?? `${at}.message.content`,
        refusal: `${at}.message.refusal`,
      }),
    );
    return into.deltas.map(({ channel, ...text }): AnswerText => {
      channels.set(text, channel);
      return text;
    });
  });
  return {
    usage: usageOf(answer),
    texts: [...texts, ...executedTools(answer)],
    ...joinedMember(texts, (text) => channels.get(text)),
    ...tokensMember(tokens),
  };
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

/** Which texts a choice's tokens spell. */
interface Spelled {
  readonly content: string;
  readonly refusal: string;
}

/** `logprobs` of chat (lists of objects) or of completions (lists side by side, which some give in chat too). */
function choiceTokens(choice: JsonObject, path: JsonPath, spelled: Spelled): TokenText[] {
  const { logprobs } = choice;
  if (!isObject(logprobs)) return [];
  const at = [...path, 'logprobs'];
  return [
    ...listedTokens(logprobs.content, [...at, 'content'], spelled.content),
    ...listedTokens(logprobs.refusal, [...at, 'refusal'], spelled.refusal),
    ...parallelTokens(logprobs, at, spelled.content),
  ];
}

/** How a stream of chunks is cut; `last` is the chunk before. */
export type ChoiceCut = (refusal: StreamRefusal, last: JsonObject) => readonly CutPayload[];

/** Reads the chunks of a streamed answer, in which usage is that of the whole answer so far. */
export function createChoiceReader(cut: ChoiceCut = choicesCut): StreamReader {
  const endsChoice = createChoiceEnds();
  const nameCall = createCallNames();
  let last: JsonObject = {};
  return {
    read(frame) {
      if (frame.data === '[DONE]') return { frame, deltas: [], ends: ['*'], done: true };
      const json = parseJson(frame.data);
      const chunk = objectOf(json);
      const choices = arrayOf(chunk.choices);
      if (choices.length > 0) last = chunk;
      const into: ChoiceTexts = { deltas: [], ends: [] };
      const tokens: TokenText[] = [];
      choices.forEach((value, place) => {
        const choice = objectOf(value);
        const index = typeof choice.index === 'number' ? choice.index : place;
        const path = ['choices', place];
        const before = into.deltas.length;
        // Bedrock's Mistral streams a `message` where others stream a `delta`.
        const member = isObject(choice.message) && !isObject(choice.delta) ? 'message' : 'delta';
        readChoiceTexts(into, choice, index, path, member, nameCall);
        tokens.push(...choiceTokens(choice, path, { content: `${index}/text`, refusal: `${index}/refusal` }));
        if (endsChoice(index, isStopped(choice), into.deltas.length > before)) into.ends.push(`${index}/`);
      });
      const usage = usageOf(chunk);
      return {
        frame,
        json,
        ...into,
        ...tokensMember(tokens),
        ...(usage !== undefined && { usage }),
        ...(Array.isArray(chunk.choices) &&
          choices.length === 0 &&
          isObject(chunk.usage) && { usageOnly: true }),
        ...(isObject(chunk.error) && { failed: true }),
      };
    },
    cut: (refusal) => cut(refusal, last),
  };
}

/** Bedrock's Mistral says `stop_reason`. */
function isStopped({ finish_reason: finish, stop_reason: stop }: JsonObject): boolean {
  const reason = finish ?? stop;
  return typeof reason === 'string' && reason !== '';
}
