import type { Span } from './span.ts';

export interface Replacement extends Span {
  readonly text: string;
}

/** Replaces spans. Overlapping and adjacent spans are merged and get the text of the longest span. */
export function replaceSpans(text: string, replacements: readonly Replacement[]): string {
  let replaced = '';
  let copied = 0;
  for (const span of mergedReplacements(replacements)) {
    replaced += text.slice(copied, span.start) + span.text;
    copied = span.end;
  }
  return replaced + text.slice(copied);
}

function mergedReplacements(replacements: readonly Replacement[]): Replacement[] {
  const apart: Replacement[] = [];
  let longest = 0;
  for (const next of replacements.toSorted((a, b) => a.start - b.start)) {
    const last = apart.at(-1);
    if (last === undefined || next.start > last.end) {
      apart.push(next);
      longest = next.end - next.start;
      continue;
    }
    const text = next.end - next.start > longest ? next.text : last.text;
    longest = Math.max(longest, next.end - next.start);
    apart[apart.length - 1] = { start: last.start, end: Math.max(last.end, next.end), text };
  }
  return apart;
}
