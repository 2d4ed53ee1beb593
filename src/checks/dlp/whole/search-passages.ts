import type { Finding } from '../../../detectors/finding.ts';
import { mask } from '../../../detectors/mask.ts';
import { readArguments } from '../scan/arguments.ts';
import type { ReadArguments } from '../scan/arguments.ts';
import { contextOf } from '../passages.ts';
import type { FindAll, Found, Passages } from '../passages.ts';

const NOTHING: readonly Finding[] = [];
/** As many as one event of the risk store takes; what is masked goes by findingsIn. */
const MAX_PER_RULE = 64;

export function createPassages(findAll: FindAll): Passages {
  const findings = new Map<string, readonly Finding[]>();
  /** Length of what was put before a text, by the whole. */
  const contexts = new Map<string, number>();
  const documents = new Map<string, ReadArguments>();
  const found: Found[] = [];
  const counts = new Map<string, number>();

  function findingsIn(text: string, name?: string): readonly Finding[] {
    const searched = documents.get(text)?.text ?? contextOf(name) + text;
    return findings.get(searched) ?? NOTHING;
  }

  /** Findings in the context are those of the name, which is searched by itself. */
  function note(searched: string, all: readonly Finding[]): void {
    const from = contexts.get(searched) ?? 0;
    const inText =
      from === 0 ? all : all.filter(({ end }) => end > from).map((finding) => movedBack(finding, from));
    findings.set(searched, inText);
    for (const finding of inText) {
      const count = (counts.get(finding.rule) ?? 0) + 1;
      counts.set(finding.rule, count);
      if (count > MAX_PER_RULE) continue;
      found.push({ finding, text: searched.slice(from + finding.start, from + finding.end) });
    }
  }

  return {
    found,
    add(text, name) {
      const context = contextOf(name);
      const searched = context + text;
      if (documents.has(text) || findings.has(searched)) return;
      findings.set(searched, NOTHING);
      if (context !== '') contexts.set(searched, context.length);
    },
    addArguments(json) {
      if (documents.has(json)) return;
      const document = readArguments(json);
      documents.set(json, document);
      findings.set(document.text, NOTHING);
    },
    async search() {
      const searched = [...findings.keys()];
      const results = await findAll(searched);
      for (const [index, text] of searched.entries()) {
        const all = results[index] ?? NOTHING;
        if (all.length > 0) note(text, all);
      }
    },
    findingsIn,
    masked(text, name) {
      const document = documents.get(text);
      return document === undefined ? mask(text, findingsIn(text, name)) : document.mask(findingsIn(text));
    },
  };
}

function movedBack(finding: Finding, chars: number): Finding {
  return { ...finding, start: Math.max(0, finding.start - chars), end: finding.end - chars };
}
