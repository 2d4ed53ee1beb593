import { isUtf8 } from 'node:buffer';
import { isObject } from '../json/is-object.ts';
import { GatewayError } from '../errors.ts';
import type { McpMessage } from './message.ts';
import type { McpEra } from './methods.ts';
import { paramsOf } from './read-message.ts';
import type { JsonPath } from '../json/path.ts';

const NUMBER = /^-?\d{1,32}(?:\.\d{1,32})?$/;

type Json = { readonly [name: string]: unknown };

/** A message and the headers it came with. */
export interface SentMessage {
  readonly headers: ReadonlyMap<string, string>;
  readonly json: Json;
  readonly request: { readonly mcp?: McpMessage };
}

/** The first revision in which every request says of itself what it is, and headers must repeat it. */
const STATELESS = '2026-07-28';
const REVISION = /^\d{4}-\d{2}-\d{2}$/;
const META_VERSION = 'io.modelcontextprotocol/protocolVersion';

const PARAM_PREFIX = 'mcp-param-';

/** Where a method's `Mcp-Name` comes from, for those that must have one. */
const NAME_SOURCES: ReadonlyMap<string, 'name' | 'uri' | 'taskId'> = new Map([
  ['tools/call', 'name'],
  ['prompts/get', 'name'],
  ['resources/read', 'uri'],
  ['tasks/get', 'taskId'],
  ['tasks/update', 'taskId'],
  ['tasks/cancel', 'taskId'],
]);

/** True for a header that repeats what a message says. */
export function isMirrored(name: string): boolean {
  return name === 'mcp-method' || name === 'mcp-name' || name.startsWith(PARAM_PREFIX);
}

/**
 * Headers that repeat what a message says must say the same in every era, and be there in the stateless one: whoever
 * stands behind and reads the headers alone is not misled (2026-07-28, "Server Validation").
 * @throws GatewayError header_mismatch; invalid_params where a stateless request does not say its own version
 */
export function assertMirrored({ headers, json, request: { mcp } }: SentMessage): void {
  if (mcp === undefined) return;
  const params = paramsOf(json);
  const mustRepeat = assertVersion(headers, params, mcp);
  assertMethod(headers.get('mcp-method'), mcp, mustRepeat);
  assertName(headers.get('mcp-name'), params, mcp, mustRepeat);
  assertParams(headers, params, mcp);
}

/** True where this is a request of the stateless era. */
function assertVersion(headers: ReadonlyMap<string, string>, params: Json, mcp: McpMessage): boolean {
  const header = headers.get('mcp-protocol-version');
  const meta = params['_meta'];
  const claimed = isObject(meta) ? meta[META_VERSION] : undefined;
  const isStateless = eraOf(headers, params) === 'stateless';
  const mustRepeat = isStateless && mcp.kind === 'request';
  if (mustRepeat && typeof claimed !== 'string') {
    throw new GatewayError(
      'invalid_params',
      `Invalid params: params._meta["${META_VERSION}"] must be the MCP version`,
    );
  }
  const agrees =
    header === claimed || (header === undefined ? !mustRepeat : claimed === undefined && !mustRepeat);
  if (agrees) return mustRepeat;
  throw mismatch(`MCP-Protocol-Version must be what the body says in params._meta["${META_VERSION}"]`);
}

function assertMethod(header: string | undefined, mcp: McpMessage, mustRepeat: boolean): void {
  const method = mcp.kind === 'response' ? undefined : mcp.method;
  if (header === undefined ? mustRepeat : header !== method) {
    throw mismatch("Mcp-Method must be the body's method");
  }
}

function assertName(header: string | undefined, params: Json, mcp: McpMessage, mustRepeat: boolean): void {
  const source = NAME_SOURCES.get(mcp.kind === 'response' ? '' : mcp.method);
  const names = (source === undefined ? ['name', 'uri', 'taskId'] : [source])
    .map((field) => params[field])
    .filter((name) => typeof name === 'string');
  if (header === undefined) {
    if (mustRepeat && source !== undefined && names.length > 0) {
      throw mismatch(`Mcp-Name must be the body's params.${source}`);
    }
    return;
  }
  const named = decodeHeaderValue(header);
  if (named === undefined || !names.includes(named)) {
    throw mismatch(`Mcp-Name must be the body's params.${source ?? 'name'}`);
  }
}

