import { MASK } from '../../text/mask.ts';
import type { Finding } from '../../detectors/finding.ts';
import { mask } from '../../detectors/mask.ts';
import { withoutOverlaps } from '../../detectors/overlaps.ts';
import { Walk, type Level } from '../walk.ts';
import type { JsonPath } from '../../json/path.ts';
import { writtenNumbers } from '../../json/written-numbers.ts';
import { besideInDocument, besideText, mayBeIdentified } from '../../text/beside.ts';
import { TextMap } from '../../text/text-map.ts';
import { inTurns, ITEM_CHARS, type Work } from '../../turns.ts';
import { MaskedPlaces, type Side } from '../inspected.ts';
import { isOpaque } from '../opaque-members.ts';
import type { ScanBatch } from '../scan/scan-batch.ts';

export interface WordsPlace {
  readonly kind: 'string' | 'number' | 'name';
  /** A decoded string or name, or a number as a string; as written if parsing could lose digits. */
  readonly text: string;
  /** Changed in place by the next step of the walk. */
  readonly path: JsonPath;
}

export interface PlaceFindings {
  readonly kind: WordsPlace['kind'];
  /** The masked string or name, or `***` for a number. */
  readonly masked: string;
  /** For a name, the path of its member. */
  readonly path: JsonPath;
  readonly findings: readonly Finding[];
}

export type WordsKind =
  /** Text known to the dialect. */
  | 'prose'
  /** A value that its name may identify, such as an argument. */
  | 'value'
  /** A tool result: a value that may continue the preceding text. */
  | 'result'
  | 'document';

/** Text kinds. The last kind of a repeated text wins. */
export class Words {
  readonly #kinds = new TextMap<WordsKind>();
  readonly documents: string[] = [];

  set(text: string, kind: WordsKind): void {
    this.#kinds.set(text, kind);
    if (kind === 'document') this.documents.push(text);
  }

  get(text: string): WordsKind | undefined {
    return this.#kinds.get(text);
  }
}

export interface SearchedDocument {
  /** The bytes from which `json` was parsed. */
  readonly body: Buffer;
  readonly json: unknown;
  readonly words: Words;
  /** Strings to skip, by `pathKey`. */
  readonly unsearched?: ReadonlySet<string>;
  readonly looksAt?: (place: WordsPlace) => boolean;
  readonly side: Side;
}

export function pathKey(path: JsonPath): string {
  return JSON.stringify(path);
}

/** Smaller numbers cannot contain a finding. */
export const MIN_NUMBER = 1e8;

/** Reports whether parsing may have lost digits of a number, so that it must be searched as written. */
export function isLong(value: number): boolean {
  return Math.abs(value) >= MIN_NUMBER && !Number.isSafeInteger(value);
}

type LazyPath = JsonPath | (() => JsonPath);
/** @param name the member name that may identify the text */
type See = (
  kind: WordsPlace['kind'],
  text: string,
  name: string | undefined,
  path: LazyPath,
  beside?: readonly string[],
) => void;

export class DocumentSearch {
  readonly #searched: SearchedDocument;
  #hasLongNumbers = false;

  constructor(searched: SearchedDocument) {
    this.#searched = searched;
  }

