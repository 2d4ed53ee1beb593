import type { JsonEdit } from '../../json/path.ts';
import { isOnSharedAccount } from '../../pipeline/carried.ts';
import { PASS, PASS_EVENT, type Check, type Denial, type Verdict } from '../../pipeline/check.ts';
import { type Answered, type Identified, type Parsed, isSuccessOfServer } from '../../pipeline/exchange.ts';
import type { Operation, StreamEvent } from '../../providers/dialect.ts';
import { isPlainAddress } from '../../providers/cloud-storage.ts';
import {
  filesOfBatch,
  markOfResults,
  objectsIn,
  objectsInResult,
  objectsInResults,
  type ObjectsWanted,
  resultsAt,
} from '../../providers/objects-in-answers.ts';
import { objectsInPath, type NamedObject } from '../../providers/stored-objects.ts';
import { globMatches } from '../../text/glob.ts';
import { after, inTurns, type Awaitable } from '../../turns.ts';
import { invalidRequest } from '../denials.ts';
import { isUnknownGet, keptOf, mayRefer, namesOf, objectsInBody, wantedOfGet } from './exchange-objects.ts';
import { readStoredList, endsOf, queryOfNextPage } from './list.ts';
import type { StoredObjectStore } from './store.ts';

export interface StoredObjectsDeps {
  readonly store: StoredObjectStore;
  /** `proxy.shared_objects`: globs of ids that all keys may use. */
  readonly shared: readonly string[];
}

export interface StoredObjectsState {
  /** Objects in the answer that will belong to the key; undefined if there are none. */
  keeps?: ObjectsWanted;
  /** Set if the answer lists everything stored under the credential. */
  lists?: true;
  results?: true;
  /** Ids already recorded. Each stream event adds only new ones. */
  readonly kept: Set<string>;
}

/** Maximum number of objects in a request or list (OpenAI's largest file page). */
const MAX_NAMED = 10_000;
const IDS_AT_ONCE = 1_000;
/** Maximum number of ids recorded per answer. */
const MAX_KEPT = 1_000;
/** Maximum number of ids recorded per batch result. */
const MAX_KEPT_OF_BATCH = 10_000;

/** Operations that store nothing. They may read stored objects. */
const STORES_NOTHING: ReadonlySet<Operation> = new Set([
  'embeddings',
  'rerank',
  'moderations',
  'count_tokens',
]);

