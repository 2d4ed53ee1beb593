import { globSync, readFileSync } from 'node:fs';

import { defineConfig } from 'vitest/config';

/** What a file that measures time, memory or the patterns that loading makes has in it. */
const MEASURES = /cpu-?(time|ms|usage)|performance\.now|memoryUsage|turn-sweep|patterns\/collect/i;

const ALL = 'test/unit/**/*.test.ts';
const measuring = globSync(ALL, { cwd: import.meta.dirname }).filter((file) =>
  MEASURES.test(readFileSync(new URL(file, import.meta.url), 'utf8')),
);

const both = { testTimeout: 30_000, maxWorkers: 2 };

/**
 * Unit tests are pure, and share the modules that they load: loading them anew for each file took a third of the CPU.
 * Those that measure have a process for each file.
 */
export default defineConfig({
  test: {
    name: 'unit',
    projects: [
      {
        test: {
          ...both,
          name: 'shared',
          include: [ALL],
          exclude: measuring,
          isolate: false,
        },
      },
      // What is measured on a shared machine may be measured once more (decision 352).
      { test: { ...both, name: 'measured', include: measuring, retry: 1 } },
    ],
  },
});
