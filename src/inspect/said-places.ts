import { valueAt } from '../json/edited-view.ts';
import type { PromptText } from '../providers/provider.ts';
import { isIdentifier } from './opaque-members.ts';
import { isWithin, PathTreeBuilder, type PathTree } from './path-tree.ts';
import type { WordsPlace } from './whole/document-search.ts';

type Said = Pick<PromptText, 'path' | 'editable'> & { readonly kind?: string };

/**
 * Where people and models speak: texts that the dialect knows, and arguments with all their names and numbers. Names
 * and schemas of tools are the protocol's, and so is everything that must not change.
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
 * Where a rule's own words are looked for: where something is said, and in whatever other value looks like words. A role,
 * an id, the name of a model are left alone, for a mask there would break the message.
 */
export function wordsAreAt(said: PathTree): (place: WordsPlace) => boolean {
  return ({ kind, text, path }) => isWithin(said, path) || (kind === 'string' && !isIdentifier(text));
}
