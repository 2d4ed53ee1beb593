import type { JsonPath } from '../../json/path.ts';
import type { Frame } from '../../streams/frame.ts';
import type {
  AnswerFacts,
  AnswerText,
  JsonObject,
  StreamEvent,
  StreamReader,
  TextDelta,
  Usage,
} from '../provider.ts';
import { geminiCut } from './cuts.ts';
import { arrayOf, objectOf, parseData, tokenCount } from './fields.ts';
import { answerTextsIn } from './json-text.ts';

/** Reads a whole GenerateContentResponse. */
export function readAnswer(body: unknown): AnswerFacts {
  const answer = objectOf(body);
  const texts = arrayOf(answer.candidates).flatMap((candidate, c) =>
    candidateParts(candidate, ['candidates', c]).flatMap(({ part, path }) => partTexts(part, path)),
  );
  return { usage: readUsage(answer.usageMetadata), texts };
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
  const inputAudioTokens =
    audioTokens(usage.promptTokensDetails) + audioTokens(usage.toolUsePromptTokensDetails);
  const outputAudioTokens = audioTokens(usage.candidatesTokensDetails);
  return {
    inputTokens: promptTokens + toolPrompt,
    outputTokens: written + thoughts,
    cacheReadTokens: Math.min(tokenCount(usage.cachedContentTokenCount) ?? 0, promptTokens),
    reasoningTokens: thoughts,
    ...(inputAudioTokens > 0 ? { inputAudioTokens } : {}),
    ...(outputAudioTokens > 0 ? { outputAudioTokens } : {}),
  };
}

/** A count that may be left out for zero; undefined where it is nonsense. */
function count(usage: JsonObject, name: string): number | undefined {
  const value = usage[name];
  return value === undefined || value === null ? 0 : tokenCount(value);
}

function audioTokens(details: unknown): number {
  return arrayOf(details)
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
  let finished = false;
  let calls = 0;
  return {
    read(frame: Frame): StreamEvent {
      const answer = parseData(frame.data);
      const deltas: TextDelta[] = [];
      arrayOf(answer.candidates).forEach((value, c) => {
        const candidate = objectOf(value);
        const index = tokenCount(candidate.index) ?? 0;
        if (typeof candidate.finishReason === 'string') {
          running.delete(index);
          finished = true;
        } else {
          running.add(index);
        }
        for (const { part, path } of candidateParts(value, ['candidates', c])) {
          if (part.functionCall !== undefined) calls += 1;
          deltas.push(...partDeltas(part, path, index, calls));
        }
      });
      const usage = readUsage(answer.usageMetadata);
      const blocked = typeof objectOf(answer.promptFeedback).blockReason === 'string';
      return {
        frame,
        deltas,
        ...(usage === undefined ? {} : { usage }),
        ...((finished && running.size === 0) || blocked ? { done: true } : {}),
        ...(answer.error === undefined ? {} : { failed: true }),
      };
    },
    cut: geminiCut,
  };
}

function partDeltas(part: JsonObject, path: JsonPath, candidate: number, call: number): TextDelta[] {
  return partTexts(part, path)
    .filter((found) => found.editable === undefined)
    .map(({ kind, text, path: at }) => {
      const channel = kind === 'tool_arguments' ? `${candidate}/tool/${call}` : `${candidate}/${kind}`;
      return { channel, kind, text, path: at };
    });
}
