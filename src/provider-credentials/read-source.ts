import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import type { Environment } from '../config/environment.ts';
import type { CredentialSettings } from '../config/sections/credentials.ts';

const COMMAND_MS = 10_000;
/** Private keys and service accounts stay far below. */
const MAX_BYTES = 65_536;
/** As a header value can carry it. */
const USABLE = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;

type Source = CredentialSettings['from'];

/**
 * Reads a credential from its source.
 * @throws Error that names the source and the remedy, never the value or a program's output
 */
export async function readSource(source: Source, environment: Environment): Promise<string> {
  const written = await readWritten(source, environment);
  const value = written.replace(/\r?\n$/, '');
  if (!USABLE.test(value)) throw new Error(`${nameOf(source)} must hold one line of visible ASCII`);
  return value;
}

/** Returns how an operator knows the source. */
export function nameOf({ env, file, command = [] }: Source): string {
  if (env !== undefined) return `environment variable ${env}`;
  return file === undefined ? `command ${command[0] ?? ''}` : `file ${file}`;
}

function readWritten(source: Source, environment: Environment): Promise<string> | string {
  const { env, file, command } = source;
  if (env !== undefined) return environment[env] ?? '';
  return file === undefined ? outputOf(command ?? []) : textOf(file);
}

async function textOf(file: string): Promise<string> {
  const content = await readFile(file).catch((cause: unknown) => {
    throw new Error(`file ${file} cannot be read${codeOf(cause)}`);
  });
  if (content.length > MAX_BYTES) throw new Error(`file ${file} is larger than 64 KiB`);
  return content.toString();
}

function outputOf([program = '', ...args]: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const limits = { timeout: COMMAND_MS, killSignal: 'SIGKILL', maxBuffer: MAX_BYTES } as const;
    // Its error would carry the arguments and what it printed.
    execFile(program, args, limits, (failure, output) => {
      if (failure === null) resolve(output);
      else if (failure.killed === true) reject(new Error(`command ${program} took longer than 10 s`));
      else reject(new Error(`command ${program} failed${codeOf(failure)}`));
    });
  });
}

/** Exit codes and system errors, such as ENOENT, tell nothing secret. */
function codeOf(failure: unknown): string {
  const code: unknown = failure instanceof Error && 'code' in failure ? failure.code : undefined;
  return typeof code === 'string' || typeof code === 'number' ? ` (${String(code)})` : '';
}
