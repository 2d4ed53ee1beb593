import type { JsonPath } from '../../json/path.ts';
import type { AnswerText, Usage } from '../dialect.ts';
import type { JsonObject } from '../../json/is-object.ts';
import {
  type AnswerReading,
  answerReaders,
  createChoiceEnds,
  type EventReading,
  jsonReader,
} from './answer-reader.ts';
import { geminiCut } from './error-frames.ts';
import { arrayOf, countOrZero, objectOf, tokenCount } from './fields.ts';
import { eachIn, type Marks, type Places, stringsIn, textIn } from './places.ts';
import { chosenTokens } from './token-texts.ts';

export const geminiAnswers = answerReaders(readGenerated, createGeneratedReader);

function readGenerated(answer: JsonObject): AnswerReading {
  const places = eachIn(answer, 'candidates', [], (candidate, path) => ({ texts }) => {
    const before = texts.length;
    return [
      eachPart(candidate, path, partPlaces),
      () => {
        const spelled = texts.slice(before).find(({ kind }) => kind === 'text')?.path ?? path;
        return candidateTokens(candidate, path, spelled.join('.'));
      },
    ];
  });
  return { usage: readGeminiUsage(answer.usageMetadata), places, joinedName };
}

/** Joins a candidate's text parts as `response.text` does in Google's SDKs. Thoughts are joined separately. */
function joinedName({ kind, path }: AnswerText): string | undefined {
  const isPartText = path.length === PART_TEXT_STEPS && path.at(-1) === 'text';
  return isPartText ? `${String(path[1])}/${kind}` : undefined;
}

/** Number of steps in the path `candidates.0.content.parts.0.text`. */
const PART_TEXT_STEPS = 6;

function candidateTokens(candidate: unknown, path: JsonPath, channel: string): Places {
  return chosenTokens(objectOf(objectOf(candidate).logprobsResult), [...path, 'logprobsResult'], channel);
}

function eachPart(
  candidate: unknown,
  path: JsonPath,
  read: (part: JsonObject, path: JsonPath) => Places,
): Places {
  const { content } = objectOf(candidate);
  return eachIn(content, 'parts', [...path, 'content'], (part, at) => read(objectOf(part), at));
}

const VALUES: readonly (readonly [name: string, kind: AnswerText['kind']])[] = [
  ['functionCall', 'tool_arguments'],
  ['toolCall', 'tool_arguments'],
  ['executableCode', 'tool_arguments'],
  ['codeExecutionResult', 'text'],
  ['toolResponse', 'text'],
];

function partPlaces(part: JsonObject, path: JsonPath, marks?: Marks): Places {
  return [
    textIn(kindOf(part), part, 'text', path, marks),
    VALUES.map(([name, kind]) => stringsIn(kind, part, name, path, marks)),
  ];
}

function kindOf(part: JsonObject): AnswerText['kind'] {
  return part.thought === true ? 'reasoning' : 'text';
}

/** The prompt count includes cached tokens but not tool input. Candidate counts exclude thoughts. Zeros are omitted. */
export function readGeminiUsage(value: unknown): Usage | undefined {
  const usage = objectOf(value);
  const promptTokens = tokenCount(usage.promptTokenCount);
  if (promptTokens === undefined) return undefined;
  const thoughts = countOrZero(usage.thoughtsTokenCount);
  const written = countOrZero(usage.candidatesTokenCount);
  const toolPrompt = countOrZero(usage.toolUsePromptTokenCount);
  if (thoughts === undefined || written === undefined || toolPrompt === undefined) return undefined;
  const inputTokens = promptTokens + toolPrompt;
  // If the total is larger, the omitted count is not zero.
  const outputTokens = Math.max(written + thoughts, (tokenCount(usage.totalTokenCount) ?? 0) - inputTokens);
  const inputAudioTokens = audioTokens(usage.promptTokensDetails, usage.toolUsePromptTokensDetails);
  const outputAudioTokens = audioTokens(usage.candidatesTokensDetails);
  return {
    inputTokens,
    outputTokens,
    cacheReadTokens: Math.min(tokenCount(usage.cachedContentTokenCount) ?? 0, promptTokens),
    reasoningTokens: thoughts,
    ...(inputAudioTokens === undefined ? {} : { inputAudioTokens }),
    ...(outputAudioTokens === undefined ? {} : { outputAudioTokens }),
  };
}

