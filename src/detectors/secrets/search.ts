import { EncodedRuns, MIN_ENCODED_DIGITS, MIN_HELD_DIGITS } from './encoded-runs.ts';
import { buildKeywordAutomaton, buildKeywordTree, type KeywordTable } from './keywords.ts';
import { matchAt, noteOpen, type Keyword, type Matches } from './match.ts';
import {
  followsWord,
  isPercentEncoded,
  isLetterOrDigit,
  MAX_GLUED_CHARS,
  startsRun,
  startsToken,
} from './places.ts';
import { undecidedFrom, type SecretRule } from './rule.ts';
import { secretRules } from './secret-rules.ts';
import {
  eachRun,
  IN_WORD,
  isAssigned,
  runKind,
  MIN_INNER_CHARS,
  MIN_RUN_CHARS,
  MIN_VALUE_CHARS,
  NAME_REACH_CHARS,
  runBefore,
  SIGN,
} from './candidate-runs.ts';

interface Heads {
  readonly list: readonly Keyword[];
  readonly tree: KeywordTable;
}

const keywords: readonly Keyword[] = secretRules.flatMap((rule, index) =>
  rule.keywords.map((text) => ({ text, rule, index })),
);
const heads = keywords.filter(({ rule }) => rule.anchor === 'head');
const anyHeads = headsOf(heads);
/** Keywords that a word may directly precede. Two letters would be too few. */
const gluedHeads = headsOf(
  heads.filter(({ rule, text }) => rule.followsWord !== undefined && text.length > 2),
);
const spacedHeads = heads.filter(({ text }) => text.includes(' '));
const others = keywords.filter(({ rule }) => rule.anchor !== 'head');
const automaton = buildKeywordAutomaton(others.map(({ text }) => text));

function headsOf(list: readonly Keyword[]): Heads {
  return { list, tree: buildKeywordTree(list.map(({ text }) => text)) };
}

/** Number of characters scanned per step, which takes at most 10 ms. */
export const STEP_CHARS = 16_384;
/** Number of characters that the next step scans again, because a run may continue. */
const OVERLAP_CHARS = MIN_INNER_CHARS - 1;

/** A step's text and look-behind. Scanning codes is several times faster than scanning a string. */
const bytes = Buffer.alloc(2 * (NAME_REACH_CHARS + STEP_CHARS));
const codes = new Uint16Array(bytes.buffer, bytes.byteOffset, NAME_REACH_CHARS + STEP_CHARS);

export interface SecretSearch extends Matches {
  at: number;
  base: number;
  /** Ends of the searches for heads and for names, and the automaton state at the end of the latter. */
  headsUntil: number;
  namesUntil: number;
  state: number;
  nextSpaced: number;
  /** Last possible start of a secret, and the number of starts shortly before it. */
  lastHead: number;
  headsInRow: number;
  /** Undefined if there are no encoded digits. */
  encoded: EncodedRuns | undefined;
  readonly decodes: boolean;
}

export function createSecretSearch(text: string, mayGrow: boolean, decodes: boolean): SecretSearch {
  return {
    text,
    found: [],
    openFrom: mayGrow ? text.length : undefined,
    runs: undefined,
    at: 0,
    base: 0,
    headsUntil: 0,
    namesUntil: 0,
    state: 0,
    nextSpaced: -1,
    lastHead: -CLOSE_CHARS,
    headsInRow: 0,
    encoded: undefined,
    decodes,
  };
}

