/** HTML names of ASCII, invisible and other common characters. */
const listed: readonly (readonly [names: string, character: string])[] = [
  ['nbsp NonBreakingSpace ensp emsp thinsp hairsp numsp puncsp', ' '],
  ['Tab', '\t'],
  ['NewLine', '\n'],
  ['excl', '!'],
  ['quot QUOT', '"'],
  ['num', '#'],
  ['dollar', '$'],
  ['percnt', '%'],
  ['amp AMP', '&'],
  ['apos', "'"],
  ['lpar', '('],
  ['rpar', ')'],
  ['ast midast', '*'],
  ['plus', '+'],
  ['comma', ','],
  ['period', '.'],
  ['sol', '/'],
  ['colon', ':'],
  ['semi', ';'],
  ['lt LT', '<'],
  ['equals', '='],
  ['gt GT', '>'],
  ['quest', '?'],
  ['commat', '@'],
  ['lsqb lbrack', '['],
  ['bsol', '\\'],
  ['rsqb rbrack', ']'],
  ['Hat', '^'],
  ['lowbar UnderBar', '_'],
  ['grave DiacriticalGrave', '`'],
  ['lcub lbrace', '{'],
  ['verbar vert VerticalLine', '|'],
  ['rcub rbrace', '}'],
  ['fjlig', 'fj'],
  ['shy', '\xad'],
  ['zwnj', '\u200c'],
  ['zwj', '\u200d'],
  ['lrm', '\u200e'],
  ['rlm', '\u200f'],
  ['ZeroWidthSpace NegativeThinSpace NegativeMediumSpace NegativeThickSpace', '\u200b'],
  ['NoBreak', '\u2060'],
  ['ApplyFunction af', '\u2061'],
  ['InvisibleTimes it', '\u2062'],
  ['InvisibleComma ic', '\u2063'],
  ['copy', '©'],
  ['reg', '®'],
  ['trade', '™'],
  ['hellip', '…'],
  ['mdash', '—'],
  ['ndash', '–'],
  ['dash', '‐'],
  ['lsquo', '‘'],
  ['rsquo', '’'],
  ['ldquo', '“'],
  ['rdquo', '”'],
  ['laquo', '«'],
  ['raquo', '»'],
  ['bull', '•'],
  ['middot', '·'],
  ['deg', '°'],
  ['euro', '€'],
  ['pound', '£'],
  ['sect', '§'],
  ['times', '×'],
  ['inodot imath', 'ı'],
];

/** By name, without ampersand and semicolon. */
export const entities: ReadonlyMap<string, string> = new Map(
  listed.flatMap(([names, character]) => names.split(' ').map((name): [string, string] => [name, character])),
);

/** Returns the character of a complete `%u`, backslash or HTML escape, or undefined if it is unknown. */
export function escapedCharacter(source: string): string | undefined {
  if (source.startsWith('&') && source.charAt(1) !== '#') {
    const named = source.slice(1, -1);
    return entities.get(named) ?? entities.get(named.toLowerCase());
  }
  const isHex = !source.startsWith('&') || source.charAt(2) === 'x' || source.charAt(2) === 'X';
  // `parseInt` stops at the terminator.
  return characterOf(Number.parseInt(source.slice(digitsAt(source)), isHex ? 16 : 10));
}

function digitsAt(source: string): number {
  let at = 1;
  while (source.charAt(at) === '\\' || source.charAt(at) === '#') at++;
  if (/[uUxX]/.test(source.charAt(at))) at++;
  return source.charAt(at) === '{' ? at + 1 : at;
}

/** Returns undefined for 0 and for numbers outside Unicode. */
export function characterOf(codePoint: number): string | undefined {
  return codePoint > 0 && codePoint <= 0x10ffff ? String.fromCodePoint(codePoint) : undefined;
}
