import type { Finding, SearchedText } from '../../../detectors/finding.ts';
import { mask } from '../../../detectors/mask.ts';
import { maskArguments, readArguments } from '../scan/arguments.ts';
import { TextMap } from '../../../text/text-map.ts';
import { inTurns } from '../../../turns.ts';
import type { Work } from '../../../turns.ts';
import { tooMuchToMask } from '../masked-places.ts';
import type { Side } from '../masked-places.ts';
import { contextOf } from '../scan-batch.ts';
import type { FindAll, Found, ScanBatch, TextSpan } from '../scan-batch.ts';

const NOTHING: readonly Finding[] = [];
const UNSEARCHED: SearchedText = { findings: NOTHING, isWhole: false };
/** Findings that are looked at in one step. */
const STEP_FINDINGS = 4_096;
/** As many as one event of the risk store takes; what is masked goes by findingsIn. */
const MAX_PER_RULE = 64;

/** A text to be searched, with the name before it as it stands in a document. */
interface Passage {
  readonly searched: string;
  /** Where the text itself begins. */
  readonly from: number;
  findings: readonly Finding[];
}

interface Document {
  readonly passage: Passage;
  /** As it is written, without what is found in it. */
  masked: string;
}

export function createScanBatch(findAll: FindAll, side: Side): ScanBatch {
  /** Apart, since a text can look like another with its name before it. */
  const plain = new TextMap<Passage>();
  /** By what stands before them: a key of both for each would be as much text again. */
  const named = new Map<string, TextMap<Passage>>();
  /** What is in them, in the order in which it came, and what is searched of each. */
  const batch: Passage[] = [];
  const searched: string[] = [];
  const documents = new Map<string, Document>();
  const found: Found[] = [];
  const counts = new Map<string, number>();
  let total = 0;
  let isWhole = true;

  function addPlain(text: string): Passage {
    return plain.get(text) ?? addTo(plain, text, '');
  }

  function addTo(those: TextMap<Passage>, text: string, context: string): Passage {
    const passage = { searched: context + text, from: context.length, findings: NOTHING };
    those.set(text, passage);
    batch.push(passage);
    searched.push(passage.searched);
    return passage;
  }

  function namedBy(context: string): TextMap<Passage> {
    let those = named.get(context);
    if (those === undefined) named.set(context, (those = new TextMap<Passage>()));
    return those;
  }

  function passageOf(text: string, name: string | undefined): Passage | undefined {
    const document = documents.get(text);
    if (document !== undefined) return document.passage;
    const context = contextOf(name);
    return context === '' ? plain.get(text) : named.get(context)?.get(text);
  }

  /** Gives every passage its findings. Those in the context are of the name, which is searched by itself. */
  function* note(results: readonly SearchedText[]): Work<void> {
    let seen = 0;
    for (const [index, passage] of batch.entries()) {
      const { findings, isWhole: isSearched } = results[index] ?? UNSEARCHED;
      isWhole &&= isSearched;
      if (findings.length === 0) continue;
      const own: Finding[] = [];
      for (const finding of findings) {
        if (++seen % STEP_FINDINGS === 0) yield;
        if (finding.end <= passage.from) continue;
        const moved = movedBack(finding, passage.from);
        own.push(moved);
        keep(moved, passage);
      }
      passage.findings = own;
      total += own.length;
    }
  }

  function keep(finding: Finding, { searched, from }: Passage): void {
    const count = (counts.get(finding.rule) ?? 0) + 1;
    counts.set(finding.rule, count);
    if (count > MAX_PER_RULE) return;
    found.push({ finding, text: searched.slice(from + finding.start, from + finding.end) });
  }

  return {
    found,
    get count(): number {
      return total;
    },
    get isWhole(): boolean {
      return isWhole;
    },
    add(text, name) {
      if (documents.has(text)) return;
      const context = contextOf(name);
      if (context === '') {
        addPlain(text);
        return;
      }
      const those = namedBy(context);
      if (!those.has(text)) addTo(those, text, context);
    },
    addProse: (text) => void addPlain(text),
    addArguments(json) {
      if (documents.has(json)) return;
      function keep(text: string): void {
        documents.set(json, { passage: addPlain(text), masked: json });
      }
      const reading = inTurns(readArguments(json));
      return reading instanceof Promise ? reading.then(keep) : keep(reading);
    },
    async search() {
      await inTurns(note(await findAll(searched)));
      if (!isWhole && total === 0) throw tooMuchToMask(side);
      for (const [json, document] of documents) {
        const { findings } = document.passage;
        if (findings.length > 0) document.masked = await inTurns(maskArguments(json, findings));
      }
    },
    findingsIn: (text, name) => passageOf(text, name)?.findings ?? NOTHING,
    spansIn(text): readonly TextSpan[] {
      const findings = plain.get(text)?.findings ?? NOTHING;
      const document = documents.get(text);
      if (document === undefined || document.passage.findings.length === 0) return findings;
      // Offsets of a document are those of what was read in it.
      return document.passage.searched === text ? findings : [{ start: 0, end: text.length }];
    },
    masked(text, name) {
      const document = documents.get(text);
      return document === undefined
        ? mask(text, passageOf(text, name)?.findings ?? NOTHING)
        : document.masked;
    },
  };
}

function movedBack(finding: Finding, chars: number): Finding {
  if (chars === 0) return finding;
  return { ...finding, start: Math.max(0, finding.start - chars), end: finding.end - chars };
}
