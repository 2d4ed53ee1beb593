import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';

/** Output and exit of a program. */
export interface ProgramResult {
  /** null if a signal ended it. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** It was still running at its time limit, and was killed with all its children. */
  readonly timedOut: boolean;
  readonly elapsedMs: number;
}

export interface ProgramOptions {
  readonly cwd: string;
  /** In addition to PATH, a separate HOME and UTF-8: nothing else of our environment is passed. */
  readonly env?: Readonly<Record<string, string>>;
  /** Written to its standard input, which is then closed. */
  readonly stdin?: string;
  /** 120 s unless set. */
  readonly timeoutMs?: number;
}

/** Limit of each output. A client that prints more is broken. */
const MAX_OUTPUT_BYTES = 16 * 1024 * 1024;
const TIMEOUT_MS = 120_000;

/** Runs a program to its end, in its own process group, with bounded time and output. */
export function runProgram(
  file: string,
  args: readonly string[],
  { cwd, env = {}, stdin = '', timeoutMs = TIMEOUT_MS }: ProgramOptions,
): Promise<ProgramResult> {
  const started = performance.now();
  const child = spawn(file, [...args], {
    cwd,
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...cleanEnvironment(cwd), ...env },
  });
  function killGroup(): void {
    if (child.pid === undefined) return;
    try {
      process.kill(-child.pid, 'SIGKILL');
    } catch {
      // it has ended, and so have its children
    }
  }
  let timedOut = false;
  const timer = setTimeout(() => {
    timedOut = true;
    killGroup();
  }, timeoutMs);
  const outputs = [child.stdout, child.stderr].map((stream) => {
    const chunks: Buffer[] = [];
    let size = 0;
    stream.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > MAX_OUTPUT_BYTES) killGroup();
      else chunks.push(chunk);
    });
    return chunks;
  });
  // A program that reads nothing closes its end first.
  child.stdin.on('error', () => undefined);
  child.stdin.end(stdin);
  return new Promise((resolve, reject) => {
    child.once('error', (error) => {
      clearTimeout(timer);
      reject(error);
    });
    child.once('exit', () => {
      clearTimeout(timer);
      // A background child would keep the outputs open.
      killGroup();
    });
    child.once('close', (code) => {
      const [stdout = '', stderr = ''] = outputs.map((chunks) => Buffer.concat(chunks).toString());
      resolve({ code, stdout, stderr, timedOut, elapsedMs: performance.now() - started });
    });
  });
}

/** An empty folder for one run, removed afterwards. */
export async function inTemporaryFolder<Result>(work: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'gw-client-'));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** An environment without settings, keys or proxies of the person who runs the tests. Node is the same as ours. */
function cleanEnvironment(home: string): Record<string, string> {
  const path = `${dirname(process.execPath)}${delimiter}${process.env['PATH'] ?? ''}`;
  return { PATH: path, HOME: home, LANG: 'C.UTF-8', PYTHONUTF8: '1', PYTHONDONTWRITEBYTECODE: '1' };
}
