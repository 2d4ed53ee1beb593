import { LONG_STEP, runNow, type Work } from '../../turns.ts';
import { LOOK_BEHIND_CHARS, type Finding, type SearchedText } from '../finding.ts';
import { createSecretSearch, searchStep, STEP_CHARS, type SecretSearch } from './search.ts';
import { ruleIds, searchEncoded, type Searched } from './encoded.ts';
import { MAX_SECRET_CHARS } from './rules.ts';
import { unescaped, unfinishedEscapeAt, type TextView } from './unescaped-view.ts';
import type { Match } from './match.ts';

/** A JSON text in a JSON string, a tool's arguments for one, is escaped twice; deeper is not looked. */
const ESCAPE_LEVELS = 2;

/** Escapes make names long, and secrets; a name that begins further before its secret is not looked for. */
const MAX_NAME_CHARS = LOOK_BEHIND_CHARS - 32;

/**
 * Searches one text: as it is, then with its JSON escapes read, so that a value is found however JSON wrote it. Gives
 * the findings in order of `start`; yields between its steps, so that a caller can give way.
 * @param most matches, after which it gives up
 */
export function* searchSecrets(text: string, most: number): Work<SearchedText> {
  const { matches } = yield* searchLevels(text, most, false);
  return { findings: findingsOf(matches), isWhole: matches.length <= most };
}

/** The same at once, for what is not long. */
export function searchSecretsNow(text: string): readonly Finding[] {
  return findingsOf(searchNow(text, false).matches);
}

/** From where on more text could change what `searchSecrets` finds: `StreamDetector.openFrom`. */
export function undecidedSecretsFrom(text: string): number {
  const { matches, openFrom } = searchNow(text, true);
  // What is decided may reach over what is not, and covers it: nothing is found there that begins before its end.
  return matches.reduce((from, { start, end }) => (start < openFrom ? Math.max(from, end) : from), openFrom);
}

/** Encoded text is decoded, and what is encoded within it; deeper levels are ignored. */
const ENCODING_LEVELS = 2;

/** What is one step and one level, as most texts are, is searched without more ado. */
function searchNow(text: string, asksWhatIsOpen: boolean): Searched {
  if (text.length > STEP_CHARS || text.includes('\\')) {
    return runNow(searchLevels(text, Infinity, asksWhatIsOpen));
  }
  const search = createSecretSearch(text, asksWhatIsOpen, true);
  searchStep(search);
  if (search.encoded === undefined || search.encoded.found.length === 0) return searchedOf(search);
  return runNow(withEncoded(search, Infinity, ENCODING_LEVELS));
}

function searchedOf({ text, found, openFrom = text.length }: SecretSearch): Searched {
  return { matches: found, openFrom };
}

function* searchLevels(
  text: string,
  most: number,
  asksWhatIsOpen: boolean,
  encodings = ENCODING_LEVELS,
): Work<Searched> {
  const { matches, openFrom } = yield* searchLevel(text, most, asksWhatIsOpen, encodings);
  let open = openFrom;
  const views: TextView[] = [];
  for (let read = text; views.length < ESCAPE_LEVELS && matches.length <= most && read.includes('\\');) {
    const view = yield* withEscapesRead(read, asksWhatIsOpen);
    if (view === undefined) break;
    views.unshift(view);
    read = view.text;
    const searched = yield* searchLevel(read, most, asksWhatIsOpen, encodings);
    for (const match of matchesThrough(views, searched.matches)) matches.push(match);
    open = Math.min(open, Math.max(throughViews(views, searched.openFrom), text.length - MAX_SECRET_CHARS));
  }
  return { matches, openFrom: open };
}

function* searchLevel(
  text: string,
  most: number,
  asksWhatIsOpen: boolean,
  encodings: number,
): Work<Searched> {
  const search = createSecretSearch(text, asksWhatIsOpen, encodings > 0);
  while (searchStep(search) && search.found.length <= most) yield LONG_STEP;
  return yield* withEncoded(search, most, encodings);
}

/** Adds what is found in digits that decode to text. */
function* withEncoded(search: SecretSearch, most: number, encodings: number): Work<Searched> {
  const { matches, openFrom } = searchedOf(search);
  let open = openFrom;
  let contextFrom = 0;
  let lastEnd = 0;
  for (const encoded of search.encoded?.found ?? []) {
    if (matches.length > most) break;
    yield encoded.digits;
    // The same digits may stand there several times, read at other alignments.
    if (encoded.start >= lastEnd) contextFrom = lastEnd;
    lastEnd = Math.max(lastEnd, encoded.end);
    const asksWhatIsOpen = encoded.isOpen && search.openFrom !== undefined;
    const inside = yield* searchEncoded(search.text, encoded, contextFrom, (decoded) =>
      searchLevels(decoded, most, asksWhatIsOpen, encodings - 1),
    );
    for (const match of inside.matches) matches.push(match);
    if (asksWhatIsOpen) open = Math.min(open, inside.openFrom);
  }
  return { matches, openFrom: open };
}

/** An escape that the text's end cuts is open; where that is asked, what is read before it ends there. */
function* withEscapesRead(text: string, asksWhatIsOpen: boolean): Work<TextView | undefined> {
  const cut = asksWhatIsOpen ? unfinishedEscapeAt(text) : text.length;
  if (cut === text.length) return yield* unescaped(text, STEP_CHARS);
  const whole = text.slice(0, cut);
  return (yield* unescaped(whole, STEP_CHARS)) ?? { text: whole, toOriginal: (at) => at };
}

function throughViews(views: readonly TextView[], at: number): number {
  return views.reduce((offset, view) => view.toOriginal(offset), at);
}

function matchesThrough(views: readonly TextView[], matches: readonly Match[]): readonly Match[] {
  return matches
    .map(({ from, start, end, ...match }) => ({
      ...match,
      from: throughViews(views, from),
      start: throughViews(views, start),
      end: throughViews(views, end),
    }))
    .filter(({ from, start, end }) => start - from <= MAX_NAME_CHARS && end - start <= MAX_SECRET_CHARS);
}

/**
 * One secret may fit two rules, or be found at two levels of escapes: of those that begin together the longest stays,
 * of the first rule, and of what reaches further than another the rest. So what is found up to an offset does not
 * depend on what begins behind it.
 */
function findingsOf(matches: Match[]): readonly Finding[] {
  const findings: Finding[] = [];
  let reached = 0;
  for (const { rule, start, end } of matches.sort(byPlace)) {
    if (end <= reached) continue;
    const id = ruleIds[rule] ?? '';
    findings.push({ detector: 'secrets', class: 'secret', rule: id, start: Math.max(start, reached), end });
    reached = end;
  }
  return findings;
}

function byPlace(a: Match, b: Match): number {
  return a.start - b.start || b.end - a.end || Number(a.isEncoded) - Number(b.isEncoded) || a.rule - b.rule;
}
