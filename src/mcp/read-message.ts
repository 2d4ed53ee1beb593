import { isObject, type JsonObject } from '../json/is-object.ts';
import { GatewayError } from '../errors.ts';
import { parseStrict } from '../json/strict-parse.ts';
import type { JsonRpcId, McpMessage } from './message.ts';
import { withoutCase } from '../text/without-case.ts';

/** Members of a JSON-RPC message. MCP's schemas allow no others. */
const MEMBERS: ReadonlySet<string> = new Set(['jsonrpc', 'id', 'method', 'params', 'result', 'error']);
/** Visible ASCII. Lenient servers may trim or fold other characters, which could hide a method from the checks. */
const METHOD = /^[\x21-\x7e]+$/;
const hasDecisiveLookalike = lookalikesOf(['name', 'uri', 'taskId', 'arguments', '_meta']);

/** Returns a test for members whose names differ from these only in letter case. */
export function lookalikesOf(names: readonly string[]): (value: unknown) => boolean {
  const known = new Set(names);
  const folded = new Set(names.map(withoutCase));
  return (value) =>
    isObject(value) && Object.keys(value).some((name) => !known.has(name) && folded.has(withoutCase(name)));
}

/**
 * Parses one JSON-RPC 2.0 message so strictly that no server can interpret it differently. Refuses unknown members,
 * malformed ids (null is valid only in an error), and names that differ from known ones only in letter case.
 * @throws GatewayError invalid_request
 */
export function readMessage(body: JsonObject): McpMessage {
  const hasUnknown = Object.keys(body).some((name) => !MEMBERS.has(name));
  if (hasUnknown)
    throw invalidMessage('must not contain members other than jsonrpc, id, method, params, result and error');
  if (body['jsonrpc'] !== '2.0') throw invalidMessage('must have "jsonrpc": "2.0"');
  return Object.hasOwn(body, 'method') ? readCall(body) : readResponse(body);
}

/** Longer messages are not parsed again for their id. */
const MAX_REREAD_BYTES = 65_536;

/** Returns the id of a possibly invalid message, or null if it is missing, malformed or ambiguous. */
export function messageId(body: Buffer): JsonRpcId | null {
  if (body.length > MAX_REREAD_BYTES) return null;
  try {
    const json = parseStrict(body);
    return isObject(json) && isId(json['id']) ? json['id'] : null;
  } catch (failure) {
    if (failure instanceof GatewayError) return null;
    throw failure;
  }
}

export function paramsOf(body: JsonObject): JsonObject {
  return isObject(body['params']) ? body['params'] : {};
}

function readCall(body: JsonObject): McpMessage {
  const { method } = body;
  if (typeof method !== 'string' || method === '')
    throw invalidMessage('must have a non-empty string as its method');
  if (!METHOD.test(method)) throw invalidMessage('must have a method of visible ASCII characters');
  if (Object.hasOwn(body, 'result') || Object.hasOwn(body, 'error')) {
    throw invalidMessage('must not have both a method and a result or error');
  }
  if (Object.hasOwn(body, 'params')) assertPlainParams(body['params']);
  if (!Object.hasOwn(body, 'id')) return { kind: 'notification', method };
  const { id } = body;
  if (!isId(id)) throw invalidMessage('must have a string or a whole number as its id');
  const name = targetName(method, paramsOf(body));
  return { kind: 'request', id, method, ...(name !== undefined && { name }) };
}

/** @throws GatewayError invalid_request if a tool call does not name its tool */
function targetName(method: string, params: JsonObject): string | undefined {
  const { name, uri } = params;
  if (method === 'tools/call' && (typeof name !== 'string' || name === '')) {
    throw invalidMessage('must name the tool in params.name');
  }
  if (typeof name === 'string') return name;
  return typeof uri === 'string' ? uri : undefined;
}

function readResponse(body: JsonObject): McpMessage {
  const { id } = body;
  const failed = Object.hasOwn(body, 'error');
  if (Object.hasOwn(body, 'result') === failed || Object.hasOwn(body, 'params')) {
    throw invalidMessage('must be a request, a notification or a response');
  }
  // An error that answers an unreadable request has a null id.
  if (id === null && failed) return { kind: 'response', id };
  if (!isId(id)) throw invalidMessage('must have a string or a whole number as its id');
  return { kind: 'response', id };
}

function assertPlainParams(params: unknown): void {
  if (!isObject(params)) throw invalidMessage('must have an object as its params');
  if (hasDecisiveLookalike(params))
    throw invalidMessage(
      "must not contain a params member whose name differs from one of MCP's only in letter case",
    );
}

function isId(value: unknown): value is JsonRpcId {
  return typeof value === 'string' || Number.isSafeInteger(value);
}

function invalidMessage(what: string): GatewayError {
  return new GatewayError('invalid_request', `the JSON-RPC message ${what}`);
}
