import { after, inTurns, LONG_STEP, runNow, type Awaitable, type Work } from '../../turns.ts';
import {
  LOOK_BEHIND_CHARS,
  type Detector,
  type Finding,
  type SearchedText,
  type StreamDetector,
} from '../finding.ts';
import { createSecretSearch, searchStep, STEP_CHARS } from './search.ts';
import { ruleIds, searchEncoded, type Searched } from './encoded.ts';
import { MAX_SECRET_CHARS } from './secret-rules.ts';
import { asGiven, offsetIn, viewThrough, type TextView } from '../../inspect/offset-map.ts';
import { ESCAPE_LEVELS, unescaped, unfinishedEscapeAt } from '../json-escapes.ts';
import type { Match } from './match.ts';

/** Maximum distance of a name before its secret in decoded escapes. Matches with a greater distance are dropped. */
const MAX_NAME_CHARS = LOOK_BEHIND_CHARS - 32;

/** Finds secrets (docs/secrets.md), without their names. Blocks the event loop for texts over about 100 KB. */
export const findSecrets: Detector = (text) => findingsOf(searchNow(text, false).matches);

/** Like `findSecrets`, for streams (docs/secrets.md "Streams"). Holds back the start of a secret, not its name. */
export const secretsDetector: StreamDetector = {
  find: findSecrets,
  openFrom(text) {
    const { matches, openFrom } = searchNow(text, true);
    // A decided finding may cross the open offset, but no other finding can begin within it.
    return matches.reduce(
      (from, { start, end }) => (start < openFrom ? Math.max(from, end) : from),
      openFrom,
    );
  },
};

export function findSecretsAll(texts: readonly string[]): Awaitable<readonly (readonly Finding[])[]> {
  return after(findSecretsUpTo(texts, Infinity), (found) => found.map(({ findings }) => findings));
}

/** Scans several texts. Stops after `most` findings in total. */
export function findSecretsUpTo(texts: readonly string[], most: number): Awaitable<readonly SearchedText[]> {
  return inTurns(searchEach(texts, most));
}

function* searchEach(texts: readonly string[], most: number): Work<readonly SearchedText[]> {
  const results: SearchedText[] = [];
  let left = most;
  for (const text of texts) {
    const matches = left < 0 ? undefined : (yield* searchLevels(text, left, false)).matches;
    const isWhole = matches !== undefined && matches.length <= left;
    const findings = findingsOf(matches ?? []);
    results.push({ findings, isWhole });
    left = isWhole ? left - findings.length : -1;
    yield Math.min(text.length, STEP_CHARS);
  }
  return results;
}

/** Encoded text may contain encoded text; deeper levels are ignored. */
const ENCODING_LEVELS = 2;

function searchNow(text: string, mayGrow: boolean): Searched {
  return runNow(searchLevels(text, Infinity, mayGrow));
}

/** Scans a text as written, then with JSON escapes decoded. Stops after `most` matches. */
function* searchLevels(
  text: string,
  most: number,
  mayGrow: boolean,
  encodings = ENCODING_LEVELS,
): Work<Searched> {
  const { matches, openFrom } = yield* searchLevel(text, most, mayGrow, encodings);
  let open = openFrom;
  let read = asGiven(text);
  for (
    let level = 0;
    level < ESCAPE_LEVELS && matches.length <= most && read.text.includes('\\');
    level += 1
  ) {
    // If more text may follow, decodes only up to an escape that the end of the text truncates.
    const wholeEnd = mayGrow ? unfinishedEscapeAt(read.text) : read.text.length;
    const whole = read.text.slice(0, wholeEnd);
    const decoded = yield* unescaped(whole, STEP_CHARS);
    const view = decoded ?? (wholeEnd < read.text.length ? asGiven(whole) : undefined);
    if (view === undefined) break;
    read = viewThrough(read, view);
    const searched = yield* searchLevel(read.text, most, mayGrow, encodings);
    for (const match of matchesThrough(read, searched.matches)) matches.push(match);
    open = Math.min(open, Math.max(offsetIn(read, searched.openFrom), text.length - MAX_SECRET_CHARS));
  }
  return { matches, openFrom: open };
}

function* searchLevel(text: string, most: number, mayGrow: boolean, encodings: number): Work<Searched> {
  const search = createSecretSearch(text, mayGrow, encodings > 0);
  while (searchStep(search) && search.found.length <= most) yield LONG_STEP;
  const matches = search.found;
  let open = search.openFrom ?? text.length;
  let contextFrom = 0;
  let lastEnd = 0;
  for (const encoded of search.encoded?.found ?? []) {
    if (matches.length > most) break;
    yield encoded.digits;
    // The same digits may be found at several alignments.
    if (encoded.start >= lastEnd) contextFrom = lastEnd;
    lastEnd = Math.max(lastEnd, encoded.end);
    const mayContinue = encoded.isOpen && mayGrow;
    const inside = yield* searchEncoded(text, encoded, contextFrom, (decoded) =>
      searchLevels(decoded, most, mayContinue, encodings - 1),
    );
    for (const match of inside.matches) matches.push(match);
    if (mayContinue) open = Math.min(open, inside.openFrom);
  }
  return { matches, openFrom: open };
}

function matchesThrough(view: TextView, matches: readonly Match[]): readonly Match[] {
  return matches
    .map(({ from, start, end, ...match }) => ({
      ...match,
      from: offsetIn(view, from),
      ...view.toOriginal({ start, end }),
    }))
    .filter(({ from, start, end }) => start - from <= MAX_NAME_CHARS && end - start <= MAX_SECRET_CHARS);
}

/**
 * Resolves overlaps, because a secret may match two rules or be found at two escape levels. Of matches with the same
 * start, keeps the longest with its first rule. Others keep the part that no earlier match covers, because findings up
 * to an offset must not depend on later ones.
 */
function findingsOf(matches: Match[]): readonly Finding[] {
  const findings: Finding[] = [];
  let reached = 0;
  for (const { rule, start, end } of matches.sort(byStart)) {
    if (end <= reached) continue;
    const id = ruleIds[rule] ?? '';
    findings.push({ detector: 'secrets', class: 'secret', rule: id, start: Math.max(start, reached), end });
    reached = end;
  }
  return findings;
}

function byStart(a: Match, b: Match): number {
  return a.start - b.start || b.end - a.end || Number(a.isEncoded) - Number(b.isEncoded) || a.rule - b.rule;
}
