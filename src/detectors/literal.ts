import type { Finding, FindingClass, StreamDetector } from './finding.ts';

export type Label = Pick<Finding, 'detector' | 'rule'> & { readonly class: FindingClass };

/** One more than callers mask, so that they refuse texts with more findings (`inspect/inspected.ts`). */
const MAX_FINDINGS = 250_001;

/** Creates a detector for a literal, optionally ignoring case. Adjacent matches are merged. */
export function createLiteralDetector(written: string, label: Label, ignoreCase = false): StreamDetector {
  const cased = ignoreCase ? lowercased : (text: string): string => text;
  const literal = cased(written);
  return {
    find(given) {
      const text = cased(given);
      const found: Finding[] = [];
      for (let at = text.indexOf(literal); at !== -1 && found.length < MAX_FINDINGS;) {
        const start = at;
        let end = start;
        for (; at === end; at = text.indexOf(literal, end)) end += literal.length;
        found.push({ ...label, start, end });
      }
      return found;
    },
    openFrom: (text) => partialMatchAt(cased(text), literal),
  };
}

/** Lowercases without changing offsets: letters with a longer lowercase form are kept. */
function lowercased(text: string): string {
  const lower = text.toLowerCase();
  if (lower.length === text.length) return lower;
  return text.replace(/\p{Lu}/gu, (letter) => {
    const lower = letter.toLowerCase();
    return lower.length === letter.length ? lower : letter;
  });
}

/** Returns the offset of a partial match at the end of the text, or the text length. */
function partialMatchAt(text: string, literal: string): number {
  const first = literal.charCodeAt(0);
  for (let at = Math.max(0, text.length - literal.length + 1); at < text.length; at += 1) {
    if (text.charCodeAt(at) === first && literal.startsWith(text.slice(at))) return at;
  }
  return text.length;
}
