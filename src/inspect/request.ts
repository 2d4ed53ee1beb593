import { addAll } from '../add-all.ts';
import type { FindAll, Finding } from '../detectors/finding.ts';
import { carriedTexts, withholdHeaders } from '../pipeline/carried.ts';
import type { Parsed } from '../pipeline/exchange.ts';
import {
  DocumentSearch,
  pathKey,
  type PlaceFindings,
  Words,
  type WordsPlace,
  type WordsKind,
} from './whole/document-search.ts';
import type { PromptText } from '../providers/provider.ts';
import { CLEAN, type Found, type Inspected } from './inspected.ts';
import { placeOf, whereSaid } from '../where-found.ts';
import { createScanBatch, type ScanBatch } from './scan/scan-batch.ts';
import { after, ITEM_CHARS, inTurns, type Awaitable, type Work } from '../turns.ts';
import { valueAt } from '../json/edited-view.ts';
import type { JsonPath } from '../json/path.ts';

export interface InspectedRequest extends Inspected {
  /** Those that no edit can take out. */
  readonly unmaskable: readonly Finding[];
  /** Those of them that are no part of the conversation: the address, the model, an id. */
  readonly unmaskableOutside: readonly Finding[];
  /** Whether anything can be taken out. */
  readonly isMaskable: boolean;
  /** Names of client headers that hold some. */
  readonly headers: ReadonlySet<string>;
  /** All that was searched, where nothing was found. */
  readonly searched?: readonly string[];
}

const NOTHING_FOUND: InspectedRequest = {
  ...CLEAN,
  unmaskable: [],
  unmaskableOutside: [],
  isMaskable: false,
  headers: new Set(),
};

/**
 * Looks at all of a request: messages of every role, tools and their results, members that no dialect knows, and what
 * travels beside the body. What comes again with the next turn is masked alike again; a header that holds something is
 * not sent. Headers that repeat arguments follow the body at the edge.
 * @param looksAt which places of the body are looked at, and nothing beside it; all unless told
 */
export function inspectRequest(
  exchange: Parsed,
  findAll: FindAll,
  looksAt?: (place: WordsPlace) => boolean,
): Awaitable<InspectedRequest> {
  const batch = createScanBatch(findAll, 'request');
  return after(inTurns(gathered(exchange, batch, looksAt)), (searched) =>
    after(batch.search(), () =>
      batch.found.length === 0
        ? { ...NOTHING_FOUND, searched: batch.searched }
        : inTurns(inspected(exchange, batch, searched)),
    ),
  );
}

/** What a request's batch was gathered from. */
interface Gathered {
  readonly document: DocumentSearch;
  readonly immutable: ImmutableFields;
  readonly carried: ReturnType<typeof carriedTexts>;
}

/** Adds all that is looked at to the batch. */
function* gathered(
  exchange: Parsed,
  batch: ScanBatch,
  looksAt: ((place: WordsPlace) => boolean) | undefined,
): Work<Gathered> {
  const immutable = yield* immutableFieldsOf(exchange);
  const document = new DocumentSearch({
    ...exchange,
    words: yield* requestWords(exchange.request.texts),
    ...(looksAt !== undefined && { looksAt }),
    side: 'request',
  });
  yield* document.gather(batch);
  for (const text of immutable.encoded) batch.add(text);
  const carried = looksAt === undefined ? carriedTexts(exchange) : [];
  for (const { text } of carried) batch.add(text);
  return { document, immutable, carried };
}

function* inspected(
  exchange: Parsed,
  batch: ScanBatch,
  { document, immutable, carried }: Gathered,
): Work<InspectedRequest> {
  batch.assertMaskable();
  const places = yield* document.places(batch);
  const hits = carried.filter(({ text }) => batch.findingsIn(text).length > 0);
  const headers = new Set(hits.flatMap((hit) => (hit.place === 'header' ? [hit.name] : [])));
  const { maskable, fixed, outside } = sorted(places, immutable);
  const unmaskableOutside = [
    ...outside,
    ...hits.filter(({ place }) => place === 'address').flatMap(({ text }) => batch.findingsIn(text)),
  ];
  const encoded = immutable.encoded.flatMap((text) => batch.findingsIn(text));
  return {
    found: withPlaces(batch.found, places, exchange.request.texts),
    unmaskable: [...fixed, ...encoded, ...unmaskableOutside],
    unmaskableOutside,
    isMaskable: maskable.length > 0 || headers.size > 0,
    headers,
    mask: () =>
      Promise.resolve(() => {
        for (const { path, masked } of maskable) {
          const value = immutable.isSigned(path) ? '' : masked;
          exchange.edits.push({ kind: 'set', path, value });
        }
        withholdHeaders(exchange, headers);
      }),
  };
}

