import { createSearchId, cleanRecord, type CleanRecord, type SearchId } from '../../clean-texts.ts';
import { RecentMap } from '../../recent-map.ts';
import type { CallText, PolicyCall, ContextText } from '../call.ts';
import { isTrusted } from '../trust.ts';
import { othersAt, textsBelow, contextReadingsBelow, wordTexts } from './below-argument.ts';
import { KnownWords, type WordQueries } from './known-words.ts';
import { inTurns, ITEM_CHARS, type Work } from '../../turns.ts';
import { searchFor, searchInTurns, searchNow, type FoundSpan } from './text-patterns.ts';
import {
  findsData,
  isQueryFor,
  isJudgedByModel,
  isKnownClean,
  looksForInjection,
  noteSearched,
  type Query,
  type TextMatch,
  type TextQuery,
} from './text-query.ts';

type Answers = ReadonlyMap<number, TextMatch>;

interface QueriesOfText {
  readonly numbers: readonly number[];
  /** Cache id of the whole set. */
  readonly all: SearchId;
}

/** Queries that run together, grouped by the texts they search. */
interface QuerySet {
  /** Words in any letter case and obfuscation; the other lists exclude them. */
  readonly words: readonly WordQueries[];
  readonly everywhere: QueriesOfText;
  /** The part of `everywhere` for instructions, by role and trust, and for the agent's own texts. */
  readonly ofInstructions: Map<string, QueriesOfText>;
  readonly inArguments: readonly { readonly number: number; readonly path: readonly string[] }[];
  /** The part of `everywhere` that also applies outside the body. */
  readonly ofData: readonly number[];
  /** Texts outside the body that have no findings; most recur in every request. */
  readonly clean: RecentMap<true>;
}

/** Text conditions of all cards. Each pattern is searched for only once per text, and only if a rule needs it. */
export interface TextQueries {
  /**
   * Returns the query number.
   * @throws Error if a regular expression is invalid
   */
  add(query: TextQuery): number;
  /** Must be called once, after the last `add`. */
  compile(): void;
  /** Returns matches by query number; for short texts, synchronously. */
  answer(call: PolicyCall, selected: ReadonlySet<number>): Answers | Promise<Answers>;
}

/** Rules for the same kind of call use the same set. */
const MAX_SETS = 256;
const MAX_CLEAN = 256;
const MAX_CLEAN_CHARS = 512;

