import { valueAt } from '../../json/edited-view.ts';
import type { JsonPath } from '../../json/path.ts';
import type { PromptText } from '../../providers/provider.ts';
import { isIdentifier } from './identifiers.ts';
import type { Place } from './buffered/document-search.ts';

type Said = Pick<PromptText, 'path' | 'editable'> & { readonly kind?: string };

/** Places in a document; `true` is one, with all that is below it. */
type Places = Map<string | number, Places | true>;

/**
 * Where people and models speak: texts that the dialect knows, and arguments with all their names and numbers. Names
 * and schemas of tools are the protocol's, and so is what nobody may change.
 */
export function saidPlaces(json: unknown, texts: readonly Said[]): Places {
  const root: Places = new Map();
  for (const { path, kind, editable } of texts) {
    if (kind === 'tool_definition') continue;
    if (editable === false && typeof valueAt(json, path) === 'string') continue;
    add(root, path);
  }
  return root;
}

function add(root: Places, path: JsonPath): void {
  let places = root;
  for (const [depth, step] of path.entries()) {
    const below = places.get(step);
    if (below === true) return;
    if (depth === path.length - 1) {
      places.set(step, true);
      return;
    }
    const next: Places = below ?? new Map();
    if (below === undefined) places.set(step, next);
    places = next;
  }
}

/**
 * Where a rule's own words are looked for: where something is said, and in whatever other value looks like words. A role,
 * an id, the name of a model are left alone, for a mask there would break the message.
 */
export function wordsAreAt(said: Places): (place: Place) => boolean {
  return ({ kind, text, path }) => isWithin(said, path) || (kind === 'string' && !isIdentifier(text));
}

function isWithin(root: Places, path: JsonPath): boolean {
  let places: Places | true | undefined = root;
  for (const step of path) {
    if (places === true) return true;
    places = places?.get(step);
    if (places === undefined) return false;
  }
  return places === true;
}
