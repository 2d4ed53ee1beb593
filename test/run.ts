/**
 * `npm test`: static steps and every test, with progress on the way. The last line says how it went, alone:
 * `N passed, N failed`; the exit code is 1 if anything failed.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, relative } from 'node:path';

interface Count {
  readonly passed: number;
  readonly failed: number;
  /** What failed and why, told again at the end, where it is found without scrolling. */
  readonly failures: readonly string[];
}

interface Step {
  readonly name: string;
  readonly command: readonly [string, ...string[]];
}

const root = join(import.meta.dirname, '..');
const started = Date.now();

const STATIC_STEPS: readonly Step[] = [
  { name: 'types', command: ['tsc', '--noEmit'] },
  { name: 'lint', command: ['eslint', '.', '--max-warnings', '0'] },
  { name: 'format', command: ['prettier', '--check', '--log-level', 'warn', '.'] },
  {
    name: 'import cycles and directions',
    command: ['depcruise', '--config', '.dependency-cruiser.js', 'src', 'cli', 'test'],
  },
];

const TEST_PROJECTS = ['unit', 'integration', 'e2e', 'load'];

/** Runs one program; its output goes to ours as it comes, or is kept and returned. */
function run(
  command: readonly [string, ...string[]],
  output: 'show' | 'keep',
): Promise<{ ok: boolean; output: string }> {
  const [name, ...args] = command;
  const child = spawn(join(root, 'node_modules', '.bin', name), args, {
    cwd: root,
    stdio: output === 'show' ? ['ignore', 'inherit', 'inherit'] : ['ignore', 'pipe', 'pipe'],
    // The tools' own `#!/usr/bin/env node` must find the project's Node, not the machine's.
    env: {
      ...process.env,
      PATH: `${join(root, 'node_modules', '.bin')}${delimiter}${process.env['PATH'] ?? ''}`,
    },
  });
  const chunks: Buffer[] = [];
  child.stdout?.on('data', (chunk: Buffer) => chunks.push(chunk));
  child.stderr?.on('data', (chunk: Buffer) => chunks.push(chunk));
  return new Promise((resolve) => {
    child.once('error', (error) => {
      resolve({ ok: false, output: error.message });
    });
    child.once('close', (code) => {
      resolve({ ok: code === 0, output: Buffer.concat(chunks).toString() });
    });
  });
}

function say(line: string): void {
  const seconds = Math.round((Date.now() - started) / 1000);
  process.stdout.write(`[${String(seconds).padStart(3)} s] ${line}\n`);
}

async function staticStep({ name, command }: Step): Promise<Count> {
  const result = await run(command, 'keep');
  say(`${name}: ${result.ok ? 'passed' : 'FAILED'}`);
  if (!result.ok) process.stdout.write(`${result.output}\n`);
  return result.ok ? { passed: 1, failed: 0, failures: [] } : { passed: 0, failed: 1, failures: [name] };
}

async function testProject(name: string): Promise<Count> {
  say(`${name} tests …`);
  const directory = mkdtempSync(join(tmpdir(), 'gw-test-report-'));
  const report = join(directory, 'report.json');
  try {
    const reporters = ['--reporter', 'default', '--reporter', 'json', `--outputFile.json=${report}`];
    const result = await run(['vitest', 'run', '--project', name, ...reporters], 'show');
    const count = readReport(report);
    // A run that failed without a failed test (a file that does not load, an error outside of tests) is a failure.
    const outside = !result.ok && count.failed === 0;
    const failed = outside ? 1 : count.failed;
    const failures = outside ? [`${name}: an error outside of its tests, see above`] : count.failures;
    say(`${name} tests: ${String(count.passed)} passed, ${String(failed)} failed`);
    return { passed: count.passed, failed, failures };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** vitest's JSON report, as far as it is read here. */
interface Report {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly testResults: readonly {
    readonly name: string;
    readonly message: string;
    readonly assertionResults: readonly {
      readonly status: string;
      readonly fullName: string;
      readonly failureMessages: readonly string[];
    }[];
  }[];
}

function readReport(file: string): Count {
  try {
    const report = JSON.parse(readFileSync(file, 'utf8')) as Report;
    const failures = report.testResults.flatMap(({ name, message, assertionResults }) => {
      const where = relative(root, name);
      const failed = assertionResults.filter(({ status }) => status === 'failed');
      if (failed.length === 0) return message === '' ? [] : [`${where}: ${message}`];
      return failed.map(({ fullName, failureMessages }) =>
        [`${where}: ${fullName}`, ...failureMessages.map((text) => text.slice(0, 1_000))].join('\n  '),
      );
    });
    return { passed: report.numPassedTests, failed: report.numFailedTests, failures };
  } catch {
    return { passed: 0, failed: 1, failures: ['no report of the tests was written, see above'] };
  }
}

const counts: Count[] = [];
say('static steps …');
// Two at a time: the machine that this is measured on has two cores.
for (let index = 0; index < STATIC_STEPS.length; index += 2) {
  counts.push(...(await Promise.all(STATIC_STEPS.slice(index, index + 2).map(staticStep))));
}
for (const project of TEST_PROJECTS) counts.push(await testProject(project));

const passed = counts.reduce((sum, count) => sum + count.passed, 0);
const failed = counts.reduce((sum, count) => sum + count.failed, 0);
for (const failure of counts.flatMap(({ failures }) => failures)) process.stdout.write(`FAILED ${failure}\n`);
process.stdout.write(`${String(passed)} passed, ${String(failed)} failed\n`);
process.exitCode = failed === 0 ? 0 : 1;
