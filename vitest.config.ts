import { defineConfig } from 'vitest/config';

import { LEFT_OUT_FILE, LeftOutReporter } from './test/support/left-out-reporter.ts';
import { LongestFirst } from './test/support/longest-first.ts';

/**
 * Unit tests are pure. Integration and e2e tests use a real Redis and Envoy, shared per file, and share loaded modules.
 * Load tests run alone. Client tests take minutes to install third-party clients, and run only with `npm run clients`.
 */
// On a shared machine, real processes may wait for the CPU longer than a test waits for them (decision 352).
const retry = process.env['GATEWAY_TEST_WHOLE'] === undefined ? 1 : 0;

export default defineConfig({
  test: {
    reporters:
      process.env[LEFT_OUT_FILE] === undefined ? ['default'] : ['default', 'json', new LeftOutReporter()],
    sequence: { sequencer: LongestFirst },
    projects: [
      'vitest.unit.config.ts',
      {
        test: {
          name: 'integration',
          retry,
          isolate: false,
          include: ['test/integration/**/*.test.ts'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
          globalSetup: ['test/support/global-setup.ts'],
          setupFiles: ['test/support/patience.ts', 'test/support/troubles-of-gateways.ts'],
          expect: { poll: { timeout: 10_000 } },
          maxWorkers: 2,
        },
      },
      {
        test: {
          name: 'e2e',
          retry,
          isolate: false,
          include: ['test/e2e/**/*.test.ts'],
          exclude: ['test/e2e/load/**'],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          globalSetup: ['test/support/global-setup.ts'],
          setupFiles: ['test/support/patience.ts', 'test/support/troubles-of-gateways.ts'],
          expect: { poll: { timeout: 10_000 } },
          // These tests mostly wait for starts, drains and timeouts.
          maxWorkers: 3,
        },
      },
      {
        test: {
          name: 'load',
          retry,
          include: ['test/e2e/load/*.test.ts'],
          testTimeout: 300_000,
          hookTimeout: 120_000,
          globalSetup: ['test/support/global-setup.ts'],
          setupFiles: ['test/support/patience.ts', 'test/support/troubles-of-gateways.ts'],
          expect: { poll: { timeout: 10_000 } },
          maxWorkers: 1,
        },
      },
      {
        test: {
          name: 'clients',
          include: ['test/clients/**/*.test.ts'],
          testTimeout: 300_000,
          // The first test of a client waits for its installation.
          hookTimeout: 1_200_000,
          globalSetup: ['test/support/global-setup.ts', 'test/support/clients/global-setup.ts'],
          setupFiles: ['test/support/patience.ts', 'test/support/troubles-of-gateways.ts'],
          maxWorkers: 2,
        },
      },
    ],
  },
});
