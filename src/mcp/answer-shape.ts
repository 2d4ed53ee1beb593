import { isObject, type JsonObject } from '../json/is-object.ts';
import type { JsonRpcId, McpMessage } from './message.ts';
import { lookalikesOf } from './read-message.ts';
import type { StreamEvent } from '../providers/dialect.ts';
import { readMediaType } from '../media-type.ts';
import type { JsonEdit } from '../json/path.ts';

/** Recognizes a server's JSON-RPC message (response, request or notification) that all parsers interpret alike. */
export function isServerMessage(value: unknown): value is JsonObject {
  if (!isObject(value) || value['jsonrpc'] !== '2.0' || isMisread(value)) return false;
  return ['result', 'error', 'method'].some((name) => Object.hasOwn(value, name));
}

const hasMessageLookalike = lookalikesOf(['jsonrpc', 'id', 'method', 'params', 'result', 'error']);
const hasResultLookalike = lookalikesOf(['tools', 'content', 'structuredContent']);
const hasToolLookalike = lookalikesOf([
  'name',
  'title',
  'description',
  'inputSchema',
  'outputSchema',
  'annotations',
]);

/** Reports whether a case-insensitive parser would find members that other parsers do not. */
function isMisread(message: JsonObject): boolean {
  if (hasMessageLookalike(message)) return true;
  const { result } = message;
  return (
    isObject(result) && (hasResultLookalike(result) || (listedTools(message) ?? []).some(hasToolLookalike))
  );
}

/** Returns the request id in a response, null if the response has none, or undefined for other messages. */
export function answeredId(message: JsonObject): JsonRpcId | null | undefined {
  if (Object.hasOwn(message, 'method')) return undefined;
  const { id } = message;
  return typeof id === 'string' || typeof id === 'number' ? id : null;
}

function listedTools(message: unknown): readonly unknown[] | undefined {
  const result = isObject(message) ? message['result'] : undefined;
  const tools = isObject(result) ? result['tools'] : undefined;
  return Array.isArray(tools) ? tools : undefined;
}

const LIST_MEMBERS = ['tools', 'prompts', 'resources', 'resourceTemplates'];
const SERVER_MEMBERS = ['instructions', 'serverInfo', 'capabilities'];

/**
 * Reports whether a message contains definitions: lists, the server's description of itself, or tools that a request
 * offers to the client's model. Models trust definitions like instructions from their host.
 */
export function isDefinitions(message: unknown): boolean {
  return contentsOf(message).some(
    (content) =>
      LIST_MEMBERS.some((name) => Array.isArray(content[name])) ||
      SERVER_MEMBERS.some((name) => Object.hasOwn(content, name)),
  );
}

function contentsOf(message: unknown): readonly JsonObject[] {
  return isObject(message) ? [message['result'], message['params']].filter(isObject) : [];
}

const CALL_RESULT_MEMBERS = ['content', 'structuredContent', 'contents', 'messages'];

export function isAnswer(message: unknown): boolean {
  return contentsOf(message).some((content) =>
    CALL_RESULT_MEMBERS.some((name) => Object.hasOwn(content, name)),
  );
}

export function isOnlyDefinitions(message: unknown): boolean {
  const isResult = isObject(message) && !Object.hasOwn(message, 'method') && !Object.hasOwn(message, 'error');
  return isResult && isDefinitions(message) && !isAnswer(message);
}

/** Some clients parse events from any answer to a GET, but only event streams are judged. */
export function isEventStream(contentType: string | undefined): boolean {
  return readMediaType(contentType).essence === 'text/event-stream';
}

/** Events with other names (`ping`, `endpoint`) and sideband data are not protocol messages. */
export function isMessageEvent({ frame: { event: name }, sideband }: StreamEvent): boolean {
  return sideband !== true && (name === undefined || name === '' || name === 'message');
}

export function mayCallTool(allowedTools: readonly string[] | undefined, tool: string): boolean {
  return allowedTools === undefined || allowedTools.includes(tool);
}

/** A tool list counts unless the message answers another method, because a server's own stream may repeat an answer. */
export function toolListIn(
  message: unknown,
  request: McpMessage | undefined,
): readonly unknown[] | undefined {
  if (!isObject(message)) return undefined;
  const method = request?.kind === 'request' && request.id === message['id'] ? request.method : undefined;
  return method === undefined || method === 'tools/list' ? listedTools(message) : undefined;
}

export function hiddenTools(
  tools: readonly unknown[],
  allowedTools: readonly string[] | undefined,
): readonly JsonEdit[] {
  return tools.flatMap((tool, index): JsonEdit[] => {
    const name = isObject(tool) ? tool['name'] : undefined;
    const isShown =
      allowedTools === undefined || (typeof name === 'string' && mayCallTool(allowedTools, name));
    return isShown ? [] : [{ kind: 'remove', path: ['result', 'tools', index] }];
  });
}
