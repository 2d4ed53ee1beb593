import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { access, mkdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, isAbsolute, join } from 'node:path';
import type { Environment } from '../config/environment.ts';

export type TellProgress = (message: string) => void;

/** A program is missing or does not run. The message names it and, if known, the remedy. */
export class MissingPartError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'MissingPartError';
  }
}

export async function findOnPath(name: string, environment: Environment): Promise<string | undefined> {
  for (const folder of (environment['PATH'] ?? '').split(delimiter)) {
    // A relative entry would find another program in each working directory.
    if (!isAbsolute(folder)) continue;
    const candidate = join(folder, name);
    if (await isExecutable(candidate)) return candidate;
  }
  return undefined;
}

export async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Returns the cache folder of the gateway, in `$XDG_CACHE_HOME` or `~/.cache`. Creates it if needed. */
export async function cacheDirectory(environment: Environment): Promise<string> {
  const xdg = environment['XDG_CACHE_HOME'];
  const base = xdg !== undefined && isAbsolute(xdg) ? xdg : join(homedir(), '.cache');
  const directory = join(base, 'ai-firewall-gateway');
  await mkdir(directory, { recursive: true, mode: 0o700 });
  return directory;
}

export interface RunResult {
  readonly ok: boolean;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program until it exits, with limited time and output. Never rejects. */
export function runFile(
  file: string,
  args: readonly string[],
  options: { readonly timeoutMs: number; readonly cwd?: string; readonly env?: NodeJS.ProcessEnv },
): Promise<RunResult> {
  return new Promise((resolve) => {
    execFile(
      file,
      [...args],
      {
        timeout: options.timeoutMs,
        maxBuffer: 4 * 1024 * 1024,
        ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
        ...(options.env === undefined ? {} : { env: options.env }),
      },
      (error, stdout, stderr) => {
        resolve({ ok: error === null, stdout, stderr: stderr === '' ? (error?.message ?? '') : stderr });
      },
    );
  });
}

export function lastLine(text: string): string {
  return text.trim().split('\n').at(-1)?.slice(0, 300) ?? '';
}

export async function dockerAnswers(environment: Environment): Promise<boolean> {
  const docker = await findOnPath('docker', environment);
  if (docker === undefined) return false;
  const result = await runFile(docker, ['version', '--format', '{{.Server.Version}}'], {
    timeoutMs: 3_000,
  });
  return result.ok && result.stdout.trim() !== '';
}

export function versionAtLeast(version: string, minimum: string): boolean {
  const have = version.split('.').map(Number);
  const want = minimum.split('.').map(Number);
  for (const [index, wanted] of want.entries()) {
    const part = have[index] ?? 0;
    if (part !== wanted) return part > wanted;
  }
  return true;
}
