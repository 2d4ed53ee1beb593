import { treeOf } from '../../../json/edit-tree.ts';
import type { EditNode } from '../../../json/edit-tree.ts';
import type { JsonPath } from '../../../json/path.ts';
import { readChildren, skipSpace, skipValue } from '../../../json/spans.ts';

/**
 * How numbers stand in a document, in the order of their paths' places in it: one that is too long for a double has
 * lost its last digits in the parsed value. In one pass over the bytes, however many there are.
 */
export function numberSources(body: Buffer, paths: readonly JsonPath[]): ReadonlyMap<string, string> {
  const sources = new Map<string, string>();
  if (paths.length === 0) return sources;
  const tree = treeOf(paths.map((path) => ({ kind: 'remove', path })));
  collect(body, skipSpace(body, 0), tree, [], sources);
  return sources;
}

/** Gives back the offset after the container. */
function collect(
  body: Buffer,
  container: number,
  node: EditNode,
  path: (string | number)[],
  into: Map<string, string>,
): number {
  return readChildren(body, container, ({ name, valueStart }) => {
    const below = node.children.get(name);
    if (below !== undefined) path.push(name);
    const end =
      below === undefined || below.change !== undefined
        ? skipValue(body, valueStart)
        : collect(body, valueStart, below, path, into);
    if (below === undefined) return end;
    if (below.change !== undefined) into.set(JSON.stringify(path), body.toString('latin1', valueStart, end));
    path.pop();
    return end;
  });
}
