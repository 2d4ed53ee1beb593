import type { Finding, FindingClass, StreamDetector } from './finding.ts';

export type Label = Pick<Finding, 'detector' | 'rule'> & { readonly class: FindingClass };

/** Far more than can be removed from one text. */
const MAX_FINDINGS = 250_001;

/** Finds a literal text, optionally in any case. Adjacent matches are merged. */
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

/** Lower-cases without moving characters: a letter whose lower-case form is longer does not change. */
function inSmallLetters(text: string): string {
  const small = text.toLowerCase();
  if (small.length === text.length) return small;
  return text.replace(/\p{Lu}/gu, (letter) => {
    const lower = letter.toLowerCase();
    return lower.length === letter.length ? lower : letter;
  });
}

/** Returns the offset at which the end of the text may begin the literal, or the length of the text. */
function beginningIn(text: string, literal: string): number {
  const first = literal.charCodeAt(0);
  for (let at = Math.max(0, text.length - literal.length + 1); at < text.length; at += 1) {
    if (text.charCodeAt(at) === first && literal.startsWith(text.slice(at))) return at;
  }
  return text.length;
}
