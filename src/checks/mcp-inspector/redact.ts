import { MASK } from '../../text/mask.ts';
import type { Finding } from '../../detectors/finding.ts';
import { applyEditsInTurns } from '../../json/edit.ts';
import type { JsonEdit } from '../../json/path.ts';
import { replaceSpans, type Replacement } from '../../text/replace-spans.ts';
import { inTurns, ITEM_CHARS, type Work } from '../../turns.ts';
import { MAX_DOC_DEPTH, type Doc, type PageText, type TextPlace } from './page.ts';
import type { PlacedFinding } from './scan.ts';

const REMOVED = '[Content removed: security policy]';

/** Members whose values no edit may change, since clients match requests by them. */
const FIXED: ReadonlySet<string | number | undefined> = new Set(['id', 'method', 'jsonrpc']);

/** Returns the findings that cannot be removed without changing the identity of the message. */
export function* fixedAmong(placed: readonly PlacedFinding[]): Work<ReadonlySet<PlacedFinding>> {
  const fixed = new Set<PlacedFinding>();
  for (const one of placed) {
    if (isFixed(one)) fixed.add(one);
    yield one.spans.length * ITEM_CHARS;
  }
  return fixed;
}

function isFixed({ spans }: PlacedFinding): boolean {
  return spans.some(({ pageText }) =>
    pageText.places.some(({ doc, path }) => doc.depth === 0 && path.length === 1 && FIXED.has(path[0])),
  );
}

/**
 * Returns the edits that remove all findings from a message: secrets become `***`, attacks a fixed text
 * (docs/mcp-inspector.md). JSON in strings stays valid. A member whose name matches is replaced by one with
 * the cleaned name and a notice.
 */
export async function redactions(
  placed: readonly PlacedFinding[],
  instead = standsFor,
): Promise<readonly JsonEdit[]> {
  const edits = new EditsByDoc();
  await inTurns(changes(edits, placed, instead));
  return edits.ofMessage();
}

function* changes(edits: EditsByDoc, placed: readonly PlacedFinding[], instead: Instead): Work<void> {
  for (const [pageText, replacements] of yield* replacementsByText(placed, instead)) {
    const text = pageText.kind === 'number' ? MASK : replaceSpans(pageText.text, replacements);
    for (const place of pageText.places) {
      edits.change(pageText.kind, place, text);
      yield ITEM_CHARS;
    }
    yield pageText.text.length;
  }
}

/** Returns the replacement of a finding. */
type Instead = (finding: Finding) => string;

const standsFor: Instead = (finding) =>
  finding.class === 'secret' || finding.class === 'credentials' ? MASK : REMOVED;

/** Replaces every finding by the mask. */
export const masked: Instead = () => MASK;

function* replacementsByText(
  placed: readonly PlacedFinding[],
  instead: Instead,
): Work<ReadonlyMap<PageText, readonly Replacement[]>> {
  const byText = new Map<PageText, Replacement[]>();
  for (const { finding, spans } of placed) {
    const text = instead(finding);
    for (const { pageText, start, end } of spans) {
      const replacements = byText.get(pageText) ?? [];
      byText.set(pageText, replacements);
      replacements.push({ ...wholeEscapes(pageText.text, start, end), text });
      yield ITEM_CHARS;
    }
  }
  return byText;
}

class EditsByDoc {
  readonly #values = new Map<Doc, JsonEdit[]>();
  /** Applied after text edits, since edited base64 would decode to something else. */
  readonly #blobs = new Map<Doc, JsonEdit[]>();
  /** Applied after edits of values, which disappear with their members. */
  readonly #names = new Map<Doc, JsonEdit[]>();

  change(kind: PageText['kind'], { doc, path }: TextPlace, text: string): void {
    if (kind === 'value' || kind === 'number') {
      editsIn(this.#values, doc).push({ kind: 'set', path, value: text });
      return;
    }
    if (kind === 'blob') {
      editsIn(this.#blobs, doc).push({ kind: 'set', path, value: Buffer.from(text).toString('base64') });
      return;
    }
    editsIn(this.#names, doc).push(
      { kind: 'remove', path },
      { kind: 'set', path: [...path.slice(0, -1), text], value: null },
    );
  }

  /** Changes documents in strings first, the deepest before the outer ones. */
  async ofMessage(): Promise<readonly JsonEdit[]> {
    for (let depth = MAX_DOC_DEPTH; depth > 0; depth -= 1) {
      for (const doc of this.#docsAt(depth)) {
        if (doc.within === undefined) continue;
        const { text, path, doc: outer } = doc.within;
        const value = (await applyEditsInTurns(Buffer.from(text), this.#editsOf(doc))).toString();
        editsIn(this.#values, outer).push({ kind: 'set', path, value });
      }
    }
    return this.#docsAt(0).flatMap((message) => this.#editsOf(message));
  }

  #docsAt(depth: number): readonly Doc[] {
    return [...new Set([...this.#values.keys(), ...this.#blobs.keys(), ...this.#names.keys()])].filter(
      (doc) => doc.depth === depth,
    );
  }

  #editsOf(doc: Doc): readonly JsonEdit[] {
    return [this.#values, this.#blobs, this.#names].flatMap((edits) => edits.get(doc) ?? []);
  }
}

function editsIn(map: Map<Doc, JsonEdit[]>, doc: Doc): JsonEdit[] {
  const list = map.get(doc) ?? [];
  map.set(doc, list);
  return list;
}

const ESCAPE = /\\(?:u[0-9a-fA-F]{4}|["\\/bfnrt])/y;
const LONGEST_ESCAPE = 6;

/** Extends a span to whole JSON escapes: the text may be JSON lines, or JSON in prose. */
function wholeEscapes(text: string, start: number, end: number): { start: number; end: number } {
  return { start: escapeAround(text, start)?.start ?? start, end: escapeAround(text, end)?.end ?? end };
}

/** Returns the escape around an offset. */
function escapeAround(text: string, at: number): { start: number; end: number } | undefined {
  for (let start = at - 1; start >= Math.max(0, at - LONGEST_ESCAPE + 1); start -= 1) {
    if (text.charCodeAt(start) !== 92 || isEscaped(text, start)) continue;
    ESCAPE.lastIndex = start;
    return ESCAPE.test(text) && ESCAPE.lastIndex > at ? { start, end: ESCAPE.lastIndex } : undefined;
  }
  return undefined;
}

/** Reports whether an odd number of backslashes precedes the character. */
function isEscaped(text: string, at: number): boolean {
  let first = at;
  while (first > 0 && text.charCodeAt(first - 1) === 92) first -= 1;
  return (at - first) % 2 === 1;
}
