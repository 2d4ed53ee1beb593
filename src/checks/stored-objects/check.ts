import type { JsonEdit } from '../../json/path.ts';
import { isOnSharedAccount } from '../../pipeline/carried.ts';
import { PASS, PASS_EVENT, type Check, type Denial, type Verdict } from '../../pipeline/check.ts';
import type { Answered, Identified, Parsed } from '../../pipeline/exchange.ts';
import { isSuccessOfServer } from '../../pipeline/success.ts';
import type { Operation, StreamEvent } from '../../providers/dialect.ts';
import {
  namedObjects,
  objectsIn,
  objectsInPath,
  objectsInTexts,
  type NamedObject,
  type ObjectsWanted,
} from '../../providers/stored-objects.ts';
import { globMatches } from '../../text/glob.ts';
import { after, inTurns, type Awaitable } from '../../turns.ts';
import { invalidRequest } from '../denials.ts';
import { readStoredList } from './list.ts';
import type { StoredObjectStore } from './store.ts';

export interface StoredObjectsDeps {
  readonly store: StoredObjectStore;
  /** `proxy.shared_objects`: globs of ids that all keys may use. */
  readonly shared: readonly string[];
}

export interface StoredObjectsState {
  /** Objects in the answer that become the key's; undefined for none. */
  keeps?: ObjectsWanted;
  /** The answer lists everything that is stored under the credential. */
  lists?: true;
  /** Already kept, so that each event of a stream keeps only new ones. */
  readonly kept: Set<string>;
}

/** More in one request than any client names. */
const MAX_NAMED = 1_000;
/** More in one answer are not kept. */
const MAX_KEPT = 1_000;

/** Operations that store nothing, and name nothing stored. */
const WITHOUT_OBJECTS: ReadonlySet<Operation> = new Set(['models', 'embeddings', 'rerank', 'moderations']);

/**
 * Binds what is stored at a provider under a shared credential to the key that created it (docs/stored-objects.md). To
 * the provider all keys with the same credential are one client, so it cannot tell whose response or file is named.
 */
export function createStoredObjectsCheck({
  store,
  shared,
}: StoredObjectsDeps): Check<StoredObjectsState, 'stored-objects'> {
  const name = 'stored-objects';
  if (shared.includes('*')) return { name, shadowable: false };
  const isShared = (id: string): boolean => shared.some((glob) => globMatches(glob, id));

  async function firstForeign(
    { key, provider }: Identified,
    named: readonly NamedObject[],
  ): Promise<NamedObject | undefined> {
    const judged = named.filter(({ id }) => !isShared(id));
    if (judged.length === 0) return undefined;
    const ids = judged.map(({ id }) => id);
    const own = await store.find({ keyHash: key.keyHash, provider: provider.name, ids });
    return judged.find((_, index) => own[index] !== true);
  }

  async function judge(
    exchange: Parsed,
    state: StoredObjectsState,
    inBody: readonly NamedObject[],
  ): Promise<Verdict> {
    const { method, endpoint, provider } = exchange;
    const inPath = objectsInPath(method, endpoint.openSegments ?? []);
    const named = [...inPath, ...inBody];
    if (named.length > MAX_NAMED) {
      return invalidRequest(`the request names more than ${String(MAX_NAMED)} stored objects: send fewer`);
    }
    const foreign = await firstForeign(exchange, named);
    if (foreign !== undefined) return notOwn(provider.name, foreign);
    exchange.fallbacks &&= await ownFallbacks(exchange.fallbacks, named);
    if (endpoint.operation === 'unknown' && method === 'GET' && inPath.length === 0) state.lists = true;
    else if (!inPath.some(({ id }) => isShared(id))) state.keeps = keptOf(exchange);
    return PASS;
  }

  async function ownFallbacks(targets: readonly Parsed[], named: readonly NamedObject[]): Promise<Parsed[]> {
    const foreign = await Promise.all(targets.map((target) => firstForeign(target, named)));
    return targets.filter((_, index) => foreign[index] === undefined);
  }

  function keep(
    { key, provider }: Answered,
    { kept }: StoredObjectsState,
    ids: readonly string[],
  ): Awaitable<void> {
    const news = ids.filter((id) => !kept.has(id) && !isShared(id)).slice(0, MAX_KEPT - kept.size);
    if (news.length === 0) return undefined;
    for (const id of news) kept.add(id);
    return store.keep({ keyHash: key.keyHash, provider: provider.name, ids: news });
  }

  async function onlyOwn({ key, provider, answer: { whole } }: Answered): Promise<Verdict> {
    if (whole === undefined || whole.body.length === 0) return PASS;
    const list = readStoredList(whole.json);
    if (list === undefined || list.elements.length > MAX_NAMED) return unreadableList();
    const ids = list.elements.map(({ id }) => id ?? '');
    const own =
      ids.length === 0 ? [] : await store.find({ keyHash: key.keyHash, provider: provider.name, ids });
    const foreign = list.elements.filter(({ id }, index) => own[index] !== true && !isShared(id ?? ''));
    const edits: JsonEdit[] = [...foreign.map(({ remove }) => remove), ...list.others];
    if (edits.length === 0) return PASS;
    return {
      kind: 'rewrite',
      reason: `left out objects of other keys: ${String(edits.length)}`,
      apply: () => void whole.edits.push(...edits),
    };
  }

  function keepOf(exchange: Answered, state: StoredObjectsState, document: unknown): Awaitable<void> {
    const { keeps } = state;
    if (keeps === undefined || document === undefined) return undefined;
    return after(inTurns(objectsIn(document, keeps)), (ids) => keep(exchange, state, ids));
  }

  return {
    name,
    shadowable: false,
    begin: () => ({ kept: new Set() }),
    requestBody(exchange, state) {
      if (!isOnSharedAccount(exchange) || WITHOUT_OBJECTS.has(exchange.endpoint.operation)) return PASS;
      return after(objectsInBody(exchange), (inBody) => judge(exchange, state, inBody));
    },
    response(exchange, state) {
      if (!isSuccessOfServer(exchange)) return PASS;
      if (state.lists) return exchange.form === 'stream' ? unreadableList() : onlyOwn(exchange);
      const { whole } = exchange.answer;
      if (whole === undefined || (state.keeps === 'references' && !mayRefer(whole.body))) return PASS;
      return after(keepOf(exchange, state, whole.json), () => PASS);
    },
    stream: (exchange, state) =>
      state.keeps === undefined
        ? undefined
        : {
            readsText: false,
            event(event: StreamEvent) {
              if (state.keeps === 'references' && !mayRefer(event.frame.data ?? '')) return PASS_EVENT;
              return after(keepOf(exchange, state, event.json), () => PASS_EVENT);
            },
          },
  };
}

