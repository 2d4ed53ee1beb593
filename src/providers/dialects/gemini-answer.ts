import type { JsonPath } from '../../json/path.ts';
import type { Frame } from '../../streams/frame.ts';
import type {
  AnswerFacts,
  AnswerText,
  JsonObject,
  StreamEvent,
  StreamReader,
  TextDelta,
  TokenText,
  Usage,
} from '../provider.ts';
import { geminiCut } from './cuts.ts';
import { createChoiceEnds, wholeDeltas } from './deltas.ts';
import { arrayOf, objectOf, parseJson, tokenCount } from './fields.ts';
import { joinedMember } from './joined-texts.ts';
import { answerTextsIn } from './json-text.ts';
import { chosenTokens, tokensMember } from './token-texts.ts';

/** Reads a whole GenerateContentResponse. */
export function readAnswer(body: unknown): AnswerFacts {
  const answer = objectOf(body);
  const texts = arrayOf(answer.candidates).flatMap((candidate, c) =>
    candidateParts(candidate, ['candidates', c]).flatMap(({ part, path }) => partTexts(part, path)),
  );
  const tokens = arrayOf(answer.candidates).flatMap((candidate, c) => {
    const path = ['candidates', c];
    const spelled = texts.find(({ kind, path: at }) => kind === 'text' && at[1] === c)?.path ?? path;
    return candidateTokens(objectOf(candidate), path, spelled.join('.'));
  });
  return {
    usage: readUsage(answer.usageMetadata),
    texts,
    ...joinedMember(texts, joinedName),
    ...tokensMember(tokens),
  };
}

/** `response.text` of Google's SDKs: the text of all parts of a candidate, whatever stands between; thoughts apart. */
function joinedName({ kind, path }: AnswerText): string | undefined {
  const isPartText = path.length === PART_TEXT_STEPS && path.at(-1) === 'text';
  return isPartText ? `${String(path[1])}/${kind}` : undefined;
}

/** `candidates.0.content.parts.0.text` */
const PART_TEXT_STEPS = 6;

function candidateTokens(candidate: JsonObject, path: JsonPath, channel: string): TokenText[] {
  return chosenTokens(objectOf(candidate.logprobsResult), [...path, 'logprobsResult'], channel);
}

interface PlacedPart {
  readonly part: JsonObject;
  readonly path: JsonPath;
}

function candidateParts(candidate: unknown, path: JsonPath): PlacedPart[] {
  return arrayOf(objectOf(objectOf(candidate).content).parts).map((part, p) => ({
    part: objectOf(part),
    path: [...path, 'content', 'parts', p],
  }));
}

function partTexts(part: JsonObject, path: JsonPath): AnswerText[] {
  const found: AnswerText[] = [];
  if (typeof part.text === 'string' && part.text !== '') {
    const kind = part.thought === true ? 'reasoning' : 'text';
    found.push({ kind, text: part.text, path: [...path, 'text'] });
  }
  for (const name of ['functionCall', 'toolCall', 'executableCode']) {
    found.push(...answerTextsIn('tool_arguments', part[name], [...path, name]));
  }
  for (const name of ['codeExecutionResult', 'toolResponse']) {
    found.push(...answerTextsIn('text', part[name], [...path, name]));
  }
  return found;
}

/**
 * Normalises `usageMetadata`: the prompt count includes cached tokens, the candidates' count leaves thoughts
 * out, and what the provider's own tools read comes on top. A count of zero is left out by Google.
 */
export function readUsage(value: unknown): Usage | undefined {
  const usage = objectOf(value);
  const promptTokens = tokenCount(usage.promptTokenCount);
  if (promptTokens === undefined) return undefined;
  const thoughts = count(usage, 'thoughtsTokenCount');
  const written = count(usage, 'candidatesTokenCount');
  const toolPrompt = count(usage, 'toolUsePromptTokenCount');
  if (thoughts === undefined || written === undefined || toolPrompt === undefined) return undefined;
  const inputAudioTokens = audioTokens(usage.promptTokensDetails, usage.toolUsePromptTokensDetails);
  const outputAudioTokens = audioTokens(usage.candidatesTokensDetails);
  return {
    inputTokens: promptTokens + toolPrompt,
    outputTokens: written + thoughts,
    cacheReadTokens: Math.min(tokenCount(usage.cachedContentTokenCount) ?? 0, promptTokens),
    reasoningTokens: thoughts,
    ...(inputAudioTokens === undefined ? {} : { inputAudioTokens }),
    ...(outputAudioTokens === undefined ? {} : { outputAudioTokens }),
  };
}

/** A count that may be left out for zero; undefined where it is nonsense. */
function count(usage: JsonObject, name: string): number | undefined {
  const value = usage[name];
  return value === undefined || value === null ? 0 : tokenCount(value);
}

