import type { Finding, FindingClass, StreamDetector } from './finding.ts';

/** What the findings of a detector are called. */
export type Label = Pick<Finding, 'detector' | 'rule'> & { readonly class: FindingClass };

/** More in one text is more than anybody takes out of it. */
const MAX_FINDINGS = 250_001;

/** Finds a text, letter by letter; what stands side by side is one finding. */
export function createLiteralDetector(literal: string, label: Label): StreamDetector {
  return {
    find(text) {
      const found: Finding[] = [];
      for (let at = text.indexOf(literal); at !== -1 && found.length < MAX_FINDINGS;) {
        const start = at;
        let end = start;
        for (; at === end; at = text.indexOf(literal, end)) end += literal.length;
        found.push({ ...label, start, end });
      }
      return found;
    },
    openFrom: (text) => beginningIn(text, literal),
  };
}

/** Where the text's end is the literal's beginning, from the first place that is; the text's length where none is. */
function beginningIn(text: string, literal: string): number {
  const first = literal.charCodeAt(0);
  for (let at = Math.max(0, text.length - literal.length + 1); at < text.length; at += 1) {
    if (text.charCodeAt(at) === first && literal.startsWith(text.slice(at))) return at;
  }
  return text.length;
}
