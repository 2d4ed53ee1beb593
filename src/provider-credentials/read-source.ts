import { execFile } from 'node:child_process';
import type { Environment } from '../config/environment.ts';
import type { CredentialSettings } from '../config/sections/credentials.ts';
import { codeOf, MAX_SECRET_BYTES, readSecretFile, type Source } from './source.ts';

const COMMAND_MS = 10_000;
/** A valid header value. */
const USABLE = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;

type SourceSettings = CredentialSettings['from'];

/** @throws Error if a certificate file cannot be used */
export async function openSource(settings: SourceSettings, environment: Environment): Promise<Source> {
  const source = await opened(settings, environment);
  return {
    async read() {
      const { value: written, ...times } = await source.read();
      const value = written.replace(/\r?\n$/, '');
      if (!USABLE.test(value)) throw new Error(`${nameOf(settings)} must be one line of visible ASCII`);
      return { value, ...times };
    },
  };
}

async function opened(settings: SourceSettings, environment: Environment): Promise<Source> {
  const { env, file, command = [], vault, workload_identity: cloud, ttl } = settings;
  if (vault !== undefined) return (await import('./vault.ts')).createVaultSource(vault, ttl);
  if (cloud !== undefined)
    return (await import('./workload/identity.ts')).createWorkloadSource(cloud, environment);
  if (env !== undefined)
    return { read: () => Promise.resolve({ value: environment[env] ?? '', againInMs: 0 }) };
  if (file !== undefined) return { read: async () => ({ value: await readSecretFile(file), againInMs: 0 }) };
  return { read: async () => ({ value: await outputOf(command), againInMs: ttl }) };
}

export function nameOf({ env, file, vault, workload_identity: cloud, command = [] }: SourceSettings): string {
  if (env !== undefined) return `environment variable ${env}`;
  if (vault !== undefined) return `Vault ${vault.path}`;
  if (cloud !== undefined) return `workload identity of ${cloud}`;
  return file === undefined ? `command ${command[0] ?? ''}` : `file ${file}`;
}

function outputOf([program = '', ...args]: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const limits = { timeout: COMMAND_MS, killSignal: 'SIGKILL', maxBuffer: MAX_SECRET_BYTES } as const;
    // `failure` contains the program's arguments and output, which must not be shown.
    execFile(program, args, limits, (failure, output) => {
      if (failure === null) resolve(output);
      else if (failure.killed === true) reject(new Error(`command ${program} took longer than 10 s`));
      else reject(new Error(`command ${program} failed${codeOf(failure)}`));
    });
  });
}
