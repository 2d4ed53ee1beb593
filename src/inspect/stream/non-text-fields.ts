import { MASK } from '../../text/mask.ts';
import { mask } from '../../detectors/mask.ts';
import type { StreamDetector } from '../../detectors/finding.ts';
import { GatewayError } from '../../errors.ts';
import { Walk, type Level } from '../walk.ts';
import type { JsonEdit, JsonPath } from '../../json/path.ts';
import { writtenNumbers } from '../../json/written-numbers.ts';
import type { StreamEvent } from '../../providers/dialect.ts';
import { type PathTree, PathTreeBuilder } from '../conversation-places.ts';
import type { Span } from '../../text/span.ts';
import { each, type Work } from '../../turns.ts';
import { isLong, MIN_NUMBER } from '../whole/document-search.ts';
import { MaskedPlaces, type Found } from '../inspected.ts';
import { isIdentifier, isOpaque } from '../opaque-members.ts';
import { emptied, isTokenId, isTokenIdList, repeatsText } from '../token-ids.ts';
import { contextOf } from '../../text/beside.ts';
import { CHUNK_CHARS } from '../scan/text-scanner.ts';
import { WholeTexts } from '../scan/whole-texts.ts';

/** Exceeds the depth of all known frames. */
const MAX_DEPTH = 256;
const MAX_NUMBER_CHARS = 64;
/** Maximum size of an event kept for comparison with the next one. */
const MAX_KEPT_BYTES = 16_384;
/** Cost per searched value, and limit of work per step, in characters. */
const SEARCH_CHARS = 32;
const STEP_CHARS = 2048;

interface ValueSearch {
  readonly detector: StreamDetector;
  readonly wholeTexts: WholeTexts;
  readonly clean: RecentTexts;
}

function createValueSearch(detector: StreamDetector): ValueSearch {
  return { detector, wholeTexts: new WholeTexts(detector), clean: new RecentTexts() };
}

export interface SearchedValues {
  readonly edits: readonly JsonEdit[];
  readonly tokenIds: readonly JsonEdit[];
}

interface Fields {
  readonly texts: PathTree | undefined;
  readonly name: string | undefined;
  /** The clean value at the same place in the previous event. */
  readonly before: unknown;
}

/** Searches everything but texts in stream events. Most values are repeated in every event and cost only a lookup. */
export class NonTextFields {
  readonly #words: ValueSearch;
  /** For names, numbers and identifiers. */
  readonly #names: ValueSearch;
  /** Paths of texts and tokens in the last event. Most stream events have one text, at the same path. */
  #paths: readonly JsonPath[] = [];
  #texts: PathTree = new Map();
  #last: { readonly root: object; readonly texts: PathTree } | undefined;
  #cost = 0;

  constructor(detector: StreamDetector, names: StreamDetector) {
    this.#words = createValueSearch(detector);
    this.#names = names === detector ? this.#words : createValueSearch(names);
  }

