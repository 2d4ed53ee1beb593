import {
  alphabets,
  latinLookalikes,
  looseLookalikes,
  smallCapitals,
  strictLookalikes,
  styledBlocks,
  styledSymbols,
} from './confusable-data.ts';

export const kinds = {
  other: 1,
  ascii: 2,
  digit: 3,
  /** Non-ASCII Latin letters, mostly accented. */
  latin: 4,
  strict: 5,
  loose: 6,
  latinLookalike: 7,
  /** Mathematical, circled, squared or small capital letters and digits. */
  styled: 8,
  raised: 9,
  /** Letters of other scripts that resemble no ASCII letter. */
  foreign: 10,
  cjk: 11,
  mark: 12,
  invisible: 13,
  regional: 14,
  /** Fullwidth ASCII, including punctuation. */
  fullwidth: 15,
} as const;

/** Length of an array indexed by kind. */
export const kindArrayLength = Object.keys(kinds).length + 1;

export type Kind = (typeof kinds)[keyof typeof kinds];

/** Invisible code points, except tabs and line breaks. */
export const invisibleRanges: readonly (readonly [first: number, last: number])[] = [
  [0x00, 0x08],
  [0x0e, 0x1f],
  [0x7f, 0x84],
  [0x86, 0x9f],
  [0xad, 0xad],
  [0x34f, 0x34f],
  [0x61c, 0x61c],
  [0x115f, 0x1160],
  [0x17b4, 0x17b5],
  [0x180b, 0x180f],
  [0x200b, 0x200f],
  [0x2028, 0x202e],
  [0x2060, 0x206f],
  [0x2800, 0x2800],
  [0x3164, 0x3164],
  [0xfe00, 0xfe0f],
  [0xfeff, 0xfeff],
  [0xffa0, 0xffa0],
  [0xfff0, 0xfffb],
  [0x1bca0, 0x1bca3],
  [0x1d173, 0x1d17a],
  [0xe0000, 0xe0fff],
];

const cjkRanges: readonly (readonly [first: number, last: number])[] = [
  [0x1100, 0x115e],
  [0x1161, 0x11ff],
  [0x2e80, 0x2fdf],
  [0x3005, 0x3007],
  [0x3041, 0x30ff],
  [0x3105, 0x3163],
  [0x3165, 0x318e],
  [0x31f0, 0x31ff],
  [0x3400, 0x4dbf],
  [0x4e00, 0x9fff],
  [0xa960, 0xa97f],
  [0xac00, 0xd7ff],
  [0xf900, 0xfaff],
  [0xff66, 0xff9f],
  [0xffa1, 0xffdc],
  [0x1b000, 0x1b16f],
  [0x20000, 0x3ffff],
];

const plain = new Map<number, string>();

/** Kind by code point. Beyond the Basic Multilingual Plane, 0 until learned, so that memory stays untouched. */
const known = new Uint8Array(0x110000);
const UNKNOWN = 0;

export function kindOf(codePoint: number): Kind {
  const kind = known[codePoint];
  if (kind !== UNKNOWN) return kind as Kind;
  const learnt = astralKind(codePoint);
  known[codePoint] = learnt;
  return learnt;
}

/** Returns the ASCII character that a lookalike, styled or fullwidth character represents. */
export const plainOf = (codePoint: number): string | undefined => plain.get(codePoint);

function astralKind(codePoint: number): Kind {
  if (isInRanges(invisibleRanges, codePoint)) return kinds.invisible;
  if (isInRanges(cjkRanges, codePoint)) return kinds.cjk;
  const text = String.fromCodePoint(codePoint);
  if (/\p{L}/u.test(text)) return kinds.foreign;
  return /\p{M}/u.test(text) ? kinds.mark : kinds.other;
}

function isInRanges(ranges: readonly (readonly [number, number])[], codePoint: number): boolean {
  return ranges.some(([first, last]) => codePoint >= first && codePoint <= last);
}

function learnCharacter(codePoint: number, target: string, kind: Kind): void {
  plain.set(codePoint, target);
  known[codePoint] = kind;
}

