import { GatewayError } from '../errors.ts';
import { setIn, treeOf } from './edit-tree.ts';
import type { EditNode } from './edit-tree.ts';
import type { JsonEdit } from './path.ts';
import { kindAt, readChildren, skipSpace, skipValue } from './spans.ts';

/** Bytes `start` to `end` of the document give way to `text`. */
interface Patch {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/**
 * Applies edits to a document that `parseStrict` accepted; every byte that no edit concerns stays as it was.
 *
 * All paths refer to the document as it came: removing elements 0 and 2 of an array takes its first and third.
 * `set` replaces a value, or appends a member (or element), with the objects that lead to it where those are
 * missing or null. `remove` takes a member or element out with its comma; what is not there is left alone.
 * The later of two edits of one path wins, and so does an edit of a parent over earlier ones below it; what
 * follows below a `set` changes the new value, and below a `remove` is dropped.
 * Throws GatewayError invalid_request where a `set` leads through a value that has no members.
 */
export function applyEdits(body: Buffer, edits: readonly JsonEdit[]): Buffer {
  if (edits.length === 0) return body;
  const patches: Patch[] = [];
  collect(body, skipSpace(body, 0), treeOf(edits), '', patches);
  if (patches.length === 0) return body;

  const pieces: Buffer[] = [];
  let from = 0;
  for (const patch of patches) {
    pieces.push(body.subarray(from, patch.start), Buffer.from(patch.text));
    from = patch.end;
  }
  pieces.push(body.subarray(from));
  return Buffer.concat(pieces);
}

/** Adds the patches of the value at `start`, in document order; gives back the offset after it. */
function collect(body: Buffer, start: number, node: EditNode, name: string, patches: Patch[]): number {
  const { change } = node;
  if (change?.kind === 'set') {
    const end = skipValue(body, start);
    patches.push({ start, end, text: JSON.stringify(change.value) });
    return end;
  }
  const kind = kindAt(body, start);
  if (kind === 'object' || kind === 'array') return collectInContainer(body, start, node, patches);
  const end = skipValue(body, start);
  const value = newValue(node);
  if (value === undefined) return end;
  if (kind !== 'null') throw cannotHaveMembers(name);
  patches.push({ start, end, text: JSON.stringify(value) });
  return end;
}

function collectInContainer(body: Buffer, start: number, node: EditNode, patches: Patch[]): number {
  const isObject = kindAt(body, start) === 'object';
  const found = new Set<string | number>();
  let lastKeptEnd: number | undefined;
  /** Offset from which removed children, not yet followed by a kept one, are to be cut. */
  let cutFrom: number | undefined;
  let end = skipSpace(body, start + 1);

  const containerEnd = readChildren(body, start, (child) => {
    const edit = node.children?.get(child.name);
    if (edit !== undefined) found.add(child.name);
    if (edit?.change?.kind === 'remove') {
      cutFrom ??= child.start;
      return (end = skipValue(body, child.valueStart));
    }
    if (cutFrom !== undefined) patches.push({ start: cutFrom, end: child.start, text: '' });
    cutFrom = undefined;
    end =
      edit === undefined
        ? skipValue(body, child.valueStart)
        : collect(body, child.valueStart, edit, String(child.name), patches);
    return (lastKeptEnd = end);
  });
  const added = additions(node, found, isObject);
  const first = lastKeptEnd === undefined;
  // A tail of removed children goes with the comma before it.
  if (cutFrom !== undefined) patches.push({ start: lastKeptEnd ?? cutFrom, end, text: joined(added, first) });
  else if (added.length > 0) patches.push({ start: end, end, text: joined(added, first) });
  return containerEnd;
}

function joined(added: readonly string[], first: boolean): string {
  if (added.length === 0) return '';
  return `${first ? '' : ','}${added.join(',')}`;
}

/** The JSON of members or elements that are to be set and are not there. */
function additions(node: EditNode, found: ReadonlySet<string | number>, isObject: boolean): string[] {
  const added: string[] = [];
  for (const [step, child] of node.children ?? []) {
    if (found.has(step)) continue;
    const value = newValue(child);
    if (value === undefined) continue;
    if (isObject !== (typeof step === 'string')) throw cannotHaveMembers(String(step));
    const text = JSON.stringify(value);
    added.push(isObject ? `${JSON.stringify(step)}:${text}` : text);
  }
  return added;
}

/** The value that the edits below a missing place make; undefined where they only remove. */
function newValue(node: EditNode): unknown {
  if (node.change?.kind === 'set') return node.change.value;
  if (node.change?.kind === 'remove') return undefined;
  let value: unknown;
  for (const [step, child] of node.children ?? []) {
    const below = newValue(child);
    if (below !== undefined) value = setIn(value, step, below);
  }
  return value;
}

function cannotHaveMembers(name: string): GatewayError {
  const what = name === '' ? 'The request body' : `The field ${name}`;
  return new GatewayError('invalid_request', `${what} has the wrong type: an object is expected there.`);
}