/** Returns undefined if the provider does not split usage by modality. */
function audioTokens(...details: readonly unknown[]): number | undefined {
  if (!details.some(Array.isArray)) return undefined;
  return details
    .flatMap(arrayOf)
    .map(objectOf)
    .filter((detail) => detail.modality === 'AUDIO')
    .reduce((sum, detail) => sum + (tokenCount(detail.tokenCount) ?? 0), 0);
}

/** Gemini sends no end marker. An answer is complete once it is blocked, or all candidates have a finish reason. */
function createGeneratedReader() {
  const running = new Set<number>();
  const endsChoice = createChoiceEnds();
  const calls = new Map<number, CallsSoFar>();
  let finished = false;

  function candidatePlaces(value: unknown, path: JsonPath): Places {
    const candidate = objectOf(value);
    const index = tokenCount(candidate.index) ?? 0;
    const isStopped = typeof candidate.finishReason === 'string';
    if (isStopped) {
      running.delete(index);
      finished = true;
    } else {
      running.add(index);
    }
    return ({ texts }) => {
      const before = texts.length;
      const ofCandidate = callsOf(calls, index);
      return [
        eachPart(candidate, path, (part, at) => streamedPart(part, at, index, ofCandidate)),
        candidateTokens(candidate, path, `${index}/text`),
        () => (endsChoice(index, isStopped, texts.length > before) ? { ends: `${index}/` } : []),
      ];
    };
  }

  return jsonReader(geminiCut, (answer): EventReading => {
    const usage = readGeminiUsage(answer.usageMetadata);
    const isBlocked = typeof objectOf(answer.promptFeedback).blockReason === 'string';
    return {
      places: eachIn(answer, 'candidates', [], candidatePlaces),
      isInOrder: true,
      ...(usage === undefined ? {} : { usage }),
      ...(answer.error === undefined ? {} : { failed: true }),
      finish: () => ({
        ...(isBlocked && { ends: ['*'] }),
        ...((finished && running.size === 0) || isBlocked ? { done: true } : {}),
      }),
    };
  });
}

interface CallsSoFar {
  count: number;
  /** True if the candidate's next function call part continues the last call. */
  continues: boolean;
}

function callsOf(calls: Map<number, CallsSoFar>, candidate: number): CallsSoFar {
  const known = calls.get(candidate) ?? { count: 0, continues: false };
  calls.set(candidate, known);
  return known;
}

/** Reads text, which continues in later frames, and calls, code and tool results. */
function streamedPart(part: JsonObject, path: JsonPath, candidate: number, calls: CallsSoFar): Places {
  const { text, functionCall, ...rest } = part;
  const under = `${candidate}/whole/`;
  const kind = kindOf(part);
  const hasText = typeof text === 'string' && text !== '';
  return [
    hasText ? textIn(kind, part, 'text', path, { channel: `${candidate}/${kind}`, part: path }) : [],
    !hasText && Object.keys(rest).length > 0 ? { begins: under } : [],
    partPlaces(rest, path, { under }),
    { ends: under },
    functionCall === undefined ? [] : callPlaces(objectOf(functionCall), path, candidate, calls),
  ];
}

/** Reads a call, which arrives as an object or in string pieces. The last piece lacks `willContinue`. */
function callPlaces(call: JsonObject, path: JsonPath, candidate: number, calls: CallsSoFar): Places {
  const { partialArgs: _pieces, ...whole } = call;
  if (!calls.continues) calls.count += 1;
  calls.continues = whole.willContinue === true;
  const under = `${candidate}/tool/${calls.count}/`;
  const at = [...path, 'functionCall'];
  return [
    { kind: 'tool_arguments', value: whole, path: at, under: `${under}whole/` },
    eachIn(call, 'partialArgs', at, (piece, place) => {
      const { jsonPath, willContinue } = objectOf(piece);
      if (willContinue === true) calls.continues = true;
      return textIn('tool_arguments', piece, 'stringValue', place, {
        channel: `${under}${String(jsonPath)}`,
      });
    }),
    () => ({ ends: calls.continues ? `${under}whole/` : under }),
  ];
}
