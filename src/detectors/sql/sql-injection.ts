import { UnitReader } from '../../text/units.ts';
import type { Detector, Finding } from '../finding.ts';
import { nextSqlAnchor } from './anchors.ts';
import { LOOKBACK } from './context.ts';
import { SQL_RULES, type SqlRule } from './sql-rules.ts';
import { stickyEnd } from '../../text/sticky.ts';

const reader = new UnitReader(32_768);

/** Rules by the first character of their beginnings. */
const RULES: ReadonlyMap<string, readonly SqlRule[]> = new Map(
  SQL_RULES.flatMap(({ beginning }) => beginning.anchors).map(({ 0: first = '' }) => [
    first,
    SQL_RULES.filter(({ beginning }) => beginning.anchors.some((anchor) => anchor.startsWith(first))),
  ]),
);

export const findSqlInjection: Detector = (text) => {
  const found: Finding[] = [];
  const units = reader.read(text);
  for (let start = nextSqlAnchor(text, units, 0); start < text.length;) {
    const finding = matchSqlRules(text, start);
    if (finding !== undefined) found.push(finding);
    start = nextSqlAnchor(text, units, finding?.end ?? start + 1);
  }
  return found;
};

function matchSqlRules(text: string, start: number): Finding | undefined {
  for (const { rule, pattern, confirm } of RULES.get(text.charAt(start).toLowerCase()) ?? []) {
    const end = stickyEnd(pattern, text, start);
    if (end === undefined) continue;
    const isConfirmed =
      confirm?.(text.slice(Math.max(0, start - LOOKBACK), start), text.slice(start, end)) ?? true;
    if (isConfirmed) return { detector: 'sql_injection', class: 'sqli', rule, start, end };
  }
  return undefined;
}
