import type { Finding } from '../../detectors/finding.ts';
import { createLiteralFinder } from '../../detectors/literals/find-literals.ts';
import type { Work } from '../../turns.ts';
import type { TextPattern } from '../cards/mask-rule.ts';

export interface LabelledPattern {
  readonly rule: string;
  readonly pattern: TextPattern;
}

export type WordSearch = (text: string) => Work<readonly Finding[]>;

/** Maximum number of findings. Callers do not mask more. */
const MAX_FINDINGS = 250_001;

/** Returns a search for the rules' words in any letter case and obfuscation, or undefined if there are no words. */
export function createWordSearch(patterns: readonly LabelledPattern[]): WordSearch | undefined {
  const words = patterns.flatMap(({ pattern, rule }) =>
    pattern.kind === 'contains' && pattern.ignoreCase
      ? [{ text: pattern.text, label: patternLabel(rule) }]
      : [],
  );
  if (words.length === 0) return undefined;
  const finder = createLiteralFinder(words.map(({ text }) => text));
  return function* (text) {
    const found: Finding[] = [];
    yield* finder.search(text, ({ literal, start, end }) => {
      const last = found.at(-1);
      const label = words[literal]?.label;
      if (label === undefined || (last?.start === start && last.end === end)) return false;
      if (last?.end === start && last.rule === label.rule) found[found.length - 1] = { ...last, end };
      else found.push({ ...label, start, end });
      return found.length >= MAX_FINDINGS;
    });
    return found.sort((a, b) => a.start - b.start || b.end - a.end);
  };
}

export function patternLabel(rule: string): Pick<Finding, 'detector' | 'class' | 'rule'> {
  return { detector: 'prompt_injection', class: 'pattern', rule };
}
