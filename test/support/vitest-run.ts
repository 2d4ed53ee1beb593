import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, relative } from 'node:path';

import { LEFT_OUT_FILE, type LeftOut } from './left-out-reporter.ts';

/** Limit for one failure, in the list at the end. */
const MAX_CHARACTERS = 4_000;

const root = join(import.meta.dirname, '..', '..');

/** The result of running vitest projects. */
export interface ProjectCount {
  readonly passed: number;
  readonly failed: number;
  /** Failures with their reasons, listed at the end, where they are visible without scrolling. */
  readonly failures: readonly string[];
  /** Tests that passed only when they were repeated, with their first failure. */
  readonly flaky: readonly string[];
  /** Full names of skipped tests. */
  readonly leftOut: readonly string[];
}

export interface ToolOptions {
  /** Its output is passed on at once, or kept and returned. */
  readonly output: 'show' | 'keep';
  /** Runs with low priority. */
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

/** Runs the tests of projects of `vitest.config.ts`, in parallel, with visible progress. */
export async function runProjects(
  names: readonly string[],
  args: readonly string[] = [],
  environment: Readonly<Record<string, string>> = {},
): Promise<ProjectCount> {
  const directory = mkdtempSync(join(tmpdir(), 'gw-test-report-'));
  const report = join(directory, 'report.json');
  try {
    const leftOutFile = join(directory, 'left-out.json');
    const projects = names.flatMap((name) => ['--project', name]);
    const command = ['vitest', 'run', ...projects, `--outputFile.json=${report}`, ...args] as const;
    const result = await runTool(command, {
      output: 'show',
      environment: { ...environment, [LEFT_OUT_FILE]: leftOutFile },
    });
    const count = readReport(report);
    const { unhandled, leftBehind, flaky } = readLeftOut(leftOutFile);
    const outside = unhandled.map((text) => `outside of the tests: ${shortened(text)}`);
    if (outside.length + leftBehind.length + count.failed === 0 && !result.ok) {
      outside.push(`${names.join(', ')}: the run failed without a failed test, see above`);
    }
    return {
      ...count,
      failed: count.failed + outside.length,
      failures: [...count.failures, ...outside],
      flaky: [...flaky, ...leftBehind.map((text) => `left behind by a failed attempt: ${text}`)].map((text) =>
        shortened(text),
      ),
    };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** The used part of vitest's JSON report. */
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

/** Without the frames of Vitest's own code. */
function shortened(text: string): string {
  const lines = text.split('\n').filter((line) => !line.includes('/node_modules/vitest/'));
  return lines.join('\n').slice(0, MAX_CHARACTERS);
}

function readLeftOut(file: string): LeftOut {
  return existsSync(file)
    ? (JSON.parse(readFileSync(file, 'utf8')) as LeftOut)
    : { unhandled: [], leftBehind: [], flaky: [] };
}

function readReport(file: string): ProjectCount {
  try {
    const report = JSON.parse(readFileSync(file, 'utf8')) as Report;
    const failures = report.testResults.flatMap(({ name, message, assertionResults }) => {
      const where = relative(root, name);
      const failed = assertionResults.filter(({ status }) => status === 'failed');
      if (failed.length === 0) return message === '' ? [] : [`${where}: ${message}`];
      return failed.map(({ fullName, failureMessages }) =>
        [`${where}: ${fullName}`, ...failureMessages.map((text) => shortened(text))].join('\n  '),
      );
    });
    const leftOut = report.testResults.flatMap(({ assertionResults }) =>
      assertionResults
        .filter(({ status }) => status !== 'passed' && status !== 'failed')
        .map(({ fullName }) => fullName),
    );
    return { passed: report.numPassedTests, failed: report.numFailedTests, failures, flaky: [], leftOut };
  } catch {
    const failures = ['no report of the tests was written, see above'];
    return { passed: 0, failed: 1, failures, flaky: [], leftOut: [] };
  }
}
