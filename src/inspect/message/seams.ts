import type { KnownValues } from '../../detectors/known-values/known-values.ts';
import { tailOf } from '../scan/masking-buffer.ts';
import { Walk } from '../walk.ts';

/** Number of characters kept per place, to be searched with the next event. */
const SEAM_CHARS = 1_024;
/** Number of places tracked per stream; further places are ignored. */
const MAX_PLACES = 64;
const MAX_VALUES = 1_024;
/** Longer member names are truncated, because every place below repeats them. */
const MAX_NAME_CHARS = 64;

/** Place of comments and similar SSE fields, which may occur between any two texts. */
const BESIDE = '';
const FIELD = /^[a-z]{0,8}: ?|\n$/gm;

/** Reports whether an event completes a known value begun in earlier events, at one place or partly in comments. */
export type CrossesSeam = (message: unknown) => boolean;

/** Tracks texts by place (`params.data`), because clients join them. The beginning may already have been sent. */
export function createSeams(known: Pick<KnownValues, 'isEmpty' | 'isIn'>): CrossesSeam {
  if (known.isEmpty) return () => false;
  const tails = new Map<string, string>();

  /** Ignores values inside one part, which other searches find. */
  function crosses(tail: string, text: string): boolean {
    if (tail === '' || text === '') return false;
    const head = text.slice(0, SEAM_CHARS);
    return known.isIn(tail + head) && !known.isIn(tail) && !known.isIn(head);
  }

  return (message) => {
    const isBeside = typeof message === 'string';
    const content = isBeside ? message.replaceAll(FIELD, '') : message;
    for (const [place, text] of textsByPlace(content)) {
      const tail = tails.get(place);
      const others = isBeside ? [...tails.values()] : [tails.get(BESIDE) ?? ''];
      if (others.some((other) => crosses(other, text))) return true;
      if (tail === undefined && tails.size >= MAX_PLACES) continue;
      if (crosses(tail ?? '', text)) return true;
      const joined = (tail ?? '') + text;
      tails.set(place, tailOf(joined, Math.max(0, joined.length - SEAM_CHARS)));
    }
    return false;
  };
}

/** Returns the strings at each place. Joins array elements. */
function textsByPlace(message: unknown): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  function add(place: string, value: unknown): void {
    if (typeof value === 'string') texts.set(place, (texts.get(place) ?? '') + value);
  }
  add('', message);
  const walk = new Walk(message, '');
  for (let read = 1; read < MAX_VALUES; read += 1) {
    const level = walk.next();
    if (level === undefined) break;
    const place = typeof walk.step === 'number' ? level.state : placeBelow(level.state, walk.step);
    add(place, walk.value);
    walk.enter(place);
  }
  return texts;
}

function placeBelow(place: string, name: string): string {
  if (name.length <= MAX_NAME_CHARS) return `${place}.${name}`;
  return `${place}.${name.slice(0, MAX_NAME_CHARS)}…${String(name.length)}`;
}
