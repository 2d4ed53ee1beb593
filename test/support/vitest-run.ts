import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, relative } from 'node:path';

const root = join(import.meta.dirname, '..', '..');

/** How a run of projects of vitest went. */
export interface ProjectCount {
  readonly passed: number;
  readonly failed: number;
  /** What failed and why, told again at the end, where it is found without scrolling. */
  readonly failures: readonly string[];
  /** Full names of the tests that were left out. */
  readonly leftOut: readonly string[];
}

export interface ToolOptions {
  /** Its output goes to ours as it comes, or is kept and returned. */
  readonly output: 'show' | 'keep';
  /** It takes only the CPU that everything else leaves. */
  readonly inTheBackground?: boolean;
  readonly environment?: Readonly<Record<string, string>>;
}

/** Runs one of the project's own tools. */
export function runTool(
  [name, ...args]: readonly [string, ...string[]],
  { output, inTheBackground = false, environment = {} }: ToolOptions,
): Promise<{ ok: boolean; output: string }> {
  const program = join(root, 'node_modules', '.bin', name);
  const command = inTheBackground ? ['nice', '-n', '19', program, ...args] : [program, ...args];
  const child = spawn(command[0] ?? program, command.slice(1), {
    cwd: root,
    stdio: output === 'show' ? ['ignore', 'inherit', 'inherit'] : ['ignore', 'pipe', 'pipe'],
    // The tools' own `#!/usr/bin/env node` must find the project's Node, not the machine's.
    env: {
      ...process.env,
      ...environment,
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

/** Runs the tests of projects of `vitest.config.ts`, side by side, with their progress shown. */
export async function runProjects(
  names: readonly string[],
  args: readonly string[] = [],
  environment: Readonly<Record<string, string>> = {},
): Promise<ProjectCount> {
  const directory = mkdtempSync(join(tmpdir(), 'gw-test-report-'));
  const report = join(directory, 'report.json');
  try {
    const reporters = ['--reporter', 'default', '--reporter', 'json', `--outputFile.json=${report}`];
    const projects = names.flatMap((name) => ['--project', name]);
    const command = ['vitest', 'run', ...projects, ...reporters, ...args] as const;
    const result = await runTool(command, { output: 'show', environment });
    const count = readReport(report);
    // A run that failed without a failed test (a file that does not load, an error outside of tests) is a failure.
    const outside = !result.ok && count.failed === 0;
    return outside
      ? { ...count, failed: 1, failures: [`${names.join(', ')}: an error outside of its tests, see above`] }
      : count;
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

function readReport(file: string): ProjectCount {
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
    const leftOut = report.testResults.flatMap(({ assertionResults }) =>
      assertionResults
        .filter(({ status }) => status !== 'passed' && status !== 'failed')
        .map(({ fullName }) => fullName),
    );
    return { passed: report.numPassedTests, failed: report.numFailedTests, failures, leftOut };
  } catch {
    const failures = ['no report of the tests was written, see above'];
    return { passed: 0, failed: 1, failures, leftOut: [] };
  }
}
