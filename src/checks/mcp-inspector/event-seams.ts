import { isObject } from '../../json/is-object.ts';
import type { ServerCredentials } from './server-credentials.ts';

/** Of the texts at one place, so much is kept for the next event, and so much of that is read with it. */
const SEAM_CHARS = 1_024;
/** Places of a stream; in one with more, the first are followed. */
const MAX_PLACES = 64;
/** Values of an event. */
const MAX_VALUES = 1_024;

/** Where comments and the like stand: they come between the texts of every place. */
const BESIDE = '';
/** What makes a line a comment or a field, and ends it. */
const FIELD = /^[a-z]{0,8}: ?|\n$/gm;

/** Whether an event goes on with a credential that the events before it began, at the same place of the message. */
export type CrossesSeam = (message: unknown) => boolean;

/**
 * Follows the texts of a stream's events by their places (`params.data`), since readers put together what comes there.
 * The beginning has passed by then: what is kept back is the rest.
 */
export function createSeams(credentials: Pick<ServerCredentials, 'isEmpty' | 'isIn'>): CrossesSeam {
  if (credentials.isEmpty) return () => false;
  const tails = new Map<string, string>();

  /** A credential within one of the parts was found there. */
  function crosses(tail: string, text: string): boolean {
    if (tail === '' || text === '') return false;
    const head = text.slice(0, SEAM_CHARS);
    return credentials.isIn(tail + head) && !credentials.isIn(tail) && !credentials.isIn(head);
  }

  return (message) => {
    const isBeside = typeof message === 'string';
    const said = isBeside ? message.replaceAll(FIELD, '') : message;
    for (const [place, text] of textsByPlace(said)) {
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

/** What a message says at each place, elements of lists one after the other. */
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