/** Scans up to `STEP_CHARS`. Returns false at the end of the text. */
export function searchStep(search: SecretSearch): boolean {
  const { text, at: from } = search;
  const to = Math.min(from + STEP_CHARS, text.length);
  const base = Math.max(0, from - NAME_REACH_CHARS);
  bytes.write(base === 0 && to === text.length ? text : text.slice(base, to), 'utf16le');
  search.base = base;
  searchSpacedHeads(search, to);
  eachRun(codes, from - base, to - base, (start, end, seen) => {
    searchHeads(search, start, end - MIN_RUN_CHARS + 1);
    if (end - start >= MIN_VALUE_CHARS) searchKeywords(search, start, end, seen);
    if (!search.decodes) return;
    const mayContinue = base + end === to;
    if (mayContinue || end - start >= MIN_ENCODED_DIGITS) readEncoded(search, start, end, mayContinue);
  });
  search.at = to === text.length ? to : to - OVERLAP_CHARS;
  if (to < text.length) return true;
  if (search.openFrom !== undefined) searchEnd(search);
  search.encoded?.finish();
  return false;
}

function readEncoded(search: SecretSearch, start: number, end: number, mayContinue: boolean): void {
  search.encoded ??= new EncodedRuns(search.text);
  search.encoded.read(codes, search.base, start, end, mayContinue);
}

function searchHeads(search: SecretSearch, from: number, to: number): void {
  const { text, base } = search;
  let at = Math.max(from, search.headsUntil - base);
  let letters = at === 0 ? 0 : lettersUntil(0, codes[at - 1] ?? 0);
  for (; at < to; at += 1) {
    const code = codes[at] ?? 0;
    const heads = letters === 0 ? anyHeads : gluedHeads;
    if (letters <= MAX_GLUED_CHARS && begins(heads, code)) searchHead(search, heads, base + at);
    if (code === 37 && at + 3 < to && isPercentEncoded(text, base + at)) {
      searchHead(search, anyHeads, base + at + 3);
    }
    letters = lettersUntil(letters, code);
  }
  search.headsUntil = Math.max(search.headsUntil, base + to);
}

/** Searches for names where a value is assigned, and for inner keywords. */
function searchKeywords(search: SecretSearch, start: number, end: number, seen: number): void {
  if ((seen & SIGN) !== 0 || isAssigned(codes, start)) {
    searchNames(search, Math.max(0, start - NAME_REACH_CHARS), end);
    return;
  }
  // The run may be part of a longer run that continues in the next chunk, or began in the previous step.
  const isUnfinished = search.base + end === search.text.length;
  const continues = search.base + start < search.namesUntil;
  if (isUnfinished || continues || end - start >= MIN_INNER_CHARS) searchNames(search, start, end);
}

/** Searches the final run, which may still be too short. */
function searchEnd(search: SecretSearch): void {
  const { text, base } = search;
  const end = text.length - base;
  const { start, seen } = runBefore(codes, end, MIN_INNER_CHARS);
  if (start === end) return;
  if (search.decodes && end - start < MIN_RUN_CHARS && end - start >= MIN_HELD_DIGITS)
    readEncoded(search, start, end, true);
  for (let at = Math.max(start, end - MIN_RUN_CHARS + 1); at < end; at += 1) {
    searchHead(search, startsToken(text, base + at) ? anyHeads : gluedHeads, base + at);
  }
  searchKeywords(search, start, end, seen);
  searchLeads(search);
}

/** Limit for adjacent heads (`glpat-glpat-...`), which would make the search quadratic because they share a run. */
const MAX_HEADS_IN_ROW = 8;
const CLOSE_CHARS = 16;

function notesHead(search: SecretSearch, at: number): boolean {
  if (at !== search.lastHead) {
    const isClose = at - search.lastHead <= CLOSE_CHARS && !/\s/.test(search.text.slice(search.lastHead, at));
    search.headsInRow = isClose ? search.headsInRow + 1 : 0;
    search.lastHead = at;
  }
  return search.headsInRow < MAX_HEADS_IN_ROW;
}

/** Counts the letters of a word up to an offset. Returns more than `MAX_GLUED_CHARS` for words with digits. */
function lettersUntil(letters: number, code: number): number {
  if ((runKind(code) & IN_WORD) === 0) return 0;
  return code < LETTER_A ? MAX_GLUED_CHARS + 1 : letters + 1;
}

