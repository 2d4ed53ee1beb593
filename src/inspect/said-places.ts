import type { PromptText } from '../providers/request-facts.ts';
import { isIdentifier } from './opaque-members.ts';
import type { WordsPlace } from './whole/document-search.ts';
import { valueAt, type JsonPath } from '../json/path.ts';

type Said = Pick<PromptText, 'path' | 'editable'> & { readonly kind?: string };

/**
 * Returns the places where people and models speak: texts known to the dialect, and arguments with all their names and
 * numbers. Names and schemas of tools belong to the protocol, as does everything that must not change.
 */
export function saidPlaces(json: unknown, texts: readonly Said[]): PathTree {
  const said = new PathTreeBuilder();
  for (const { path, kind, editable } of texts) {
    if (kind === 'tool_definition') continue;
    if (editable === false && typeof valueAt(json, path) === 'string') continue;
    said.add(path);
  }
  return said.tree;
}

/**
 * Returns a test for places where a rule's own words count: said places, and other values that look like words. A mask
 * in a role, an id or a model name would break the message.
 */
export function wordsAreAt(said: PathTree): (place: WordsPlace) => boolean {
  return ({ kind, text, path }) => isWithin(said, path) || (kind === 'string' && !isIdentifier(text));
}

/** Places in a document; `true` is a place with everything below it. */
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
