import { runNow, type Work } from '../turns.ts';
import { isContainer, isObject } from './is-object.ts';
import { ownMember, setOwn, type JsonEdit } from './path.ts';

/** The merged edits of one document, as a tree of path steps. */
export interface EditNode {
  change: { readonly kind: 'set'; readonly value: unknown } | { readonly kind: 'remove' } | undefined;
  /** Undefined for most nodes, which have no children. */
  children: Map<string | number, EditNode> | undefined;
}

/** Number of path steps between two yields. */
const STEP_STEPS = 32_768;

export function* treeInSteps(edits: readonly JsonEdit[]): Work<EditNode> {
  const root = emptyNode();
  let steps = 0;
  for (const edit of edits) {
    add(root, edit);
    steps += 1 + edit.path.length;
    if (steps < STEP_STEPS) continue;
    steps = 0;
    yield;
  }
  return root;
}

function emptyNode(): EditNode {
  return { change: undefined, children: undefined };
}

function add(root: EditNode, edit: JsonEdit): void {
  let node = root;
  for (let depth = 0; depth < edit.path.length; depth += 1) {
    const step = edit.path[depth] ?? '';
    if (node.change?.kind === 'remove') return;
    if (node.change?.kind === 'set') {
      node.change = { kind: 'set', value: editedValue(node.change.value, edit, depth) };
      return;
    }
    let next = node.children?.get(step);
    if (next === undefined) {
      next = emptyNode();
      node.children ??= new Map();
      node.children.set(step, next);
    }
    node = next;
  }
  node.children = undefined;
  node.change = edit.kind === 'set' ? { kind: 'set', value: edit.value } : { kind: 'remove' };
}

function editedValue(value: unknown, edit: JsonEdit, depth: number): unknown {
  const step = edit.path[depth];
  if (step === undefined) return edit.kind === 'set' ? edit.value : undefined;
  if (depth === edit.path.length - 1 && edit.kind === 'remove') return removeIn(value, step);
  const below = editedValue(ownMember(value, step), edit, depth + 1);
  return below === undefined ? value : setIn(value, step, below);
}

/** Returns a copy with one member or element set. Replaces a value of the wrong type with a new object or array. */
export function setIn(value: unknown, step: string | number, below: unknown): unknown {
  if (typeof step === 'number') {
    const elements: unknown[] = Array.isArray(value) ? [...value] : [];
    elements[Math.min(step, elements.length)] = below;
    return elements;
  }
  const members = isObject(value) ? { ...value } : {};
  setOwn(members, step, below);
  return members;
}

function removeIn(value: unknown, step: string | number): unknown {
  if (Array.isArray(value)) return value.filter((_, index) => index !== step);
  if (!isContainer(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([name]) => name !== step));
}

/** Applies edits to a parsed document. Removed elements become null, so paths stay valid. Shares unedited parts. */
export function editedView(json: unknown, edits: readonly JsonEdit[]): unknown {
  return edits.length === 0 ? json : editedNode(json, runNow(treeInSteps(edits)), true);
}

/** Returns the document without removed elements, as `applyEdits` writes it. */
export function edited(json: unknown, edits: readonly JsonEdit[]): unknown {
  return edits.length === 0 ? json : editedNode(json, runNow(treeInSteps(edits)), false);
}

function editedNode(value: unknown, { change, children }: EditNode, keepsIndexes: boolean): unknown {
  if (change !== undefined) return change.kind === 'set' ? change.value : null;
  if (children === undefined) return value;
  if (Array.isArray(value)) {
    const elements: unknown[] = [...value];
    for (const [step, child] of children) {
      if (typeof step === 'number')
        elements[Math.min(step, elements.length)] = editedNode(value[step], child, keepsIndexes);
    }
    return keepsIndexes ? elements : elements.filter((_, at) => children.get(at)?.change?.kind !== 'remove');
  }
  const members = isContainer(value) ? { ...value } : {};
  const removed = new Set<string>();
  for (const [step, child] of children) {
    if (child.change?.kind === 'remove') removed.add(String(step));
    else if (typeof step === 'string')
      setOwn(members, step, editedNode(ownMember(value, step), child, keepsIndexes));
  }
  if (removed.size === 0) return members;
  return Object.fromEntries(Object.entries(members).filter(([name]) => !removed.has(name)));
}
