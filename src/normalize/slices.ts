/** Most UTF-16 units of one slice; a slice is normalized in one turn of the event loop. */
export const sliceUnits = 8192;

/** How far before the end of a slice a gap between two ordinary words is looked for. */
const searchUnits = 2048;

/** Where slices end: the first starts at 0, each goes on where the one before ended. */
export function* sliceEnds(text: string): Generator<number, void> {
  let start = 0;
  while (start < text.length) {
    start = text.length - start <= sliceUnits ? text.length : cut(text, start, start + sliceUnits);
    yield start;
  }
}

/** Best between two words of three letters or more, else at any white space, else where no escape or block is torn. */
function cut(text: string, start: number, limit: number): number {
  const from = Math.max(start + 1, limit - searchUnits);
  const window = text.slice(from, limit);
  const gap = lastGap(window) ?? lastSpace(window);
  return gap === undefined || gap === 0 ? hardCut(text, start, limit) : from + gap;
}

function lastGap(window: string): number | undefined {
  let last: number | undefined;
  for (const match of window.matchAll(/[A-Za-z]{3}[.,:;!?]?(?=\s{1,8}[A-Za-z]{3})/g)) {
    last = match.index + match[0].length;
  }
  return last;
}

function lastSpace(window: string): number | undefined {
  for (let at = window.length - 1; at >= 0; at--) if (isSpace(window.charCodeAt(at))) return at;
  return undefined;
}

/** As `\s` has it. */
function isSpace(unit: number): boolean {
  if (unit < 0x80) return unit === 0x20 || (unit >= 0x09 && unit <= 0x0d);
  return /\s/.test(String.fromCharCode(unit));
}

/** Not within an escape, a surrogate pair or a run of characters that print nothing; on a multiple of four of a long block. */
function hardCut(text: string, start: number, limit: number): number {
  const tail = text.slice(limit - 16, limit + 16);
  const escape = /[%\\&][^%\\&]{0,11}$/.exec(tail.slice(0, 16));
  if (escape !== null && escape.index > 0) return limit - 16 + escape.index;
  const at = /^[A-Za-z0-9+/_-]+$/.test(tail) ? limit - ((limit - start) % 4) : limit;
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit <= 0xdfff ? at - 1 : at;
}
