import { xmlText } from '../../text/xml.ts';
import { VIOLATIONS, type TraceFinding } from '../finding.ts';
import { unjudgedElements, type Summary, type Unreadable } from '../summary.ts';
import { calledName, type Report } from './report.ts';

/** A suite begins with its counts, so it is held until the end. */
const MAX_CASES = 10_000;

/** JUnit XML: each violation is a failed case, each unreadable element a case with an error. */
export function createJunitReport(): Report {
  const cases: string[] = [];

  function add(written: string): string {
    if (cases.length < MAX_CASES) cases.push(written);
    return '';
  }

  return {
    begin: () => '<?xml version="1.0" encoding="UTF-8"?>\n',
    finding: (finding) => (VIOLATIONS.has(finding.action) ? add(failureElement(finding)) : ''),
    unreadable: (unreadable) => add(error(unreadable)),
    end(summary) {
      const { violations, unreadable, elements, elementsWithViolations } = summary;
      const unjudged = unjudgedElements(summary);
      const clean = Math.max(elements - elementsWithViolations - unreadable - unjudged, 0);
      const passed = `<testcase classname="trace" name="${clean} elements without a violation"/>`;
      const counted = `tests="${violations + unreadable + summary.unjudged.size + 1}" failures="${violations}" errors="${unreadable}"`;
      const left = violations + unreadable - cases.length;
      const more = left > 0 ? [`<system-out>${left} more are not listed</system-out>`] : [];
      const suite = `<testsuite name="${escapedText(`gateway verify ${summary.trace}`)}" ${counted} skipped="${summary.unjudged.size}" time="0">`;
      return [
        `<testsuites ${counted}>`,
        suite,
        passed,
        ...cases,
        ...unjudgedCases(summary),
        ...more,
        '</testsuite>',
        '</testsuites>',
        '',
      ].join('\n');
    },
  };
}

function failureElement(finding: TraceFinding): string {
  const { index, rule, action, reason, file, line, session, traceLine } = finding;
  const called = escapedText(calledName(finding));
  const rules = file === undefined ? '' : `\n${file}${line === undefined ? '' : `:${line}`}`;
  const detail = escapedText(`session ${session}, line ${traceLine} of the trace${rules}`);
  return [
    `<testcase classname="${escapedText(rule)}" name="step ${index} ${called}">`,
    `<failure type="${action}" message="${escapedText(reason)}">${detail}</failure>`,
    '</testcase>',
  ].join('');
}

function error({ index, line, problem }: Unreadable): string {
  return [
    `<testcase classname="trace" name="element ${index}">`,
    `<error type="unreadable" message="${escapedText(problem)}">line ${line} of the trace</error>`,
    '</testcase>',
  ].join('');
}

function unjudgedCases({ unjudged }: Summary): string[] {
  return [...unjudged].map(
    ([why, times]) =>
      `<testcase classname="trace" name="${times} unjudged elements"><skipped message="${escapedText(why)}"/></testcase>`,
  );
}

/** Removes characters that are invisible or control a terminal. */
function escapedText(written: string): string {
  return xmlText(written, /[^\P{Cc}\n]|[\p{Cf}\p{Zl}\p{Zp}\uFFFE\uFFFF]/gu);
}
