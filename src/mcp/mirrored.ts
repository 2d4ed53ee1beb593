import { isUtf8 } from 'node:buffer';
import { isObject, type JsonObject } from '../json/is-object.ts';
import { GatewayError } from '../errors.ts';
import type { McpMessage } from './message.ts';
import type { McpEra } from './methods.ts';
import { paramsOf } from './read-message.ts';
import { valueAt, type JsonPath } from '../json/path.ts';

const NUMBER = /^-?\d{1,32}(?:\.\d{1,32})?$/;

export interface SentMessage {
  readonly headers: ReadonlyMap<string, string>;
  readonly json: JsonObject;
  readonly request: { readonly mcp?: McpMessage };
}

/** First MCP revision whose requests contain their version, which headers repeat. */
const STATELESS = '2026-07-28';
const REVISION = /^\d{4}-\d{2}-\d{2}$/;
const META_VERSION = 'io.modelcontextprotocol/protocolVersion';

const PARAM_PREFIX = 'mcp-param-';

/** Member of `params` that `Mcp-Name` must mirror, by method. */
const NAME_SOURCES: ReadonlyMap<string, 'name' | 'uri' | 'taskId'> = new Map([
  ['tools/call', 'name'],
  ['prompts/get', 'name'],
  ['resources/read', 'uri'],
  ['tasks/get', 'taskId'],
  ['tasks/update', 'taskId'],
  ['tasks/cancel', 'taskId'],
]);

export function isMirrored(name: string): boolean {
  return name === 'mcp-method' || name === 'mcp-name' || name.startsWith(PARAM_PREFIX);
}

/**
 * Checks that headers equal the parts of a message that they mirror, so that they cannot mislead a server that reads
 * only headers (2026-07-28, "Server Validation"). Stateless requests must mirror their version, method and name, if
 * any.
 * @throws GatewayError header_mismatch, or invalid_params if a stateless request does not contain its version
 */
export function assertMirrored({ headers, json, request: { mcp } }: SentMessage): void {
  if (mcp === undefined) return;
  const params = paramsOf(json);
  const mustMirror = assertVersion(headers, params, mcp);
  assertMethod(headers.get('mcp-method'), mcp, mustMirror);
  assertName(headers.get('mcp-name'), params, mcp, mustMirror);
  assertParams(headers, params, mcp);
}

/**
 * Checks the version header. Returns true for stateless requests, which must repeat their method and name in headers.
 */
function assertVersion(headers: ReadonlyMap<string, string>, params: JsonObject, mcp: McpMessage): boolean {
  const header = headers.get('mcp-protocol-version');
  const meta = params['_meta'];
  const claimed = isObject(meta) ? meta[META_VERSION] : undefined;
  const isStateless = eraOf(headers, params) === 'stateless';
  const mustMirror = isStateless && mcp.kind === 'request';
  if (mustMirror && typeof claimed !== 'string') {
    throw new GatewayError(
      'invalid_params',
      `Invalid params: params._meta["${META_VERSION}"] must contain the MCP version`,
    );
  }
  const agrees =
    header === claimed || (header === undefined ? !mustMirror : claimed === undefined && !mustMirror);
  if (agrees) return mustMirror;
  throw mismatch(`MCP-Protocol-Version must equal the body's params._meta["${META_VERSION}"]`);
}

function assertMethod(header: string | undefined, mcp: McpMessage, mustMirror: boolean): void {
  const method = mcp.kind === 'response' ? undefined : mcp.method;
  if (header === undefined ? mustMirror : header !== method) {
    throw mismatch("Mcp-Method must equal the body's method");
  }
}

function assertName(
  header: string | undefined,
  params: JsonObject,
  mcp: McpMessage,
  mustMirror: boolean,
): void {
  const source = NAME_SOURCES.get(mcp.kind === 'response' ? '' : mcp.method);
  const names = (source === undefined ? ['name', 'uri', 'taskId'] : [source])
    .map((field) => params[field])
    .filter((name) => typeof name === 'string');
  if (header === undefined) {
    if (mustMirror && source !== undefined && names.length > 0) {
      throw mismatch(`Mcp-Name must equal the body's params.${source}`);
    }
    return;
  }
  const named = decodeHeaderValue(header);
  if (named === undefined || !names.includes(named)) {
    throw mismatch(`Mcp-Name must equal the body's params.${source ?? 'name'}`);
  }
}

/** Each `Mcp-Param` header must equal an argument. Which one depends on the tool's schema, which may be unknown. */
function assertParams(headers: ReadonlyMap<string, string>, params: JsonObject, mcp: McpMessage): void {
  const isToolCall = mcp.kind === 'request' && mcp.method === 'tools/call';
  const paramValues = paramHeaders(headers);
  if (paramValues.size === 0) return;
  const values = [...paramValues.values()];
  const paths = findArguments(
    params['arguments'],
    values.filter((value) => value !== undefined),
  );
  const stray = values.some((value) => value === undefined || paths.get(value)?.length === 0);
  if (stray || !isToolCall) throw mismatch('an Mcp-Param header must mirror an argument of the called tool');
}

