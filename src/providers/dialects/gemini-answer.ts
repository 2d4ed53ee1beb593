import { addAll } from '../../add-all.ts';
import type { JsonPath } from '../../json/path.ts';
import { ITEM_CHARS, type Work } from '../../turns.ts';
import type { AnswerFacts, AnswerText, BegunChannel, TextDelta, TokenText, Usage } from '../dialect.ts';
import type { JsonObject } from '../../json/is-object.ts';
import {
  answerReaders,
  createChoiceEnds,
  joinedMember,
  jsonReader,
  type Meaning,
  wholeDeltas,
} from './answer-reader.ts';
import { geminiCut } from './error-frames.ts';
import { arrayOf, countOrZero, objectOf, tokenCount } from './fields.ts';
import { addAnswerTextsIn, answerTextsIn } from './json-text.ts';
import { addChosenTokens, tokensMember } from './token-texts.ts';

/** Reads a GenerateContentResponse, whole or streamed. */
export const geminiAnswers = answerReaders(readGenerated, createGeneratedReader);

function* readGenerated(answer: JsonObject): Work<AnswerFacts> {
  const texts: AnswerText[] = [];
  const tokens: TokenText[] = [];
  for (const [c, candidate] of arrayOf(answer.candidates).entries()) {
    const path = ['candidates', c];
    const own: AnswerText[] = [];
    for (const { part, path: at } of partsOfCandidate(candidate, path)) yield* addPartTexts(own, part, at);
    const spelled = own.find(({ kind }) => kind === 'text')?.path ?? path;
    addAll(texts, own);
    yield* addCandidateTokens(tokens, objectOf(candidate), path, spelled.join('.'));
  }
  return {
    usage: readGeminiUsage(answer.usageMetadata),
    texts,
    ...(yield* joinedMember(texts, joinedName)),
    ...tokensMember(tokens),
  };
}

/** Joins a candidate's text parts as `response.text` of Google's SDKs does. Thoughts join separately. */
function joinedName({ kind, path }: AnswerText): string | undefined {
  const isPartText = path.length === PART_TEXT_STEPS && path.at(-1) === 'text';
  return isPartText ? `${String(path[1])}/${kind}` : undefined;
}

/** Steps of `candidates.0.content.parts.0.text`. */
const PART_TEXT_STEPS = 6;

function* addCandidateTokens(
  into: TokenText[],
  candidate: JsonObject,
  path: JsonPath,
  channel: string,
): Work<void> {
  const result = objectOf(candidate.logprobsResult);
  yield* addChosenTokens(into, result, [...path, 'logprobsResult'], channel);
}

interface PlacedPart {
  readonly part: JsonObject;
  readonly path: JsonPath;
}

function* partsOfCandidate(candidate: unknown, path: JsonPath): Generator<PlacedPart, void> {
  for (const [p, part] of arrayOf(objectOf(objectOf(candidate).content).parts).entries()) {
    yield { part: objectOf(part), path: [...path, 'content', 'parts', p] };
  }
}

function* addPartTexts(into: AnswerText[], part: JsonObject, path: JsonPath): Work<void> {
  if (typeof part.text === 'string' && part.text !== '') {
    const kind = part.thought === true ? 'reasoning' : 'text';
    into.push({ kind, text: part.text, path: [...path, 'text'] });
  }
  for (const name of ['functionCall', 'toolCall', 'executableCode']) {
    if (part[name] !== undefined)
      yield* addAnswerTextsIn(into, 'tool_arguments', part[name], [...path, name]);
  }
  for (const name of ['codeExecutionResult', 'toolResponse']) {
    if (part[name] !== undefined) yield* addAnswerTextsIn(into, 'text', part[name], [...path, name]);
  }
  yield ITEM_CHARS;
}

/**
 * Normalizes `usageMetadata`. The prompt count includes cached tokens; the candidates' count excludes thoughts.
 * Tokens read by provider-run tools are extra. Google omits zero counts.
 */
