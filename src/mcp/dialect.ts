import { GatewayError } from '../errors.ts';
import { parseStrictInSteps } from '../json/strict-parse.ts';
import { PromptCollector, ROLE } from '../providers/dialects/prompt-collector.ts';
import { EMPTY_REQUEST, EMPTY_ANSWER } from '../providers/dialects/model-list.ts';
import type { Dialect, StreamEvent, StreamReader } from '../providers/dialect.ts';
import type { JsonObject } from '../json/is-object.ts';
import type { PromptText, RequestFacts } from '../providers/request-facts.ts';
import type { Frame } from '../streams/frame.ts';
import { stepwise, type Work } from '../turns.ts';
import type { McpMessage } from './message.ts';
import { PROTOCOL_NAMES } from './protocol-words.ts';
import { paramsOf, readMessage } from './read-message.ts';
import { jsonRpcError } from './refusal.ts';

/** Members of `params` that identify the call. An edit would turn the call into one that was not judged. */
const SEALED: ReadonlySet<string> = new Set(['name', 'uri', 'taskId', 'requestState', '_meta']);

const COMMON = { hasBody: true, answer: () => EMPTY_ANSWER, stream: createReader } as const;

/** One JSON-RPC message to an MCP server (Streamable HTTP, both eras). */
export const mcpMessages: Dialect = { ...COMMON, name: 'mcp', request: requestFacts };

export const mcpToolCalls: Dialect = {
  ...COMMON,
  name: 'mcp-tool-calls',
  request(body) {
    const facts = requestFacts(body);
    if (facts.mcp?.kind === 'request' && facts.mcp.method === 'tools/call') return facts;
    throw new GatewayError(
      'invalid_request',
      'this path accepts only tools/call requests; send others to /mcp/<server>',
    );
  },
};

/** GET (the server's own stream) and DELETE (end of session) in Streamable HTTP up to 2025-11-25. */
export const mcpBodyless: Dialect = {
  ...COMMON,
  name: 'mcp-bodyless',
  hasBody: false,
  request: () => EMPTY_REQUEST,
};

function requestFacts(body: JsonObject): RequestFacts {
  const mcp = readMessage(body);
  const texts = mcp.kind === 'response' ? responseTexts(body) : paramsTexts(body, mcp);
  return { ...EMPTY_REQUEST, mcp, texts };
}

/** Attributes tool arguments to the agent, and everything else to the client's user. */
function paramsTexts(body: JsonObject, mcp: McpMessage): PromptText[] {
  const isToolCall = mcp.kind === 'request' && mcp.method === 'tools/call';
  const into = new PromptCollector();
  for (const [name, value] of Object.entries(paramsOf(body))) {
    const place = isToolCall && name === 'arguments' ? ROLE.toolArguments : ROLE.userText;
    if (!PROTOCOL_NAMES.has(name)) into.addSealedText(ROLE.userText, name, ['params']);
    into.addTextsIn(SEALED.has(name) ? { ...place, editable: false } : place, value, ['params', name]);
  }
  return into.texts;
}

/** Collects the texts of a client's response to a server, written by a model or user. */
function responseTexts(body: JsonObject): PromptText[] {
  const into = new PromptCollector();
  for (const name of ['result', 'error']) into.addTextsIn(ROLE.userText, body[name], [name]);
  return into.texts;
}

/** Expects one JSON-RPC message per event. If the stream closes before the answer, the client may resume it. */
function createReader(request?: RequestFacts): StreamReader {
  const mcp = request?.mcp;
  return {
    read: stepwise(function* (frame: Frame): Work<StreamEvent> {
      const json = yield* parsedData(frame.data);
      return { frame, json, deltas: [], ...(answers(json, mcp) && { done: true }) };
    }),
    // Without a top-level `type`, because official clients reject members outside JSON-RPC.
    cut: (refusal) => [{ json: { ...jsonRpcError(refusal, mcp) } }],
  };
}

function answers(json: unknown, mcp: McpMessage | undefined): boolean {
  if (mcp?.kind !== 'request' || typeof json !== 'object' || json === null) return false;
  return 'id' in json && json.id === mcp.id && !('method' in json);
}

/** Returns undefined for missing or invalid JSON, and for JSON that parsers may interpret differently. */
function* parsedData(data: string | undefined): Work<unknown> {
  if (data === undefined || data === '') return undefined;
  try {
    return yield* parseStrictInSteps(Buffer.from(data));
  } catch (failure) {
    if (failure instanceof GatewayError) return undefined;
    throw failure;
  }
}
