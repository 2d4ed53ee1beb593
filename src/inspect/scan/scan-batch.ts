import type { FindAll, Finding, SearchedText } from '../../detectors/finding.ts';
import { mask, maskInSteps } from '../../detectors/mask.ts';
import { maskJsonText, readJsonText } from './json-masker.ts';
import { contextOf } from '../../text/beside.ts';
import { TextMap } from '../../text/text-map.ts';
import { after, inTurns, type Awaitable, type Work } from '../../turns.ts';
import { assertMaskable, tooMuchToMask, type Found, type Side } from '../inspected.ts';
import type { Span } from '../../text/span.ts';

/**
 * Separates texts that are searched together: a noncharacter, which no detector crosses. NUL would be skipped as
 * invisible.
 */
export const APART = '\uffff';

/** The texts of one body. Repeated texts are searched once and masked alike. */
export interface ScanBatch {
  /** @param name the member name or neighbour (`text/beside.ts`) that may identify the text */
  add(text: string, name?: string): void;
  /** Adds a text to be read as written, even if the same text is a document elsewhere. */
  addProse(text: string): void;
  /** Adds a JSON document in a string, such as tool arguments. Equal texts are documents too. */
  addDocument(json: string): Work<void>;
  /**
   * Called once, after everything was added.
   * @throws GatewayError invalid_request, upstream_unavailable if the search was given up before a finding
   */
  search(): Awaitable<void>;
  /** Returns the findings in an added text. Offsets in a document are those of its decoded text. */
  findingsIn(text: string, name?: string): readonly Finding[];
  /** Returns the findings in a text added as prose, in order, with offsets of that text. */
  spansIn(text: string): readonly Span[];
  /** Returns the text with `***` for its findings. */
  masked(text: string, name?: string): string;
  readonly searched: readonly string[];
  /** The first 64 findings of each rule; repeated texts count once. */
  readonly found: readonly Found[];
  /**
   * Called before anything is masked.
   * @throws GatewayError invalid_request, upstream_unavailable if there are more findings than are masked in one body
   */
  assertMaskable(): void;
}

const NOTHING: readonly Finding[] = [];
const UNSEARCHED: SearchedText = { findings: NOTHING, isWhole: false };
/** Findings read in one step. */
const STEP_FINDINGS = 4_096;
/** The limit of one risk event; masks use `findingsIn`. */
const MAX_PER_RULE = 64;

/** A searched text, with its name in front. */
interface BatchText {
  readonly searched: string;
  /** Start of the text itself. */
  readonly from: number;
  findings: readonly Finding[];
  /** Undefined if masking is quick enough on demand. */
  masked: string | undefined;
}

interface Document {
  readonly read: BatchText;
  /** The document as written, with its findings masked. */
  masked: string;
}

export function createScanBatch(findAll: FindAll, side: Side): ScanBatch {
  /** Kept apart, since a text may equal another with its name. */
  const plain = new TextMap<BatchText>();
  /** Texts by name: a joint key for each would double the text. */
  const named = new Map<string, TextMap<BatchText>>();
  /** All texts in order, and their searched forms. */
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
    const one = { searched: context + text, from: context.length, findings: NOTHING, masked: undefined };
    those.set(text, one);
    batch.push(one);
    searched.push(one.searched);
    return one;
  }

  function textOf(text: string, name: string | undefined): BatchText | undefined {
    const document = documents.get(text);
    if (document !== undefined) return document.read;
    const context = contextOf(name);
    return context === '' ? plain.get(text) : named.get(context)?.get(text);
  }

  /** Assigns findings to texts. Leaves out those in the name, which is searched by itself. */
  function* note(results: readonly SearchedText[]): Work<void> {
    let seen = 0;
    for (const [index, one] of batch.entries()) {
      const { findings, isWhole: isSearched } = results[index] ?? UNSEARCHED;
      isWhole &&= isSearched;
      if (findings.length === 0) continue;
      const own: Finding[] = [];
      for (const finding of findings) {
        if (++seen % STEP_FINDINGS === 0) yield;
        if (finding.end <= one.from) continue;
        const moved = movedBack(finding, one.from);
        own.push(moved);
        keep(moved, one);
      }
      one.findings = own;
      total += own.length;
    }
  }

  function keep(finding: Finding, { searched, from }: BatchText): void {
    const count = (counts.get(finding.rule) ?? 0) + 1;
    counts.set(finding.rule, count);
    if (count > MAX_PER_RULE) return;
    found.push({ finding, text: searched.slice(from + finding.start, from + finding.end) });
  }

  function* take(results: readonly SearchedText[]): Work<void> {
    yield* note(results);
    if (!isWhole && total === 0) throw tooMuchToMask(side);
    if (total === 0) return;
    for (const one of batch) {
      const { searched, from, findings } = one;
      if (findings.length > STEP_FINDINGS) one.masked = yield* maskInSteps(searched.slice(from), findings);
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
      // Offsets in a document are those of its decoded text.
      return document.read.searched === text ? findings : [{ start: 0, end: text.length }];
    },
    masked(text, name) {
      const document = documents.get(text);
      if (document !== undefined) return document.masked;
      const one = textOf(text, name);
      return one?.masked ?? mask(text, one?.findings ?? NOTHING);
    },
  };
}

function movedBack(finding: Finding, chars: number): Finding {
  if (chars === 0) return finding;
  return { ...finding, start: Math.max(0, finding.start - chars), end: finding.end - chars };
}
