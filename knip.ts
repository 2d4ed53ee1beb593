import type { KnipConfig } from 'knip';

const isProduction = process.argv.includes('--production');

/**
 * Finds unused code (`npm run dead-code`). With `--production`, code that only tests use counts as unused, unless its
 * own file needs it. Otherwise, exports that only their own file needs are reported, except types.
 */
const config: KnipConfig = {
  entry: [
    // Without `--production`, knip finds these in the scripts of package.json.
    ...(isProduction
      ? [
          'build.ts!',
          'build-chart.ts!',
          'build-docs.ts!',
          'build-page.ts!',
          'build-manifest.ts!',
          'cli/main.ts!',
        ]
      : []),
    'src/worker.ts!',
    'page/main.tsx!',
    'src/config-reader.ts!',
    'src/operator/process.ts!',
    'src/offline-judge-thread.ts!',
    'src/policy/rego/{thread,load-engine}.ts!',
    'test/bench/{drift,loops,noop,loopback-only}.ts',
    'test/opa-suite/suite-thread.ts',
    'test/fuzz/child.ts',
    'models/injection/{train,evaluate}.ts',
    'test/support/{risk-scorer,stored-forms/record}.ts',
  ],
  project: [
    'build*.ts!',
    'src/**/*.ts!',
    'cli/**/*.ts!',
    'page/**/*.{ts,tsx}!',
    'test/**/*.ts',
    'models/**/*.ts',
  ],
  ignoreExportsUsedInFile: isProduction || { interface: true, type: true },
  ignoreBinaries: ['go', 'mkfifo', 'taskset'],
};

export default config;
