import { RE2JS } from 're2js';
import type { Detector, Finding } from './finding.ts';

/** Then the rest of the text counts as one match: each may cost a search of it (`x(.*y)?` in a row of x). */
const MAX_MATCHES = 10;

/**
 * Creates a detector for an operator's pattern in RE2 syntax, in linear time.
 * @param rule names its findings
 * @throws Error that explains the pattern's fault
 */
export function createPatternDetector(source: string, rule: string): Detector {
  const pattern = RE2JS.compile(RE2JS.translateRegExp(source));
  if (pattern.test('')) throw new Error('matches the empty text, and so everywhere');
  return (text) => {
    // A test is ten times faster than a search, and the answer is nearly always no.
    if (!pattern.test(text)) return [];
    const found: Finding[] = [];
    const matcher = pattern.matcher(text);
    while (found.length < MAX_MATCHES && matcher.find()) {
      if (matcher.end() > matcher.start()) found.push(patternFinding(rule, matcher.start(), matcher.end()));
    }
    if (found.length === MAX_MATCHES) found.push(patternFinding(rule, found.at(-1)?.end ?? 0, text.length));
    return found;
  };
}

function patternFinding(rule: string, start: number, end: number): Finding {
  return { detector: 'prompt_injection', class: 'override', rule, start, end };
}
