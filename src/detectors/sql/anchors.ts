import { isWordCode } from '../characters.ts';
import { anchorSource, SQL_RULES } from './rules.ts';

/**
 * Where payloads of SQL may begin, found without an expression: one over all words and signs is tried at each character,
 * and costs most of what the search for payloads does.
 */

/** How a place is looked at, by the code of its character. */
const OTHER = 0;
const IN_WORD = 1;
const WORD_BEGINS = 2;
const SIGN = 3;

/** The beginnings of all rules: by what must follow them, the anchors. */
const ANCHORS = new Map<string, Set<string>>();
for (const { beginning } of SQL_RULES) {
  const anchors = ANCHORS.get(beginning.ahead) ?? new Set();
  for (const anchor of beginning.anchors) anchors.add(anchor);
  ANCHORS.set(beginning.ahead, anchors);
}
const ALL_ANCHORS = new Set([...ANCHORS.values()].flatMap((anchors) => [...anchors]));
const WORDS = [...ALL_ANCHORS].filter((anchor) => isWordCode(anchor.charCodeAt(0)));

/** The beginnings that begin with one of these characters. */
function beginningsWith(characters: string): RegExp {
  const sources: string[] = [];
  for (const [ahead, anchors] of ANCHORS) {
    const some = [...anchors].filter((anchor) => characters.includes(anchor.charAt(0)));
    if (some.length > 0) sources.push(anchorSource(some) + ahead);
  }
  return new RegExp(sources.join('|'), 'iy');
}

const WORD_HERE = beginningsWith(WORDS.map((word) => word.charAt(0)).join(''));
/** Of signs, by the code of the first character; and what the second must be, zero where it may be any. */
const SIGNS_HERE: RegExp[] = [];
const SIGN_SECONDS = new Uint8Array(128);

const KINDS = new Uint8Array(128);
for (let code = 0; code < KINDS.length; code++) KINDS[code] = isWordCode(code) ? IN_WORD : OTHER;
/** The first two letters of each word, one bit each, 32 to a letter. */
const SECONDS = new Int32Array(32);
for (const anchor of ALL_ANCHORS) {
  const code = anchor.charCodeAt(0);
  if (!isWordCode(code)) {
    const second = anchor.charCodeAt(1) || 0;
    SIGN_SECONDS[code] = KINDS[code] === SIGN && SIGN_SECONDS[code] !== second ? 0 : second;
    SIGNS_HERE[code] = beginningsWith(anchor.charAt(0));
    KINDS[code] = SIGN;
    continue;
  }
  for (const letter of [code, anchor.toUpperCase().charCodeAt(0)]) KINDS[letter] = WORD_BEGINS;
  SECONDS[code & 31] = (SECONDS[code & 31] ?? 0) | (1 << (anchor.charCodeAt(1) & 31));
}

/** The next place at `from` or behind it where a payload may begin; the text's length where there is none. */
export function nextSqlAnchor(text: string, from: number): number {
  let isInWord = from > 0 && isWordCode(text.charCodeAt(from - 1));
  for (let at = from; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    const kind = code < 128 ? (KINDS[code] ?? OTHER) : OTHER;
    if (kind === OTHER) {
      isInWord = false;
      continue;
    }
    const wasInWord = isInWord;
    isInWord = kind <= WORD_BEGINS;
    if (kind === IN_WORD || (kind === WORD_BEGINS && wasInWord)) continue;
    if (kind === SIGN ? isSignAt(text, at, code) : isWordAt(text, at, code)) return at;
  }
  return text.length;
}

function isSignAt(text: string, at: number, code: number): boolean {
  const second = SIGN_SECONDS[code] ?? 0;
  return (second === 0 || text.charCodeAt(at + 1) === second) && isAt(SIGNS_HERE[code], text, at);
}

/**
 * Letters of either case, and what is taken for one, are told by their last five bits; the expression tells them apart.
 */
function isWordAt(text: string, at: number, code: number): boolean {
  const second = text.charCodeAt(at + 1);
  return ((SECONDS[code & 31] ?? 0) & (1 << (second & 31))) !== 0 && isAt(WORD_HERE, text, at);
}

function isAt(pattern: RegExp | undefined, text: string, at: number): boolean {
  if (pattern === undefined) return false;
  pattern.lastIndex = at;
  return pattern.test(text);
}
