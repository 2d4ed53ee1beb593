import { DOT, SLASH } from './climbing-forms.ts';
import { stickyEnd } from '../../text/sticky.ts';

// Patterns are tried one by one, because a single pattern for all forms takes a third of a second to compile.
const DOT_HERE = new RegExp(DOT, 'iy');
const SLASH_HERE = new RegExp(SLASH, 'iy');
export const ANY_SLASH = new RegExp(SLASH, 'gi');
const LINE_END_HERE = /%0[0ad]/iy;

const MAX_LEVELS = 64;
const MAX_DOTS = 4;
const MAX_STAYS = 2;
/** Enough for the path of a system file or folder with obfuscated slashes. */
const AHEAD_CHARS = 512;
const AHEAD_SLASHES = 8;
const MAY_OBFUSCATE = /%|&|\\[ux0-7]|0x|[\uff0f\u2044\u2215\u29f8\uff3c\u2216\ufe68\u00c0\u00c1]/i;

export interface Climb {
  readonly end: number;
  readonly levels: number;
}

export function readClimb(text: string, start: number): Climb | undefined {
  let end = start;
  let levels = 0;
  for (
    let next = levelEnd(text, end);
    next !== undefined && levels < MAX_LEVELS;
    next = levelEnd(text, end)
  ) {
    end = next;
    levels += 1;
  }
  return levels === 0 ? undefined : { end, levels };
}

/** Returns the end of one level up, also if filters or servers create `../` from `....//` or `..;/`. */
function levelEnd(text: string, at: number): number | undefined {
  let end = at;
  let dots = 0;
  for (let next = dotEnd(text, end); next !== undefined && dots < MAX_DOTS; next = dotEnd(text, end)) {
    end = next;
    dots += 1;
  }
  if (dots < 2) return undefined;
  if (text[end] === ';') end += 1;
  let up = stickyEnd(SLASH_HERE, text, stickyEnd(LINE_END_HERE, text, end) ?? end);
  for (let stay = 0; up !== undefined && stay < MAX_STAYS; stay += 1) {
    const dot = dotEnd(text, up);
    const next = dot === undefined ? undefined : stickyEnd(SLASH_HERE, text, dot);
    if (next === undefined) break;
    up = next;
  }
  return up;
}

function dotEnd(text: string, at: number): number | undefined {
  return text[at] === '.' ? at + 1 : stickyEnd(DOT_HERE, text, at);
}

export interface PathAhead {
  readonly path: string;
  /** Returns the text offset after `length` characters of `path`. */
  offsetAfter(length: number): number;
}

export function pathAhead(text: string, at: number): PathAhead {
  const written = text.slice(at, at + AHEAD_CHARS);
  if (!MAY_OBFUSCATE.test(written)) return { path: written, offsetAfter: (length) => at + length };
  let path = '';
  let read = 0;
  const parts: { readonly path: number; readonly offset: number }[] = [];
  function keep(until: number): void {
    parts.push({ path: path.length, offset: at + read });
    path += written.slice(read, until);
  }
  for (const { 0: slash, index } of written.matchAll(ANY_SLASH)) {
    keep(index);
    path += '/';
    read = index + slash.length;
    if (parts.length === AHEAD_SLASHES) break;
  }
  keep(written.length);
  return {
    path,
    offsetAfter(length) {
      const last = parts.findLast((part) => part.path < length);
      return last === undefined ? at : last.offset + length - last.path;
    },
  };
}
