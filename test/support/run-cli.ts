import { execFile } from 'node:child_process';
import { tmpdir } from 'node:os';
import { PassThrough } from 'node:stream';
import { main } from '../../cli/main.ts';

/** The result of a gateway command. */
export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command in this process, against a Redis. */
export function runCli(
  redis: { readonly addr: string },
  args: readonly string[],
  isTTY = false,
): Promise<Ended> {
  return runHere(args, { REDIS_ADDR: redis.addr }, isTTY);
}

async function runHere(
  args: readonly string[],
  settings: Readonly<Record<string, string>>,
  isTTY = false,
): Promise<Ended> {
  const out = Object.assign(new PassThrough(), { isTTY, columns: 120 });
  const err = new PassThrough();
  const env = { ...settings, NO_COLOR: '1' };
  const code = await main(args, { stdin: process.stdin, stdout: out, stderr: err, env });
  return { code, stdout: String(out.read() ?? ''), stderr: String(err.read() ?? '') };
}

/** Runs a Node program as a user does, in its own process. */
export function runProgram(
  program: string,
  args: readonly string[],
  options: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
): Promise<Ended> {
  const env = { PATH: process.env['PATH'] ?? '', ...options.env };
  return new Promise((resolve) => {
    execFile(process.execPath, [program, ...args], { cwd: options.cwd, env }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr });
    });
  });
}

/**
 * Runs commands: the first of each kind (`keys create`) in a process of the built program, as a user does, and later
 * ones in this process, because starting a process takes a quarter of a second of CPU.
 */
export function commandRunner(
  program: string,
): (args: readonly string[], env: Readonly<Record<string, string>>) => Promise<Ended> {
  const seen = new Set<string>();
  return (args, env) => {
    const kind = args.filter((arg) => !/^-|\//.test(arg)).slice(0, 2);
    if (seen.has(kind.join(' '))) return runHere(args, env);
    seen.add(kind.join(' '));
    return runProgram(program, args, { cwd: tmpdir(), env });
  };
}