function learnGroups(groups: readonly string[], kind: Kind): void {
  for (const group of groups) {
    const [target = '', ...alike] = group;
    for (const lookalike of alike) learnCharacter(lookalike.codePointAt(0) ?? 0, target, kind);
  }
}

/** Scripts are applied first, then tables. The strictest reading wins. */
function learnAll(): void {
  known.fill(kinds.other, 0, 0x10000);
  learnScripts();
  learnGroups(latinLookalikes, kinds.latinLookalike);
  learnGroups(looseLookalikes, kinds.loose);
  learnGroups(strictLookalikes, kinds.strict);
  learnStyled();
  learnGroups(smallCapitals, kinds.styled);
  for (const ranges of [invisibleRanges, cjkRanges]) {
    const kind = ranges === cjkRanges ? kinds.cjk : kinds.invisible;
    for (const [first, last] of ranges) {
      if (last < 0x10000) known.fill(kind, first, last + 1);
    }
  }
}

/** Blocks of letters and marks in the Basic Multilingual Plane, except CJK. */
const letterBlocks = [
  [0x80, 0x2bff],
  [0x2c00, 0x2dff],
  [0xa4d0, 0xabff],
  [0xfb00, 0xfdff],
  [0xfe20, 0xfe2f],
  [0xfe70, 0xfefe],
] as const;

function learnScripts(): void {
  for (const [first, last] of letterBlocks) {
    for (let codePoint = first; codePoint <= last; codePoint++) {
      known[codePoint] = scriptKind(String.fromCharCode(codePoint));
    }
  }
  for (const letter of 'abcdefghijklmnopqrstuvwxyz') {
    known[letter.charCodeAt(0)] = kinds.ascii;
    known[letter.toUpperCase().charCodeAt(0)] = kinds.ascii;
  }
  known.fill(kinds.digit, 0x30, 0x3a);
}

function scriptKind(text: string): Kind {
  if (/\p{M}/u.test(text)) return kinds.mark;
  if (!/\p{L}/u.test(text)) return kinds.other;
  return /\p{Script=Latin}/u.test(text) ? kinds.latin : kinds.foreign;
}

function learnStyled(): void {
  for (const [first, letter] of alphabets) {
    for (let index = 0; index < 26; index++) {
      learnCharacter(first + index, String.fromCharCode(letter.charCodeAt(0) + index), kinds.styled);
    }
  }
  for (let index = 0; index < 26; index++) {
    learnCharacter(0x1f1e6 + index, String.fromCharCode(0x41 + index), kinds.regional);
  }
  for (const [first, last] of styledBlocks) {
    for (let codePoint = first; codePoint <= last; codePoint++) learnByForm(codePoint, kinds.styled);
  }
  for (const symbol of styledSymbols) learnByForm(symbol.codePointAt(0) ?? 0, kinds.styled);
  for (let codePoint = 0xff01; codePoint <= 0xff5e; codePoint++) learnByForm(codePoint, kinds.fullwidth);
  learnRaised();
}

/** Superscripts and subscripts of one ASCII letter. Excludes digits, because x² is not obfuscation. */
function learnRaised(): void {
  for (const [first, last] of [
    [0x2b0, 0x2e4],
    [0x1d2c, 0x1d6a],
    [0x1d9b, 0x1dbf],
    [0x2071, 0x209c],
    [0x2c7c, 0x2c7d],
    [0xa7f2, 0xa7f4],
  ] as const) {
    for (let codePoint = first; codePoint <= last; codePoint++) {
      if (/^[A-Za-z]$/.test(String.fromCharCode(codePoint).normalize('NFKC'))) {
        learnByForm(codePoint, kinds.raised);
      }
    }
  }
}

function learnByForm(codePoint: number, kind: Kind): void {
  const form = String.fromCodePoint(codePoint).normalize('NFKC');
  const target = form.length === 1 && form.charCodeAt(0) >= 0x80 ? plain.get(form.charCodeAt(0)) : form;
  if (target !== undefined && /^[\x21-\x7e]$/.test(target)) learnCharacter(codePoint, target, kind);
  else if (kind === kinds.styled && codePoint >= 0x10000) known[codePoint] = kinds.foreign;
}

learnAll();
