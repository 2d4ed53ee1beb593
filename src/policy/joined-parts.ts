import type { JsonPath } from '../json/path.ts';
import type { PromptText } from '../providers/request-facts.ts';

export interface Part {
  readonly text: string;
  readonly path: JsonPath;
  /** Whether the part belongs to a conversation, including tool calls and results. */
  readonly isConversation: boolean;
}

/** Number of characters of a long part that are searched on either side of a seam. */
const SEAM_CHARS = 1_024;
/** Replaces the omitted middle of a long part. No word matches across it. */
const APART = `\n${'\uffff'.repeat(16)}\n`;

const CONVERSATION: ReadonlySet<PromptText['kind']> = new Set([
  'text',
  'reasoning',
  'tool_result',
  'tool_arguments',
]);

export function joinedPrompts(texts: readonly PromptText[]): Iterable<string> {
  return joinedParts(texts, ({ text, path, kind }) => {
    return { text, path, isConversation: CONVERSATION.has(kind) };
  });
}

/** Limits per turn: joined characters and visited parts. */
const JOINED_CHARS = 16_384;
const PARTS = 1_024;

/**
 * Joins adjacent parts of a message to find words that are split across them. Reads long parts only near seams. Yields
 * an empty string every PARTS parts, so that callers can end their turn.
 */
export function* joinedParts<Item>(
  items: readonly Item[],
  partOf: (item: Item, index: number) => Part,
): Generator<string> {
  let joined = '';
  let previous: Part | undefined;
  for (const [index, item] of items.entries()) {
    const part = partOf(item, index);
    if (index % PARTS === PARTS - 1) yield '';
    if (previous === undefined || !areNeighbours(previous, part)) {
      if (joined !== '') yield joined;
      joined = '';
    } else {
      joined = (joined === '' ? previous.text.slice(-SEAM_CHARS) : joined) + nearSeams(part.text);
      if (joined.length > JOINED_CHARS) {
        yield joined;
        joined = joined.slice(-SEAM_CHARS);
      }
    }
    previous = part;
  }
  if (joined !== '') yield joined;
}

function nearSeams(text: string): string {
  if (text.length <= 2 * SEAM_CHARS) return text;
  return text.slice(0, SEAM_CHARS) + APART + text.slice(-SEAM_CHARS);
}

/** Members whose elements are parts of one text, not separate messages. */
const PARTS_OF_ONE: ReadonlySet<JsonPath[number]> = new Set(['system']);

/** Reports whether two texts of a message are at the same path in adjacent array elements. */
function areNeighbours(one: Part, other: Part): boolean {
  if (!one.isConversation || !other.isConversation || one.path.length !== other.path.length) return false;
  const at = one.path.findIndex((step, index) => step !== other.path[index]);
  const [before, behind] = [one.path[at], other.path[at]];
  if (typeof before !== 'number' || typeof behind !== 'number' || behind !== before + 1) return false;
  if (at < 2 && !PARTS_OF_ONE.has(one.path[0] ?? '')) return false;
  return one.path.slice(at + 1).every((step, index) => step === other.path[at + 1 + index]);
}