/**
 * Which argument a header repeats stands in the tool's schema, which nobody need have shown us: so it must repeat one
 * of them. Nothing can then stand in a header that is not in the body too, where it is looked at.
 */
function assertParams(headers: ReadonlyMap<string, string>, params: Json, mcp: McpMessage): void {
  const isToolCall = mcp.kind === 'request' && mcp.method === 'tools/call';
  const repeated = paramHeaders(headers);
  if (repeated.size === 0) return;
  const values = [...repeated.values()];
  const places = findArguments(
    params['arguments'],
    values.filter((value) => value !== undefined),
  );
  const stray = values.some((value) => value === undefined || places.get(value)?.length === 0);
  if (stray || !isToolCall) {
    throw mismatch('an Mcp-Param header must repeat an argument of the tool that is called');
  }
}

/**
 * New values of the headers that repeat arguments, once the body was edited; undefined takes a header out.
 * @throws GatewayError header_mismatch where one may repeat either of two arguments that no longer say the same
 */
export function mirroredAfter(
  headers: ReadonlyMap<string, string>,
  before: Json,
  readAfter: () => Json,
): ReadonlyMap<string, string | undefined> {
  const changed = new Map<string, string | undefined>();
  const repeated = paramHeaders(headers);
  if (repeated.size === 0) return changed;
  const after = paramsOf(readAfter())['arguments'];
  const values = [...repeated.values()].filter((value) => value !== undefined);
  const places = findArguments(paramsOf(before)['arguments'], values);
  for (const [name, value] of repeated) {
    if (value === undefined) continue;
    const now = new Set((places.get(value) ?? []).map((path) => argumentText(after, path)));
    if (now.size > 1)
      throw mismatch(`${name} repeats an argument that was changed, and which one is not known`);
    const [text] = now;
    if (text === undefined) changed.set(name, undefined);
    else if (text !== value) changed.set(name, encodeHeaderValue(text));
  }
  return changed;
}

/** What each `Mcp-Param` header says; undefined where it is not written as MCP has it. */
function paramHeaders(headers: ReadonlyMap<string, string>): Map<string, string | undefined> {
  const found = new Map<string, string | undefined>();
  for (const [name, written] of headers) {
    if (name.startsWith(PARAM_PREFIX)) found.set(name, decodeHeaderValue(written));
  }
  return found;
}

/** The era that a message says it is of; one that says nothing is of the older. */
export function eraOf(headers: ReadonlyMap<string, string>, params: Json): McpEra {
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
 * Where in a tool's arguments each of these texts stands, as MCP mirrors them: strings, numbers and booleans that are
 * reached through objects alone. Numbers are compared as such (`42.0` says 42). One walk, however many texts.
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

/** What a header says of the argument at `path`; undefined where it says nothing of it. */
function argumentText(root: unknown, path: JsonPath): string | undefined {
  let value = root;
  for (const step of path) {
    if (!isObject(value)) return undefined;
    value = value[step];
  }
  return ['string', 'number', 'boolean'].includes(typeof value) ? String(value) : undefined;
}

/** How MCP writes what a header cannot hold (2026-07-28, "Value Encoding"). */
const PREFIX = '=?base64?';
const SUFFIX = '?=';
const PLAIN = /^[\t\x20-\x7e]*$/;

/** What the value of a mirrored header says; undefined where it is not written as MCP has it. */
export function decodeHeaderValue(written: string): string | undefined {
  const value = written.replace(/^[\t ]+|(?<![\t ])[\t ]+$/g, '');
  if (!PLAIN.test(value)) return undefined;
  if (!value.startsWith(PREFIX) || !value.endsWith(SUFFIX)) return value;
  const base64 = value.slice(PREFIX.length, -SUFFIX.length);
  const bytes = Buffer.from(base64, 'base64');
  // Another spelling of the same bytes may be read as other ones elsewhere.
  const isCanonical = value.length >= PREFIX.length + SUFFIX.length && bytes.toString('base64') === base64;
  return isCanonical && isUtf8(bytes) ? bytes.toString('utf8') : undefined;
}

/** The value of a mirrored header that says `text`. */
export function encodeHeaderValue(text: string): string {
  const looksEncoded = text.startsWith(PREFIX) && text.endsWith(SUFFIX);
  if (text !== '' && text === text.trim() && PLAIN.test(text) && !looksEncoded) return text;
  return `${PREFIX}${Buffer.from(text.toWellFormed()).toString('base64')}${SUFFIX}`;
}
