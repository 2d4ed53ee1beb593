import { isWordCode } from '../characters.ts';

/**
 * Where payloads of SQL may begin, found without an expression: one over all words and signs is tried at each character,
 * and costs most of what the search for payloads does.
 */

const OPERATORS = ['or', 'and', 'xor', 'having'];
const WORDS = [
  ...['union', 'pg_sleep', 'sleep', 'benchmark', 'waitfor', 'order', 'group', 'when', 'if', 'rlike'],
  ...['extractvalue', 'updatexml', 'convert', 'char', 'execute', 'exec', 'into', 'load_file', 'randomblob'],
  ...['dbms_pipe', 'utl_http', 'utl_inaddr', 'procedure', 'copy'],
];

/** What some rule can go on with behind an operator: prose goes on with a word, and behind that with another. */
const OPERAND = String.raw`[\s+]{0,6}(?:[(/%'"\d]|not|[a-z]\w{0,15}[\s+)]{0,8}(?:[=/%;#(]|--))`;
/** No letter follows a word. */
const WORD_HERE = new RegExp(
  `(?:(?:${OPERATORS.join('|')})(?![a-z])${OPERAND}|(?:${WORDS.join('|')})(?![a-z]))`,
  'iy',
);
const SIGN_HERE = new RegExp(String.raw`(?:\|\||&&)${OPERAND}`, 'iy');
const COMMENT_HERE = /\/\*!\d{0,6}\s{0,3}union/iy;
const QUOTE_HERE =
  /['"][\s)]{0,6}(?:--|#|\/\*|;(?:\s{0,2}(?:--|#)|%00)|or(?![a-z])|and(?![a-z])|\|\||&&|\+\s{0,3}\(\s{0,3}select)/iy;

/** How a place is looked at, by the code of its character. */
const OTHER = 0;
const IN_WORD = 1;
const WORD_BEGINS = 2;
const SIGN = 3;
const ALWAYS = 4;
const COMMENT = 5;
const QUOTE = 6;

const KINDS = new Uint8Array(128);
for (let code = 0; code < KINDS.length; code++) KINDS[code] = isWordCode(code) ? IN_WORD : OTHER;
for (const [characters, kind] of [
  [
    [...OPERATORS, ...WORDS].map((word) => word.charAt(0) + word.charAt(0).toUpperCase()).join(''),
    WORD_BEGINS,
  ],
  ['|&', SIGN],
  [';', ALWAYS],
  ['/', COMMENT],
  [`'"`, QUOTE],
] as const) {
  for (const character of characters) KINDS[character.charCodeAt(0)] = kind;
}

/** The first two letters of each word, one bit each, 32 to a letter. */
const SECONDS = new Int32Array(32);
for (const word of [...OPERATORS, ...WORDS]) {
  const first = word.charCodeAt(0) & 31;
  SECONDS[first] = (SECONDS[first] ?? 0) | (1 << (word.charCodeAt(1) & 31));
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
    if (isAnchor(text, at, kind, code)) return at;
  }
  return text.length;
}

function isAnchor(text: string, at: number, kind: number, code: number): boolean {
  switch (kind) {
    case WORD_BEGINS:
      return mayBeWord(code, text.charCodeAt(at + 1)) && isAt(WORD_HERE, text, at);
    case SIGN:
      return text.charCodeAt(at + 1) === code && isAt(SIGN_HERE, text, at);
    case COMMENT:
      return isAt(COMMENT_HERE, text, at);
    case QUOTE:
      return isAt(QUOTE_HERE, text, at);
    default:
      return true;
  }
}

/**
 * Letters of either case, and what is taken for one, are told by their last five bits; the expression tells them apart.
 */
function mayBeWord(first: number, second: number): boolean {
  return ((SECONDS[first & 31] ?? 0) & (1 << (second & 31))) !== 0;
}

function isAt(pattern: RegExp, text: string, at: number): boolean {
  pattern.lastIndex = at;
  return pattern.test(text);
}