  *search(root: object, event: StreamEvent, found: Found[]): Work<SearchedValues> {
    const paths = textPaths(event);
    if (!areSame(paths, this.#paths, isSamePath)) {
      const builder = new PathTreeBuilder();
      yield* each(paths, (path) => {
        builder.add(path);
      });
      this.#paths = paths;
      this.#texts = builder.tree;
    }
    const texts = this.#texts;
    const before = this.#last?.texts === texts ? this.#last.root : undefined;
    const searched = yield* this.#searchFields(root, { texts, name: undefined, before }, event, found);
    const isKept = searched.edits.length === 0 && event.frame.raw.length <= MAX_KEPT_BYTES;
    this.#last = isKept ? { root, texts } : undefined;
    return searched;
  }

  *#searchFields(root: object, fields: Fields, event: StreamEvent, found: Found[]): Work<SearchedValues> {
    const edits: JsonEdit[] = [];
    const tokenIds: JsonEdit[] = [];
    const places = new MaskedPlaces('answer');
    function add(edit: JsonEdit): void {
      places.add(edit.path);
      edits.push(edit);
    }
    let hasLong = false;
    const walk = new Walk(root, fields);
    for (let level = walk.next(); level !== undefined; level = walk.next()) {
      if (this.#cost > STEP_CHARS) yield this.#takeCost();
      const { step, value, path } = walk;
      this.#cost += 1;
      const before = childAt(level.state.before, step);
      if (holdsTokenIds(level, step, value)) tokenIds.push(emptied([...path], value));
      if (value === before && typeof value !== 'object') continue;
      if (
        before === undefined &&
        typeof step === 'string' &&
        (yield* this.#masked(this.#names, step, undefined, found)) !== step
      ) {
        add({ kind: 'remove', path: [...path] });
      }
      const texts = level.state.texts?.get(step);
      if (texts === true) continue;
      const name = typeof step === 'string' ? step : level.state.name;
      if (typeof value === 'object' && value !== null) {
        if (walk.depth === MAX_DEPTH) throw tooDeep();
        walk.enter({ texts, name, before });
      } else if (typeof value === 'string') {
        const search = isIdentifier(value) ? this.#names : this.#words;
        const masked = yield* this.#masked(search, value, name, found);
        if (masked !== value) add({ kind: 'set', path: [...path], value: masked });
      } else if (typeof value === 'number' && Math.abs(value) >= MIN_NUMBER) {
        if (isLong(value)) hasLong = true;
        else if (this.#spansIn(this.#names, String(value), name, found) !== undefined) {
          add({ kind: 'set', path: [...path], value: MASK });
        }
      }
    }
    if (hasLong) yield* this.#searchLong(event, found, add);
    // Later edits win, so edits of enclosing values come last.
    return { edits, tokenIds: tokenIds.reverse() };
  }

  /** Searches numbers as written if parsing may lose digits. */
  *#searchLong(event: StreamEvent, found: Found[], add: (edit: JsonEdit) => void): Work<void> {
    for (const number of writtenNumbers(Buffer.from(event.inner?.json ?? event.frame.data ?? ''))) {
      if (number === undefined || this.#cost > STEP_CHARS) yield this.#takeCost() + STEP_CHARS;
      if (number === undefined) continue;
      const { source, name, path } = number;
      if (source.length > MAX_NUMBER_CHARS || !isLong(Number(source))) continue;
      if (this.#spansIn(this.#names, source, name, found) === undefined) continue;
      add({ kind: 'set', path: path(), value: MASK });
    }
  }

  #takeCost(): number {
    const cost = this.#cost;
    this.#cost = 0;
    return cost;
  }

  *#masked(search: ValueSearch, text: string, name: string | undefined, found: Found[]): Work<string> {
    if (text === '' || isOpaque(name, text)) return text;
    if (text.length <= CHUNK_CHARS) {
      const spans = this.#spansIn(search, text, name, found);
      return spans === undefined ? text : mask(text, spans);
    }
    const buffer = yield* search.wholeTexts.search({ text, context: contextOf(name) }, found);
    return yield* buffer.takeAll();
  }

  #spansIn(
    { detector, clean }: ValueSearch,
    text: string,
    name: string | undefined,
    found: Found[],
  ): readonly Span[] | undefined {
    const context = contextOf(name);
    const whole = context + text;
    if (clean.has(whole)) return undefined;
    this.#cost += whole.length + SEARCH_CHARS;
    const all = detector.find(whole);
    // Not clean if only the name has a finding, because another text may equal the name and value together.
    if (all.length === 0) clean.add(whole);
    const findings = all.filter(({ end }) => end > context.length);
    if (findings.length === 0) return undefined;
    for (const finding of findings) found.push({ finding, text: whole.slice(finding.start, finding.end) });
    return findings.map(({ start, end }) => ({
      start: Math.max(0, start - context.length),
      end: end - context.length,
    }));
  }
}

/** Reports whether a value is token ids or repeats the text. Excludes tokens known to the dialect. */
function holdsTokenIds({ state }: Level<Fields>, step: string | number, value: unknown): boolean {
  if (typeof step === 'number' || value === null || state.texts?.get(step) === true) return false;
  if (typeof value === 'number') return isTokenId(step);
  if (typeof value !== 'object') return false;
  return Array.isArray(value) ? isTokenIdList(step, value) || repeatsText(step) : repeatsText(step);
}

function childAt(container: unknown, step: string | number): unknown {
  if (typeof container !== 'object' || container === null) return undefined;
  return (container as Record<string | number, unknown>)[step];
}

function tooDeep(): GatewayError {
  return new GatewayError('upstream_unavailable', 'the provider sent an answer that is nested too deeply');
}

function textPaths({ deltas, tokens = [] }: StreamEvent): readonly JsonPath[] {
  const paths = deltas.map(({ path }) => path);
  for (const { blank } of tokens) for (const { path } of blank) paths.push(path);
  return paths;
}

function isSamePath(path: JsonPath, other: JsonPath): boolean {
  return areSame(path, other, Object.is);
}

function areSame<Item>(
  some: readonly Item[],
  others: readonly Item[],
  isSame: (item: Item, other: Item) => boolean,
): boolean {
  if (some.length !== others.length) return false;
  return some.every((item, index) => isSame(item, others[index] as Item));
}

const MAX_RECENT_TEXTS = 64;
const MAX_RECENT_CHARS = 256;

/** Recent short texts in two generations, which is cheaper than an LRU list. */
export class RecentTexts {
  #young = new Set<string>();
  #old = new Set<string>();

  has(text: string): boolean {
    if (this.#young.has(text)) return true;
    if (!this.#old.has(text)) return false;
    this.add(text);
    return true;
  }

  add(text: string): void {
    if (text.length > MAX_RECENT_CHARS) return;
    if (this.#young.size === MAX_RECENT_TEXTS) {
      this.#old = this.#young;
      this.#young = new Set();
    }
    this.#young.add(text);
  }
}
