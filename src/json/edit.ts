import { GatewayError } from '../errors.ts';
import { type EditNode, setIn, treeInSteps } from './edit-tree.ts';
import type { JsonEdit } from './path.ts';
import { Children, kindAt, skipLong, skipShort, skipSpace, skipValue } from './spans.ts';
import { STEP_CHARS } from './weights.ts';
import { isHighSurrogate } from '../text/units.ts';
import { inTurns, runNow, type Work } from '../turns.ts';

/**
 * Applies edits to valid JSON with unique member names. All other bytes stay the same.
 *
 * Paths refer to the original document: removing elements 0 and 2 of an array removes its first and third element.
 * `set` replaces a value, or appends a member or element, and creates missing or null parents. `remove` deletes a
 * member or element with its comma, and ignores missing ones. Of two edits of one path, the later wins; an edit of a
 * parent overrides earlier edits below it. Later edits below a `set` change the new value; below a `remove` they are
 * dropped.
 * @throws GatewayError invalid_request if the path of a `set` leads through a value that cannot have members
 */
export function applyEdits(body: Buffer, edits: readonly JsonEdit[]): Buffer {
  return runNow(editInSteps(body, edits));
}

export async function applyEditsInTurns(body: Buffer, edits: readonly JsonEdit[]): Promise<Buffer> {
  return inTurns(editInSteps(body, edits));
}

export function* editInSteps(body: Buffer, edits: readonly JsonEdit[]): Work<Buffer> {
  if (edits.length === 0) return body;
  const patches = yield* patchesInSteps(body, edits);
  return patches.length === 0 ? body : yield* written(body, patches);
}

export interface Splice {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Returns the replacements that `applyEdits` would make, in document order. */
export async function splicesInTurns(body: Buffer, edits: readonly JsonEdit[]): Promise<readonly Splice[]> {
  const patches = await inTurns(patchesInSteps(body, edits));
  return patches.map(({ start, end, parts }) => ({ start, end, text: parts.map(partText).join('') }));
}

function* patchesInSteps(body: Buffer, edits: readonly JsonEdit[]): Work<readonly Patch[]> {
  const tree = yield* treeInSteps(edits);
  const walk: Walk = { body, patches: [], seen: 0 };
  const start = skipSpace(body, 0);
  if (patchValue(walk, start, tree, '') === undefined) yield* collectInContainer(walk, start, tree);
  return walk.patches;
}

interface Walk {
  readonly body: Buffer;
  readonly patches: Patch[];
  seen: number;
}

/** Number of members and elements between two yields. */
const STEP_CHILDREN = 16_384;

/** Adds the patch of a replaced value. Returns the value's end, or undefined if only children are edited. */
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

function* collectInContainer(walk: Walk, start: number, node: EditNode): Work<number> {
  const { body, patches } = walk;
  const children = new Children(body, start);
  const found = new Set<string | number>();
  let lastKeptEnd: number | undefined;
  /** Start of removed children if no kept child follows yet. */
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
  // The patch of children removed at the end includes the comma before them.
  if (cutFrom !== undefined) patches.push({ start: lastKeptEnd ?? cutFrom, end, parts });
  else if (parts.length > 0) patches.push({ start: end, end, parts });
  return children.end;
}

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

/** Returns the value that edits create for a missing member, or undefined if they only remove. */
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

/** Punctuation, or a value to write as JSON. */
type Part = string | { readonly value: unknown };

interface Patch {
  readonly start: number;
  readonly end: number;
  readonly parts: readonly Part[];
}

const STEP_PIECES = 8_192;

/** Applies patches, which must be in order and must not overlap. */
function* written(body: Buffer, patches: readonly Patch[]): Work<Buffer> {
  const pieces: Buffer[] = [];
  let from = 0;
  let count = 0;
  for (const { start, end, parts } of patches) {
    if (++count % STEP_PIECES === 0) yield;
    if (start > from) pieces.push(body.subarray(from, start));
    if (parts.some(isLongValue)) yield* addParts(parts, pieces);
    else if (parts.length > 0) pieces.push(Buffer.from(parts.map(partText).join('')));
    from = end;
  }
  pieces.push(body.subarray(from));
  return yield* joinedBytes(pieces);
}

function isLongValue(part: Part): part is { readonly value: string } {
  return typeof part !== 'string' && typeof part.value === 'string' && part.value.length > STEP_CHARS;
}

function partText(part: Part): string {
  return typeof part === 'string' ? part : JSON.stringify(part.value);
}

function* addParts(parts: readonly Part[], pieces: Buffer[]): Work<void> {
  let short = '';
  for (const part of parts) {
    if (!isLongValue(part)) short += partText(part);
    else {
      pieces.push(Buffer.from(`${short}"`));
      for (const piece of stringPieces(part.value, STEP_CHARS)) {
        pieces.push(Buffer.from(piece));
        yield;
      }
      short = '"';
    }
  }
  pieces.push(Buffer.from(short));
}

/**
 * Yields the JSON of a long string, without its quotes, in pieces. No piece ends inside a surrogate pair, whose halves
 * would be escaped separately.
 * @param chars characters per piece; at least 2
 */
export function* stringPieces(text: string, chars: number): Generator<string, void> {
  for (let from = 0; from < text.length;) {
    const most = Math.min(text.length, from + chars);
    const to = most < text.length && isHighSurrogate(text.charCodeAt(most - 1)) ? most - 1 : most;
    yield JSON.stringify(text.slice(from, to)).slice(1, -1);
    from = to;
  }
}

function* joinedBytes(pieces: readonly Buffer[]): Work<Buffer> {
  if (pieces.length <= STEP_PIECES) return Buffer.concat(pieces);
  const groups: Buffer[] = [];
  for (let from = 0; from < pieces.length; from += STEP_PIECES) {
    yield;
    groups.push(Buffer.concat(pieces.slice(from, from + STEP_PIECES)));
  }
  yield;
  return Buffer.concat(groups);
}
