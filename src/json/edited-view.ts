import { treeOf, type EditNode } from './edit-tree.ts';
import { isContainer } from './is-object.ts';
import { ownMember, setOwn, type JsonEdit } from './path.ts';

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
  const members = isContainer(value) ? { ...value } : {};
  const removed = new Set<string>();
  for (const [step, child] of children) {
    if (child.change?.kind === 'remove') removed.add(String(step));
    else if (typeof step === 'string')
      setOwn(members, step, editedNode(ownMember(value, step), child, keepsPlaces));
  }
  if (removed.size === 0) return members;
  return Object.fromEntries(Object.entries(members).filter(([name]) => !removed.has(name)));
}
