import type { Finding } from '../../../detectors/finding.ts';
import { mask } from '../../../detectors/mask.ts';
import { maskArguments, readArguments } from '../scan/arguments.ts';
import { inTurns } from '../scan/turns.ts';
import { contextOf } from '../passages.ts';
import type { FindAll, Found, Passages, TextSpan } from '../passages.ts';

const NOTHING: readonly Finding[] = [];
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

export function createPassages(findAll: FindAll): Passages {
  /** Apart, since a text can look like another with its name before it. */
  const plain = new Map<string, Passage>();
  const named = new Map<string, Passage>();
  const documents = new Map<string, Document>();
  const found: Found[] = [];
  const counts = new Map<string, number>();
  let total = 0;

  function addPlain(text: string): Passage {
    const known = plain.get(text);
    if (known !== undefined) return known;
    const passage = { searched: text, from: 0, findings: NOTHING };
    plain.set(text, passage);
    return passage;
  }

  function passageOf(text: string, name: string | undefined): Passage | undefined {
    const document = documents.get(text);
    if (document !== undefined) return document.passage;
    const context = contextOf(name);
    return context === '' ? plain.get(text) : named.get(namedKey(context, text));
  }

  /** Findings in the context are those of the name, which is searched by itself. */
  function note(passage: Passage, all: readonly Finding[]): void {
    const { searched, from } = passage;
    passage.findings =
      from === 0 ? all : all.filter(({ end }) => end > from).map((finding) => movedBack(finding, from));
    total += passage.findings.length;
    for (const finding of passage.findings) {
      const count = (counts.get(finding.rule) ?? 0) + 1;
      counts.set(finding.rule, count);
      if (count > MAX_PER_RULE) continue;
      found.push({ finding, text: searched.slice(from + finding.start, from + finding.end) });
    }
  }

  return {
    found,
    get count(): number {
      return total;
    },
    add(text, name) {
      if (documents.has(text)) return;
      const context = contextOf(name);
      if (context === '') {
        addPlain(text);
        return;
      }
      const key = namedKey(context, text);
      if (named.has(key)) return;
      named.set(key, { searched: context + text, from: context.length, findings: NOTHING });
    },
    addProse: (text) => void addPlain(text),
    addArguments(json) {
      if (documents.has(json)) return;
      const keep = (text: string): void => {
        documents.set(json, { passage: addPlain(text), masked: json });
      };
      const reading = inTurns(readArguments(json));
      return reading instanceof Promise ? reading.then(keep) : keep(reading);
    },
    async search() {
      const passages = [...plain.values(), ...named.values()];
      const results = await findAll(passages.map(({ searched }) => searched));
      for (const [index, passage] of passages.entries()) {
        const all = results[index] ?? NOTHING;
        if (all.length > 0) note(passage, all);
      }
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

/** Its length tells where the name ends. */
function namedKey(context: string, text: string): string {
  return `${context.length} ${context}${text}`;
}

function movedBack(finding: Finding, chars: number): Finding {
  return { ...finding, start: Math.max(0, finding.start - chars), end: finding.end - chars };
}
