import { RE2JS } from 're2js';
import type { Detector, Finding } from './finding.ts';

/**
 * Matches of one pattern in one text beyond which the rest of the text counts as one. Each may cost a search of the
 * whole rest (`x(.*y)?` in a row of x), and a text with so many is hostile through and through.
 */
const MAX_MATCHES = 10;

/**
 * A detector for an operator's own pattern, in RE2's syntax (also JavaScript's, where RE2 has the same), which takes
 * linear time whatever it says. `rule` names its findings.
 * @throws Error that says what is wrong with the pattern
 */
export function createPatternDetector(source: string, rule: string): Detector {
  const pattern = RE2JS.compile(RE2JS.translateRegExp(source));
  if (pattern.test('')) throw new Error('matches the empty text, and so everywhere');
  return (text) => {
    // A test is ten times faster than a search, and nearly always the answer is no.
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
