import { UnitReader } from '../../text/units.ts';
import type { Detector, Finding } from '../finding.ts';
import { LOOKBACK } from './context.ts';
import { SQL_RULES, type SqlRule, anchorSource } from './sql-rules.ts';
import { stickyEnd } from '../../text/sticky.ts';
import { isWordCode } from '../characters.ts';

// Finds anchors with tables, because one pattern for all words and signs would be tried at each character.

/** Character kinds, as bits; `WORD_BEGINS` must be 1. */
const WORD_BEGINS = 1;
const IN_WORD = 2;
const SIGN = 4;

const ANCHORS = new Map<string, Set<string>>();
for (const { beginning } of SQL_RULES) {
  const anchors = ANCHORS.get(beginning.ahead) ?? new Set();
  for (const anchor of beginning.anchors) anchors.add(anchor);
  ANCHORS.set(beginning.ahead, anchors);
}
const ALL_ANCHORS = new Set([...ANCHORS.values()].flatMap((anchors) => [...anchors]));
const WORDS = [...ALL_ANCHORS].filter((anchor) => isWordCode(anchor.charCodeAt(0)));

function beginningsWith(characters: string): RegExp {
  const sources: string[] = [];
  for (const [ahead, anchors] of ANCHORS) {
    const some = [...anchors].filter((anchor) => characters.includes(anchor.charAt(0)));
    if (some.length > 0) sources.push(anchorSource(some) + ahead);
  }
  return new RegExp(sources.join('|'), 'iy');
}

const WORD_HERE = beginningsWith(WORDS.map((word) => word.charAt(0)).join(''));
/** By sign: the pattern, and the required second character or 0. */
const SIGNS_HERE: RegExp[] = [];
const SIGN_SECONDS = new Uint8Array(128);

const KINDS = new Uint8Array(0x10000);
for (let code = 0; code < 128; code++) KINDS[code] = isWordCode(code) ? IN_WORD : 0;
/**
 * One bit per third letter of a word, by its first two letters. The low five bits of a character identify a letter in
 * either case. Any character may follow a two-letter word.
 */
const THIRDS = new Int32Array(32 * 32);
for (const anchor of ALL_ANCHORS) {
  const code = anchor.charCodeAt(0);
  if (!isWordCode(code)) {
    const second = anchor.charCodeAt(1) || 0;
    SIGN_SECONDS[code] = KINDS[code] === SIGN && SIGN_SECONDS[code] !== second ? 0 : second;
    SIGNS_HERE[code] = beginningsWith(anchor.charAt(0));
    KINDS[code] = SIGN;
    continue;
  }
  for (const letter of [code, anchor.toUpperCase().charCodeAt(0)]) KINDS[letter] = IN_WORD | WORD_BEGINS;
  const pair = pairOf(code, anchor.charCodeAt(1));
  THIRDS[pair] = (THIRDS[pair] ?? 0) | (anchor.length === 2 ? -1 : 1 << (anchor.charCodeAt(2) & 31));
}

/**
 * Returns the offset at which the next payload may begin, or the text length. Avoids branches, which the CPU could not
 * predict.
 */
export function nextSqlAnchor(text: string, units: Uint16Array, from: number): number {
  const kinds = KINDS;
  const thirds = THIRDS;
  const { length } = text;
  let before = from > 0 ? (kinds[units[from - 1] ?? 0] ?? 0) : 0;
  for (let at = from; at < length; at += 1) {
    const code = units[at] ?? 0;
    const kind = kinds[code] ?? 0;
    // A sign, or a letter at the start of a word.
    const look = kind & (SIGN | (WORD_BEGINS & ~(before >>> 1)));
    before = kind;
    if (look === 0) continue;
    const isAnchor =
      look === SIGN ? isSignAt(text, units, at, code) : isWordAt(text, units, at, code, thirds);
    if (isAnchor) return at;
  }
  return length;
}

function isWordAt(text: string, units: Uint16Array, at: number, code: number, thirds: Int32Array): boolean {
  const third = (thirds[pairOf(code, units[at + 1] ?? 0)] ?? 0) >>> ((units[at + 2] ?? 0) & 31);
  return (third & 1) === 1 && isAt(WORD_HERE, text, at);
}

function isSignAt(text: string, units: Uint16Array, at: number, code: number): boolean {
  const second = SIGN_SECONDS[code] ?? 0;
  return (second === 0 || units[at + 1] === second) && isAt(SIGNS_HERE[code], text, at);
}

function pairOf(first: number, second: number): number {
  return ((first & 31) << 5) | (second & 31);
}

function isAt(pattern: RegExp | undefined, text: string, at: number): boolean {
  if (pattern === undefined) return false;
  pattern.lastIndex = at;
  return pattern.test(text);
}

const reader = new UnitReader(32_768);

const RULES: ReadonlyMap<string, readonly SqlRule[]> = new Map(
  SQL_RULES.flatMap(({ beginning }) => beginning.anchors).map(({ 0: first = '' }) => [
    first,
    SQL_RULES.filter(({ beginning }) => beginning.anchors.some((anchor) => anchor.startsWith(first))),
  ]),
);

export const findSqlInjection: Detector = (text) => {
  const found: Finding[] = [];
  const units = reader.read(text);
  for (let start = nextSqlAnchor(text, units, 0); start < text.length;) {
    const finding = matchSqlRules(text, start);
    if (finding !== undefined) found.push(finding);
    start = nextSqlAnchor(text, units, finding?.end ?? start + 1);
  }
  return found;
};

function matchSqlRules(text: string, start: number): Finding | undefined {
  for (const { rule, pattern, confirm } of RULES.get(text.charAt(start).toLowerCase()) ?? []) {
    const end = stickyEnd(pattern, text, start);
    if (end === undefined) continue;
    const isConfirmed =
      confirm?.(text.slice(Math.max(0, start - LOOKBACK), start), text.slice(start, end)) ?? true;
    if (isConfirmed) return { detector: 'sql_injection', class: 'sqli', rule, start, end };
  }
  return undefined;
}
