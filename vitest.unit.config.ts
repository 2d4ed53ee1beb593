import { globSync, readFileSync } from 'node:fs';

import { defineConfig } from 'vitest/config';

/** Matches test files that measure time, memory or the regexes created at load. */
const MEASURES = /cpu-?(time|ms|usage)|performance\.now|memoryUsage|turn-sweep|patterns\/collect/i;

const ALL = 'test/unit/**/*.test.ts';
const measuring = globSync(ALL, { cwd: import.meta.dirname }).filter((file) =>
  MEASURES.test(readFileSync(new URL(file, import.meta.url), 'utf8')),
);

const limits = { testTimeout: 30_000, maxWorkers: 2 };

/**
 * Unit tests are pure and share loaded modules, because loading them for each file took a third of the CPU time. Each
 * file that measures has its own process.
 */
export default defineConfig({
  test: {
    name: 'unit',
    projects: [
      {
        test: {
          ...limits,
          name: 'shared',
          include: [ALL],
          exclude: measuring,
          isolate: false,
        },
      },
      // On a shared machine, a measurement may be repeated once (decision 352).
      { test: { ...limits, name: 'measured', include: measuring, retry: 1 } },
    ],
  },
});
