import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { defineConfig } from 'vitest/config';

/** What a file that measures time, memory or the patterns that loading makes has in it. */
const MEASURES = /cpu-time|cpuMs|CpuMs|cpuUsage|performance\.now|memoryUsage|patterns\/collect/;

const measuring = globSync('**/*.test.ts', { cwd: import.meta.dirname }).filter((file) =>
  MEASURES.test(readFileSync(join(import.meta.dirname, file), 'utf8')),
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
          include: ['**/*.test.ts'],
          exclude: measuring,
          isolate: false,
        },
      },
      { test: { ...both, name: 'measured', include: measuring } },
    ],
  },
});