function objectsInBody({ json, edits, endpoint, request }: Parsed): Awaitable<readonly NamedObject[]> {
  const isUnknown = endpoint.operation === 'unknown';
  const isBytes = isUnknown && Array.isArray(json['body']) && request.texts[0]?.editable === false;
  if (isBytes) return objectsInTexts(request.texts.map(({ text }) => text));
  const removed = new Set(
    edits.filter(({ kind }) => kind === 'remove').map(({ path }) => JSON.stringify(path)),
  );
  const isRemoved = (path: readonly (string | number)[]): boolean =>
    removed.size > 0 && removed.has(JSON.stringify(path));
  return inTurns(namedObjects(json, { isUnknown, isRemoved }));
}

/** Returns which objects of the answer later requests may name; `store: false` stores nothing. */
function keptOf({ endpoint, json }: Parsed): ObjectsWanted {
  if (endpoint.operation === 'unknown') return 'outside_lists';
  const isStored =
    endpoint.operation === 'responses'
      ? json['store'] !== false
      : json['store'] === true || json['deferred'] === true;
  return isStored ? 'all' : 'references';
}

/** Finds out without reading a whole document, since few answers refer to anything. */
function mayRefer(text: Buffer | string): boolean {
  return ['_id"', '"audio"', '"container"'].some((mark) => text.includes(mark));
}

const MAX_SHOWN_CHARS = 40;

/** Unknown objects and those of others look alike, so guessing ids reveals nothing. */
function notOwn(provider: string, { member }: NamedObject): Denial {
  const place = member.slice(0, MAX_SHOWN_CHARS).replace(/[^A-Za-z0-9._ -]/g, '?');
  return {
    kind: 'deny',
    type: 'not_found',
    message: `this key has no such object at ${provider} as ${place} names: a key may use what it created there itself; an operator can share more (proxy.shared_objects)`,
  };
}

function unreadableList(): Denial {
  return {
    kind: 'deny',
    type: 'upstream_unavailable',
    message:
      "the provider's list is unreadable, so objects of other keys cannot be left out: an operator can share them (proxy.shared_objects)",
  };
}
