import type { Finding, FindingClass, StreamDetector } from './finding.ts';

/** What the findings of a detector are called. */
export type Label = Pick<Finding, 'detector' | 'rule'> & { readonly class: FindingClass };

/** More in one text is more than anybody takes out of it. */
const MAX_FINDINGS = 250_001;

/** Finds a text, letter by letter, and in any case if wanted; what stands side by side is one finding. */
export function createLiteralDetector(written: string, label: Label, ignoreCase = false): StreamDetector {
  const cased = ignoreCase ? inSmallLetters : (text: string): string => text;
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
    openFrom: (text) => beginningIn(cased(text), literal),
  };
}

/** Every character stays where it is: a letter with a longer small form is left as it stands. */
function inSmallLetters(text: string): string {
  const small = text.toLowerCase();
  if (small.length === text.length) return small;
  return text.replace(/\p{Lu}/gu, (letter) => {
    const lower = letter.toLowerCase();
    return lower.length === letter.length ? lower : letter;
  });
}

/** Where the text's end is the literal's beginning, from the first place that is; the text's length where none is. */
function beginningIn(text: string, literal: string): number {
  const first = literal.charCodeAt(0);
  for (let at = Math.max(0, text.length - literal.length + 1); at < text.length; at += 1) {
    if (text.charCodeAt(at) === first && literal.startsWith(text.slice(at))) return at;
  }
  return text.length;
}
