import type { FindAll, Finding, SearchedText } from '../../detectors/finding.ts';
import { mask, maskInSteps } from '../../detectors/mask.ts';
import { maskJsonText, readJsonText } from './json-masker.ts';
import { contextOf } from '../../text/beside.ts';
import { TextMap } from '../../text/text-map.ts';
import { after, inTurns, type Awaitable, type Work } from '../../turns.ts';
import { assertMaskable, tooMuchToMask, type Found, type Side } from '../inspected.ts';
import type { Span } from '../../text/span.ts';

/**
 * Between texts that are searched together: a noncharacter, over which no detector reads. A NUL would not do, since it
 * prints nothing and is looked through.
 */
export const APART = '\uffff';

/** The texts of one body. What is repeated is searched once, so that it is masked alike everywhere. */
export interface ScanBatch {
  /** @param name the member name above it, or what stands beside it (`text/beside.ts`), which may give away what it is */
  add(text: string, name?: string): void;
  /** A text that is read as it stands, also where the same stands elsewhere as a document. */
  addProse(text: string): void;
  /** A JSON document in a string, such as a tool's arguments. It is one wherever it stands. */
  addDocument(json: string): Work<void>;
  /**
   * Once, after everything was added.
   * @throws GatewayError invalid_request, upstream_unavailable where it was given up before anything was found
   */
  search(): Awaitable<void>;
  /** The findings in a text that was added; their offsets are the text's, or those of the document as it is read. */
  findingsIn(text: string, name?: string): readonly Finding[];
  /** What is found in a text that was added as prose, in order; offsets are always the text's own. */
  spansIn(text: string): readonly Span[];
  /** The text with `***` in place of its findings. */
  masked(text: string, name?: string): string;
  /** All that is searched. */
  readonly searched: readonly string[];
  /** What was found: of each rule the first 64, what is repeated once. */
  readonly found: readonly Found[];
  /**
   * Called before anything is masked.
   * @throws GatewayError invalid_request, upstream_unavailable where more was found than is masked in one body
   */
  assertMaskable(): void;
}

const NOTHING: readonly Finding[] = [];
const UNSEARCHED: SearchedText = { findings: NOTHING, isWhole: false };
/** Findings that are looked at in one step. */
const STEP_FINDINGS = 4_096;
/** As many as one event of the risk store takes; what is masked goes by findingsIn. */
const MAX_PER_RULE = 64;

/** A text to be searched, with the name before it as it stands in a document. */
interface BatchText {
  readonly searched: string;
  /** Where the text itself begins. */
  readonly from: number;
  findings: readonly Finding[];
  /** Undefined where it is masked at once when that is asked for. */
  masked: string | undefined;
}

interface Document {
  readonly read: BatchText;
  /** As it is written, without what is found in it. */
  masked: string;
}

export function createScanBatch(findAll: FindAll, side: Side): ScanBatch {
  /** Apart, since a text can look like another with its name before it. */
  const plain = new TextMap<BatchText>();
  /** By what stands before them: a key of both for each would be as much text again. */
  const named = new Map<string, TextMap<BatchText>>();
  /** What is in them, in the order in which it came, and what is searched of each. */
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

  /** Gives every text its findings. Those in the context are of the name, which is searched by itself. */
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
      // Offsets of a document are those of what was read in it.
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
