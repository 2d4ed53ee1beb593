import { treeOf, setIn, type EditNode } from './edit-tree.ts';
import type { JsonEdit, JsonPath } from './path.ts';

/**
 * Returns a parsed document as edits will leave it, with all positions kept: removed array elements become
 * null, so that paths are valid for further edits. Unedited parts are shared.
 */
export function editedView(json: unknown, edits: readonly JsonEdit[]): unknown {
  return edits.length === 0 ? json : editedNode(json, treeOf(edits), true);
}

/** The same without removed elements, as `applyEdits` writes it. */
export function edited(json: unknown, edits: readonly JsonEdit[]): unknown {
  return edits.length === 0 ? json : editedNode(json, treeOf(edits), false);
}

function editedNode(value: unknown, { change, children }: EditNode, keepsPlaces: boolean): unknown {
  if (change !== undefined) return change.kind === 'set' ? change.value : null;
  if (children === undefined) return value;
  if (Array.isArray(value)) {
    const elements: unknown[] = [...value];
    for (const [step, child] of children) {
      if (typeof step === 'number')
        elements[Math.min(step, elements.length)] = editedNode(value[step], child, keepsPlaces);
    }
    return keepsPlaces ? elements : elements.filter((_, at) => children.get(at)?.change?.kind !== 'remove');
  }
  let members: object = typeof value === 'object' && value !== null ? { ...value } : {};
  const removed = new Set<string>();
  for (const [step, child] of children) {
    if (child.change?.kind === 'remove') removed.add(String(step));
    else members = withMember(members, step, editedNode(valueAt(value, [step]), child, keepsPlaces));
  }
  if (removed.size === 0) return members;
  return Object.fromEntries(Object.entries(members).filter(([name]) => !removed.has(name)));
}

/** Changes `members`, which is a copy. */
function withMember(members: object, step: string | number, value: unknown): object {
  if (typeof step === 'number') return members;
  if (step === '__proto__') return setIn(members, step, value) as object;
  (members as Record<string, unknown>)[step] = value;
  return members;
}

/** Returns the value at a path, or undefined. */
export function valueAt(json: unknown, path: JsonPath): unknown {
  let at = json;
  for (const step of path) at = ownMember(at, step);
  return at;
}

/** Returns an own member or element, or undefined. */
export function ownMember(value: unknown, step: string | number): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined;
  return (value as Record<string | number, unknown>)[step];
}
