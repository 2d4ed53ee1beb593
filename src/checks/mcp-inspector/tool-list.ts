import { isContainer, isObject, type JsonObject } from '../../json/is-object.ts';
import { createHash } from 'node:crypto';
import { stringPieces } from '../../json/edit.ts';
import { isTurnOver, ITEM_CHARS, nextTurn } from '../../turns.ts';
import { MAX_PINNED_TOOLS, type PinState, type ShownTool } from './store.ts';
import type { PlacedFinding } from '../../inspect/message/search.ts';

export type Withholding = 'poisoned' | 'changed' | 'unreadable';

export interface ListedTool {
  readonly index: number;
  readonly name: string | undefined;
  readonly digest: string;
  /** Approximate length of the definition. */
  readonly chars: number;
}

/** Clients show tool names and send them back. Names outside this pattern are not readable. */
const NAME = /^[^\p{C}\p{Zl}\p{Zp}]{1,128}$/u;

export async function readListedTools(tools: readonly unknown[]): Promise<readonly ListedTool[]> {
  const read: ListedTool[] = [];
  for (const [index, tool] of tools.entries()) {
    const name = isObject(tool) ? listedName(tool) : undefined;
    const definition = isObject(tool) && name !== undefined ? await definitionDigest(tool) : NO_DEFINITION;
    read.push({ index, name, ...definition });
  }
  return read;
}

function listedName(tool: JsonObject): string | undefined {
  const { name } = tool;
  return typeof name === 'string' && isReadableName(name) ? name : undefined;
}

/** Reports whether all parsers see the same name. Some servers read `a\0b` and ` a` as `a`. */
export function isReadableName(name: string): boolean {
  return NAME.test(name) && name === name.trim();
}

export function pinnable(tools: readonly ListedTool[]): readonly ShownTool[] {
  return tools
    .flatMap(({ name, digest }) => (name === undefined ? [] : [{ name, digest }]))
    .slice(0, MAX_PINNED_TOOLS);
}

export function statesOf(
  tools: readonly ListedTool[],
  stored: readonly PinState[],
): ReadonlyMap<ListedTool, PinState> {
  const named = tools.filter(({ name }) => name !== undefined);
  return new Map(named.map((tool, index) => [tool, stored[index] ?? 'full']));
}

export interface ToolRules {
  /** `pin: block`: removes tools with an unaccepted change, and tools that could not be pinned. */
  readonly blocks: boolean;
  readonly states: ReadonlyMap<ListedTool, PinState>;
  readonly attacks: readonly PlacedFinding[];
}

export async function withheldTools(
  tools: readonly ListedTool[],
  { blocks, states, attacks }: ToolRules,
): Promise<ReadonlyMap<ListedTool, Withholding>> {
  const poisoned = new Set<number>();
  for (const attack of attacks) {
    for (const index of toolsNamedBy(attack)) poisoned.add(index);
    if (isTurnOver(attack.spans.length * ITEM_CHARS)) await nextTurn();
  }
  function judge(tool: ListedTool): Withholding | undefined {
    if (tool.name === undefined) return 'unreadable';
    if (poisoned.has(tool.index)) return 'poisoned';
    const state = states.get(tool);
    return blocks && state !== undefined && state !== 'new' && state !== 'same' ? 'changed' : undefined;
  }
  return new Map(
    tools.flatMap((tool) => {
      const why = judge(tool);
      return why === undefined ? [] : [[tool, why] as const];
    }),
  );
}

/** Returns the indexes of tools with an attack in their name or a member name, which cannot be edited. */
function toolsNamedBy({ spans }: PlacedFinding): readonly number[] {
  return spans.flatMap(({ source }) =>
    source.places.flatMap(({ doc, path }) => {
      const [result, tools, index] = path;
      if (doc.depth > 0 || result !== 'result' || tools !== 'tools' || typeof index !== 'number') return [];
      return source.kind === 'name' || (path.length === 4 && path[3] === 'name') ? [index] : [];
    }),
  );
}

/** Members whose changes do not matter: signed image URLs and server metadata. */
const VARYING: ReadonlySet<string> = new Set(['icons', '_meta']);

/** Returns the length and SHA-256 of a tool's pinned members as canonical JSON, which ignores member order. */
async function definitionDigest(tool: JsonObject): Promise<Pick<ListedTool, 'digest' | 'chars'>> {
  const hash = createHash('sha256');
  let chars = 0;
  let unhashed = '';
  for (const piece of canonicalJson(pinnedMembers(tool))) {
    chars += piece.length;
    unhashed += piece;
    if (unhashed.length < PIECE_CHARS) continue;
    hash.update(unhashed);
    if (isTurnOver(unhashed.length)) await nextTurn();
    unhashed = '';
  }
  hash.update(unhashed);
  if (isTurnOver(unhashed.length)) await nextTurn();
  return { digest: hash.digest('base64url'), chars };
}

const NO_DEFINITION = { digest: '', chars: 0 };

export function pinnedMembers(tool: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(tool).filter(([name]) => !VARYING.has(name)));
}

const PIECE_CHARS = 16_384;

/**
 * Sorts members by name, and adds a comma after each element. Uses no recursion, which would pass each piece through
 * all levels.
 */
function* canonicalJson(root: object): Generator<string, void> {
  const levels = [piecesOf(root)];
  for (let level = levels.at(-1); level !== undefined; level = levels.at(-1)) {
    const { value: piece, done } = level.next();
    if (done === true) levels.pop();
    else if (typeof piece === 'string') yield piece;
    else levels.push(piecesOf(piece));
  }
}

/** Yields the pieces of an array or object. Nested arrays and objects are yielded whole. */
function* piecesOf(container: object): Generator<string | object, void> {
  if (Array.isArray(container)) {
    yield '[';
    for (const element of container) {
      yield* elementPieces(element);
      yield ',';
    }
    yield ']';
  } else if (isObject(container)) {
    yield '{';
    for (const name of Object.keys(container).toSorted()) {
      yield* elementPieces(name);
      yield ':';
      yield* elementPieces(container[name]);
      yield ',';
    }
    yield '}';
  }
}

function* elementPieces(value: unknown): Generator<string | object, void> {
  if (isContainer(value)) yield value;
  else if (typeof value === 'string') {
    yield '"';
    yield* stringPieces(value, PIECE_CHARS);
    yield '"';
  } else yield JSON.stringify(value);
}
