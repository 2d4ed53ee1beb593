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
import type { PromptText } from '../providers/request-facts.ts';
import { CLEAN, type Found, type Inspected } from './inspected.ts';
import { placeOf, whereSaid } from '../where-found.ts';
import { ScanBatch } from './scan/scan-batch.ts';
import { after, each, inTurns, type Awaitable, type Work } from '../turns.ts';
import { valueAt, type JsonPath } from '../json/path.ts';

export interface InspectedRequest extends Inspected {
  readonly unmaskable: readonly Finding[];
  /** Unmaskable findings outside the conversation: in the URL, the model name or a protocol member. */
  readonly unmaskableOutside: readonly Finding[];
  readonly isMaskable: boolean;
  readonly headers: ReadonlySet<string>;
}

const NOTHING_FOUND: InspectedRequest = {
  ...CLEAN,
  unmaskable: [],
  unmaskableOutside: [],
  isMaskable: false,
  headers: new Set(),
};

/**
 * Searches a whole request: messages of every role, tools and their results, unknown members, headers and the URL.
 * Equal texts are masked the same way, also in later turns. A header with findings is not forwarded. Headers that
 * mirror an MCP message are rewritten later to match the body.
 * @param looksAt selects places in the body and skips texts outside the body; by default, everything is searched
 */
export function inspectRequest(
  exchange: Parsed,
  findAll: FindAll,
  looksAt?: (place: WordsPlace) => boolean,
): Awaitable<InspectedRequest> {
  const batch = new ScanBatch(findAll, 'request');
  return after(inTurns(gathered(exchange, batch, looksAt)), (searched) =>
    after(batch.search(), () =>
      batch.found.length === 0
        ? { ...NOTHING_FOUND, searched: batch.searched }
        : inspected(exchange, batch, searched),
    ),
  );
}

interface GatheredRequest {
  readonly document: DocumentSearch;
  readonly texts: RequestTexts;
  readonly carried: ReturnType<typeof carriedTexts>;
}

function* gathered(
  exchange: Parsed,
  batch: ScanBatch,
  looksAt: ((place: WordsPlace) => boolean) | undefined,
): Work<GatheredRequest> {
  const texts = new RequestTexts(exchange.json);
  yield* each(exchange.request.texts, (text) => {
    texts.note(text);
  });
  const document = new DocumentSearch({
    ...exchange,
    words: texts.words,
    ...(looksAt !== undefined && { looksAt }),
    side: 'request',
  });
  yield* document.gather(batch);
  for (const text of texts.encoded) batch.add(text);
  const carried = looksAt === undefined ? carriedTexts(exchange) : [];
  for (const { text } of carried) batch.add(text);
  return { document, texts, carried };
}

async function inspected(
  exchange: Parsed,
  batch: ScanBatch,
  { document, texts, carried }: GatheredRequest,
): Promise<InspectedRequest> {
  batch.assertMaskable();
  const places = await document.places(batch);
  const hits = carried.filter(({ text }) => batch.findingsIn(text).length > 0);
  const headers = new Set(hits.flatMap((hit) => (hit.place === 'header' ? [hit.name] : [])));
  const { maskable, fixed, outside } = sorted(places, texts);
  const unmaskableOutside = [
    ...outside,
    ...hits.filter(({ place }) => place === 'address').flatMap(({ text }) => batch.findingsIn(text)),
  ];
  const encoded = texts.encoded.flatMap((text) => batch.findingsIn(text));
  return {
    found: withPlaces(batch.found, places, exchange.request.texts),
    unmaskable: [...fixed, ...encoded, ...unmaskableOutside],
    unmaskableOutside,
    isMaskable: maskable.length > 0 || headers.size > 0,
    headers,
    mask: () =>
      Promise.resolve(() => {
        for (const { path, masked } of maskable) {
          const value = texts.isSigned(path) ? '' : masked;
          exchange.edits.push({ kind: 'set', path, value });
        }
        withholdHeaders(exchange, headers);
      }),
  };
}

interface SortedPlaces {
  readonly maskable: readonly PlaceFindings[];
  readonly fixed: readonly Finding[];
  readonly outside: readonly Finding[];
}

function sorted(places: readonly PlaceFindings[], texts: RequestTexts): SortedPlaces {
  const maskable: PlaceFindings[] = [];
  const fixed: Finding[] = [];
  const outside: Finding[] = [];
  for (const place of places) {
    if (OUTSIDE.has(pathKey(place.path))) addAll(outside, place.findings);
    else if (place.kind === 'name' || texts.isFixed(place.path)) addAll(fixed, place.findings);
    else maskable.push(place);
  }
  return { maskable, fixed, outside };
}

/** Number of findings and places considered for the locations in a refusal; clients see only the first few. */
const MAX_PLACES = 1_024;
const MAX_SPOKEN = 16;

function withPlaces(
  found: readonly Found[],
  places: readonly PlaceFindings[],
  texts: readonly PromptText[],
): readonly Found[] {
  const paths = new Map<Finding, JsonPath>();
  for (const { findings, path } of places.slice(0, MAX_PLACES)) {
    for (const finding of findings.slice(0, MAX_PLACES)) if (!paths.has(finding)) paths.set(finding, path);
  }
  return found.map((item, index) => {
    const path = index < MAX_PLACES ? paths.get(item.finding) : undefined;
    if (path === undefined) return item;
    const message =
      index >= MAX_SPOKEN
        ? undefined
        : texts.find((text) => text.path.every((step, at) => path[at] === step));
    return { ...item, where: message === undefined ? { place: placeOf(path) } : whereSaid(message) };
  });
}

const PROSE: ReadonlySet<PromptText['kind']> = new Set(['text', 'reasoning']);

/** Most dialects send tool arguments as a string that contains JSON. */
function promptKindOf({ kind, text }: PromptText): WordsKind {
  if (PROSE.has(kind)) return 'prose';
  if (kind === 'tool_result') return 'result';
  return kind === 'tool_arguments' && /^\s*[[{]/.test(text) ? 'document' : 'value';
}

/** Members that select the model or identify the message. */
const OUTSIDE: ReadonlySet<string> = new Set([['model'], ['id'], ['method'], ['jsonrpc']].map(pathKey));

/** Texts known to the dialect, and values that must not be edited. */
class RequestTexts {
  readonly words = new Words();
  readonly encoded: string[] = [];
  readonly #json: unknown;
  readonly #fixed = new Set(OUTSIDE);
  readonly #signed = new Set<string>();

  constructor(json: unknown) {
    this.#json = json;
  }

  note(text: PromptText): void {
    if (text.signed) this.#signed.add(pathKey(text.path));
    if (text.editable !== false) {
      this.words.set(text.text, promptKindOf(text));
      return;
    }
    const value = valueAt(this.#json, text.path);
    // Names and numbers in objects are visited separately.
    if (typeof value !== 'string') return;
    this.#fixed.add(pathKey(text.path));
    if (value !== text.text) this.encoded.push(text.text);
  }

  /** Reports whether an edit would break the request or change its meaning. */
  isFixed(path: JsonPath): boolean {
    return this.#fixed.has(pathKey(path));
  }

  /** Providers accept signed text only unchanged or empty. */
  isSigned(path: JsonPath): boolean {
    return this.#signed.has(pathKey(path));
  }
}
