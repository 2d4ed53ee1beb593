import { defineConfig } from 'vitest/config';

import { LEFT_OUT_FILE, LeftOutReporter } from './test/support/left-out-reporter.ts';
import { LongestFirst } from './test/support/longest-first.ts';

/**
 * Unit is pure; integration and e2e have real Redis and Envoy, shared per file, and share the modules that they load, as
 * unit tests do; load is e2e under load, and has the machine for itself. Clients installs other people's clients, which
 * takes minutes: `npm run clients` alone runs it.
 */
// Real processes on a shared machine may wait for the CPU longer than a test does (decision 352).
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
          // Most of the time they wait: for a start, a drain, a timeout.
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
          // The first test of a client waits for its install.
          hookTimeout: 1_200_000,
          globalSetup: ['test/support/global-setup.ts', 'test/support/clients/global-setup.ts'],
          setupFiles: ['test/support/patience.ts', 'test/support/troubles-of-gateways.ts'],
          maxWorkers: 2,
        },
      },
    ],
  },
});