/**
 * Returns new values for headers that mirror edited arguments; undefined removes a header.
 * @throws GatewayError header_mismatch if a header could mirror any of several arguments that now differ
 */
export function mirroredAfter(
  headers: ReadonlyMap<string, string>,
  before: JsonObject,
  readAfter: () => JsonObject,
): ReadonlyMap<string, string | undefined> {
  const changed = new Map<string, string | undefined>();
  const paramValues = paramHeaders(headers);
  if (paramValues.size === 0) return changed;
  const after = paramsOf(readAfter())['arguments'];
  const values = [...paramValues.values()].filter((value) => value !== undefined);
  const paths = findArguments(paramsOf(before)['arguments'], values);
  for (const [name, value] of paramValues) {
    if (value === undefined) continue;
    const now = new Set((paths.get(value) ?? []).map((path) => argumentText(after, path)));
    if (now.size > 1)
      throw mismatch(`${name} could mirror any of several arguments that masking made different`);
    const [text] = now;
    if (text === undefined) changed.set(name, undefined);
    else if (text !== value) changed.set(name, encodeHeaderValue(text));
  }
  return changed;
}

/** Returns the `Mcp-Param` headers, decoded; malformed ones are undefined. */
function paramHeaders(headers: ReadonlyMap<string, string>): Map<string, string | undefined> {
  const found = new Map<string, string | undefined>();
  for (const [name, written] of headers) {
    if (name.startsWith(PARAM_PREFIX)) found.set(name, decodeHeaderValue(written));
  }
  return found;
}

export function eraOf(headers: ReadonlyMap<string, string>, params: JsonObject): McpEra {
  const meta = params['_meta'];
  const claimed = isObject(meta) ? meta[META_VERSION] : undefined;
  const isStateless =
    isStatelessRevision(headers.get('mcp-protocol-version')) || isStatelessRevision(claimed);
  return isStateless ? 'stateless' : 'sessions';
}

function isStatelessRevision(version: unknown): boolean {
  return typeof version === 'string' && REVISION.test(version) && version >= STATELESS;
}

function mismatch(rule: string): GatewayError {
  return new GatewayError('header_mismatch', `Header mismatch: ${rule}`);
}

/**
 * Returns the paths at which each text occurs in a tool's arguments, as MCP mirrors them: strings, numbers and booleans
 * reached only through objects. Numbers compare by value (`42.0` equals 42). Walks the arguments once.
 */
function findArguments(root: unknown, texts: readonly string[]): ReadonlyMap<string, readonly JsonPath[]> {
  const found = new Map<string, JsonPath[]>(texts.map((text) => [text, []]));
  const numbers = new Map<number, string[]>();
  for (const text of found.keys()) {
    if (NUMBER.test(text)) numbers.set(Number(text), [...(numbers.get(Number(text)) ?? []), text]);
  }
  const path: string[] = [];
  function visit(value: unknown): void {
    if (isObject(value)) {
      for (const name of Object.keys(value)) {
        path.push(name);
        visit(value[name]);
        path.pop();
      }
      return;
    }
    if (typeof value === 'number') {
      for (const text of numbers.get(value) ?? []) found.get(text)?.push([...path]);
    } else if (typeof value === 'string' || typeof value === 'boolean') {
      found.get(String(value))?.push([...path]);
    }
  }
  visit(root);
  return found;
}

function argumentText(root: unknown, path: JsonPath): string | undefined {
  const value = valueAt(root, path);
  return ['string', 'number', 'boolean'].includes(typeof value) ? String(value) : undefined;
}

/** MCP encoding of text that a header cannot contain (2026-07-28, "Value Encoding"). */
const PREFIX = '=?base64?';
const SUFFIX = '?=';
const PLAIN = /^[\t\x20-\x7e]*$/;

/** Returns the text of a mirrored header, or undefined if the header is malformed. */
export function decodeHeaderValue(written: string): string | undefined {
  const value = written.replace(/^[\t ]+|(?<![\t ])[\t ]+$/g, '');
  if (!PLAIN.test(value)) return undefined;
  if (!value.startsWith(PREFIX) || !value.endsWith(SUFFIX)) return value;
  const base64 = value.slice(PREFIX.length, -SUFFIX.length);
  const bytes = Buffer.from(base64, 'base64');
  // Decoders may disagree about non-canonical Base64.
  const isCanonical = value.length >= PREFIX.length + SUFFIX.length && bytes.toString('base64') === base64;
  return isCanonical && isUtf8(bytes) ? bytes.toString('utf8') : undefined;
}

export function encodeHeaderValue(text: string): string {
  const looksEncoded = text.startsWith(PREFIX) && text.endsWith(SUFFIX);
  if (text !== '' && text === text.trim() && PLAIN.test(text) && !looksEncoded) return text;
  return `${PREFIX}${Buffer.from(text.toWellFormed()).toString('base64')}${SUFFIX}`;
}
