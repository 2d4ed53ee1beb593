import { isObject } from '../../json/is-object.ts';
import type { KnownValues } from '../../detectors/known-values/known-values.ts';

/** Text kept at each place for the next event, and read with it. */
const SEAM_CHARS = 1_024;
/** Places followed in a stream; further ones are ignored. */
const MAX_PLACES = 64;
/** Values followed in one event. */
const MAX_VALUES = 1_024;

/** Place of comments and the like, which come between the texts of every place. */
const BESIDE = '';
/** The prefix that makes a line a comment or a field, and its end. */
const FIELD = /^[a-z]{0,8}: ?|\n$/gm;

/** Reports whether an event continues a credential that earlier events began at the same place of the message. */
export type CrossesSeam = (message: unknown) => boolean;

/**
 * Follows the texts of a stream's events by place (`params.data`), since readers join them. The beginning has
 * passed by then; the rest is withheld.
 */
export function createSeams(credentials: Pick<KnownValues, 'isEmpty' | 'isIn'>): CrossesSeam {
  if (credentials.isEmpty) return () => false;
  const tails = new Map<string, string>();

  /** A credential within one part is found there. */
  function crosses(tail: string, text: string): boolean {
    if (tail === '' || text === '') return false;
    const head = text.slice(0, SEAM_CHARS);
    return credentials.isIn(tail + head) && !credentials.isIn(tail) && !credentials.isIn(head);
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
      tails.set(place, ((tail ?? '') + text).slice(-SEAM_CHARS));
    }
    return false;
  };
}

/** Returns the texts of a message by place; list elements are joined. */
function textsByPlace(message: unknown): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  const unread: { readonly place: string; readonly value: unknown }[] = [{ place: '', value: message }];
  for (let read = 0; unread.length > 0 && read < MAX_VALUES; read += 1) {
    const next = unread.pop();
    if (next === undefined) break;
    const { place, value } = next;
    if (typeof value === 'string') texts.set(place, (texts.get(place) ?? '') + value);
    else if (Array.isArray(value))
      for (const element of value.toReversed()) unread.push({ place, value: element });
    else if (isObject(value)) {
      for (const [name, below] of Object.entries(value))
        unread.push({ place: `${place}.${name}`, value: below });
    }
  }
  return texts;
}
