import { isObject, type JsonObject } from '../json/is-object.ts';
import type { JsonPath } from '../json/path.ts';
import { calledTool, type McpMessage } from './message.ts';
import { callTypeOf, type McpCallType } from './methods.ts';
import { paramsOf } from './read-message.ts';

export interface McpCall {
  readonly type: McpCallType;
  /** Empty for a client's answer to a server. */
  readonly method: string;
  readonly tool: string;
  /** URIs separated by line breaks; empty if there are none. */
  readonly resourceUri: string;
  readonly promptName: string;
  readonly arguments: unknown;
}

interface ReadMessage {
  readonly mcp?: McpMessage;
  readonly texts: readonly unknown[];
}

/** Returns the call type that policies judge, or undefined for a message without a target or client content. */
export function judgedType({ mcp, texts }: ReadMessage, json: JsonObject): McpCallType | undefined {
  const type = callTypeOf(mcp, paramsOf(json));
  return type === 'mcp_client_response' && texts.length === 0 ? undefined : type;
}

export function mcpCallOf(read: ReadMessage, json: JsonObject): McpCall | undefined {
  const { mcp: message } = read;
  const params = paramsOf(json);
  const type = judgedType(read, json);
  if (message === undefined || type === undefined) return undefined;
  const ref = isObject(params['ref']) ? params['ref'] : {};
  return {
    type,
    method: message.kind === 'response' ? '' : message.method,
    tool: calledTool(message) ?? '',
    resourceUri: [params['uri'], ref['uri'], subscribedTo(params)].flat().filter(isText).join('\n'),
    promptName: (type === 'mcp_prompt_get' ? [params['name']] : [ref['name']]).filter(isText).join(''),
    arguments: argumentsIn(type, params, json),
  };
}

function subscribedTo({ notifications }: JsonObject): unknown[] {
  const uris = isObject(notifications) ? notifications['resourceSubscriptions'] : undefined;
  return Array.isArray(uris) ? uris : [];
}

const WITH_ARGUMENTS: ReadonlySet<McpCallType> = new Set(['mcp_tool_call', 'mcp_prompt_get']);

function argumentsIn(type: McpCallType, params: JsonObject, json: JsonObject): unknown {
  if (WITH_ARGUMENTS.has(type)) return params['arguments'] ?? {};
  if (type === 'mcp_client_response') return json['result'] ?? json['error'] ?? {};
  const { _meta, ...named } = params;
  return named;
}

/** Converts a message path to a path below the call's arguments. Returns undefined for other paths. */
export function argumentPath(type: McpCallType, path: JsonPath): JsonPath | undefined {
  if (type === 'mcp_client_response') return path.slice(1);
  if (path[0] !== 'params') return undefined;
  if (WITH_ARGUMENTS.has(type)) return path[1] === 'arguments' ? path.slice(2) : undefined;
  return path[1] === '_meta' ? undefined : path.slice(1);
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}
