import { Walk } from '../inspect/walk.ts';
import { isContainer, isObject, type JsonObject } from '../json/is-object.ts';
import type { JsonPath } from '../json/path.ts';
import { ITEM_CHARS, type Work } from '../turns.ts';
import { isAddressName, isStorageAddress, looksLikeStorage, searchIndexOf } from './cloud-storage.ts';
import type { ObjectNames } from './descriptor.ts';
import { isClientsOwn } from './folded-names.ts';

/** An object stored at a provider (a response, a file, a batch) that a request names. */
export interface NamedObject {
  /** Without the path or URL around it. */
  readonly id: string;
  /** The member that names it. */
  readonly member: string;
}

/** Members whose value is an id, although their names do not end in `_id`. */
const IDS: ReadonlySet<string> = new Set([
  ...['conversation', 'container', 'thread'],
  ...['cachedContent', 'cached_content', 'fileSearchStoreNames', 'file_search_store_names'],
]);
/** Members whose object has the `id` of a stored object. */
const HOLDERS: ReadonlySet<string> = new Set([
  ...['conversation', 'container', 'thread', 'audio', 'voice', 'assistant', 'file', 'vector_store'],
]);
/** Client-defined names whose values the provider reads as content. */
const READ_BY_PROVIDER: ReadonlySet<string> = new Set(['variables', 'promptVariables']);
const ID_NAME = /(?:_[iI][dD]s?|_IDS|[a-z]I[dD]s?)$/;

/** Ids of other things: parts of the conversation, people, and the operator's own prompts. */
const INNOCENT: ReadonlySet<string> = new Set([
  ...['callid', 'toolcallid', 'tooluseid', 'approvalrequestid', 'customid', 'documentid', 'requestid'],
  ...['userid', 'enduserid', 'sessionid', 'promptid', 'connectorid', 'modelid', 'toolid', 'clientid'],
  ...['user', 'safetyidentifier', 'promptcachekey', 'callerid', 'tabid', 'downloadid'],
  ...['traceid', 'spanid', 'parentspanid', 'organizationid', 'projectid', 'tenantid', 'customerid'],
]);

/** Items that the provider completes from what it stored under their `id`. */
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

