import type { FindAll, Finding, SearchedText } from '../../detectors/finding.ts';
import { mask, maskInSteps } from '../../detectors/mask.ts';
import { maskJsonText, readJsonText } from './json-masker.ts';
import { contextOf } from '../../text/beside.ts';
import { TextMap } from '../../text/text-map.ts';
import { after, inTurns, type Awaitable, type Work } from '../../turns.ts';
import { assertMaskable, tooMuchToMask, type Found, type Side } from '../inspected.ts';
import type { Span } from '../../text/span.ts';

/** Separates texts that are searched together. A noncharacter that no match spans: detectors skip NUL as invisible. */
export const APART = '\uffff';

/** The texts of one body. Repeated texts are searched once and masked in the same way. */
export interface ScanBatch {
  /** @param name the member name or adjacent text (`text/beside.ts`) that may identify the text */
  add(text: string, name?: string): void;
  /** Adds a text to be read as written, even if an equal text is a document. */
  addProse(text: string): void;
  /** Adds a JSON document in a string, such as tool arguments. Equal texts also count as documents. */
  addDocument(json: string): Work<void>;
  /**
   * Must be called once, after the last text.
   * @throws GatewayError invalid_request, upstream_unavailable if the search was cut short without a finding
   */
  search(): Awaitable<void>;
  /** Returns the findings in an added text; for a document, by decoded offsets. */
  findingsIn(text: string, name?: string): readonly Finding[];
  /** Returns the findings in a text added as prose, in order, by offsets of that text. */
  spansIn(text: string): readonly Span[];
  masked(text: string, name?: string): string;
  readonly searched: readonly string[];
  /** The first 64 findings of each rule; repeated texts count once. */
  readonly found: readonly Found[];
  /**
   * Must be called before masking.
   * @throws GatewayError invalid_request, upstream_unavailable if there are more findings than can be masked in one
   * body
   */
  assertMaskable(): void;
}

const NOTHING: readonly Finding[] = [];
const UNSEARCHED: SearchedText = { findings: NOTHING, isWhole: false };
const STEP_FINDINGS = 4_096;
/** Limit for one risk event. Masks use `findingsIn`, without this limit. */
const MAX_PER_RULE = 64;

interface BatchText {
  /** The text, preceded by its name. */
  readonly searched: string;
  readonly from: number;
  findings: readonly Finding[];
  /** Undefined if the text is masked on demand, which is fast. */
  masked: string | undefined;
}

interface Document {
  readonly read: BatchText;
  masked: string;
}

export function createScanBatch(findAll: FindAll, side: Side): ScanBatch {
  /** A separate map: a text may equal another text with its name. */
  const plain = new TextMap<BatchText>();
  /** Texts by name. A joint key would double the memory of each text. */
  const named = new Map<string, TextMap<BatchText>>();
  /** All texts in order, and the form in which each is searched. */
  const batch: BatchText[] = [];
  const searched: string[] = [];
  const documents = new Map<string, Document>();
  const found: Found[] = [];
  const counts = new Map<string, number>();
  let total = 0;
  let isWhole = true;

  function addPlain(text: string): BatchText {
    return plain.get(text) ?? addTo(plain, text, '');
  }

  function addTo(those: TextMap<BatchText>, text: string, context: string): BatchText {
    const entry = { searched: context + text, from: context.length, findings: NOTHING, masked: undefined };
    those.set(text, entry);
    batch.push(entry);
    searched.push(entry.searched);
    return entry;
  }

  function textOf(text: string, name: string | undefined): BatchText | undefined {
    const document = documents.get(text);
    if (document !== undefined) return document.read;
    const context = contextOf(name);
    return context === '' ? plain.get(text) : named.get(context)?.get(text);
  }

  /** Returns the findings in a text. A finding in its name belongs to the name, which is searched separately. */
  function* ownFindings(entry: BatchText, findings: readonly Finding[]): Work<readonly Finding[]> {
    const own: Finding[] = [];
    let seen = 0;
    for (const finding of findings) {
      if (++seen % STEP_FINDINGS === 0) yield;
      if (finding.end <= entry.from) continue;
      const moved = movedBack(finding, entry.from);
      own.push(moved);
      keep(moved, entry);
    }
    return own;
  }

  function keep(finding: Finding, { searched, from }: BatchText): void {
    const count = (counts.get(finding.rule) ?? 0) + 1;
    counts.set(finding.rule, count);
    if (count > MAX_PER_RULE) return;
    found.push({ finding, text: searched.slice(from + finding.start, from + finding.end) });
  }

  function* take(results: readonly SearchedText[]): Work<void> {
    let index = 0;
    for (const entry of batch) {
      const { findings, isWhole: isSearched } = results[index++] ?? UNSEARCHED;
      isWhole &&= isSearched;
      if (findings.length === 0) continue;
      entry.findings = yield* ownFindings(entry, findings);
      total += entry.findings.length;
    }
    if (!isWhole && total === 0) throw tooMuchToMask(side);
    if (total === 0) return;
    for (const entry of batch) {
      const { searched, from, findings } = entry;
      if (findings.length > STEP_FINDINGS) entry.masked = yield* maskInSteps(searched.slice(from), findings);
    }
    for (const [json, document] of documents) {
      const { findings } = document.read;
      if (findings.length > 0) document.masked = yield* maskJsonText(json, findings);
    }
  }

  return {
    found,
    searched,
    assertMaskable: () => assertMaskable(total, isWhole, side),
    add(text, name) {
      if (documents.has(text)) return;
      const context = contextOf(name);
      let those = context === '' ? plain : named.get(context);
      if (those === undefined) named.set(context, (those = new TextMap<BatchText>()));
      if (!those.has(text)) addTo(those, text, context);
    },
    addProse: (text) => void addPlain(text),
    *addDocument(json) {
      if (documents.has(json)) return;
      const text = yield* readJsonText(json);
      documents.set(json, { read: addPlain(text), masked: json });
    },
    search: () => after(findAll(searched), (results) => inTurns(take(results))),
    findingsIn: (text, name) => textOf(text, name)?.findings ?? NOTHING,
    spansIn(text): readonly Span[] {
      const findings = plain.get(text)?.findings ?? NOTHING;
      const document = documents.get(text);
      if (document === undefined || document.read.findings.length === 0) return findings;
      // Offsets refer to the decoded text.
      return document.read.searched === text ? findings : [{ start: 0, end: text.length }];
    },
    masked(text, name) {
      const document = documents.get(text);
      if (document !== undefined) return document.masked;
      const entry = textOf(text, name);
      return entry?.masked ?? mask(text, entry?.findings ?? NOTHING);
    },
  };
}

function movedBack(finding: Finding, chars: number): Finding {
  if (chars === 0) return finding;
  return { ...finding, start: Math.max(0, finding.start - chars), end: finding.end - chars };
}
