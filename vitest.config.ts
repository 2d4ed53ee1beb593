import { defineConfig } from 'vitest/config';

/** Three projects: unit is pure and parallel; integration and e2e share real Redis and Envoy per file. */
export default defineConfig({
  test: {
    projects: [
      { test: { name: 'unit', include: ['test/unit/**/*.test.ts'] } },
      {
        test: {
          name: 'integration',
          include: ['test/integration/**/*.test.ts'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
          globalSetup: ['test/support/global-setup.ts'],
          maxWorkers: 2,
        },
      },
      {
        test: {
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts'],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          globalSetup: ['test/support/global-setup.ts'],
          maxWorkers: 2,
        },
      },
    ],
  },
});
