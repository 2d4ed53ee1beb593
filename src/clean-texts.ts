import { hash, randomBytes } from 'node:crypto';
import { COMMON_TEXTS } from './common-texts.ts';
import { RecentMap } from './recent-map.ts';
import { after, mapInTurns, type Awaitable } from './turns.ts';

/** Shorter texts are faster to search than to hash. */
const MIN_CHARS = 256;
/** Random per process, so that leaked digests cannot be tested against guessed texts. */
const KEY = randomBytes(32).toString('hex');

/** Returns a text's cache key, or undefined if the text is too short. Distinguishes lone surrogates. */
export function textDigest(text: string): string | undefined {
  if (text.length < MIN_CHARS) return undefined;
  return textsInUse.get(text)?.digest ?? newDigest(text);
}

/** Hashes twice, because joining the key and a long text would copy the text. */
function newDigest(text: string): string {
  const kind = text.isWellFormed() ? 'text' : 'units';
  const unkeyed = hash('sha256', kind === 'text' ? text : Buffer.from(text, 'utf16le'), 'binary');
  return hash('sha256', `${KEY}${kind}${unkeyed}`, 'binary');
}

export type SearchId = number;

let searches = 0;

export function createSearchId(): SearchId {
  searches += 1;
  return searches;
}

/** Searches that find nothing in a text. A search always has the same result for the same text. */
export interface CleanRecord {
  isClean(search: SearchId): boolean;
  markClean(search: SearchId): void;
}

/** Enough for the histories of a few hundred agents. A text takes about 130 bytes, or 400 with its own search list. */
const MAX_TEXTS = 32_768;
/** Limit per text. The oldest searches are evicted first. */
const MAX_SEARCHES = 32;

/** About a hundred are in use, one per order of searches. */
const MAX_LISTS = 4_096;

const known = new RecentMap<Known>(MAX_TEXTS);

/** Searches that found nothing, latest last. Nearly all texts share a list, because the same searches run on them. */
class SearchList {
  readonly searches: readonly SearchId[];
  readonly #longer = new Map<SearchId, SearchList>();

  constructor(searches: readonly SearchId[]) {
    this.searches = searches;
  }

  with(search: SearchId): SearchList {
    const known = this.#longer.get(search);
    if (known !== undefined) return known;
    const longer = new SearchList([...this.searches, search].slice(-MAX_SEARCHES));
    this.#longer.set(search, longer);
    listCount += 1;
    if (listCount > MAX_LISTS) forgetLists();
    return longer;
  }
}

let noSearches = new SearchList([]);
let listCount = 0;

/** Starts new lists for new texts. Existing texts keep their lists. */
function forgetLists(): void {
  noSearches = new SearchList([]);
  listCount = 0;
}

class Known implements CleanRecord {
  readonly digest: string | undefined;
  #nothingFor = noSearches;

  constructor(digest: string | undefined) {
    this.digest = digest;
  }

  isClean(search: SearchId): boolean {
    return this.#nothingFor.searches.includes(search);
  }

