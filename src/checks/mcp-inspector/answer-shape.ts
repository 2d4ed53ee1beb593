import type { JsonRpcId } from '../../mcp/message.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A JSON-RPC message of a server: a response, a request of its own, or a notification. */
export function isMessage(value: unknown): value is JsonObject {
  if (!isObject(value) || value['jsonrpc'] !== '2.0') return false;
  return ['result', 'error', 'method'].some((name) => Object.hasOwn(value, name));
}

/** The id of the request that a message answers, null where its server could not read one; undefined for no response. */
export function answeredId(message: JsonObject): JsonRpcId | null | undefined {
  if (Object.hasOwn(message, 'method')) return undefined;
  const { id } = message;
  return typeof id === 'string' || typeof id === 'number' ? id : null;
}

/** The tools of a `tools/list` result; undefined where it is none. */
export function listedTools(message: unknown): readonly unknown[] | undefined {
  const result = isObject(message) ? message['result'] : undefined;
  const tools = isObject(result) ? result['tools'] : undefined;
  return Array.isArray(tools) ? tools : undefined;
}

const LISTS = ['tools', 'prompts', 'resources', 'resourceTemplates'];
const OF_A_SERVER = ['instructions', 'serverInfo', 'capabilities'];

/** Whether a message tells what a server has, which a model takes for its host's word, and not what came of a call. */
export function isDefinitions(message: unknown): boolean {
  const result = isObject(message) ? message['result'] : undefined;
  if (!isObject(result)) return false;
  return (
    LISTS.some((name) => Array.isArray(result[name])) ||
    OF_A_SERVER.some((name) => Object.hasOwn(result, name))
  );
}
