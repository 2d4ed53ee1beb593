import type { Finding } from '../../detectors/finding.ts';
import { applyEditsInTurns } from '../../json/edit.ts';
import type { JsonEdit } from '../../json/path.ts';
import { MASK, REMOVED } from '../../text/mask.ts';
import { replaceSpans, type Replacement } from '../../text/replace-spans.ts';
import type { Span } from '../../text/span.ts';
import { isTurnOver, ITEM_CHARS, nextTurn } from '../../turns.ts';
import type { PlacedFinding } from './search.ts';
import { MAX_DOC_DEPTH, type Doc, type MessageText, type TextPlace } from './texts.ts';

/** Clients match and dispatch messages by these members, which must not be edited. */
const FIXED: ReadonlySet<string | number | undefined> = new Set(['id', 'method', 'jsonrpc']);

export async function fixedAmong(placed: readonly PlacedFinding[]): Promise<ReadonlySet<PlacedFinding>> {
  const fixed = new Set<PlacedFinding>();
  for (const finding of placed) {
    if (isFixed(finding)) fixed.add(finding);
    if (isTurnOver(finding.spans.length * ITEM_CHARS)) await nextTurn();
  }
  return fixed;
}

function isFixed({ spans }: PlacedFinding): boolean {
  return spans.some(({ source }) =>
    source.places.some(({ doc, path }) => doc.depth === 0 && path.length === 1 && FIXED.has(path[0])),
  );
}

/**
 * Returns the edits that remove all findings from a message. By default, secrets and passwords become `***`, and
 * attacks become a fixed text (docs/mcp-inspector.md). Numbers always become `***`. JSON in strings stays valid. A
 * member with a finding in its name gets the masked name and the value null.
 */
export async function redactions(
  placed: readonly PlacedFinding[],
  replacementOf = defaultReplacement,
): Promise<readonly JsonEdit[]> {
  const edits = new EditsByDoc();
  for (const [source, replacements] of await replacementsByText(placed, replacementOf)) {
    const text = source.kind === 'number' ? MASK : replaceSpans(source.text, replacements);
    for (const place of source.places) {
      edits.change(source.kind, place, text);
      if (isTurnOver(ITEM_CHARS)) await nextTurn();
    }
    if (isTurnOver(source.text.length)) await nextTurn();
  }
  return edits.ofMessage();
}

type ReplacementOf = (finding: Finding) => string;

const defaultReplacement: ReplacementOf = (finding) =>
  finding.class === 'secret' || finding.class === 'credentials' ? MASK : REMOVED;

export const masked: ReplacementOf = () => MASK;

async function replacementsByText(
  placed: readonly PlacedFinding[],
  replacementOf: ReplacementOf,
): Promise<ReadonlyMap<MessageText, readonly Replacement[]>> {
  const byText = new Map<MessageText, Replacement[]>();
  for (const { finding, spans } of placed) {
    const text = replacementOf(finding);
    for (const { source, start, end } of spans) {
      const replacements = byText.get(source) ?? [];
      byText.set(source, replacements);
      replacements.push({ ...wholeEscapes(source.text, start, end), text });
    }
    if (isTurnOver(spans.length * ITEM_CHARS)) await nextTurn();
  }
  return byText;
}

interface DocEdits {
  readonly values: JsonEdit[];
  /** Applied after the values, to override edits of the Base64 as written. */
  readonly blobs: JsonEdit[];
  /** Applied after the values, which disappear with their members. */
  readonly names: JsonEdit[];
}

class EditsByDoc {
  readonly #byDoc = new Map<Doc, DocEdits>();

  change(kind: MessageText['kind'], { doc, path }: TextPlace, text: string): void {
    const { values, blobs, names } = this.#editsOf(doc);
    if (kind === 'blob') {
      blobs.push({ kind: 'set', path, value: Buffer.from(text).toString('base64') });
    } else if (kind === 'name') {
      names.push({ kind: 'remove', path }, { kind: 'set', path: [...path.slice(0, -1), text], value: null });
    } else values.push({ kind: 'set', path, value: text });
  }

  /** Edits documents in strings before the documents that contain them. */
  async ofMessage(): Promise<readonly JsonEdit[]> {
    for (let depth = MAX_DOC_DEPTH; depth > 0; depth -= 1) {
      for (const [{ within }, edits] of this.#at(depth)) {
        if (within === undefined) continue;
        const { text, path, doc: outer } = within;
        const value = (await applyEditsInTurns(Buffer.from(text), edits)).toString();
        this.#editsOf(outer).values.push({ kind: 'set', path, value });
      }
    }
    return this.#at(0).flatMap(([, edits]) => edits);
  }

  #editsOf(doc: Doc): DocEdits {
    const known = this.#byDoc.get(doc) ?? { values: [], blobs: [], names: [] };
    this.#byDoc.set(doc, known);
    return known;
  }

  #at(depth: number): readonly (readonly [Doc, readonly JsonEdit[]])[] {
    return [...this.#byDoc]
      .filter(([doc]) => doc.depth === depth)
      .map(([doc, { values, blobs, names }]) => [doc, [...values, ...blobs, ...names]]);
  }
}

const ESCAPE = /\\(?:u[0-9a-fA-F]{4}|["\\/bfnrt])/y;
const LONGEST_ESCAPE = 6;

/** Extends a span to whole JSON escapes, because the text may be JSON Lines, or prose with JSON. */
function wholeEscapes(text: string, start: number, end: number): Span {
  return { start: escapeAround(text, start)?.start ?? start, end: escapeAround(text, end)?.end ?? end };
}

function escapeAround(text: string, at: number): Span | undefined {
  for (let start = at - 1; start >= Math.max(0, at - LONGEST_ESCAPE + 1); start -= 1) {
    if (text.charCodeAt(start) !== 92 || isEscaped(text, start)) continue;
    ESCAPE.lastIndex = start;
    return ESCAPE.test(text) && ESCAPE.lastIndex > at ? { start, end: ESCAPE.lastIndex } : undefined;
  }
  return undefined;
}

function isEscaped(text: string, at: number): boolean {
  let first = at;
  while (first > 0 && text.charCodeAt(first - 1) === 92) first -= 1;
  return (at - first) % 2 === 1;
}