/** Binds objects stored under a shared credential to the keys that created them (docs/stored-objects.md). */
export function createStoredObjectsCheck({
  store,
  shared,
}: StoredObjectsDeps): Check<StoredObjectsState, 'stored-objects'> {
  const name = 'stored-objects';
  /** Objects are recorded nevertheless, because the setting may be removed later. */
  const sharesAll = shared.includes('*');
  const isShared = (id: string): boolean =>
    sharesAll || (isPlainAddress(id) && shared.some((glob) => globMatches(glob, id)));

  async function findOwn({ key, provider }: Identified, ids: readonly string[]): Promise<readonly boolean[]> {
    const own: boolean[] = [];
    for (let at = 0; at < ids.length; at += IDS_AT_ONCE) {
      const part = ids.slice(at, at + IDS_AT_ONCE);
      own.push(...(await store.find({ keyHash: key.keyHash, provider: provider.name, ids: part })));
    }
    return own;
  }

  async function firstForeign(
    exchange: Parsed,
    named: readonly NamedObject[],
  ): Promise<NamedObject | undefined> {
    const judged = isOnSharedAccount(exchange) ? named.filter(({ id }) => !isShared(id)) : [];
    const ids = judged.map(({ id }) => id);
    const own = await findOwn(exchange, ids);
    return judged.find((_, index) => own[index] !== true);
  }

  async function judge(
    exchange: Parsed,
    state: StoredObjectsState,
    inBody: readonly NamedObject[],
  ): Promise<Verdict> {
    const { endpoint, provider } = exchange;
    const open = endpoint.openSegments ?? [];
    const inPath = objectsInPath({ ...exchange, open, names: namesOf(exchange) });
    const named = [...inPath, ...inBody];
    if (named.length > MAX_NAMED) {
      return invalidRequest(`the request names more than ${String(MAX_NAMED)} stored objects: send fewer`);
    }
    const foreign = await firstForeign(exchange, named);
    if (foreign !== undefined) return notOwn(provider.name, foreign);
    exchange.fallbacks &&= await ownFallbacks(exchange, exchange.fallbacks, named);
    if (isUnknownGet(exchange) && inPath.length === 0) state.lists = true;
    else if (STORES_NOTHING.has(endpoint.operation)) return PASS;
    else if (sharesAll || !inPath.some(({ id }) => isShared(id))) state.keeps = keptOf(exchange);
    if (state.keeps !== undefined && (await hasResults(exchange))) state.results = true;
    // An id that an answer merely repeats must not become the key's own.
    if (sharesAll) for (const { id } of named) state.kept.add(id);
    return PASS;
  }

  /** Other providers may treat other members as object ids. */
  async function ownFallbacks(
    { provider }: Parsed,
    targets: readonly Parsed[],
    named: readonly NamedObject[],
  ): Promise<Parsed[]> {
    const foreign = await Promise.all(
      targets.map(async (target) =>
        firstForeign(target, target.provider === provider ? named : await objectsInBody(target)),
      ),
    );
    return targets.filter((_, index) => foreign[index] === undefined);
  }

  /** Trusts only result files of the key's own batches, because client files could contain any id. */
  async function hasResults(exchange: Parsed): Promise<boolean> {
    const place = isUnknownGet(exchange) ? resultsAt(exchange.path) : undefined;
    if (place?.file === undefined || !isOnSharedAccount(exchange)) return place !== undefined;
    const [isOfBatch] = await findOwn(exchange, [markOfResults(place.file)]);
    return isOfBatch === true;
  }

  function keepNew(exchange: Answered, state: StoredObjectsState, ids: readonly string[]): Awaitable<void> {
    return ids.every((id) => state.kept.has(id)) ? undefined : keep(exchange, state, ids);
  }

  async function keep(
    { key, provider }: Answered,
    { kept, results }: StoredObjectsState,
    ids: readonly string[],
  ): Promise<void> {
    const most = results ? MAX_KEPT_OF_BATCH : MAX_KEPT;
    const news = ids
      .filter((id) => !kept.has(id) && (sharesAll || !isShared(id)))
      .slice(0, Math.max(0, most - kept.size));
    for (const id of news) kept.add(id);
    for (let at = 0; at < news.length; at += IDS_AT_ONCE) {
      const part = news.slice(at, at + IDS_AT_ONCE);
      await store.keep({ keyHash: key.keyHash, provider: provider.name, ids: part });
    }
  }

  async function onlyOwn(exchange: Answered): Promise<Verdict> {
    const { whole } = exchange.answer;
    if (whole === undefined || whole.body.length === 0) return PASS;
    const list = readStoredList(whole.json, namesOf(exchange));
    if (list === undefined || list.elements.length > MAX_NAMED) return unreadableList();
    const ids = list.elements.map(({ id }) => id ?? '');
    const own = await findOwn(exchange, ids);
    const foreign = list.elements.filter(({ id }, index) => own[index] !== true && !isShared(id ?? ''));
    const edits: JsonEdit[] = [...foreign.map(({ remove }) => remove), ...list.others];
    if (edits.length === 0) return PASS;
    const left = list.elements.filter((element) => !foreign.includes(element));
    const next = left.length === 0 ? queryOfNextPage(exchange, whole.json, list.elements) : undefined;
    return {
      kind: 'rewrite',
      reason: `removed objects of other keys: ${String(edits.length)}`,
      apply() {
        whole.edits.push(...edits, ...endsOf(whole.json, left));
        if (next !== undefined) leadOn(exchange, next);
      },
    };
  }

  function keepOf(exchange: Answered, state: StoredObjectsState, document: unknown): Awaitable<void> {
    const { keeps } = state;
    if (keeps === undefined || document === undefined || !isOnSharedAccount(exchange)) return undefined;
    const names = namesOf(exchange);
    const wanted = isUnknownGet(exchange) ? wantedOfGet(exchange, document) : keeps;
    const work = state.results
      ? objectsInResult(document, names)
      : wanted && objectsIn(document, wanted, names);
    if (work === undefined) return undefined;
    const written = filesOfBatch(exchange.path, document).map(markOfResults);
    return after(inTurns(work), (ids) => keepNew(exchange, state, [...ids, ...written]));
  }

  function keepOfResults(exchange: Answered, state: StoredObjectsState, body: Buffer): Awaitable<void> {
    if (!isOnSharedAccount(exchange) || !mayRefer(body)) return undefined;
    const work = objectsInResults(body.toString('utf8'), namesOf(exchange));
    return after(inTurns(work), (ids) => keepNew(exchange, state, ids));
  }

  return {
    name,
    shadowable: false,
    begin: () => ({ kept: new Set() }),
    requestBody(exchange, state) {
      if (exchange.endpoint.operation === 'models') return PASS;
      if (![exchange, ...(exchange.fallbacks ?? [])].some(isOnSharedAccount)) return PASS;
      return after(objectsInBody(exchange), (inBody) => judge(exchange, state, inBody));
    },
    response(exchange, state) {
      if (!isSuccessOfServer(exchange)) return PASS;
      if (state.lists && sharesAll) return PASS;
      if (state.lists) return exchange.form === 'stream' ? unreadableList() : onlyOwn(exchange);
      const { whole } = exchange.answer;
      if (whole === undefined || (state.keeps === 'references' && !mayRefer(whole.body))) return PASS;
      const kept = state.results
        ? keepOfResults(exchange, state, whole.body)
        : keepOf(exchange, state, whole.json);
      return after(kept, () => PASS);
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

/** Redirects to the next page. A query-only reference keeps the path, so that clients stay on this gateway. */
function leadOn({ responseHeaders }: Answered, query: string): void {
  responseHeaders.set(':status', '307');
  responseHeaders.set('location', query);
}

const MAX_SHOWN_CHARS = 40;

/** Unknown objects and other keys' objects get the same answer, so that guessing ids reveals nothing. */
function notOwn(provider: string, { member }: NamedObject): Denial {
  const place = member.slice(0, MAX_SHOWN_CHARS).replace(/[^A-Za-z0-9._ -]/g, '?');
  return {
    kind: 'deny',
    type: 'not_found',
    message: `${place} names an object that this key has not created at ${provider}: a key may use only its own objects, and those that an operator shares (proxy.shared_objects)`,
  };
}

function unreadableList(): Denial {
  return {
    kind: 'deny',
    type: 'upstream_unavailable',
    message:
      "the provider's list is unreadable, so objects of other keys cannot be removed: an operator can share them (proxy.shared_objects)",
  };
}
