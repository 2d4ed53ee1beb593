import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';

import type { Reporter, TestCase, TestModule } from 'vitest/node';

/** The file that the reporter writes: `LeftOut` as JSON. */
export const LEFT_OUT_FILE = 'GATEWAY_TEST_LEFT_OUT_FILE';

/** Results that Vitest's JSON report leaves out. */
export interface LeftOut {
  /** Errors that belong to no test. */
  readonly unhandled: readonly string[];
  /** Tests that passed only when they were repeated, with the error of their first attempt. */
  readonly flaky: readonly string[];
}

export class LeftOutReporter implements Reporter {
  onTestRunEnd: NonNullable<Reporter['onTestRunEnd']> = (modules, errors) => {
    const file = process.env[LEFT_OUT_FILE];
    if (file === undefined) return;
    const unhandled = errors.map(({ name, message, stack }) => stack ?? `${name ?? 'Error'}: ${message}`);
    const leftOut: LeftOut = { unhandled, flaky: modules.flatMap(flakyOf) };
    writeFileSync(file, JSON.stringify(leftOut));
  };
}

function flakyOf(module: TestModule): string[] {
  const tests: TestCase[] = [...module.children.allTests()];
  return tests
    .filter((test) => test.diagnostic()?.flaky === true)
    .map((test) => {
      const [first] = test.result().errors ?? [];
      const where = `${relative(process.cwd(), module.moduleId)}: ${test.fullName}`;
      return first === undefined ? where : `${where}\n  ${first.stack ?? first.message}`;
    });
}