/** Undefined where the provider does not tell the modalities apart. */
function audioTokens(...details: readonly unknown[]): number | undefined {
  if (!details.some(Array.isArray)) return undefined;
  return details
    .flatMap(arrayOf)
    .map(objectOf)
    .filter((detail) => detail.modality === 'AUDIO')
    .reduce((sum, detail) => sum + (tokenCount(detail.tokenCount) ?? 0), 0);
}

/**
 * Reads streamed responses, each a whole GenerateContentResponse with the next pieces. There is no end marker:
 * the answer is complete when every candidate has said why it ended, or when the prompt was blocked.
 */
export function createStreamReader(): StreamReader {
  const running = new Set<number>();
  const endsChoice = createChoiceEnds();
  const calls = new Map<number, CallsSoFar>();
  let finished = false;
  return {
    read(frame: Frame): StreamEvent {
      const json = parseJson(frame.data);
      const answer = objectOf(json);
      const deltas: TextDelta[] = [];
      const ends: string[] = [];
      const tokens: TokenText[] = [];
      arrayOf(answer.candidates).forEach((value, c) => {
        const candidate = objectOf(value);
        const path = ['candidates', c];
        const index = tokenCount(candidate.index) ?? 0;
        const isStopped = typeof candidate.finishReason === 'string';
        if (isStopped) {
          running.delete(index);
          finished = true;
        } else {
          running.add(index);
        }
        const said = candidateParts(value, path).map((placed) =>
          readPart(placed, index, callsOf(calls, index)),
        );
        deltas.push(...said.flatMap((part) => part.deltas));
        ends.push(...said.flatMap((part) => part.ends));
        tokens.push(...candidateTokens(candidate, path, `${index}/text`));
        if (
          endsChoice(
            index,
            isStopped,
            said.some((part) => part.deltas.length > 0),
          )
        )
          ends.push(`${index}/`);
      });
      const usage = readUsage(answer.usageMetadata);
      const blocked = typeof objectOf(answer.promptFeedback).blockReason === 'string';
      return {
        frame,
        json,
        deltas,
        ends: blocked ? ['*'] : ends,
        ...tokensMember(tokens),
        ...(usage === undefined ? {} : { usage }),
        ...((finished && running.size === 0) || blocked ? { done: true } : {}),
        ...(answer.error === undefined ? {} : { failed: true }),
      };
    },
    cut: geminiCut,
  };
}

interface PartSaid {
  readonly deltas: readonly TextDelta[];
  readonly ends: readonly string[];
}

/** Function calls of one candidate. */
interface CallsSoFar {
  count: number;
  /** The last of them goes on in the candidate's next function call. */
  continues: boolean;
}

function callsOf(calls: Map<number, CallsSoFar>, candidate: number): CallsSoFar {
  const known = calls.get(candidate) ?? { count: 0, continues: false };
  calls.set(candidate, known);
  return known;
}

/** A call is an object, or comes as pieces of the strings in it until one does not say `willContinue`. */
function readPart({ part, path }: PlacedPart, candidate: number, calls: CallsSoFar): PartSaid {
  const { functionCall, ...rest } = part;
  const words = readWords(rest, path, candidate);
  if (functionCall === undefined) return words;
  const { partialArgs, ...whole } = objectOf(functionCall);
  if (!calls.continues) calls.count += 1;
  calls.continues = [whole, ...arrayOf(partialArgs)].some((said) => objectOf(said).willContinue === true);
  const under = `${candidate}/tool/${calls.count}/`;
  const pieces = arrayOf(partialArgs).flatMap((value, index): TextDelta[] => {
    const { jsonPath, stringValue: text } = objectOf(value);
    if (typeof text !== 'string' || text === '') return [];
    const at = [...path, 'functionCall', 'partialArgs', index, 'stringValue'];
    return [{ channel: `${under}${String(jsonPath)}`, kind: 'tool_arguments', text, path: at }];
  });
  const strings = answerTextsIn('tool_arguments', whole, [...path, 'functionCall']);
  return {
    deltas: [...words.deltas, ...wholeDeltas(strings, `${under}whole/`), ...pieces],
    ends: [
      ...words.ends,
      ...['text', 'reasoning'].map((word) => `${candidate}/${word}`),
      calls.continues ? `${under}whole/` : under,
    ],
  };
}

/** Text goes on in the next frame; code, its results and those of other tools come whole. */
function readWords(part: JsonObject, path: JsonPath, candidate: number): PartSaid {
  const under = `${candidate}/whole/`;
  const { text, ...rest } = part;
  return {
    deltas: [
      ...partTexts({ text, thought: part.thought }, path).map((found) => ({
        ...found,
        channel: `${candidate}/${found.kind}`,
      })),
      ...wholeDeltas(partTexts(rest, path), under),
    ],
    ends: [under],
  };
}