export function readGeminiUsage(value: unknown): Usage | undefined {
  const usage = objectOf(value);
  const promptTokens = tokenCount(usage.promptTokenCount);
  if (promptTokens === undefined) return undefined;
  const thoughts = countOrZero(usage.thoughtsTokenCount);
  const written = countOrZero(usage.candidatesTokenCount);
  const toolPrompt = countOrZero(usage.toolUsePromptTokenCount);
  if (thoughts === undefined || written === undefined || toolPrompt === undefined) return undefined;
  const inputTokens = promptTokens + toolPrompt;
  // The total is larger, so the omitted count is not zero.
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

/** Undefined if the provider does not split usage by modality. */
function audioTokens(...details: readonly unknown[]): number | undefined {
  if (!details.some(Array.isArray)) return undefined;
  return details
    .flatMap(arrayOf)
    .map(objectOf)
    .filter((detail) => detail.modality === 'AUDIO')
    .reduce((sum, detail) => sum + (tokenCount(detail.tokenCount) ?? 0), 0);
}

/**
 * Reads streamed responses, each a GenerateContentResponse with the next pieces. Gemini sends no end marker: the
 * answer is complete once every candidate has a finish reason, or the prompt was blocked.
 */
function createGeneratedReader() {
  const running = new Set<number>();
  const endsChoice = createChoiceEnds();
  const calls = new Map<number, CallsSoFar>();
  let finished = false;
  return jsonReader(geminiCut, function* (answer): Work<Meaning> {
    const found: Found = { deltas: [], ends: [], begins: [] };
    const tokens: TokenText[] = [];
    for (const [c, value] of arrayOf(answer.candidates).entries()) {
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
      const before = found.deltas.length;
      for (const placed of partsOfCandidate(value, path)) {
        yield* addPart(found, placed, index, callsOf(calls, index));
      }
      yield* addCandidateTokens(tokens, candidate, path, `${index}/text`);
      if (endsChoice(index, isStopped, found.deltas.length > before)) found.ends.push(`${index}/`);
      yield ITEM_CHARS;
    }
    const usage = readGeminiUsage(answer.usageMetadata);
    const blocked = typeof objectOf(answer.promptFeedback).blockReason === 'string';
    return {
      deltas: found.deltas,
      isInOrder: true,
      ends: blocked ? ['*'] : found.ends,
      ...(found.begins.length > 0 && { begins: found.begins }),
      ...tokensMember(tokens),
      ...(usage === undefined ? {} : { usage }),
      ...((finished && running.size === 0) || blocked ? { done: true } : {}),
      ...(answer.error === undefined ? {} : { failed: true }),
    };
  });
}

interface Found {
  readonly deltas: TextDelta[];
  readonly ends: string[];
  readonly begins: BegunChannel[];
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

/** Reads a call. It arrives as an object, or as pieces of strings, of which the last lacks `willContinue`. */
function* addPart(into: Found, { part, path }: PlacedPart, candidate: number, calls: CallsSoFar): Work<void> {
  const { functionCall, ...rest } = part;
  yield* addWords(into, rest, path, candidate);
  if (functionCall === undefined) return;
  const { partialArgs, ...whole } = objectOf(functionCall);
  if (!calls.continues) calls.count += 1;
  const under = `${candidate}/tool/${calls.count}/`;
  const at = [...path, 'functionCall'];
  const strings = yield* answerTextsIn('tool_arguments', whole, at);
  addAll(into.deltas, yield* wholeDeltas(strings, `${under}whole/`));
  calls.continues = whole.willContinue === true;
  for (const [index, value] of arrayOf(partialArgs).entries()) {
    const { jsonPath, stringValue: text, willContinue } = objectOf(value);
    if (willContinue === true) calls.continues = true;
    if (typeof text === 'string' && text !== '') {
      const channel = `${under}${String(jsonPath)}`;
      const place = [...at, 'partialArgs', index, 'stringValue'];
      into.deltas.push({ channel, kind: 'tool_arguments', text, path: place });
    }
    yield ITEM_CHARS;
  }
  into.ends.push(calls.continues ? `${under}whole/` : under);
}

/** Reads text, which continues in later frames, and code and tool results, which arrive as a whole. */
function* addWords(into: Found, part: JsonObject, path: JsonPath, candidate: number): Work<void> {
  const under = `${candidate}/whole/`;
  const { text, ...rest } = part;
  if (typeof text === 'string' && text !== '') {
    const kind = part.thought === true ? 'reasoning' : 'text';
    const channel = `${candidate}/${kind}`;
    into.deltas.push({ kind, text, path: [...path, 'text'], channel, part: path });
  } else if (Object.keys(rest).length > 0) {
    into.begins.push({ channel: under, before: into.deltas.length });
  }
  const others: AnswerText[] = [];
  yield* addPartTexts(others, rest, path);
  addAll(into.deltas, yield* wholeDeltas(others, under));
  into.ends.push(under);
}