const LETTER_A = 65;

function begins({ tree: { classes, next } }: Heads, code: number): boolean {
  return next[classes[code] ?? 0] !== 0;
}

/** Runs the rules whose keyword begins at `start`. An incomplete keyword stays open. */
function searchHead(search: SecretSearch, { list, tree }: Heads, start: number): void {
  const { classes, next, firstEnding, endsOf } = tree;
  const { text } = search;
  let state = 0;
  for (let at = start; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    state = code < 128 ? (next[state + (classes[code] ?? 0)] ?? 0) : 0;
    if (state === 0) return;
    if (state < firstEnding) continue;
    if (list === gluedHeads.list && !followsWord(text, start)) return;
    for (const index of endsOf(state)) {
      const head = list[index];
      if (head === undefined || (head.rule.startsRun === true && !startsRun(text, start))) continue;
      if (notesHead(search, start)) matchAt(search, head, start, start);
    }
  }
  if (list === anyHeads.list || followsWord(text, start)) noteOpen(search, start);
}

/** Searches for keywords with a space, which ends a run. These keywords begin with hyphens and may follow a word. */
function searchSpacedHeads(search: SecretSearch, to: number): void {
  const { text } = search;
  for (const head of spacedHeads) {
    while (search.nextSpaced < to) {
      if (search.nextSpaced >= 0) matchAt(search, head, search.nextSpaced, search.nextSpaced);
      const next = text.indexOf(head.text, search.nextSpaced + 1);
      search.nextSpaced = next === -1 ? text.length : next;
    }
  }
}

function searchNames(search: SecretSearch, from: number, to: number): void {
  const { classes, next, firstEnding, endsOf } = automaton;
  const { base } = search;
  const start = Math.max(from, search.namesUntil - base);
  let state = base + start === search.namesUntil ? search.state : 0;
  for (let at = start; at < to; at += 1) {
    const code = codes[at] ?? 0;
    state = code < 128 ? (next[state + (classes[code] ?? 0)] ?? 0) : 0;
    if (state >= firstEnding) for (const index of endsOf(state)) matchOther(search, index, base + at + 1);
  }
  search.namesUntil = base + to;
  search.state = state;
}

function matchOther(search: SecretSearch, index: number, end: number): void {
  const keyword = others[index];
  if (keyword === undefined) return;
  const keywordStart = end - keyword.text.length;
  if (keyword.rule.lead === undefined) {
    matchAt(search, keyword, keywordStart, end);
    return;
  }
  const start = keyword.rule.lead.startOf(search.text, keywordStart);
  if (start >= 0 && startsToken(search.text, start)) matchAt(search, keyword, start, start);
}

const leading = secretRules.flatMap((rule) =>
  rule.lead === undefined
    ? []
    : [{ rule, maxChars: rule.lead.maxChars + Math.max(...rule.keywords.map(({ length }) => length)) }],
);
const MAX_LEAD_CHARS = Math.max(...leading.map(({ maxChars }) => maxChars));

/** Marks the start of a possible secret whose keyword is not complete yet. */
function searchLeads(search: SecretSearch): void {
  const { text } = search;
  let start = text.length;
  const from = Math.max(0, start - MAX_LEAD_CHARS);
  while (start > from && mayLead(text.charCodeAt(start - 1))) start -= 1;
  for (; start < text.length; start += 1) {
    if (
      startsToken(text, start) &&
      leading.some(({ rule, maxChars }) => isLead(rule, maxChars, text, start))
    ) {
      noteOpen(search, start);
      return;
    }
  }
}

function mayLead(code: number): boolean {
  return isLetterOrDigit(code) || code === 95 || code === 46 || code === 126 || code === 58 || code === 45;
}

function isLead(rule: SecretRule, maxChars: number, text: string, start: number): boolean {
  return text.length - start <= maxChars && undecidedFrom(rule, text, start) !== undefined;
}
