import { VIOLATIONS, type TraceFinding } from '../finding.ts';
import { isNothingJudged, unjudgedElements, verdictOf, type Summary } from '../summary.ts';
import { calledName, countedNoun, ruleCount, type Report } from './report.ts';

/** Colours text, and makes untrusted text safe to print. */
export interface Terminal {
  readonly paint: (colour: 'bold' | 'dim' | 'red' | 'green' | 'yellow', text: string) => string;
  readonly printable: (text: string) => string;
}

const INDENT = '  ';

export function createPrettyReport({ paint, printable }: Terminal): Report {
  function line(finding: TraceFinding): string {
    const { action, index, rule, reason, file, line: at, session } = finding;
    const isViolation = VIOLATIONS.has(action);
    const head = `${paint(isViolation ? 'red' : 'yellow', action)} step ${String(index)}  ${printable(calledName(finding))}`;
    const policy =
      file === undefined ? '' : ` (${printable(file)}${at === undefined ? '' : `:${String(at)}`})`;
    const where = `${printable(rule)}${policy}, session ${printable(session)}, line ${String(finding.traceLine)}`;
    return `${head}\n${INDENT}${printable(reason)}\n${INDENT}${paint('dim', where)}\n`;
  }

  return {
    begin: () => '',
    finding: (finding) => (finding.action === 'flag' ? '' : line(finding)),
    unreadable: ({ index, line: at, problem }) =>
      `${paint('red', 'unreadable')} element ${String(index)}, line ${String(at)}\n${INDENT}${printable(problem)}\n`,
    end: (summary) =>
      verdictLine(summary) +
      details(summary)
        .map((detail) => `${paint('dim', detail)}\n`)
        .join(''),
  };

  function verdictLine(summary: Summary): string {
    const { violations, elementsWithViolations, unreadable, trace } = summary;
    const name = printable(trace);
    const unjudged = unjudgedElements(summary);
    const parts = [
      ...(violations > 0
        ? [`${countedNoun(violations, 'violation')} in ${countedNoun(elementsWithViolations, 'element')}`]
        : []),
      ...(unreadable > 0 ? [`${countedNoun(unreadable, 'element')} could not be read`] : []),
      ...(isNothingJudged(summary) ? ['nothing to judge'] : []),
      ...(unjudged > 0 ? [`${countedNoun(unjudged, 'element')} not judged`] : []),
    ];
    const verdict = verdictOf(summary);
    if (verdict === 'clean') return `${paint('green', verdict)}  ${name}\n`;
    return `${paint(verdict === 'failed' ? 'red' : 'yellow', verdict)}  ${name}: ${parts.join(', ')}\n`;
  }

  function details({ calls, responses, actions, checks, policies, skipped, unjudged }: Summary): string[] {
    return [
      `judged: ${countedNoun(calls, 'call')}, ${countedNoun(responses, 'response')}; masked ${actions.mask}, flagged ${actions.flag}`,
      ...[...unjudged].map(([why, times]) => `unjudged: ${String(times)} ${why}`),
      ...[...skipped].map(([why, times]) => `not judged: ${String(times)} ${why}`),
      policies === undefined
        ? 'policies: none (use --presets, --policy-file or --policy-dir)'
        : `policies: ${policies.files.map((file) => printable(ruleCount(file))).join(', ')} (${policies.digest.slice(0, 19)}…)`,
      `checks: ${checks.join(', ')}`,
    ];
  }
}