interface SortedPlaces {
  readonly maskable: readonly PlaceFindings[];
  /** Within the conversation. */
  readonly fixed: readonly Finding[];
  readonly outside: readonly Finding[];
}

function sorted(places: readonly PlaceFindings[], immutable: ImmutableFields): SortedPlaces {
  const maskable: PlaceFindings[] = [];
  const fixed: Finding[] = [];
  const outside: Finding[] = [];
  for (const place of places) {
    if (OUTSIDE.has(pathKey(place.path))) addAll(outside, place.findings);
    else if (place.kind === 'name' || immutable.has(place.path)) addAll(fixed, place.findings);
    else maskable.push(place);
  }
  return { maskable, fixed, outside };
}

/** Places that are looked at for messages: what is told of is in the first ones. */
const MAX_PLACES = 1_024;
/** Findings whose speaker is looked up among all texts. */
const MAX_SPOKEN = 16;

function withPlaces(
  found: readonly Found[],
  places: readonly PlaceFindings[],
  texts: readonly PromptText[],
): readonly Found[] {
  const paths = new Map<Finding, JsonPath>();
  for (const { findings, path } of places.slice(0, MAX_PLACES)) {
    for (const one of findings.slice(0, MAX_PLACES)) if (!paths.has(one)) paths.set(one, path);
  }
  return found.map((one, index) => {
    const path = index < MAX_PLACES ? paths.get(one.finding) : undefined;
    if (path === undefined) return one;
    const said =
      index >= MAX_SPOKEN
        ? undefined
        : texts.find((text) => text.path.every((step, at) => path[at] === step));
    return { ...one, where: said === undefined ? { place: placeOf(path) } : whereSaid(said) };
  });
}

function* requestWords(texts: readonly PromptText[]): Work<Words> {
  const words = new Words();
  for (const one of texts) {
    if (one.editable !== false) words.set(one.text, promptKindOf(one));
    yield ITEM_CHARS;
  }
  return words;
}

const PROSE: ReadonlySet<PromptText['kind']> = new Set(['text', 'reasoning']);

/** A tool call's arguments are a JSON document in a string, in most dialects. */
function promptKindOf({ kind, text }: PromptText): WordsKind {
  if (PROSE.has(kind)) return 'prose';
  if (kind === 'tool_result') return 'result';
  return kind === 'tool_arguments' && /^\s*[[{]/.test(text) ? 'document' : 'value';
}

/** What of a request is looked at, and may not be changed. */
interface ImmutableFields {
  /** True for a value whose change would break the request, or make another one of it. */
  has(path: JsonPath): boolean;
  /** True for a text that a signature covers: it goes as a whole, and providers take what is left. */
  isSigned(path: JsonPath): boolean;
  /** Texts that stand in the body in another form: files in base64. */
  readonly encoded: readonly string[];
}

/** Members that say who answers, or what an answer belongs to. */
const OUTSIDE: ReadonlySet<string> = new Set([['model'], ['id'], ['method'], ['jsonrpc']].map(pathKey));

function* immutableFieldsOf({ json, request }: Parsed): Work<ImmutableFields> {
  const fixed = new Set(OUTSIDE);
  const encoded: string[] = [];
  const signed = new Set<string>();
  for (const { text, path, editable, signed: isSigned } of request.texts) {
    yield ITEM_CHARS;
    if (isSigned) signed.add(pathKey(path));
    if (editable !== false) continue;
    const value = valueAt(json, path);
    // Else it is the names and numbers of an object, each of which is come upon where it stands.
    if (typeof value !== 'string') continue;
    fixed.add(pathKey(path));
    if (value !== text) encoded.push(text);
  }
  return {
    has: (path) => fixed.has(pathKey(path)),
    isSigned: (path) => signed.has(pathKey(path)),
    encoded,
  };
}
