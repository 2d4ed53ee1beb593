/**
 * `npm test`: every test and the static steps, with progress. The last line is the result,
 * `N passed, N failed`; the exit code is 1 if anything failed. Long tests run a part that the seed chooses, and run
 * whole with `--whole` (`npm run nightly`).
 *
 * The reference machine has two cores. Tests that measure a core's work have one each; tests that
 * wait for a start, a drain or a timeout run six at a time. Then load tests run one after another. The static steps use
 * the CPU time that these two leave.
 */
import { spawnSync } from 'node:child_process';

import { watchStalls } from './support/stalls.ts';
import { runProjects, runTool, type ProjectCount } from './support/vitest-run.ts';

type Count = Pick<ProjectCount, 'passed' | 'failed' | 'failures' | 'flaky'>;

interface Step {
  readonly name: string;
  readonly command: readonly [string, ...string[]];
}

const started = Date.now();
const stalls = watchStalls();
const isWhole = process.argv.includes('--whole');
const seed = process.env['GATEWAY_TEST_SEED'] ?? commit();

/** Another seed for each commit, and the same for the same one. */
function commit(): string {
  const { stdout, status } = spawnSync('git', ['rev-parse', '--short=8', 'HEAD'], { encoding: 'utf8' });
  return status === 0 ? stdout.trim() : '1';
}

/** Unchanged since the last run, so not checked again. */
const CACHE = 'node_modules/.cache';
const TYPES = ['--noEmit', '--incremental', '--tsBuildInfoFile', `${CACHE}/types.tsbuildinfo`];
const FORMAT = ['--cache', '--cache-strategy', 'content', '--cache-location', `${CACHE}/format.json`];

const STATIC_STEPS: readonly Step[] = [
  { name: 'types', command: ['node', 'node_modules/typescript-7/bin/tsc', ...TYPES] },
  {
    name: 'types of the page',
    command: ['node', 'node_modules/typescript-7/bin/tsc', '--noEmit', '-p', 'page'],
  },
  { name: 'lint', command: ['oxlint'] },
  { name: 'format', command: ['prettier', '--check', '--log-level', 'warn', ...FORMAT, '.'] },
  {
    name: 'import cycles and directions',
    command: ['depcruise', '--config', '.dependency-cruiser.js', 'src', 'cli', 'page', 'test', 'models'],
  },
  { name: 'dead code', command: ['knip', '--no-progress'] },
  { name: 'code that tests alone use', command: ['knip', '--no-progress', '--production'] },
];

interface Tests {
  readonly name: string;
  readonly projects: readonly string[];
  /** Further arguments of vitest. */
  readonly args: readonly string[];
}

/** The time between a request's turns is measured in CPU time, which requires a separate core. */
const TURNS = 'test/integration/turns';

const MEASURING: Tests = {
  name: 'unit tests, and turns',
  projects: ['unit', 'integration'],
  args: ['--maxWorkers', '2', 'test/unit/', TURNS],
};

const WAITING: Tests = {
  name: 'integration and e2e tests',
  projects: ['integration', 'e2e'],
  args: ['--maxWorkers', '6', '--exclude', `${TURNS}*`],
};

const LOAD: Tests = { name: 'load tests', projects: ['load'], args: [] };

function say(line: string): void {
  const seconds = Math.round((Date.now() - started) / 1000);
  process.stdout.write(`[${String(seconds).padStart(3)} s] ${line}\n`);
}

async function staticStep({ name, command }: Step): Promise<Count> {
  const result = await runTool(command, { output: 'keep', inTheBackground: true });
  say(`${name}: ${result.ok ? 'passed' : 'FAILED'}`);
  if (!result.ok) process.stdout.write(`${result.output}\n`);
  return result.ok
    ? { passed: 1, failed: 0, failures: [], flaky: [] }
    : { passed: 0, failed: 1, failures: [name], flaky: [] };
}

/** One after another: two would take more CPU than is left. */
async function staticSteps(): Promise<Count[]> {
  say('static steps …');
  const counts: Count[] = [];
  for (const step of STATIC_STEPS) counts.push(await staticStep(step));
  return counts;
}

async function tests({ name, projects, args }: Tests): Promise<Count> {
  say(`${name} …`);
  const environment = { GATEWAY_TEST_SEED: seed, ...(isWhole && { GATEWAY_TEST_WHOLE: '1' }) };
  const count = await runProjects(projects, args, environment);
  say(`${name}: ${String(count.passed)} passed, ${String(count.failed)} failed`);
  return count;
}

say(
  isWhole
    ? 'every test runs whole'
    : `long tests run in part: GATEWAY_TEST_SEED=${seed}, npm run nightly for all`,
);
const counts: Count[] = [await tests(MEASURING)];
// They have the lowest priority, so they only take CPU time that the tests leave.
const steps = staticSteps();
counts.push(await tests(WAITING), await tests(LOAD), ...(await steps));

const passed = counts.reduce((sum, count) => sum + count.passed, 0);
const failed = counts.reduce((sum, count) => sum + count.failed, 0);
for (const test of counts.flatMap(({ flaky }) => flaky))
  process.stdout.write(`PASSED ONLY WHEN REPEATED ${test}\n`);
for (const stall of stalls()) process.stdout.write(`${stall}\n`);
for (const failure of counts.flatMap(({ failures }) => failures)) process.stdout.write(`FAILED ${failure}\n`);
process.stdout.write(`${String(passed)} passed, ${String(failed)} failed\n`);
process.exitCode = failed === 0 ? 0 : 1;
