import type { JsonPath } from '../json/path.ts';

/** Places in a document; `true` is one, with all that is below it. */
export type PathTree = ReadonlyMap<string | number, PathTree | true>;

type Branch = Map<string | number, Branch | true>;

/** A tree to which paths are added one by one. */
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