export function createTextQueries(): TextQueries {
  const numbers = new Map<string, number>();
  const queries: Query[] = [];
  const knownWords = new KnownWords();
  const ofAllTexts = new Map<string, number>();
  const sets = new RecentMap<SearchId>(MAX_SETS);
  const querySets = new WeakMap<ReadonlySet<number>, QuerySet>();

  function* runQueries(call: PolicyCall, selected: ReadonlySet<number>): Work<Map<number, TextMatch>> {
    const found = new Map<number, TextMatch>();
    const querySet = querySetOf(selected);
    const { words, everywhere, inArguments, ofData, clean } = querySet;
    for (const some of words) yield* knownWords.find(wordTexts(call, some.path), some, found);
    for (const text of everywhere.numbers.length === 0 ? [] : call.texts) {
      const { numbers, all } = queriesFor(text, call, querySet);
      if (numbers.length === 0) continue;
      // Not all queries apply to resolved paths, so their results are not cached.
      const known = text.isResolved === true ? undefined : cleanRecord(text.raw);
      if (known?.isClean(all) === true) continue;
      let isClean = true;
      if (isShort(text)) yield text.raw.length * numbers.length;
      for (const number of numbers) {
        const isFound =
          found.has(number) ||
          (isShort(text) ? matchesShort(number, text, known) : yield* matchesText(number, text, known));
        if (isFound) isClean = false;
      }
      if (isClean) known?.markClean(all);
    }
    for (const text of ofData.length === 0 ? [] : (call.carried?.() ?? [])) {
      if (clean.get(text) === true) continue;
      let isClean = true;
      for (const number of ofData) {
        yield text.length;
        if (
          found.has(number) ||
          (yield* matchesText(number, { raw: text, normalized: text, argument: undefined }))
        )
          isClean = false;
      }
      if (isClean && text.length <= MAX_CLEAN_CHARS) clean.set(text, true);
    }
    for (const { number, path } of inArguments) {
      const ofAll = ofAllTexts.get(queryOf(number).patternKey);
      const isInNoText = ofAll !== undefined && selected.has(ofAll) && !found.has(ofAll);
      const texts = isInNoText ? othersAt(call, path) : [...textsBelow(call, path), ...othersAt(call, path)];
      for (const text of texts) if (yield* matchesText(number, text)) break;
      if (findsData(queryOf(number))) yield* searchContexts([number], path);
    }
    yield* searchContexts(ofData, undefined);
    return found;

    /** Searches for values that only their context identifies. */
    function* searchContexts(numbers: readonly number[], path: readonly string[] | undefined): Work<void> {
      const left = numbers.filter((number) => !found.has(number));
      if (left.length === 0) return;
      const searchId = searchIdOf(left, 'context');
      for (const reading of path === undefined ? call.contextReadings() : contextReadingsBelow(call, path)) {
        yield ITEM_CHARS;
        const known = reading.content === undefined ? undefined : cleanRecord(reading.content);
        if (known?.isClean(searchId) === true) continue;
        for (const text of reading.texts()) {
          yield ITEM_CHARS;
          for (const number of left) if (!found.has(number)) yield* searchContext(number, text);
        }
        if (!left.some((number) => found.has(number))) known?.markClean(searchId);
      }
    }

    /** Ignores matches within the context, which are already known, except for card security codes. */
    function* searchContext(number: number, { before, text }: ContextText): Work<void> {
      const { pattern, search } = queryOf(number);
      const includesContext = pattern.kind === 'detects' && pattern.detector === 'cvv';
      const read = before === '' ? text : before + text.slice(0, MAX_CONTEXT_CHARS);
      const match = yield* searchInTurns(search, read);
      if (match !== undefined && (includesContext || match.end > before.length)) note(number, read, match);
    }

    /** Searches a text as received and, if that differs, normalized. */
    function* matchesText(number: number, text: CallText, known?: CleanRecord): Work<boolean> {
      const { raw, normalized } = text;
      const query = queryOf(number);
      if (!isQueryFor(query, text)) return false;
      if (!isKnownClean(query, known)) {
        if (note(number, raw, yield* searchInTurns(query.search, raw))) return true;
        noteSearched(query, raw, known);
      }
      return raw !== normalized && note(number, normalized, yield* searchInTurns(query.search, normalized));
    }

    /** Like `matchesText`, for short texts, where a generator step would cost as much as the search. */
    function matchesShort(number: number, text: CallText, known: CleanRecord | undefined): boolean {
      const { raw, normalized } = text;
      const query = queryOf(number);
      if (!isQueryFor(query, text)) return false;
      if (!isKnownClean(query, known)) {
        if (note(number, raw, searchNow(query.search, raw))) return true;
        noteSearched(query, raw, known);
      }
      return raw !== normalized && note(number, normalized, searchNow(query.search, normalized));
    }

    function note(number: number, text: string, match: FoundSpan | undefined): boolean {
      if (match === undefined) return false;
      found.set(number, { ...match, text });
      return true;
    }
  }

  function queryOf(number: number): Query {
    const query = queries[number];
    if (query === undefined) throw new Error('unknown query number');
    return query;
  }

  function querySetOf(selected: ReadonlySet<number>): QuerySet {
    const before = querySets.get(selected);
    if (before !== undefined) return before;
    const words = [...selected].filter((number) => queryOf(number).word !== undefined);
    const numbers = [...selected]
      .filter((number) => queryOf(number).word === undefined)
      .map((number) => ({ number, path: queryOf(number).argument }));
    const everywhere = numbers.flatMap(({ number, path }) => (path === undefined ? [number] : []));
    const inArguments = numbers.flatMap(({ number, path }) => (path === undefined ? [] : [{ number, path }]));
    const made: QuerySet = {
      words: wordQueriesOf(words),
      everywhere: { numbers: everywhere, all: searchIdOf(everywhere) },
      ofInstructions: new Map(),
      inArguments,
      ofData: everywhere.filter((number) => findsData(queryOf(number))),
      clean: new RecentMap<true>(MAX_CLEAN),
    };
    querySets.set(selected, made);
    return made;
  }

  /** Excludes injection queries for trusted instructions, and injection models for the agent's own texts. */
  function queriesFor({ role, isOwn }: CallText, { trust }: PolicyCall, querySet: QuerySet): QueriesOfText {
    if (role === undefined && isOwn !== true) return querySet.everywhere;
    const kind = role === undefined ? 'own' : `${role} ${trust[role]}`;
    const known = querySet.ofInstructions.get(kind);
    if (known !== undefined) return known;
    const numbers = querySet.everywhere.numbers.filter((number) => {
      const { pattern, trust: ruleTrust } = queryOf(number);
      if (role === undefined) return !isJudgedByModel(pattern);
      return !(looksForInjection(pattern) && isTrusted(role, trust, ruleTrust));
    });
    const made = { numbers, all: searchIdOf(numbers) };
    querySet.ofInstructions.set(kind, made);
    return made;
  }

  function wordQueriesOf(selected: readonly number[]): WordQueries[] {
    const byPath = Map.groupBy(selected, (number) => JSON.stringify(queryOf(number).argument ?? null));
    return [...byPath.values()].map((group) => ({
      path: queryOf(group[0] ?? 0).argument,
      numbers: new Map(
        group.flatMap((number) => {
          const { word } = queryOf(number);
          return word === undefined ? [] : [[word, number] as const];
        }),
      ),
      nothing: searchIdOf(group, 'words'),
      nothingNormalized: searchIdOf(group, 'words normalized'),
    }));
  }

  function searchIdOf(selected: readonly number[], how = ''): SearchId {
    const name = how + selected.join();
    const known = sets.get(name);
    if (known !== undefined) return known;
    const searchId = createSearchId();
    sets.set(name, searchId);
    return searchId;
  }

  return {
    add(query) {
      const key = JSON.stringify(query);
      const known = numbers.get(key);
      if (known !== undefined) return known;
      const patternKey = JSON.stringify(query.pattern);
      const { pattern } = query;
      const isWord = pattern.kind === 'contains' && pattern.ignoreCase;
      const word = isWord ? knownWords.add(pattern.text) : undefined;
      const number = queries.push({ ...query, patternKey, search: searchFor(pattern), word }) - 1;
      numbers.set(key, number);
      if (query.argument === undefined) ofAllTexts.set(patternKey, number);
      return number;
    },
    compile: () => {
      knownWords.compile();
    },
    answer: (call, selected) => inTurns(runQueries(call, selected)),
  };
}

/** Maximum number of characters of a value that are searched with its context. */
const MAX_CONTEXT_CHARS = 8_192;

/** Texts of up to this length are searched in one step. */
const SHORT_CHARS = 4_096;

function isShort({ raw, normalized }: CallText): boolean {
  return raw.length <= SHORT_CHARS && normalized.length <= SHORT_CHARS;
}
