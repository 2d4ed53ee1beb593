import { GatewayError } from '../errors.ts';
import { hasAllMembers, readDocument } from '../json/document-shape.ts';
import { isObject, type JsonObject } from '../json/is-object.ts';
import { ITEM_CHARS, type Work } from '../turns.ts';
import type { ObjectNames } from './descriptor.ts';
import { bareId, isInnocent, namedObjects, namesObject, type NamedObject } from './stored-objects.ts';

/** Members that name stored objects in batch requests. Most other ids in files are the client's own. */
const RUN_BY_PROVIDER: ReadonlySet<string> = new Set([
  ...['previous_response_id', 'conversation', 'conversation_id', 'container', 'container_id', 'thread'],
  ...['thread_id', 'assistant_id', 'file_id', 'input_file_id', 'vector_store_id', 'batch_id'],
  ...['cachedContent', 'cached_content', 'fileUri', 'file_uri'],
]);
/** Matches ids in provider formats. UUIDs and other formats are mostly the client's own data. */
const PROVIDER_ID =
  /^(?:file|cfile|assistant|resp|conv|cntr|container|vs|msg|rs|ig|thread|run|batch|msgbatch|audio|chatcmpl|video|upload|skill)[-_](?=[A-Za-z]*\d)[A-Za-z0-9]{12,}$/;
/** Matches a name and a value: as JSON, as a form field, or in a query. */
const PAIR =
  /\b([A-Za-z_]{0,40}(?:_ids?|[a-z]Ids?|Uri|_uri)|conversation|container|thread|cachedContent|cached_content)["']?(?:\s{0,8}[:=]\s{0,8}["']?|\r?\n\r?\n)([\w./:-]{1,300})/g;
/** Matches Google's resource names in a `name` member. Clients choose the names of files. */
const GOOGLE_NAME =
  /["']name["']\s{0,8}:\s{0,8}["']((?:files|cachedContents|fileSearchStores|batches)\/[\w-]{1,300})/g;
/** Matches a line. It ends at any character that some parser treats as a line ending. */
export const LINE = /[^\n\r\v\f\x1c-\x1e\x85\u2028\u2029]+/g;

/** Collects objects named in a non-JSON body, such as a batch file. Throws invalid_request for ambiguous lines. */
export function* objectsInTexts(texts: readonly string[], names: ObjectNames): Work<readonly NamedObject[]> {
  const found = new Map<string, NamedObject>();
  for (const text of texts) {
    for (const [, member = '', value = ''] of text.matchAll(PAIR)) {
      const isNamed = RUN_BY_PROVIDER.has(member) || (!isInnocent(member) && PROVIDER_ID.test(value));
      if (isNamed && namesObject(member, value, names))
        found.set(bareId(value), { id: bareId(value), member });
      yield ITEM_CHARS;
    }
    for (const [, value = ''] of text.matchAll(GOOGLE_NAME)) {
      found.set(bareId(value), { id: bareId(value), member: 'name' });
      yield ITEM_CHARS;
    }
    for (const [line] of text.matchAll(LINE)) {
      for (const request of yield* requestsInLine(line.trim()))
        for (const named of yield* namedObjects(request, { ...ALL_SENT, names })) found.set(named.id, named);
      yield line.length;
    }
  }
  return [...found.values()];
}

const ALL_SENT = { isUnknown: false, isRemoved: () => false };

/** The length of `{"body":{"thread":"x"}}`. */
const SHORTEST_LINE = 23;

/** Returns the request bodies in a batch line: `body`, `params` or Google's `request`. */
function* requestsInLine(line: string): Work<readonly JsonObject[]> {
  if (line.length < SHORTEST_LINE || !line.startsWith('{') || !line.endsWith('}')) return [];
  const { shape, parsed } = yield* readDocument(line);
  if (shape.isTooDeep || shape.isTooLarge) throw ambiguousLine();
  if (parsed === undefined || !isObject(parsed.value)) return [];
  const { body, params, request } = parsed.value;
  const requests = [body, params, request].filter(isObject);
  if (requests.length > 0 && !hasAllMembers(shape, parsed.members)) throw ambiguousLine();
  return requests;
}

/**
 * Collects objects named in a request that another request contains as a string. Throws invalid_request if the inner
 * request is ambiguous.
 */
export function* objectsInCarried(text: string, names: ObjectNames): Work<readonly NamedObject[]> {
  const { shape, parsed } = yield* readDocument(text);
  if (shape.isTooDeep || shape.isTooLarge) throw ambiguousLine();
  if (parsed === undefined || !isObject(parsed.value)) return [];
  if (!hasAllMembers(shape, parsed.members)) throw ambiguousLine();
  return yield* namedObjects(parsed.value, { ...ALL_SENT, names });
}

function ambiguousLine(): GatewayError {
  return new GatewayError(
    'invalid_request',
    'a line of the file, or a request inside the request, can be read in several ways: write each member once, without escapes in its name, and nest less deeply',
  );
}
