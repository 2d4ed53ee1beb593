import { Walk } from '../inspect/walk.ts';
import { isContainer, isObject, type JsonObject } from '../json/is-object.ts';
import type { JsonPath } from '../json/path.ts';
import { ITEM_CHARS, type Work } from '../turns.ts';
import { isAddressName, isStorageAddress, looksLikeStorage, searchIndexOf } from './cloud-storage.ts';
import type { ObjectNames } from './descriptor.ts';
import { isClientsOwn } from './folded-names.ts';

/** An object stored at a provider, such as a response, a file or a batch, that a request names. */
export interface NamedObject {
  /** Without a surrounding path or URL. */
  readonly id: string;
  readonly member: string;
}

/** Members whose value is an id, although their names do not end in `_id`. */
const IDS: ReadonlySet<string> = new Set([
  ...['conversation', 'container', 'thread'],
  ...['cachedContent', 'cached_content', 'fileSearchStoreNames', 'file_search_store_names'],
]);
/** Members whose value is an object with the `id` of a stored object. */
export const HOLDERS: ReadonlySet<string> = new Set([
  ...['conversation', 'container', 'thread', 'audio', 'voice', 'assistant', 'file', 'vector_store'],
]);
/** Members with client-defined names, whose values the provider reads as content. */
const READ_BY_PROVIDER: ReadonlySet<string> = new Set(['variables', 'promptVariables']);
const ID_NAME = /(?:_[iI][dD]s?|_IDS|[a-z]I[dD]s?)$/;

/** Normalized names of other ids, such as those of calls, people, organizations and the operator's own prompts. */
const INNOCENT: ReadonlySet<string> = new Set([
  ...['callid', 'toolcallid', 'tooluseid', 'approvalrequestid', 'customid', 'documentid', 'requestid'],
  ...['userid', 'enduserid', 'sessionid', 'promptid', 'connectorid', 'modelid', 'toolid', 'clientid'],
  ...['user', 'safetyidentifier', 'promptcachekey', 'callerid', 'tabid', 'downloadid'],
  ...['traceid', 'spanid', 'parentspanid', 'organizationid', 'projectid', 'tenantid', 'customerid'],
  ...['endusertenantid'],
]);

/** Reports whether the provider loads this item from its storage by `id`. */
function isStoredItem(list: string, item: JsonObject): boolean {
  const { type, role, content, result, encrypted_content: sealed } = item;
  if (type === 'item_reference') return true;
  if (type === 'image_generation_call') return typeof result !== 'string';
  if (type === 'reasoning') return !isFilled(sealed) && !isFilled(content);
  const isTyped = type !== undefined && type !== null;
  return list === 'input' && !isTyped && role === undefined && content === undefined;
}

function isFilled(value: unknown): boolean {
  return (typeof value === 'string' || Array.isArray(value)) && value.length > 0;
}