  markClean(search: SearchId): void {
    if (this.isClean(search)) return;
    if (this.#nothingFor.searches.length === 0 && this.digest !== undefined) known.set(this.digest, this);
    this.#nothingFor = this.#nothingFor.with(search);
  }
}

/** Words in nearly all requests. They are too short for a digest and are looked up directly. */
const common = new Map([...COMMON_TEXTS].map((text) => [text, new Known(undefined)]));

/** Texts in use, kept slightly longer than judging takes under load. Each is hashed once for all callers. */
let textsInUse = new Map<string, Known>();
const IN_USE_MS = 1_000;
const MAX_CHARS_IN_USE = 4 * 1_048_576;
const RECORD_CHARS = 64; // approximate size of a record
let charsInUse = 0;

/** V8 hashes longer texts by their length alone, so texts of equal length share a map slot. */
const MAX_HASHED_CHARS = 16_383;
/**
 * Maximum number of long texts of equal length. Comparing a text with more of them would take longer than hashing it.
 */
const MAX_EQUAL_LENGTHS = 16;
const longTexts = new Map<number, number>();

/**
 * Returns a text's record, or undefined for short texts that begin with a digit and for texts so long that hashing
 * would fill an event-loop turn. Texts are kept only while in use; afterwards, only the digests of texts of at least
 * MIN_CHARS remain.
 */
export function cleanRecord(text: string): CleanRecord | undefined {
  const found = (text.length < MIN_CHARS ? common.get(text) : undefined) ?? textsInUse.get(text);
  if (found !== undefined) return found;
  if (text.length > MAX_CHARS_IN_USE || hasPredictableHash(text)) return undefined;
  const digest = text.length < MIN_CHARS ? undefined : newDigest(text);
  const record = (digest === undefined ? undefined : known.get(digest)) ?? new Known(digest);
  const chars = RECORD_CHARS + text.length;
  if (charsInUse + chars > MAX_CHARS_IN_USE) forgetTextsInUse();
  if (text.length > MAX_HASHED_CHARS) {
    const others = longTexts.get(text.length) ?? 0;
    if (others >= MAX_EQUAL_LENGTHS) return record;
    longTexts.set(text.length, others + 1);
  }
  if (textsInUse.size === 0) setTimeout(forgetTextsInUse, IN_USE_MS).unref();
  textsInUse.set(text, record);
  charsInUse += chars;
  return record;
}

/** Matches short texts that begin with a digit, because numbers can be chosen to share one map slot. */
function hasPredictableHash(text: string): boolean {
  const first = text.charCodeAt(0);
  return text.length <= MAX_NUMBER_CHARS && first >= 48 && first <= 57;
}

const MAX_NUMBER_CHARS = 16;

/**
 * Replaces the map instead of clearing it, because a cleared map's old table points to the new one and, if it has
 * survived a garbage collection, keeps later texts alive.
 */
function forgetTextsInUse(): void {
  textsInUse = new Map();
  longTexts.clear();
  charsInUse = 0;
}

/** Iterating over more texts takes milliseconds, whatever their content. */
const MANY_TEXTS = 4_096;

export interface TextReading<Result> {
  /** Reads texts in event-loop turns. The n-th result belongs to the n-th text. */
  readonly read: (texts: readonly string[]) => Awaitable<readonly Result[]>;
  /** Reports whether the result needs no action, now or later. */
  readonly isClean: (result: Result, text: string) => boolean;
  readonly clean: (text: string) => Result;
  /** Shared by readings with equal results. Default: a new id. */
  readonly search?: SearchId;
  /** Reports whether other readings already cover this one. */
  readonly isRead?: (text: CleanRecord) => boolean;
  readonly onClean?: (text: string, known: CleanRecord) => void;
}

/** Returns a `read` that skips texts known to need no action. */
export function rememberClean<Result>({
  read,
  isClean,
  clean,
  search = createSearchId(),
  isRead = () => false,
  onClean,
}: TextReading<Result>): TextReading<Result>['read'] {
  function readUnknown(
    texts: readonly string[],
    knownTexts: readonly ReturnType<typeof cleanRecord>[],
  ): Awaitable<readonly Result[]> {
    const isKnown = knownTexts.map(
      (record) => record !== undefined && (record.isClean(search) || isRead(record)),
    );
    if (!isKnown.includes(false)) return texts.map(clean);
    const fresh = read(texts.filter((_text, index) => isKnown[index] !== true));
    return after(fresh, (results) => combine(texts, knownTexts, isKnown, results));
  }

  function combine(
    texts: readonly string[],
    knownTexts: readonly ReturnType<typeof cleanRecord>[],
    isKnown: readonly boolean[],
    fresh: readonly Result[],
  ): Awaitable<readonly Result[]> {
    let next = 0;
    function resultOf(text: string, index: number): Result {
      if (isKnown[index] === true) return clean(text);
      const result = fresh[next++];
      if (result === undefined) throw new Error('the result of a text is missing');
      const known = knownTexts[index];
      if (known !== undefined && isClean(result, text)) {
        known.markClean(search);
        onClean?.(text, known);
      }
      return result;
    }
    return texts.length > MANY_TEXTS ? mapInTurns(texts, resultOf) : texts.map(resultOf);
  }

  return (texts) =>
    after(texts.length > MANY_TEXTS ? mapInTurns(texts, cleanRecord) : texts.map(cleanRecord), (knownTexts) =>
      readUnknown(texts, knownTexts),
    );
}
