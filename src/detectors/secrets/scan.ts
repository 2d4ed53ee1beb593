import { LONG_STEP, runNow, type Work } from '../../turns.ts';
import { LOOK_BEHIND_CHARS, type Finding, type SearchedText } from '../finding.ts';
import { createSecretSearch, searchStep, STEP_CHARS, type SecretSearch } from './search.ts';
import { MAX_SECRET_CHARS, secretRules } from './rules.ts';
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

interface Searched {
  readonly matches: Match[];
  readonly openFrom: number;
}

/** What is one step and one level, as most texts are, is searched without more ado. */
function searchNow(text: string, asksWhatIsOpen: boolean): Searched {
  if (text.length > STEP_CHARS || text.includes('\\')) {
    return runNow(searchLevels(text, Infinity, asksWhatIsOpen));
  }
  const search = createSecretSearch(text, asksWhatIsOpen);
  searchStep(search);
  return { matches: search.found, openFrom: search.openFrom ?? text.length };
}

function* searchLevels(text: string, most: number, asksWhatIsOpen: boolean): Work<Searched> {
  const { found: matches, openFrom = text.length } = yield* searchLevel(text, most, asksWhatIsOpen);
  let open = openFrom;
  const views: TextView[] = [];
  for (let read = text; views.length < ESCAPE_LEVELS && matches.length <= most && read.includes('\\');) {
    const view = yield* withEscapesRead(read, asksWhatIsOpen);
    if (view === undefined) break;
    views.unshift(view);
    read = view.text;
    const search = yield* searchLevel(read, most, asksWhatIsOpen);
    for (const match of matchesThrough(views, search.found)) matches.push(match);
    open = Math.min(
      open,
      Math.max(throughViews(views, search.openFrom ?? read.length), text.length - MAX_SECRET_CHARS),
    );
  }
  return { matches, openFrom: open };
}

function* searchLevel(text: string, most: number, asksWhatIsOpen: boolean): Work<SecretSearch> {
  const search = createSecretSearch(text, asksWhatIsOpen);
  while (searchStep(search) && search.found.length <= most) yield LONG_STEP;
  return search;
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
    .map(({ rule, from, start, end }) => ({
      rule,
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
    const id = secretRules[rule]?.id ?? '';
    findings.push({ detector: 'secrets', class: 'secret', rule: id, start: Math.max(start, reached), end });
    reached = end;
  }
  return findings;
}

function byPlace(a: Match, b: Match): number {
  return a.start - b.start || b.end - a.end || a.rule - b.rule;
}
