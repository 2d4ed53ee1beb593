import type { JsonObject } from '../../providers/provider.ts';
import { isObject } from '../../json/is-object.ts';
import { createHash, type Hash } from 'node:crypto';
import { stringPieces } from '../../json/string-pieces.ts';
import { inTurns, ITEM_CHARS, type Work } from '../../turns.ts';
import { MAX_PINNED_TOOLS, type PinState, type ShownTool } from './store.ts';
import type { PlacedFinding } from './scan.ts';

/** Why a tool is left out of a list. */
export type Withholding = 'poisoned' | 'changed' | 'unreadable';

export interface ListedTool {
  /** In the list as it came. */
  readonly index: number;
  /** Undefined where it has none that can be read. */
  readonly name: string | undefined;
  readonly digest: string;
}

/** Clients show names and send them back; a longer or unprintable one is not meant to be read. */
const NAME = /^[^\p{C}\p{Zl}\p{Zp}]{1,128}$/u;

export async function readListedTools(tools: readonly unknown[]): Promise<readonly ListedTool[]> {
  return inTurns(readInSteps(tools));
}

function* readInSteps(tools: readonly unknown[]): Work<readonly ListedTool[]> {
  const read: ListedTool[] = [];
  for (const [index, tool] of tools.entries()) {
    const name = isObject(tool) ? listedName(tool) : undefined;
    const digest = isObject(tool) && name !== undefined ? yield* definitionDigest(tool) : '';
    read.push({ index, name, digest });
  }
  return read;
}

function listedName(tool: JsonObject): string | undefined {
  const { name } = tool;
  return typeof name === 'string' && isReadableName(name) ? name : undefined;
}

/** Whether a name is one to everybody: of `a\0b` and ` a` some servers make `a`. */
export function isReadableName(name: string): boolean {
  return NAME.test(name) && name === name.trim();
}

/** The tools that can be pinned; those of a longer list are not. */
export function pinnable(tools: readonly ListedTool[]): readonly ShownTool[] {
  return tools
    .flatMap(({ name, digest }) => (name === undefined ? [] : [{ name, digest }]))
    .slice(0, MAX_PINNED_TOOLS);
}

/** The state of each tool, as the store told it of those that can be pinned. */
export function statesOf(
  tools: readonly ListedTool[],
  told: readonly PinState[],
): ReadonlyMap<ListedTool, PinState> {
  const named = tools.filter(({ name }) => name !== undefined);
  return new Map(named.map((tool, index) => [tool, told[index] ?? 'full']));
}

export interface ToolRules {
  /** `pin: block`: a tool that differs from its pin, or has none, is left out. */
  readonly blocks: boolean;
  readonly states: ReadonlyMap<ListedTool, PinState>;
  readonly attacks: readonly PlacedFinding[];
}

/** Which tools are left out, and why. */
export function* withheldTools(
  tools: readonly ListedTool[],
  { blocks, states, attacks }: ToolRules,
): Work<ReadonlyMap<ListedTool, Withholding>> {
  const poisoned = new Set<number>();
  for (const attack of attacks) {
    for (const index of toolsNamedBy(attack)) poisoned.add(index);
    yield attack.spans.length * ITEM_CHARS;
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

/** Indexes of the tools whose name, or the name of a member, holds an attack: a name cannot be edited. */
function toolsNamedBy({ spans }: PlacedFinding): readonly number[] {
  return spans.flatMap(({ pageText }) =>
    pageText.places.flatMap(({ doc, path }) => {
      const [result, tools, index] = path;
      if (doc.depth > 0 || result !== 'result' || tools !== 'tools' || typeof index !== 'number') return [];
      return pageText.kind === 'name' || (path.length === 4 && path[3] === 'name') ? [index] : [];
    }),
  );
}

/** Members that change without meaning: signed addresses of pictures, notes of the server's own. */
const VARYING: ReadonlySet<string> = new Set(['icons', '_meta']);

/**
 * Names a tool's definition: SHA-256 of its canonical JSON, in which the order of members does not count. Yields after
 * every value, so that a caller can give way.
 */
function* definitionDigest(tool: JsonObject): Work<string> {
  const pinned = Object.entries(tool).filter(([name]) => !VARYING.has(name));
  const hash = createHash('sha256');
  yield* addCanonical(hash, Object.fromEntries(pinned));
  return hash.digest('base64url');
}

/** What it costs to add a value, or a container, beside what is written of it. */
const VALUE_CHARS = 16;
/** Of a string, as much is written and added at once. */
const STEP_CHARS = 16_384;

/** Adds a value with the members of every object in order of their names. */
function* addCanonical(hash: Hash, value: unknown): Work<void> {
  if (Array.isArray(value)) {
    hash.update('[');
    for (const element of value) {
      yield* addCanonical(hash, element);
      hash.update(',');
    }
    hash.update(']');
  } else if (isObject(value)) {
    hash.update('{');
    for (const name of Object.keys(value).toSorted()) {
      yield* addString(hash, name);
      hash.update(':');
      yield* addCanonical(hash, value[name]);
      hash.update(',');
    }
    hash.update('}');
  } else if (typeof value === 'string') {
    yield* addString(hash, value);
  } else {
    hash.update(JSON.stringify(value));
    yield VALUE_CHARS;
  }
}

function* addString(hash: Hash, text: string): Work<void> {
  hash.update('"');
  for (const piece of stringPieces(text, STEP_CHARS)) {
    hash.update(piece);
    yield piece.length;
  }
  hash.update('"');
  yield VALUE_CHARS;
}
