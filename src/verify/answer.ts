import { newAnswer } from '../answers/new-answer.ts';
import { readAnswer, readFacts } from '../answers/read-answer.ts';
import type { Answered, Parsed } from '../pipeline/exchange.ts';
import type { TraceFields } from './formats/fields.ts';
import { isObject } from '../json/is-object.ts';
import type { TracedStep } from './step.ts';

const OK = 200;
const JSON_HEADERS: ReadonlyMap<string, string> = new Map([['content-type', 'application/json']]);
/** Members that occur only in complete provider answers. */
const ANSWERS = ['choices', 'candidates', 'output', 'generations', 'outputs'] as const;

/** Returns an accepted call whose answer is unknown. */
export function unseenAnswer(parsed: Parsed): Answered {
  return {
    ...parsed,
    origin: 'provider',
    status: OK,
    answerHeaders: JSON_HEADERS,
    form: 'whole',
    answer: { ...newAnswer(), complete: true },
  };
}

/**
 * Returns a call with its answer, which is read in the wire format of its API.
 * @throws GatewayError upstream_unavailable if the answer is nested too deeply
 */
export async function answerTo(parsed: Parsed, step: TracedStep): Promise<Answered> {
  const answer = parsed.mcp === undefined ? modelAnswer(parsed, step) : toolAnswer(step);
  const body = Buffer.from(JSON.stringify(answer));
  return readFacts(await readAnswer(unseenAnswer(parsed), body));
}

function toolAnswer({ result, isError }: TracedStep): TraceFields {
  return { jsonrpc: '2.0', id: 1, result: toolResult(result, isError) };
}

/** Returns an MCP result: a recorded one unchanged, content blocks as its content, any other value as a text block. */
function toolResult(result: unknown, isError: boolean): TraceFields {
  const failed = isError ? { isError } : {};
  if (isObject(result) && isResult(result)) return { ...result, ...failed };
  if (Array.isArray(result) && result.length > 0 && result.every(isBlock))
    return { content: result, ...failed };
  const text = typeof result === 'string' ? result : JSON.stringify(result ?? '');
  return { content: [{ type: 'text', text }], ...failed };
}

/** Recognizes results of tools, resources and prompts. */
function isResult(result: TraceFields): boolean {
  const isListed = ['content', 'contents', 'messages'].some((name) => Array.isArray(result[name]));
  return isListed || isObject(result['structuredContent']);
}

function isBlock(value: unknown): boolean {
  return isObject(value) && typeof value['type'] === 'string';
}

function modelAnswer({ endpoint, request }: Parsed, { content, model }: TracedStep): TraceFields {
  if (isObject(content) && isWholeAnswer(content)) return content;
  const message = answeredMessage(content);
  const name = request.model ?? model ?? 'unknown';
  if (endpoint.dialect.name.startsWith('anthropic')) return anthropicAnswer(message, name);
  return {
    id: 'answer',
    object: 'chat.completion',
    model: name,
    choices: [{ index: 0, message, finish_reason: 'stop' }],
  };
}

function isWholeAnswer(content: TraceFields): boolean {
  return ANSWERS.some((name) => Object.hasOwn(content, name)) || content['type'] === 'message';
}

function answeredMessage(content: unknown): TraceFields {
  if (isObject(content) && Object.hasOwn(content, 'role')) return { ...content, role: 'assistant' };
  return { role: 'assistant', content: isObject(content) ? JSON.stringify(content) : content };
}

function anthropicAnswer({ content, tool_calls }: TraceFields, model: string): TraceFields {
  const texts = Array.isArray(content) ? content : [{ type: 'text', text: content ?? '' }];
  const called = Array.isArray(tool_calls) ? [{ type: 'text', text: JSON.stringify(tool_calls) }] : [];
  return { id: 'answer', type: 'message', role: 'assistant', model, content: [...texts, ...called] };
}