/** Forms of ids, for endpoints whose members are unknown: `file-9aT…`, `resp_68a…`, `files/abc`, UUIDs, `file_<UUID>`. */
const ID_FORM =
  /^(?:[a-z]{2,14}[-_](?=[A-Za-z]*(?:\d|[a-z][A-Z]))[A-Za-z0-9]{12,}|(?:files|cachedContents|fileSearchStores|batches|corpora|tunedModels)\/[\w-]+|(?:[a-z]{2,14}[-_])?[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

/** Ids of tool calls, which providers do not store by themselves. */
const CALL_FORM = /^(?:call|toolu|srvtoolu|mcptoolu|tooluse)_/;
/** Members that no provider reads. */
const NOTES: ReadonlySet<string> = new Set([
  ...['metadata', 'client_metadata', 'requestMetadata', 'user_metadata', 'labels', 'attributes'],
]);

const RESOURCE = /^(?:https:\/\/[a-z.]{1,64}\.googleapis\.com\/v\d[a-z]{0,8}\/)?[A-Za-z]{1,64}\/([\w-]+)$/;

/**
 * Returns `abc` for Google's `files/abc`, by name or by URL. Any other spelling is a different id, so a query or a
 * second path cannot hide another key's id.
 */
export function bareId(id: string): string {
  return RESOURCE.exec(id)?.[1] ?? id;
}

interface NamedObjectsOptions {
  /** The endpoint has no dialect, so strings in the form of an id or of an address of storage count under any name. */
  readonly isUnknown: boolean;
  readonly names: ObjectNames;
  /** Reports that a value at this path will not be sent. */
  readonly isRemoved: (path: JsonPath) => boolean;
}

/** Collects the stored objects that a request's JSON names. */
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
  /** Nearest member name. */
  readonly name: string;
  /** Names below are client-defined: schemas, arguments, metadata. */
  readonly isClients: boolean;
}

function isUnread(name: string, value: object, isTopLevel: boolean): boolean {
  return !READ_BY_PROVIDER.has(name) && (NOTES.has(name) || isClientsOwn(name, value, isTopLevel));
}

function storedId(name: string, value: JsonObject): string | undefined {
  const { id } = value;
  if (name === 'data_sources') return searchIndexOf(value);
  return typeof id === 'string' && (HOLDERS.has(name) || isStoredItem(name, value)) ? id : undefined;
}

/** OpenAI's evals read responses and completions of the whole account by such a type. */
function isQuery(name: string, { type }: JsonObject): boolean {
  if (name === 'source') return type === 'stored_completions' || type === 'responses';
  return name === 'data_source_config' && (type === 'stored_completions' || type === 'logs');
}

/**
 * A string under `file_id` or in `file_ids`, `conversation: "conv_1"`, an address of storage under `uri`. Skills of the
 * provider itself have plain names (`pptx`).
 */
export function namesObject(name: string, value: string, names: ObjectNames): boolean {
  if (name === 'skill_id') return value.startsWith('skill_');
  if (isAddressName(name)) return isStorageAddress(value, names);
  return names.ids?.has(name) === true || (isIdName(name) && names.harmless?.has(name) !== true);
}

function isIdName(name: string): boolean {
  return IDS.has(name) || (ID_NAME.test(name) && !isInnocent(name));
}

/** Judges by the value. */
function looksNamed(name: string, value: string, names: ObjectNames): boolean {
  if (looksLikeStorage(value, names)) return true;
  if (isInnocent(name) || names.harmless?.has(name) === true) return false;
  return ID_FORM.test(value) && !CALL_FORM.test(value);
}

export function isInnocent(name: string): boolean {
  return INNOCENT.has(name.replaceAll('_', '').toLowerCase().replace(/s$/, ''));
}

const VERSION = /^v\d[a-z0-9]*$/;
const WORD = /^[a-z]+(?:[_-][a-z]+)*$/;

/** Returns the path segments that may be ids; the last word of a POST names an action. */
export function objectsInPath(method: string, segments: readonly string[]): readonly NamedObject[] {
  return segments.flatMap((segment, index) => {
    const isAction = method === 'POST' && index === segments.length - 1 && WORD.test(segment);
    const id = segment.split(':', 1)[0] ?? '';
    return isAction || VERSION.test(segment) || id === '' ? [] : [{ id, member: 'the path' }];
  });
}

/** The stored objects in an answer: all of them, those of an unknown endpoint's own object, or only references. */
export type ObjectsWanted = 'all' | 'outside_lists' | 'references';

/** Members of answers that repeat what the client sent. */
const REPEATED: ReadonlySet<string> = new Set([
  ...[
    'document',
    'tool_output',
    'tools',
    'tool_choice',
    'prompt',
    'instructions',
    'input',
    'input_messages',
    'text',
  ],
]);
/** Lists of what an answer's own object made. */
const MADE: ReadonlySet<string> = new Set(['output', 'outputs']);
const FILE_NAME = /(?:_file|[a-z]File)$/;

/**
 * Collects ids in an answer by which later requests may name stored objects. Ignores what clients and models write
 * (metadata, schemas, arguments, names of files): an answer that repeats an id must not make it the key's own.
 */
export function* objectsIn(answer: unknown, wanted: ObjectsWanted): Work<readonly string[]> {
  const found = new Set<string>();
  const walk = new Walk<Within>(answer, { name: '', readsLists: wanted !== 'outside_lists' });
  for (let level = walk.next(); level !== undefined; level = walk.next()) {
    const { step, value } = walk;
    const { state } = level;
    const name = typeof step === 'string' ? step : state.name;
    if (typeof value === 'string') {
      const isOwnId = step === 'id' && (wanted !== 'references' || HOLDERS.has(state.name));
      const isDeferred = step === 'request_id' && walk.depth === 1 && wanted !== 'references';
      const isMade = wanted === 'outside_lists' && namesMade(name, value, level.value);
      if (isOwnId || isDeferred || isIdName(name) || isMade) found.add(bareId(value));
    } else if (isContainer(value) && !(step === name && isRepeated(name, value, walk.depth === 1))) {
      const readsLists = state.readsLists || MADE.has(name);
      if (readsLists || !Array.isArray(value)) walk.enter({ name, readsLists });
    }
    yield ITEM_CHARS;
  }
  return [...found];
}

interface Within {
  /** Nearest member name. */
  readonly name: string;
  /** Lists below belong to the object. */
  readonly readsLists: boolean;
}

function isRepeated(name: string, value: object, isTopLevel: boolean): boolean {
  return REPEATED.has(name) || NOTES.has(name) || isClientsOwn(name, value, isTopLevel);
}

/** Google's `name` of an object, which has no `id`, and files that a batch wrote (`output_file`, `responsesFile`). */
function namesMade(name: string, value: string, holder: object): boolean {
  if (name === 'name') return RESOURCE.test(value) && !Object.hasOwn(holder, 'id');
  return FILE_NAME.test(name) && ID_FORM.test(value);
}

/** Returns the id of an element in a list of stored objects. */
export function listedId(element: unknown): string | undefined {
  const { id, name } = isObject(element) ? element : { id: undefined, name: undefined };
  const found = typeof id === 'string' ? id : name;
  return typeof found === 'string' ? bareId(found) : undefined;
}
