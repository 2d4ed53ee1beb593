import { execFileSync, spawn } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { finished } from 'node:stream/promises';

import { z } from 'zod';

import type { Environment } from '../config/environment.ts';
import { SECRET_VARIABLES } from './provider-variables.ts';

/** Without this flag, any program of the user could open a debugger with SIGUSR1 and read the keys. */
const NO_DEBUGGER = '--disable-sigusr1';

/** Path of the pipe from which the restarted process reads its keys. Hidden from the agent. */
const PIPE_VARIABLE = 'GATEWAY_EXEC_PIPE';

/**
 * Returns the user's environment, in a process whose own environment contains no keys.
 *
 * On Linux, every program of the same user can read a process's initial environment (`/proc/<pid>/environ`), and the
 * agent knows the process id. The process therefore replaces itself with one without keys, which reads them from a
 * named pipe. The pipe is removed before the agent starts. Platforms that cannot replace a process (Windows) keep the
 * environment.
 */
export async function keysOutOfEnvironment(current: NodeJS.Process): Promise<Environment> {
  const { [PIPE_VARIABLE]: pipe, ...env } = current.env;
  if (pipe !== undefined && pipe !== '') return { ...env, ...received(pipe) };
  await restartWithoutKeys(current);
  return env;
}

/** Returns only if there is no key, or the process cannot be replaced. */
async function restartWithoutKeys({
  env,
  execPath,
  execArgv,
  argv,
  execve,
  platform,
}: NodeJS.Process): Promise<void> {
  const keys = SECRET_VARIABLES.flatMap((name) => {
    const value = env[name] ?? '';
    return value === '' ? [] : [[name, value] as const];
  });
  if (keys.length === 0 || execve === undefined || platform === 'win32') return;
  const directory = await mkdtemp(join(tmpdir(), 'gateway-exec-'));
  try {
    const pipe = join(directory, 'keys');
    execFileSync('mkfifo', ['-m', '600', pipe], { env: pathOnly(env), stdio: ['ignore', 'ignore', 'pipe'] });
    await offer(pipe, JSON.stringify(Object.fromEntries(keys)), env);
    const withoutKeys: NodeJS.ProcessEnv = { ...env, [PIPE_VARIABLE]: pipe };
    for (const name of SECRET_VARIABLES) delete withoutKeys[name];
    execve(execPath, [execPath, NO_DEBUGGER, ...execArgv, ...argv.slice(1)], withoutKeys);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** Hands `text` to a child process, which writes it when the pipe is opened for reading. */
async function offer(pipe: string, text: string, env: Environment): Promise<void> {
  const writer = spawn('sh', ['-c', 'exec cat > "$0"', pipe], {
    env: pathOnly(env),
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  writer.stdin.end(text);
  await finished(writer.stdin);
}

function received(pipe: string): Environment {
  try {
    return z.record(z.string(), z.string()).parse(JSON.parse(readFileSync(pipe, 'utf8')));
  } finally {
    rmSync(dirname(pipe), { recursive: true, force: true });
  }
}

function pathOnly({ PATH }: Environment): NodeJS.ProcessEnv {
  return PATH === undefined ? {} : { PATH };
}
