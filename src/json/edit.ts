import { GatewayError } from '../errors.ts';
import { inTurns, runNow, type Work } from '../turns.ts';
import { setIn, treeInSteps, type EditNode } from './edit-tree.ts';
import { written, type Part, type Patch } from './edit-writer.ts';
import type { JsonEdit } from './path.ts';
import { Children, kindAt, skipLong, skipShort, skipSpace, skipValue } from './spans.ts';

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
  return runNow(editInSteps(body, edits));
}

/** The same, with turns for others where the document is long, or what is set. */
export async function applyEditsInTurns(body: Buffer, edits: readonly JsonEdit[]): Promise<Buffer> {
  return inTurns(editInSteps(body, edits));
}

/** The same, as work that whoever asks drives. */
export function* editInSteps(body: Buffer, edits: readonly JsonEdit[]): Work<Buffer> {
  if (edits.length === 0) return body;
  const tree = yield* treeInSteps(edits);
  const walk: Walk = { body, patches: [], seen: 0 };
  const start = skipSpace(body, 0);
  if (patchValue(walk, start, tree, '') === undefined) yield* collectInContainer(walk, start, tree);
  return walk.patches.length === 0 ? body : yield* written(body, walk.patches);
}

/** One pass over a document, which notes what is to be changed in document order. */
interface Walk {
  readonly body: Buffer;
  readonly patches: Patch[];
  /** Members and elements so far. */
  seen: number;
}

/** Members and elements after which others may get a turn. */
const STEP_CHILDREN = 16_384;

/** Adds the patch of a value that is replaced, and gives back the offset after it; undefined where its children are edited. */
function patchValue(
  { body, patches }: Walk,
  start: number,
  node: EditNode,
  name: string,
): number | undefined {
  const { change } = node;
  const kind = kindAt(body, start);
  if (change?.kind === 'set') {
    const end = skipValue(body, start);
    patches.push({ start, end, parts: [{ value: change.value }] });
    return end;
  }
  if (kind === 'object' || kind === 'array') return undefined;
  const end = skipValue(body, start);
  const value = newValue(node);
  if (value === undefined) return end;
  if (kind !== 'null') throw cannotHaveMembers(name);
  patches.push({ start, end, parts: [{ value }] });
  return end;
}

/** Adds the patches of what stands in a container; gives back the offset after it. */
function* collectInContainer(walk: Walk, start: number, node: EditNode): Work<number> {
  const { body, patches } = walk;
  const children = new Children(body, start);
  const found = new Set<string | number>();
  let lastKeptEnd: number | undefined;
  /** Offset from which removed children, not yet followed by a kept one, are to be cut. */
  let cutFrom: number | undefined;
  let end = skipSpace(body, start + 1);

  for (let child = children.next(); child !== undefined; child = children.next()) {
    if (++walk.seen % STEP_CHILDREN === 0) yield;
    const edit = node.children?.get(child.name);
    if (edit !== undefined) found.add(child.name);
    if (edit?.change?.kind === 'remove') {
      cutFrom ??= child.start;
      end = skipShort(body, child.valueStart) ?? (yield* skipLong(body, child.valueStart));
      children.leave(end);
      continue;
    }
    if (cutFrom !== undefined) patches.push({ start: cutFrom, end: child.start, parts: [] });
    cutFrom = undefined;
    end =
      edit === undefined
        ? (skipShort(body, child.valueStart) ?? (yield* skipLong(body, child.valueStart)))
        : (patchValue(walk, child.valueStart, edit, String(child.name)) ??
          (yield* collectInContainer(walk, child.valueStart, edit)));
    children.leave(end);
    lastKeptEnd = end;
  }
  const parts = additions(node, found, children.isObject, lastKeptEnd === undefined);
  // A tail of removed children goes with the comma before it.
  if (cutFrom !== undefined) patches.push({ start: lastKeptEnd ?? cutFrom, end, parts });
  else if (parts.length > 0) patches.push({ start: end, end, parts });
  return children.end;
}

/** The JSON of members or elements that are to be set and are not there, with a comma before each but the first. */
function additions(
  node: EditNode,
  found: ReadonlySet<string | number>,
  isObject: boolean,
  isEmpty: boolean,
): readonly Part[] {
  const parts: Part[] = [];
  for (const [step, child] of node.children ?? []) {
    if (found.has(step)) continue;
    const value = newValue(child);
    if (value === undefined) continue;
    if (isObject !== (typeof step === 'string')) throw cannotHaveMembers(String(step));
    if (!isEmpty || parts.length > 0) parts.push(',');
    if (isObject) parts.push({ value: step }, ':');
    parts.push({ value });
  }
  return parts;
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
