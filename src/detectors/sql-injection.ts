import type { Detector, Finding } from './finding.ts';
import { LOOKBACK } from './sql-context.ts';
import { SQL_RULES, type SqlRule } from './sql-rules.ts';

/** The only places where rules are tried. Matches nothing, so that `test` leaves the place itself in `lastIndex`. */
const ANCHOR =
  /\b(?=(?:or|and|xor|having|union|pg_sleep|sleep|benchmark|waitfor|order|group|when|if|rlike|extractvalue|updatexml|convert|char|execute|exec|into|load_file|randomblob|dbms_pipe|utl_http|utl_inaddr|procedure|copy)(?![a-z]))|(?=\|\||&&|;|\/\*!\d{0,6}\s{0,3}union)|(?=['"][\s)]{0,6}(?:--|#|\/\*|;|or(?![a-z])|and(?![a-z])|\|\||&&|\+\s{0,3}\(\s{0,3}select))/gi;

/** Rules by the first character of what they begin with. */
const RULES: ReadonlyMap<string, readonly SqlRule[]> = new Map(
  SQL_RULES.flatMap(({ anchors }) => anchors).map((anchor) => [
    anchor.charAt(0),
    SQL_RULES.filter(({ anchors }) => anchors.some((other) => other.startsWith(anchor.charAt(0)))),
  ]),
);

/** Finds SQL injection payloads: tautologies, broken quotes, UNION, stacked, blind, time and error based. */
export const findSqlInjection: Detector = (text) => {
  const found: Finding[] = [];
  ANCHOR.lastIndex = 0;
  while (ANCHOR.test(text)) {
    const start = ANCHOR.lastIndex;
    const finding = matchRules(text, start);
    if (finding !== undefined) found.push(finding);
    ANCHOR.lastIndex = finding?.end ?? start + 1;
  }
  return found;
};

const matchRules = (text: string, start: number): Finding | undefined => {
  for (const { rule, pattern, confirm } of RULES.get(text.charAt(start).toLowerCase()) ?? []) {
    pattern.lastIndex = start;
    if (!pattern.test(text)) continue;
    const end = pattern.lastIndex;
    const isConfirmed =
      confirm?.(text.slice(Math.max(0, start - LOOKBACK), start), text.slice(start, end)) ?? true;
    if (isConfirmed) return { detector: 'sql_injection', class: 'sqli', rule, start, end };
  }
  return undefined;
};
