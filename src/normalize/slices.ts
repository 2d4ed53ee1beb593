/** Maximum slice length in UTF-16 code units. One step normalizes one slice. */
export const SLICE_UNITS = 8192;

const SEARCH_UNITS = 2048;

/** Minimum number of letters in an ordinary word. */
const WORD_LETTERS = 3;
/** Maximum run of white space between two words. */
const MAX_SPACES = 8;

export function sliceEnd(text: string, start: number): number {
  return text.length - start <= SLICE_UNITS ? text.length : cut(text, start, start + SLICE_UNITS);
}

/** Cuts between words of at least three letters if possible, or else at white space, or else outside escapes. */
function cut(text: string, start: number, limit: number): number {
  const from = Math.max(start + 1, limit - SEARCH_UNITS);
  const window = text.slice(from, limit);
  const gap = lastGap(window) ?? lastSpace(window);
  return gap === undefined || gap === 0 ? hardCut(text, start, limit) : from + gap;
}

/** Finds the last white space between words of at least three letters, optionally after a punctuation mark. */
function lastGap(window: string): number | undefined {
  let letters = 0;
  for (let at = window.length - 1; at >= 0; at--) {
    const unit = window.charCodeAt(at);
    if (isLetter(unit)) letters += 1;
    else {
      const gap = letters >= WORD_LETTERS && isSpace(unit) ? startOfSpace(window, at) : undefined;
      if (gap !== undefined && isAfterWord(window, gap)) return gap;
      letters = 0;
    }
  }
  return undefined;
}

/** Returns the start of the white space that ends at `last`, or undefined if it is too long. */
function startOfSpace(window: string, last: number): number | undefined {
  let start = last;
  while (start > 0 && isSpace(window.charCodeAt(start - 1))) start -= 1;
  return last - start < MAX_SPACES ? start : undefined;
}

function isAfterWord(window: string, end: number): boolean {
  const last = '.,:;!?'.includes(window.charAt(end - 1)) ? end - 1 : end;
  for (let at = last - WORD_LETTERS; at < last; at++) if (!isLetter(window.charCodeAt(at))) return false;
  return true;
}

function isLetter(unit: number): boolean {
  return (unit | 32) >= 97 && (unit | 32) <= 122;
}

function lastSpace(window: string): number | undefined {
  for (let at = window.length - 1; at >= 0; at--) if (isSpace(window.charCodeAt(at))) return at;
  return undefined;
}

function isSpace(unit: number): boolean {
  if (unit < 0x80) return unit === 0x20 || (unit >= 0x09 && unit <= 0x0d);
  return /\s/.test(String.fromCharCode(unit));
}

/** Cuts outside escapes and surrogate pairs, and Base64 blocks at a multiple of four characters. */
function hardCut(text: string, start: number, limit: number): number {
  const tail = text.slice(limit - 16, limit + 16);
  const escape = /[%\\&][^%\\&]{0,11}$/.exec(tail.slice(0, 16));
  if (escape !== null && escape.index > 0) return limit - 16 + escape.index;
  const at = /^[A-Za-z0-9+/_-]+$/.test(tail) ? limit - ((limit - start) % 4) : limit;
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit <= 0xdfff ? at - 1 : at;
}
