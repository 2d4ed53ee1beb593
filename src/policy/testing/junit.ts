import { xmlText } from '../../text/xml.ts';
import type { TestResult } from './test-result.ts';

/** The results as CI systems read them: JUnit's XML, a suite a file. */
export function junitXml(results: readonly TestResult[]): string {
  const files = [...new Set(results.map(({ file }) => file))];
  const suites = files.map((file) =>
    suite(
      file,
      results.filter((one) => one.file === file),
    ),
  );
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites ${countAttributes(results)}>\n${suites.join('')}</testsuites>\n`;
}

function suite(file: string, results: readonly TestResult[]): string {
  return `  <testsuite name="${xml(file)}" ${countAttributes(results)}>\n${results.map(testCase).join('')}  </testsuite>\n`;
}

function countAttributes(results: readonly TestResult[]): string {
  const of = (outcome: TestResult['outcome']): string =>
    String(results.filter((one) => one.outcome === outcome).length);
  return `tests="${String(results.length)}" failures="${of('fail')}" errors="${of('error')}" skipped="${of('skip')}"`;
}

function testCase({ name, file, line, outcome, detail = '' }: TestResult): string {
  const open = `    <testcase name="${xml(name)}" classname="${xml(file)}" file="${xml(file)}" line="${String(line)}"`;
  if (outcome === 'pass') return `${open}/>\n`;
  if (outcome === 'skip') return `${open}><skipped/></testcase>\n`;
  const element = outcome === 'fail' ? 'failure' : 'error';
  return `${open}><${element} message="${xml(detail)}">${xml(`${file}:${String(line)}`)}</${element}></testcase>\n`;
}

function xml(text: string): string {
  return xmlText(text, /[^\P{Cc}\t\n]|[\uFFFE\uFFFF]/gu);
}
