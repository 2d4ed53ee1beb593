import { paramsOf } from '../../mcp/read-message.ts';
import { lastUserTurn, type TextOf } from '../../conversation/user-turns.ts';
import type { Parsed } from '../../pipeline/exchange.ts';
import type { JsonObject } from '../../json/is-object.ts';
import type { PromptText } from '../../providers/request-facts.ts';

/** The new part of a call. Agents send their whole history with each call. */
export interface LoopStep {
  /** The user's last turn, normalized if known. */
  readonly userText: string;
  /** Names and arguments of the last tool calls, unless a user turn followed. */
  readonly called: string;
  /** Results of those calls. The same call with a different result is progress. */
  readonly results: string;
  /** The answer before the user's last turn, unless a tool call followed. */
  readonly answer: string;
  /** Names of the tools in `called`, sorted. */
  readonly tools: readonly string[];
  /** Base64 of the last image, audio or document; empty if it is not inline. */
  readonly medium: string;
}

/** Maximum number of calls whose tool names are looked up; no model makes as many in one turn. */
const MAX_NAMED = 1_000;

export function toolStep(server: string, tool: string, json: JsonObject): LoopStep {
  const written = JSON.stringify(paramsOf(json)['arguments'] ?? {});
  return {
    userText: '',
    called: `${server} ${tool}\n${written}`,
    results: '',
    answer: '',
    tools: [tool],
    medium: '',
  };
}

export function latestStep(exchange: Pick<Parsed, 'request' | 'facts' | 'json'>): LoopStep {
  const { request, facts, json } = exchange;
  const { called, results } = latestCalls(messagesLast(request.texts));
  const named = called.slice(0, MAX_NAMED).map(({ path }) => toolNameAt(json, path));
  const tools = [...new Set(named)].filter((name) => name !== '').sort();
  const stepped = called.length > 0 || results.length > 0;
  return {
    userText: lastUserTurn(request, normalizedBy(facts.prompt?.normalizedTexts)) ?? '',
    called: [...tools, ...called.map(({ text }) => text)].join('\n'),
    results: results.map(({ text }) => text).join('\n'),
    answer: stepped ? '' : lastAnswer(request.texts),
    tools,
    medium: request.media.at(-1)?.data ?? '',
  };
}

/** Returns a function that returns a text's normalized form, or the text as written if this form is empty. */
function normalizedBy(texts: readonly string[] | undefined): TextOf | undefined {
  if (texts === undefined) return undefined;
  return ({ text: written }, index) => {
    const text = texts[index] ?? '';
    return text.trim() === '' ? written : text;
  };
}

/** Cohere v1 members that contain the latest turn, wherever they are in the body. */
const LAST_PLACES: readonly unknown[] = ['message', 'tool_results'];

function messagesLast(texts: readonly PromptText[]): readonly PromptText[] {
  if (!texts.some(({ path }) => path[0] === 'message')) return texts;
  const place = ({ path }: PromptText): number => LAST_PLACES.indexOf(path[0]);
  return [-1, 0, 1].flatMap((wanted) => texts.filter((found) => place(found) === wanted));
}

interface Calls {
  readonly called: readonly PromptText[];
  readonly results: readonly PromptText[];
}

/** Walks back over the last results and their calls until the user's turn. */
function latestCalls(texts: readonly PromptText[]): Calls {
  const called: PromptText[] = [];
  const results: PromptText[] = [];
  const withResults = new Set(texts.filter(isResult).map(({ path }) => path[1]));
  let passedAnswer = false;
  for (let index = texts.length - 1; index >= 0; index--) {
    const found = texts[index];
    if (found === undefined || !isConversation(found)) continue;
    if (isResult(found)) {
      if (called.length > 0 || passedAnswer || isOfEarlierCall(found, results.at(-1))) break;
      results.push(found);
    } else if (found.kind === 'tool_arguments') {
      called.push(found);
    } else if (found.role === 'assistant') {
      passedAnswer ||= results.length > 0;
    } else if (!withResults.has(found.path[1])) {
      // Ends at a user turn. Text beside results is a reminder from the agent.
      break;
    }
  }
  return { called: called.reverse(), results: results.reverse() };
}

function isConversation({ role, kind }: PromptText): boolean {
  return role !== 'system' && role !== 'developer' && kind !== 'tool_definition' && kind !== 'reasoning';
}

function isResult({ kind }: PromptText): boolean {
  return kind === 'tool_result';
}

/** Reports whether a message without text, such as a call without arguments, lies between two results. */
function isOfEarlierCall(found: PromptText, later: PromptText | undefined): boolean {
  const index = found.path[1];
  const laterIndex = later?.path[1];
  return typeof index === 'number' && typeof laterIndex === 'number' && laterIndex > index + 1;
}

function lastAnswer(texts: readonly PromptText[]): string {
  const last = texts.findLast(({ role, kind }) => role === 'assistant' && kind === 'text');
  if (last === undefined) return '';
  const [place, index] = last.path;
  const parts = texts.filter(({ kind, path }) => kind === 'text' && path[0] === place && path[1] === index);
  return parts.map(({ text }) => text).join('\n');
}

const ARGUMENTS: ReadonlySet<string | number> = new Set(['arguments', 'args', 'input', 'parameters']);

/**
 * Returns the innermost `name` on the path to a call's arguments. In some dialects, the request's texts do not include
 * it.
 */
function toolNameAt(json: JsonObject, path: PromptText['path']): string {
  let at: unknown = json;
  let name = '';
  for (const [depth, member] of path.entries()) {
    if (typeof at !== 'object' || at === null) break;
    const here = at as Readonly<Record<string | number, unknown>>;
    name = nameIn(here) ?? name;
    // Names inside the arguments come from the model.
    if (depth > 0 && ARGUMENTS.has(member)) break;
    at = here[member];
  }
  return name;
}

function nameIn(value: Readonly<Record<string | number, unknown>>): string | undefined {
  return typeof value['name'] === 'string' ? value['name'] : undefined;
}
