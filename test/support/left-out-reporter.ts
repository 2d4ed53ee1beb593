import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';

import type { SerializedError } from 'vitest';
import type { Reporter, TestCase, TestModule } from 'vitest/node';

/** The file that the reporter writes: `LeftOut` as JSON. */
export const LEFT_OUT_FILE = 'GATEWAY_TEST_LEFT_OUT_FILE';

/** Results that Vitest's JSON report leaves out. */
export interface LeftOut {
  /** Errors that belong to no test, in files whose tests all passed at once. */
  readonly unhandled: readonly string[];
  /** Errors in files with a failed attempt, which leaves its requests behind: they are part of that failure. */
  readonly leftBehind: readonly string[];
  /** Tests that passed only when they were repeated, with the error of their first attempt. */
  readonly flaky: readonly string[];
}

export class LeftOutReporter implements Reporter {
  onTestRunEnd: NonNullable<Reporter['onTestRunEnd']> = (modules, errors) => {
    const file = process.env[LEFT_OUT_FILE];
    if (file === undefined) return;
    const troubled = new Set(modules.filter(hasFailedAttempt).map(({ moduleId }) => moduleId));
    const isLeftBehind = (error: SerializedError): boolean => troubled.has(String(error['VITEST_TEST_PATH']));
    const leftOut: LeftOut = {
      unhandled: errors.filter((error) => !isLeftBehind(error)).map(shown),
      leftBehind: errors.filter(isLeftBehind).map(shown),
      flaky: modules.flatMap(flakyOf),
    };
    writeFileSync(file, JSON.stringify(leftOut));
  };
}

function hasFailedAttempt(module: TestModule): boolean {
  return !module.ok() || flakyOf(module).length > 0;
}

/** The error with the test file that ran at that time. */
function shown(error: SerializedError): string {
  const path: unknown = error['VITEST_TEST_PATH'];
  const where = typeof path === 'string' ? `${relative(process.cwd(), path)}: ` : '';
  return `${where}${error.stack ?? `${error.name ?? 'Error'}: ${error.message}`}`;
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
