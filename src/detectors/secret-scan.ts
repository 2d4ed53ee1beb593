import { buildKeywordAutomaton } from './secret-keywords.ts';
import { entropyOf, isPlaceholder, startsToken } from './secret-rule.ts';
import { secretRules } from './secret-rules.ts';
import { unescaped } from './secret-views.ts';
import type { TextView } from './secret-views.ts';
import type { SecretRule } from './secret-rule.ts';
import type { Finding } from './finding.ts';

interface Keyword {
  readonly text: string;
  readonly rule: SecretRule;
  /** Of the rule, to look up what was found for it last. */
  readonly ruleIndex: number;
}

interface Match {
  /** Index of the rule in the table. */
  readonly rule: number;
  readonly start: number;
  readonly end: number;
}

const keywords: readonly Keyword[] = secretRules.flatMap((rule, ruleIndex) =>
  rule.keywords.map((text) => ({ text, rule, ruleIndex })),
);
const automaton = buildKeywordAutomaton(keywords.map(({ text }) => text));

/** A step of the search reads this many characters; the worst text found takes under 10 ms for it. */
export const STEP_CHARS = 16_384;

/** A JSON text in a JSON string, a tool's arguments for one, is escaped twice; deeper is not looked. */
const ESCAPE_LEVELS = 2;

/**
 * Searches one text in steps, in linear time: yields between steps, returns the findings in order of `start`.
 * The text is searched as it is, then with its JSON escapes read, so that a value is found however JSON wrote it.
 */
export function* searchSecrets(text: string): Generator<undefined, readonly Finding[]> {
  const matches = yield* matchesIn(text);
  const views: TextView[] = [];
  for (let read = text; views.length < ESCAPE_LEVELS;) {
    const view = yield* unescaped(read, STEP_CHARS);
    if (view === undefined) break;
    views.unshift(view);
    read = view.text;
    for (const { rule, start, end } of yield* matchesIn(read)) {
      matches.push({ rule, start: toGiven(views, start), end: toGiven(views, end) });
    }
  }
  return withoutContained(matches).map(({ rule, start, end }) => ({
    detector: 'secrets',
    class: 'secret',
    rule: secretRules[rule]?.id ?? '',
    start,
    end,
  }));
}

function toGiven(views: readonly TextView[], at: number): number {
  return views.reduce((offset, view) => view.toGiven(offset), at);
}

interface Search {
  readonly text: string;
  readonly matches: Match[];
  /** Per rule the end of what it found last. */
  readonly foundUntil: Uint32Array;
  /** Per rule the end of the run of characters in which it failed last, and how often it failed in it. */
  readonly failedUntil: Uint32Array;
  readonly failures: Uint32Array;
  /** Of the automaton. */
  state: number;
}

function* matchesIn(text: string): Generator<undefined, Match[]> {
  const perRule = (): Uint32Array => new Uint32Array(secretRules.length);
  const search: Search = {
    text,
    matches: [],
    foundUntil: perRule(),
    failedUntil: perRule(),
    failures: perRule(),
    state: 0,
  };
  for (let from = 0; from < text.length; from += STEP_CHARS) {
    if (from > 0) yield;
    searchStep(search, from, Math.min(from + STEP_CHARS, text.length));
  }
  return search.matches;
}

function searchStep(search: Search, from: number, to: number): void {
  const { classes, width, next, ends } = automaton;
  const { text } = search;
  let state = search.state;
  for (let at = from; at < to; at += 1) {
    const code = text.charCodeAt(at);
    state = code < 128 ? (next[state * width + (classes[code] ?? 0)] ?? 0) : 0;
    const found = ends[state];
    if (found !== undefined) collect(search, at + 1, found);
  }
  search.state = state;
}

/**
 * Of a keyword written over and over without a space, `glpat-glpat-...`, each is the beginning of the same long run:
 * after this many failures in 512 such characters the rest of them is passed over, or the search would be quadratic.
 */
const MAX_FAILURES_PER_RUN = 8;
const RUN_CHARS = 512;
const RUN = /[A-Za-z0-9_.+/=%~-]{1,512}/y;

function collect(search: Search, keywordEnd: number, found: readonly number[]): void {
  for (const index of found) {
    const keyword = keywords[index];
    if (keyword === undefined || isPassedOver(search, keyword.ruleIndex, keywordEnd)) continue;
    const match = matchAt(search.text, keyword, keywordEnd);
    if (match === undefined) continue;
    if (match === 'failed') {
      noteFailure(search, keyword.ruleIndex, keywordEnd);
      continue;
    }
    search.foundUntil[keyword.ruleIndex] = match.end;
    search.matches.push(match);
  }
}

function isPassedOver(
  { foundUntil, failedUntil, failures }: Search,
  rule: number,
  keywordEnd: number,
): boolean {
  if (keywordEnd <= (foundUntil[rule] ?? 0)) return true;
  return keywordEnd < (failedUntil[rule] ?? 0) && (failures[rule] ?? 0) >= MAX_FAILURES_PER_RUN;
}

function noteFailure({ text, failedUntil, failures }: Search, rule: number, keywordEnd: number): void {
  if (keywordEnd < (failedUntil[rule] ?? 0)) {
    failures[rule] = (failures[rule] ?? 0) + 1;
    return;
  }
  RUN.lastIndex = keywordEnd;
  failedUntil[rule] = RUN.test(text) ? Math.min(RUN.lastIndex, keywordEnd + RUN_CHARS) : 0;
  failures[rule] = 1;
}

/** `undefined` where no secret can begin, which costs nothing; `failed` where the pattern ran in vain. */
function matchAt(
  text: string,
  { text: keyword, rule, ruleIndex }: Keyword,
  keywordEnd: number,
): Match | 'failed' | undefined {
  const keywordStart = keywordEnd - keyword.length;
  const from = rule.anchor === 'name' ? keywordEnd : (rule.startOf?.(text, keywordStart) ?? keywordStart);
  if (from < 0 || (rule.anchor === 'head' && !startsToken(text, from, rule.startsRun === true)))
    return undefined;
  rule.pattern.lastIndex = from;
  const result = rule.pattern.exec(text);
  if (result === null) return 'failed';
  const secret = result[1] ?? result[0];
  const start = from + result[0].length - secret.length;
  const body = rule.anchor === 'head' && start === keywordStart ? secret.slice(keyword.length) : secret;
  if (!isPlausible(rule, secret, body)) return 'failed';
  const end =
    rule.extend === undefined ? start + secret.length : rule.extend(text, start, start + secret.length);
  return end === undefined ? 'failed' : { rule: ruleIndex, start, end };
}

/** `body` is the secret without its prefix. */
function isPlausible(rule: SecretRule, secret: string, body: string): boolean {
  if (rule.minEntropy > 0 && entropyOf(body) < rule.minEntropy) return false;
  return !isPlaceholder(secret) && rule.accepts?.(secret) !== false;
}

/** One secret may fit two rules, or be found at two levels of escapes: the widest finding stays, of the first rule. */
function withoutContained(matches: Match[]): Match[] {
  matches.sort((a, b) => a.start - b.start || b.end - a.end || a.rule - b.rule);
  let reached = 0;
  return matches.filter((match) => {
    const isNew = match.end > reached;
    reached = Math.max(reached, match.end);
    return isNew;
  });
}
