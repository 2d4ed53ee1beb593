import type { FindAll, Finding, SearchedText } from '../../detectors/finding.ts';
import { mask, maskInSteps } from '../../detectors/mask.ts';
import { maskJsonText, readJsonText } from './json-masker.ts';
import { contextOf } from '../../text/beside.ts';
import { TextMap } from '../../text/text-map.ts';
import { after, inTurns, type Awaitable, type Work } from '../../turns.ts';
import { assertMaskable, tooMuchToMask, type Found, type Side } from '../inspected.ts';
import type { Span } from '../../text/span.ts';

/** Separates texts that are searched together. No match spans this noncharacter; detectors would skip NUL. */
export const APART = '\uffff';

const NOTHING: readonly Finding[] = [];
const UNSEARCHED: SearchedText = { findings: NOTHING, isWhole: false };
const STEP_FINDINGS = 4_096;
/** Maximum number of reported findings per rule, for one risk event. Masks use `findingsIn`, without this limit. */
const MAX_PER_RULE = 64;

interface BatchText {
  /** The text, preceded by its name. */
  readonly searched: string;
  readonly from: number;
  findings: readonly Finding[];
  /** Undefined if the text has few findings, and is masked on demand. */
  masked: string | undefined;
}

interface Document {
  readonly read: BatchText;
  masked: string;
}

/** The texts of one body. Repeated texts are searched once and masked the same way. */
export class ScanBatch {
  readonly searched: string[] = [];
  /** The first 64 findings of each rule; repeated texts count once. */
  readonly found: Found[] = [];
  readonly #findAll: FindAll;
  readonly #side: Side;
  /** Separate from named texts, because a text may equal another text with its name. */
  readonly #plain = new TextMap<BatchText>();
  /** Texts by name. A combined key would double the memory of each text. */
  readonly #named = new Map<string, TextMap<BatchText>>();
  /** In the same order as `searched`. */
  readonly #texts: BatchText[] = [];
  readonly #documents = new Map<string, Document>();
  readonly #counts = new Map<string, number>();
  /** Number of findings, including those in names. */
  #seen = 0;
  #total = 0;
  #isWhole = true;

  constructor(findAll: FindAll, side: Side) {
    this.#findAll = findAll;
    this.#side = side;
  }

  /** @param name the member name or adjacent text (`text/beside.ts`) that may identify the text */
  add(text: string, name?: string): void {
    if (this.#documents.has(text)) return;
    const context = contextOf(name);
    let entries = context === '' ? this.#plain : this.#named.get(context);
    if (entries === undefined) this.#named.set(context, (entries = new TextMap<BatchText>()));
    if (!entries.has(text)) this.#addTo(entries, text, context);
  }

  /** Adds a text to be searched as written, even if an equal text is a document. */
  addProse(text: string): void {
    this.#addPlain(text);
  }

  /** Adds a JSON document in a string, such as tool arguments. Equal texts are treated as documents, too. */
  *addDocument(json: string): Work<void> {
    if (this.#documents.has(json)) return;
    const text = yield* readJsonText(json);
    this.#documents.set(json, { read: this.#addPlain(text), masked: json });
  }

  /**
   * Must be called once, after the last text.
   * @throws GatewayError invalid_request, upstream_unavailable if the search was incomplete and found nothing
   */
  search(): Awaitable<void> {
    return after(this.#findAll(this.searched), (results) => inTurns(this.#take(results)));
  }

  /** Returns the findings in an added text. Offsets in a document refer to its decoded text. */
  findingsIn(text: string, name?: string): readonly Finding[] {
    return this.#textOf(text, name)?.findings ?? NOTHING;
  }

  /** Returns the spans of the findings in a text added as prose, in order. */
  spansIn(text: string): readonly Span[] {
    const findings = this.#plain.get(text)?.findings ?? NOTHING;
    const document = this.#documents.get(text);
    if (document === undefined || document.read.findings.length === 0) return findings;
    // Decoded offsets do not apply to text with escapes, so the span covers the whole text.
    return document.read.searched === text ? findings : [{ start: 0, end: text.length }];
  }

  masked(text: string, name?: string): string {
    const document = this.#documents.get(text);
    if (document !== undefined) return document.masked;
    const entry = this.#textOf(text, name);
    return entry?.masked ?? mask(text, entry?.findings ?? NOTHING);
  }

  /**
   * Must be called before masking.
   * @throws GatewayError invalid_request, upstream_unavailable if there are too many findings, or not all are known
   */
  assertMaskable(): void {
    assertMaskable(this.#total, this.#isWhole, this.#side);
  }

  #addPlain(text: string): BatchText {
    return this.#plain.get(text) ?? this.#addTo(this.#plain, text, '');
  }

  #addTo(entries: TextMap<BatchText>, text: string, context: string): BatchText {
    const entry = { searched: context + text, from: context.length, findings: NOTHING, masked: undefined };
    entries.set(text, entry);
    this.#texts.push(entry);
    this.searched.push(entry.searched);
    return entry;
  }

  #textOf(text: string, name: string | undefined): BatchText | undefined {
    const document = this.#documents.get(text);
    if (document !== undefined) return document.read;
    const context = contextOf(name);
    return context === '' ? this.#plain.get(text) : this.#named.get(context)?.get(text);
  }

  *#take(results: readonly SearchedText[]): Work<void> {
    let index = 0;
    for (const entry of this.#texts) {
      const { findings, isWhole } = results[index++] ?? UNSEARCHED;
      this.#isWhole &&= isWhole;
      if (findings.length === 0) continue;
      entry.findings = yield* this.#ownFindings(entry, findings);
      this.#total += entry.findings.length;
    }
    if (!this.#isWhole && this.#total === 0) throw tooMuchToMask(this.#side);
    if (this.#total === 0) return;
    for (const entry of this.#texts) {
      const { searched, from, findings } = entry;
      if (findings.length > STEP_FINDINGS) entry.masked = yield* maskInSteps(searched.slice(from), findings);
    }
    for (const [json, document] of this.#documents) {
      const { findings } = document.read;
      if (findings.length > 0) document.masked = yield* maskJsonText(json, findings);
    }
  }

  /** Returns the findings in a text, without those in its name, which is searched separately. */
  *#ownFindings(entry: BatchText, findings: readonly Finding[]): Work<readonly Finding[]> {
    const own: Finding[] = [];
    for (const finding of findings) {
      if (++this.#seen % STEP_FINDINGS === 0) yield;
      if (finding.end <= entry.from) continue;
      const moved = movedBack(finding, entry.from);
      own.push(moved);
      this.#keep(moved, entry);
    }
    return own;
  }

  #keep(finding: Finding, { searched, from }: BatchText): void {
    const count = (this.#counts.get(finding.rule) ?? 0) + 1;
    this.#counts.set(finding.rule, count);
    if (count > MAX_PER_RULE) return;
    this.found.push({ finding, text: searched.slice(from + finding.start, from + finding.end) });
  }
}

function movedBack(finding: Finding, chars: number): Finding {
  if (chars === 0) return finding;
  return { ...finding, start: Math.max(0, finding.start - chars), end: finding.end - chars };
}
