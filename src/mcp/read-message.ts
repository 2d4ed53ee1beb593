import { isObject } from '../json/is-object.ts';
import { GatewayError } from '../errors.ts';
import { parseStrict } from '../json/scan.ts';
import type { JsonRpcId, McpMessage } from './message.ts';
import { withoutCase } from './without-case.ts';

type Json = { readonly [name: string]: unknown };

/** Members of a JSON-RPC message; MCP's own schemas take no others. */
const MEMBERS: ReadonlySet<string> = new Set(['jsonrpc', 'id', 'method', 'params', 'result', 'error']);
/** What a careless server cuts off, leaves out or folds would hide a method from the checks. */
const METHOD = /^[\x21-\x7e]+$/;
/** Members of `params` that decide what is done. */
const DECISIVE: ReadonlySet<string> = new Set(['name', 'uri', 'taskId', 'arguments', '_meta']);
const FOLDED_DECISIVE: ReadonlySet<string> = new Set([...DECISIVE].map(withoutCase));

/**
 * Reads one JSON-RPC 2.0 message as MCP has them, so strictly that no server reads another one in it: no unknown
 * member, no id that is null or broken, no name that a case-insensitive parser takes for a decisive one.
 * @throws GatewayError invalid_request
 */
export function readMessage(body: Json): McpMessage {
  const stranger = Object.keys(body).some((name) => !MEMBERS.has(name));
  if (stranger) throw invalidMessage('has a member other than jsonrpc, id, method, params, result and error');
  if (body['jsonrpc'] !== '2.0') throw invalidMessage('must have "jsonrpc": "2.0"');
  return Object.hasOwn(body, 'method') ? readCall(body) : readServerResponse(body);
}

/** A longer message is not read a second time for its id. */
const MAX_REREAD_BYTES = 65_536;

/** The id of what may be no message otherwise; null where there is none, or parsers may read different ones. */
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

/** `params` of a message that has them; empty where it has none. */
export function paramsOf(body: Json): Json {
  return isObject(body['params']) ? body['params'] : {};
}

function readCall(body: Json): McpMessage {
  const { method } = body;
  if (typeof method !== 'string' || method === '') throw invalidMessage('has a method that is not a string');
  if (!METHOD.test(method)) throw invalidMessage('has a method with a character that is not visible ASCII');
  if (Object.hasOwn(body, 'result') || Object.hasOwn(body, 'error')) {
    throw invalidMessage('has a method and a result or an error: it must be a call or an answer');
  }
  if (Object.hasOwn(body, 'params')) assertPlainParams(body['params']);
  if (!Object.hasOwn(body, 'id')) return { kind: 'notification', method };
  const { id } = body;
  if (!isId(id)) throw invalidMessage('has an id that is neither a string nor a whole number');
  const name = targetName(method, paramsOf(body));
  return { kind: 'request', id, method, ...(name !== undefined && { name }) };
}

/** @throws GatewayError invalid_request where a tool call does not say which tool. */
function targetName(method: string, params: Json): string | undefined {
  const { name, uri } = params;
  if (method === 'tools/call' && (typeof name !== 'string' || name === '')) {
    throw invalidMessage('is a tools/call without params.name, a string');
  }
  if (typeof name === 'string') return name;
  return typeof uri === 'string' ? uri : undefined;
}

function readServerResponse(body: Json): McpMessage {
  const { id } = body;
  const failed = Object.hasOwn(body, 'error');
  if (Object.hasOwn(body, 'result') === failed || Object.hasOwn(body, 'params')) {
    throw invalidMessage('is no request, notification or response');
  }
  // An error may answer what could not be read, and then knows no id.
  if (id === null && failed) return { kind: 'response', id };
  if (!isId(id)) throw invalidMessage('has an id that is neither a string nor a whole number');
  return { kind: 'response', id };
}

/** Some languages' parsers match member names whatever their case: what such a one would read is refused. */
function assertPlainParams(params: unknown): void {
  if (!isObject(params)) throw invalidMessage('has params that are not an object');
  const lookalike = Object.keys(params).some(
    (name) => !DECISIVE.has(name) && FOLDED_DECISIVE.has(withoutCase(name)),
  );
  if (lookalike)
    throw invalidMessage('has a member of params that differs from one of MCP only in letter case');
}

function isId(value: unknown): value is JsonRpcId {
  return typeof value === 'string' || Number.isSafeInteger(value);
}

function invalidMessage(what: string): GatewayError {
  return new GatewayError('invalid_request', `the JSON-RPC message ${what}`);
}
