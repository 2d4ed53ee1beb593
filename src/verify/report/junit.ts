import { junitCase, junitXml } from '../../text/junit.ts';
import { VIOLATIONS, type TraceFinding } from '../finding.ts';
import { unjudgedElements, type Summary, type Unreadable } from '../summary.ts';
import { calledName, countedNoun, type Report } from './report.ts';

/** Maximum number of cases. They wait until the end, because a suite begins with its counts. */
const MAX_CASES = 10_000;

/** JUnit XML: violations are failures, and unreadable elements are errors. */
export function createJunitReport(): Report {
  const cases: string[] = [];

  function add(written: string): string {
    if (cases.length < MAX_CASES) cases.push(written);
    return '';
  }

  return {
    begin: () => '',
    finding: (finding) => (VIOLATIONS.has(finding.action) ? add(failedCase(finding)) : ''),
    unreadable: (unreadable) => add(unreadableCase(unreadable)),
    end(summary) {
      const { violations, unreadable, elements, elementsWithViolations, unjudged } = summary;
      const clean = Math.max(elements - elementsWithViolations - unreadable - unjudgedElements(summary), 0);
      const passed = junitCase({
        classname: 'trace',
        name: `${countedNoun(clean, 'element')} without a violation`,
        outcome: 'passed',
      });
      const left = violations + unreadable - cases.length;
      return junitXml([
        {
          name: `gateway verify ${summary.trace}`,
          tests: violations + unreadable + unjudged.size + 1,
          failures: violations,
          errors: unreadable,
          skipped: unjudged.size,
          cases: [passed, ...cases, ...unjudgedCases(summary)],
          ...(left > 0 && { output: `${left} more are not listed` }),
        },
      ]);
    },
  };
}

function failedCase(finding: TraceFinding): string {
  const { index, rule, action, reason, file, line, session, traceLine } = finding;
  const rules = file === undefined ? '' : `\n${file}${line === undefined ? '' : `:${line}`}`;
  return junitCase({
    classname: rule,
    name: `step ${index} ${calledName(finding)}`,
    outcome: 'failure',
    type: action,
    message: reason,
    detail: `session ${session}, line ${traceLine} of the trace${rules}`,
  });
}

function unreadableCase({ index, line, problem }: Unreadable): string {
  return junitCase({
    classname: 'trace',
    name: `element ${index}`,
    outcome: 'error',
    type: 'unreadable',
    message: problem,
    detail: `line ${line} of the trace`,
  });
}

function unjudgedCases({ unjudged }: Summary): string[] {
  return [...unjudged].map(([why, times]) =>
    junitCase({
      classname: 'trace',
      name: countedNoun(times, 'unjudged element'),
      outcome: 'skipped',
      message: why,
    }),
  );
}
