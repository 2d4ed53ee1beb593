import { GatewayError } from '../errors.ts';
import { parseStrictInSteps } from '../json/scan.ts';
import { addTextsIn } from '../providers/dialects/json-text.ts';
import { NOTHING_ASKED, NOTHING_SAID } from '../providers/dialects/model-list.ts';
import type {
  Dialect,
  JsonObject,
  PromptText,
  RequestFacts,
  StreamEvent,
  StreamReader,
} from '../providers/provider.ts';
import type { Frame } from '../streams/frame.ts';
import { stepwise, type Work } from '../turns.ts';
import type { McpMessage } from './message.ts';
import { PROTOCOL_NAMES } from './protocol-words.ts';
import { paramsOf, readMessage } from './read-message.ts';
import { jsonRpcError } from './refusal.ts';

/** Members of `params` whose change would make another call of it than the one that was judged. */
const SEALED: ReadonlySet<string> = new Set(['name', 'uri', 'taskId', 'requestState', '_meta']);

const COMMON = { hasBody: true, answer: () => NOTHING_SAID, stream: createReader } as const;

/** One JSON-RPC message to an MCP server (Streamable HTTP, both eras). */
export const mcpMessages: Dialect = { ...COMMON, name: 'mcp', request: (body) => requestFacts(body) };

/** The path for tool calls alone: nothing else is taken there. */
export const mcpToolCalls: Dialect = {
  ...COMMON,
  name: 'mcp-tool-calls',
  request(body) {
    const facts = requestFacts(body);
    if (facts.mcp?.kind === 'request' && facts.mcp.method === 'tools/call') return facts;
    throw new GatewayError(
      'invalid_request',
      'this path takes tools/call requests only; send others to /mcp/<server>',
    );
  },
};

/** GET and DELETE of Streamable HTTP up to 2025-11-25: the server's own stream, the end of a session. */
export const mcpBodyless: Dialect = {
  ...COMMON,
  name: 'mcp-bodyless',
  hasBody: false,
  request: () => NOTHING_ASKED,
};

function requestFacts(body: JsonObject): RequestFacts {
  const mcp = readMessage(body);
  const texts = mcp.kind === 'response' ? answerTexts(body) : paramsTexts(body, mcp);
  return { ...NOTHING_ASKED, mcp, texts };
}

/** The arguments of tools are what an agent wrote; whatever else a client sends is its user's. */
function paramsTexts(body: JsonObject, mcp: McpMessage): PromptText[] {
  const isToolCall = mcp.kind === 'request' && mcp.method === 'tools/call';
  const texts: PromptText[] = [];
  for (const [name, value] of Object.entries(paramsOf(body))) {
    const place = isToolCall && name === 'arguments' ? ARGUMENTS : SAID;
    if (!PROTOCOL_NAMES.has(name)) texts.push({ ...SAID, text: name, path: ['params'], editable: false });
    addTextsIn({ texts }, SEALED.has(name) ? { ...place, editable: false } : place, value, ['params', name]);
  }
  return texts;
}

/** What a client answers to a server's own request: a model's words, a user's. */
function answerTexts(body: JsonObject): PromptText[] {
  const texts: PromptText[] = [];
  for (const name of ['result', 'error']) addTextsIn({ texts }, SAID, body[name], [name]);
  return texts;
}

const ARGUMENTS = { role: 'assistant', kind: 'tool_arguments' } as const;
const SAID = { role: 'user', kind: 'text' } as const;

/**
 * Whole JSON-RPC messages, one an event: no text comes in pieces. The stream is complete with the answer to its
 * request; what closes without it may be resumed.
 */
function createReader(request?: RequestFacts): StreamReader {
  const mcp = request?.mcp;
  return {
    read: stepwise(function* (frame: Frame): Work<StreamEvent> {
      const json = yield* parsedData(frame.data);
      return { frame, json, deltas: [], ...(answers(json, mcp) && { done: true }) };
    }),
    // No `type` at its top level: the official clients take no member that JSON-RPC does not have.
    cut: (refusal) => [{ json: { ...jsonRpcError(refusal, mcp) } }],
  };
}

function answers(json: unknown, mcp: McpMessage | undefined): boolean {
  if (mcp?.kind !== 'request' || typeof json !== 'object' || json === null) return false;
  return 'id' in json && json.id === mcp.id && !('method' in json);
}

/** Undefined where the data is not JSON that reads the same to every parser. */
function* parsedData(data: string | undefined): Work<unknown> {
  if (data === undefined || data === '') return undefined;
  try {
    return yield* parseStrictInSteps(Buffer.from(data));
  } catch (failure) {
    if (failure instanceof GatewayError) return undefined;
    throw failure;
  }
}