/** Matches id formats in unknown members: `file-9aT…`, `resp_68a…`, `files/abc`, UUIDs, `file_<UUID>`. */
const ID_FORM =
  /^(?:[a-z]{2,14}[-_](?=[A-Za-z]*(?:\d|[a-z][A-Z]))[A-Za-z0-9]{12,}|(?:files|cachedContents|fileSearchStores|batches|corpora|tunedModels)\/[\w-]+|(?:[a-z]{2,14}[-_])?[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

/** Matches tool call ids. Providers do not store calls separately. */
const CALL_FORM = /^(?:call|toolu|srvtoolu|mcptoolu|tooluse)_/;
/** Labels, which clients choose. A `name` counts as an id only in Google's form, such as `files/abc`. */
const LABELS: ReadonlySet<string> = new Set(['name', 'title', 'description', 'displayName', 'display_name']);
/** Members that no provider reads. */
export const NOTES: ReadonlySet<string> = new Set([
  ...['metadata', 'client_metadata', 'requestMetadata', 'user_metadata', 'labels', 'attributes'],
]);

const RESOURCE =
  /^(?:https:\/\/[a-z.]{1,64}\.googleapis\.com\/v\d[a-z]{0,8}\/)?[A-Za-z]{1,64}\/([\w-]+)(?::download(?:\?alt=media)?)?$/;
const OPERATION = /^[A-Za-z]{1,64}\/[\w.-]{1,256}\/(?:upload\/)?operations\/([\w-]+)$/;

/** Reports whether an id has the form of Google's resource names, such as `files/abc`. */
export function isResource(id: string): boolean {
  return RESOURCE.test(id) || OPERATION.test(id);
}

/**
 * Returns `abc` for Google's `files/abc`, by name or by URL, and for `models/veo/operations/abc`. Any other spelling
 * is a different id, because a query or a second path must not hide another key's id.
 */
export function bareId(id: string): string {
  return (RESOURCE.exec(id) ?? OPERATION.exec(id))?.[1] ?? id;
}

interface NamedObjectsOptions {
  /** Set for endpoints without a dialect. Values that look like ids or storage URIs then also name objects. */
  readonly isUnknown: boolean;
  readonly names: ObjectNames;
  readonly isRemoved: (path: JsonPath) => boolean;
}

export function* namedObjects(
  body: JsonObject,
  { isUnknown, names, isRemoved }: NamedObjectsOptions,
): Work<readonly NamedObject[]> {
  const found = new Map<string, NamedObject>();
  function add(member: string, id: string): void {
    const bare = bareId(id);
    if (bare !== '') found.set(bare, { id: bare, member });
  }
  const walk = new Walk<Above>(body, { name: '', isClients: false });
  for (let level = walk.next(); level !== undefined; level = walk.next()) {
    const { step, value } = walk;
    const { state } = level;
    const name = typeof step === 'string' ? step : state.name;
    if (typeof value === 'string') {
      const isNamed = !state.isClients && namesObject(name, value, names);
      if (isNamed || (isUnknown && looksNamed(name, value, names))) add(name, value);
    } else if (isContainer(value) && !isRemoved(walk.path)) {
      const isClients =
        state.isClients || (typeof step === 'string' && isUnread(step, value, walk.depth === 1));
      const id = isObject(value) && !isClients ? storedId(name, value) : undefined;
      if (id !== undefined) add(`${name}.id`, id);
      if (isUnknown && isObject(value) && isQuery(name, value)) add(`${name}.type`, String(value.type));
      const isRead = isUnknown ? !NOTES.has(name) : !isClients;
      if (isRead) walk.enter({ name, isClients });
    }
    yield ITEM_CHARS;
  }
  return [...found.values()];
}

interface Above {
  readonly name: string;
  /** Names below are client-defined: schemas, arguments, metadata. */
  readonly isClients: boolean;
}

function isUnread(name: string, value: object, isTopLevel: boolean): boolean {
  // Citations from an earlier answer repeat tool results and the client's documents.
  if (name === 'citations') return Array.isArray(value);
  return !READ_BY_PROVIDER.has(name) && (NOTES.has(name) || isClientsOwn(name, value, isTopLevel));
}

function storedId(name: string, value: JsonObject): string | undefined {
  const { id } = value;
  if (name === 'data_sources') return searchIndexOf(value);
  return typeof id === 'string' && (HOLDERS.has(name) || isStoredItem(name, value)) ? id : undefined;
}

/** Detects a query by its type. With these types, OpenAI's evals read the whole account's responses and completions. */
function isQuery(name: string, { type }: JsonObject): boolean {
  if (name === 'source') return type === 'stored_completions' || type === 'responses';
  return name === 'data_source_config' && (type === 'stored_completions' || type === 'logs');
}

/**
 * Accepts `file_id`, `file_ids`, `conversation` and storage URIs. The provider's own skills have plain names
 * (`pptx`).
 */
export function namesObject(name: string, value: string, names: ObjectNames): boolean {
  if (name === 'skill_id') return value.startsWith('skill_');
  if (isAddressName(name)) return isStorageAddress(value, names);
  return isIdName(name, names);
}

export function isIdName(name: string, { ids, harmless, own }: ObjectNames): boolean {
  if (IDS.has(name) || name === own || ids?.has(name) === true) return true;
  return ID_NAME.test(name) && !isInnocent(name) && harmless?.has(name) !== true;
}

export function hasIdForm(value: string): boolean {
  return ID_FORM.test(value);
}

/** Reports whether a value looks like the id or URI of a stored object, under any member name. */
function looksNamed(name: string, value: string, names: ObjectNames): boolean {
  if (looksLikeStorage(value, names)) return true;
  if (isInnocent(name) || names.harmless?.has(name) === true) return false;
  if (LABELS.has(name) && !value.includes('/')) return false;
  return ID_FORM.test(value) && !CALL_FORM.test(value);
}

export function isInnocent(name: string): boolean {
  return INNOCENT.has(name.replaceAll('_', '').toLowerCase().replace(/s$/, ''));
}

const VERSION = /^v\d[a-z0-9]*$/;
const WORD = /^[a-z]+(?:[_-][a-z]+)*$/;

interface PathOptions {
  readonly method: string;
  readonly path: string;
  /** Segments that the operator's patterns match only by a wildcard, in order. */
  readonly open: readonly string[];
  readonly names: ObjectNames;
}

/**
 * Returns the open path segments that may be ids, except a POST's final action and parts of a preceding object
 * (`ObjectNames.within`).
 */
export function objectsInPath({
  method,
  path,
  open,
  names: { within },
}: PathOptions): readonly NamedObject[] {
  const segments = path.split('/');
  const ids = new Set<string>();
  let at = 0;
  for (const [index, segment] of open.entries()) {
    at = segments.indexOf(segment, at + 1);
    const [id = ''] = segment.split(':', 1);
    const isAction = method === 'POST' && index === open.length - 1 && WORD.test(segment);
    const isWithin = within?.has(segments[at - 1] ?? '') === true && ids.has(segments[at - 2] ?? '');
    if (id !== '' && !isAction && !isWithin && !VERSION.test(segment)) ids.add(id);
  }
  return [...ids].map((id) => ({ id, member: 'the path' }));
}