  *gather(batch: ScanBatch): Work<void> {
    const { words } = this.#searched;
    for (const text of words.documents) {
      if (words.get(text) === 'document') yield* batch.addDocument(text);
      yield ITEM_CHARS;
    }
    yield* this.#visit((kind, text, name, path, beside = NOTHING) => {
      if (!this.#looksAt(kind, text, path)) return;
      if (kind === 'string' && words.get(text) === undefined && isOpaque(name, text)) return;
      batch.add(text, name);
      for (const other of beside) batch.add(text, other);
    });
  }

  /**
   * Returns the places with findings in document order, followed by those numbers that were searched as written.
   * @throws GatewayError invalid_request, upstream_unavailable if there are too many
   */
  async places(batch: ScanBatch): Promise<readonly PlaceFindings[]> {
    const places: PlaceFindings[] = [];
    const bound = new MaskedPlaces(this.#searched.side);
    const visits = this.#visit((kind, text, name, at, beside = NOTHING) => {
      const own = batch.findingsIn(text, name);
      const findings = beside.length === 0 ? own : findingsTogether(batch, text, own, beside);
      if (findings.length === 0 || !this.#looksAt(kind, text, at)) return;
      const path = resolvedPath(at);
      bound.add(path);
      const isOwn = findings === own;
      const masked = kind === 'number' ? MASK : isOwn ? batch.masked(text, name) : mask(text, findings);
      places.push({ kind, masked, path: [...path], findings });
    });
    await inTurns(visits);
    return places;
  }

  #looksAt(kind: WordsPlace['kind'], text: string, path: LazyPath): boolean {
    const { looksAt } = this.#searched;
    return looksAt === undefined || looksAt({ kind, text, path: resolvedPath(path) });
  }

  *#visit(see: See): Work<void> {
    const { body, json, words, unsearched } = this.#searched;
    let lastSpoken: string | undefined;
    yield* visitDocument(json, {
      string(text, name, path, level) {
        if (unsearched !== undefined && unsearched.size > 0 && unsearched.has(pathKey(path))) return;
        const kind = words.get(text);
        const isSpoken = kind === 'prose' || kind === 'result';
        const previous = isSpoken ? lastSpoken : undefined;
        const before = previous === undefined ? NOTHING : besideText(text, () => [previous]);
        if (isSpoken) lastSpoken = text;
        if (kind === 'document') see('string', text, name, path);
        else if (kind === 'prose')
          see('string', text, undefined, path, besideBoth(identifying(text, name, level, path), before));
        else if (level === undefined) see('string', text, name, path);
        else see('string', text, name, path, besideBoth(besideInDocument(text, level, path), before));
      },
      number: (value, name, path) => {
        if (isLong(value)) this.#hasLongNumbers = true;
        else if (Math.abs(value) >= MIN_NUMBER) see('number', String(value), name, path);
      },
      memberName: (name, path) => see('name', name, undefined, path),
    });
    if (!this.#hasLongNumbers) return;
    for (const number of writtenNumbers(body)) {
      if (number === undefined) yield;
      else if (isLong(Number(number.source))) see('number', number.source, number.name, number.path);
    }
  }
}

const NOTHING: readonly string[] = [];

/** Returns the names and neighbours that may identify prose, such as a document or a form. */
function identifying(
  text: string,
  name: string | undefined,
  level: NamedLevel | undefined,
  path: JsonPath,
): readonly string[] {
  if (!mayBeIdentified(text)) return NOTHING;
  const beside = level === undefined ? NOTHING : besideInDocument(text, level, path);
  return name === undefined ? beside : [name, ...beside];
}

function besideBoth(some: readonly string[], others: readonly string[]): readonly string[] {
  if (others.length === 0) return some;
  return some.length === 0 ? others : [...some, ...others];
}

/** Returns the findings in a text, alone and after its neighbours. Returns `own` itself if there are no others. */
function findingsTogether(
  batch: ScanBatch,
  text: string,
  own: readonly Finding[],
  beside: readonly string[],
): readonly Finding[] {
  const more = beside.flatMap((other) => batch.findingsIn(text, other));
  return more.length === 0 ? own : withoutOverlaps([...own, ...more]);
}

function resolvedPath(path: LazyPath): JsonPath {
  return typeof path === 'function' ? path() : path;
}

/**
 * Callbacks for every non-empty string, number and member name in a JSON document. The next step changes `path` in
 * place.
 */
export interface DocumentVisitor {
  /**
   * @param name the nearest enclosing member name
   * @param level the enclosing object or array; undefined if the document is a string
   */
  string(text: string, name: string | undefined, path: JsonPath, level: NamedLevel | undefined): void;
  number(value: number, name: string | undefined, path: JsonPath): void;
  memberName(name: string, path: JsonPath): void;
}

type NamedLevel = Level<string | undefined>;

const VALUES_PER_STEP = 1_024;

/** Visits each member's name before its value. */
export function* visitDocument(json: unknown, visitor: DocumentVisitor): Work<void> {
  const walk = new Walk<string | undefined>(json, undefined);
  let visited = 0;
  visit(json, undefined, undefined);

  function visit(value: unknown, name: string | undefined, within: NamedLevel | undefined): void {
    if (typeof value === 'number') visitor.number(value, name, walk.path);
    else if (typeof value === 'string' && value !== '') visitor.string(value, name, walk.path, within);
  }

  for (let level = walk.next(); level !== undefined; level = walk.next()) {
    const { step } = walk;
    if (typeof step === 'string') visitor.memberName(step, walk.path);
    const name = typeof step === 'string' ? step : level.state;
    visit(walk.value, name, level);
    walk.enter(name);
    if (++visited % VALUES_PER_STEP === 0) yield;
  }
}
