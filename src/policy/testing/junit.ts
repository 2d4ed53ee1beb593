import { junitCase, junitXml, type JunitCase } from '../../text/junit.ts';
import type { TestResult } from './test-result.ts';

const OUTCOMES: Readonly<Record<TestResult['outcome'], JunitCase['outcome']>> = {
  pass: 'passed',
  fail: 'failure',
  error: 'error',
  skip: 'skipped',
};

export function junitReport(results: readonly TestResult[]): string {
  const byFile = Map.groupBy(results, ({ file }) => file);
  return junitXml(
    [...byFile].map(([name, ofFile]) => ({ name, ...countsOf(ofFile), cases: ofFile.map(testCase) })),
  );
}

function countsOf(results: readonly TestResult[]) {
  const count = (outcome: TestResult['outcome']): number =>
    results.filter((result) => result.outcome === outcome).length;
  return { tests: results.length, failures: count('fail'), errors: count('error'), skipped: count('skip') };
}

function testCase({ name, file, line, outcome, detail = '' }: TestResult): string {
  const failed = outcome === 'fail' || outcome === 'error';
  return junitCase({
    name,
    classname: file,
    file,
    line,
    outcome: OUTCOMES[outcome],
    ...(failed && { message: detail, detail: `${file}:${String(line)}` }),
  });
}
