/** `type` and `message` become attributes of the outcome element. */
export interface JunitCase {
  readonly classname: string;
  readonly name: string;
  readonly file?: string | undefined;
  readonly line?: number | undefined;
  readonly outcome: 'passed' | 'failure' | 'error' | 'skipped';
  readonly type?: string | undefined;
  readonly message?: string | undefined;
  readonly detail?: string | undefined;
}

interface JunitCounts {
  readonly tests: number;
  readonly failures: number;
  readonly errors: number;
  readonly skipped: number;
}

interface JunitSuite extends JunitCounts {
  readonly name: string;
  readonly cases: readonly string[];
  readonly output?: string | undefined;
}

export function junitCase({ outcome, type, message, detail, ...attributes }: JunitCase): string {
  const open = `    <testcase${attributesText({ ...attributes })}`;
  if (outcome === 'passed') return `${open}/>\n`;
  const result = `<${outcome}${attributesText({ type, message })}`;
  const body = detail === undefined ? '/>' : `>${xmlText(detail)}</${outcome}>`;
  return `${open}>${result}${body}</testcase>\n`;
}

export function junitXml(suites: readonly JunitSuite[]): string {
  const all = { tests: 0, failures: 0, errors: 0, skipped: 0 };
  for (const { tests, failures, errors, skipped } of suites) {
    all.tests += tests;
    all.failures += failures;
    all.errors += errors;
    all.skipped += skipped;
  }
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites${attributesText(all)}>\n${suites.map(suiteText).join('')}</testsuites>\n`;
}

function suiteText({ name, cases, output, tests, failures, errors, skipped }: JunitSuite): string {
  const attributes = attributesText({ name, tests, failures, errors, skipped });
  const more = output === undefined ? '' : `    <system-out>${xmlText(output)}</system-out>\n`;
  return `  <testsuite${attributes}>\n${cases.join('')}${more}  </testsuite>\n`;
}

function attributesText(attributes: Readonly<Record<string, string | number | undefined>>): string {
  return Object.entries(attributes)
    .map(([name, value]) => (value === undefined ? '' : ` ${name}="${xmlText(String(value))}"`))
    .join('');
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
  '\n': '&#10;',
};

/** Characters that are invisible, control a terminal or are not allowed in XML 1.0. */
const UNSHOWN = /[^\P{Cc}\t\n]|[\p{Cf}\p{Zl}\p{Zp}\uFFFE\uFFFF]/gu;

function xmlText(text: string): string {
  return text
    .toWellFormed()
    .replace(UNSHOWN, '\uFFFD')
    .replace(/[&<>"'\n]/g, (character) => ENTITIES[character] ?? character);
}
