import type { JsonPath } from '../json/path.ts';
import type { PromptText } from '../providers/provider.ts';

/** A text of a request, and where it stands. */
export interface Part {
  readonly text: string;
  readonly path: JsonPath;
  /** Somebody says it, a tool too. */
  readonly isSaid: boolean;
}

/** What is read of a long part on either side of a seam. */
const SEAM_CHARS = 1_024;
/** Stands for what is left out of a long part: no word goes on over it. */
const APART = `\n${'\uffff'.repeat(16)}\n`;

/** Somebody's words, a tool's and its arguments too. */
const SAID: ReadonlySet<PromptText['kind']> = new Set(['text', 'reasoning', 'tool_result', 'tool_arguments']);

/** What the neighbouring parts of a request's messages say together. */
export function joinedPrompts(texts: readonly PromptText[]): Iterable<string> {
  return joinedParts(promptParts(texts));
}

function* promptParts(texts: readonly PromptText[]): Generator<Part> {
  for (const { text, path, kind } of texts) yield { text, path, isSaid: SAID.has(kind) };
}

/** So much is joined at once, and so many parts are looked at before others may get a turn. */
const JOINED_CHARS = 16_384;
const PARTS = 1_024;

/**
 * Joins the neighbouring parts of each message (content parts, text blocks, elements of an argument's list), for words
 * that a part begins and the next one ends. Of long parts only what is near to a seam is read. Yields an empty text
 * where nothing was joined for a while.
 */
export function* joinedParts(parts: Iterable<Part>): Generator<string> {
  let joined = '';
  let previous: Part | undefined;
  let looked = 0;
  for (const part of parts) {
    looked += 1;
    if (looked % PARTS === 0) yield '';
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

/** Members of a body whose elements are parts of one text, and not messages of their own. */
const PARTS_OF_ONE: ReadonlySet<JsonPath[number]> = new Set(['system']);

/** Whether two texts stand at the same place of two elements of one list, one right behind the other. */
function areNeighbours(one: Part, other: Part): boolean {
  if (!one.isSaid || !other.isSaid || one.path.length !== other.path.length) return false;
  const at = one.path.findIndex((step, index) => step !== other.path[index]);
  const [before, behind] = [one.path[at], other.path[at]];
  if (typeof before !== 'number' || typeof behind !== 'number' || behind !== before + 1) return false;
  if (at < 2 && !PARTS_OF_ONE.has(one.path[0] ?? '')) return false;
  return one.path.slice(at + 1).every((step, index) => step === other.path[at + 1 + index]);
}
