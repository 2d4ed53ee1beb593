import { withoutCase } from './without-case.ts';
import { isObject } from '../json/is-object.ts';
import type { JsonRpcId } from './message.ts';
import type { JsonObject, StreamEvent } from '../providers/provider.ts';
import { readMediaType } from '../media-type.ts';

/** A JSON-RPC message of a server: a response, a request of its own, or a notification, and the same to every parser. */
export function isServerMessage(value: unknown): value is JsonObject {
  if (!isObject(value) || value['jsonrpc'] !== '2.0' || isMisread(value)) return false;
  return ['result', 'error', 'method'].some((name) => Object.hasOwn(value, name));
}

const MEMBERS = lookalikesOf(['jsonrpc', 'id', 'method', 'params', 'result', 'error']);
const OF_RESULTS = lookalikesOf(['tools', 'content', 'structuredContent']);
const OF_TOOLS = lookalikesOf(['name', 'title', 'description', 'inputSchema', 'outputSchema', 'annotations']);

/** Whether a parser that does not mind letter case, as some languages' are, would read tools where others read none. */
function isMisread(message: JsonObject): boolean {
  if (MEMBERS(message)) return true;
  const { result } = message;
  return isObject(result) && (OF_RESULTS(result) || (listedTools(message) ?? []).some(OF_TOOLS));
}

/** Whether a value has a member whose name differs from one of these in letter case only. */
function lookalikesOf(names: readonly string[]): (value: unknown) => boolean {
  const known = new Set(names);
  const folded = new Set(names.map(withoutCase));
  return (value) =>
    isObject(value) && Object.keys(value).some((name) => !known.has(name) && folded.has(withoutCase(name)));
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

/**
 * Whether a message tells what a server has, which a model takes for its host's word, and not what came of a call: its
 * lists, what it says of itself, and tools that it gives a client's model along with a question.
 */
export function isDefinitions(message: unknown): boolean {
  return saidBy(message).some(
    (said) =>
      LISTS.some((name) => Array.isArray(said[name])) ||
      OF_A_SERVER.some((name) => Object.hasOwn(said, name)),
  );
}

/** What a message says to its reader. */
function saidBy(message: unknown): readonly JsonObject[] {
  return isObject(message) ? [message['result'], message['params']].filter(isObject) : [];
}

const OF_A_CALL = ['content', 'structuredContent', 'contents', 'messages'];

/** Whether a message holds what came of a call, whatever else it tells. */
export function isAnswer(message: unknown): boolean {
  return saidBy(message).some((said) => OF_A_CALL.some((name) => Object.hasOwn(said, name)));
}

/** Whether a message is a server's answer that lists what it has, without a result, a question or an error beside it. */
export function isOnlyDefinitions(message: unknown): boolean {
  const isResult = isObject(message) && !Object.hasOwn(message, 'method') && !Object.hasOwn(message, 'error');
  return isResult && isDefinitions(message) && !isAnswer(message);
}

/** Some clients read events in the answer to a GET whatever its type says, and would read others than were judged. */
export function isOfEvents(contentType: string | undefined): boolean {
  return readMediaType(contentType).essence === 'text/event-stream';
}

/** Events of another name (`ping`, `endpoint`) are not for the protocol, nor is what stands beside an event's data. */
export function isForMessages({ frame: { event: name }, sideband }: StreamEvent): boolean {
  return sideband !== true && (name === undefined || name === '' || name === 'message');
}
