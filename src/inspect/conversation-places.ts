import type { PromptText } from '../providers/request-facts.ts';
import { isIdentifier } from './opaque-members.ts';
import type { WordsPlace } from './whole/document-search.ts';
import { valueAt, type JsonPath } from '../json/path.ts';

type ConversationText = Pick<PromptText, 'path' | 'editable'> & { readonly kind?: string };

/**
 * Returns the places of conversation texts and whole arguments, except tool definitions and strings that must not be
 * edited.
 */
export function conversationPlaces(json: unknown, texts: readonly ConversationText[]): PathTree {
  const places = new PathTreeBuilder();
  for (const { path, kind, editable } of texts) {
    if (kind === 'tool_definition') continue;
    if (editable === false && typeof valueAt(json, path) === 'string') continue;
    places.add(path);
  }
  return places.tree;
}

/**
 * Returns a filter that excludes names, numbers and identifiers outside the conversation, because a mask in a role, id
 * or model name would break the message.
 */
export function wordsAreAt(places: PathTree): (place: WordsPlace) => boolean {
  return ({ kind, text, path }) => isWithin(places, path) || (kind === 'string' && !isIdentifier(text));
}

/** Places in a document; `true` includes everything below. */
export type PathTree = ReadonlyMap<string | number, PathTree | true>;

type Branch = Map<string | number, Branch | true>;

export class PathTreeBuilder {
  readonly #root: Branch = new Map();

  get tree(): PathTree {
    return this.#root;
  }

  add(path: JsonPath): void {
    let branch = this.#root;
    for (const [depth, step] of path.entries()) {
      const below = branch.get(step);
      if (below === true) return;
      if (depth === path.length - 1) {
        branch.set(step, true);
        return;
      }
      const next: Branch = below ?? new Map();
      if (below === undefined) branch.set(step, next);
      branch = next;
    }
  }
}

export function isWithin(tree: PathTree, path: JsonPath): boolean {
  let below: PathTree | true | undefined = tree;
  for (const step of path) {
    if (below === true) return true;
    below = below?.get(step);
    if (below === undefined) return false;
  }
  return below === true;
}
