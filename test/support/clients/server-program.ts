import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { startGuard } from '../../../src/runtime/guard.ts';

export interface ServerProgram {
  readonly close: () => Promise<void>;
}

export interface ServerProgramOptions {
  /** Named in the error if it does not start. */
  readonly name: string;
  /** Any answer from this address means that it has started. */
  readonly url: string;
  /** Written into its working folder, by name; the folder is removed afterwards. */
  readonly files?: Readonly<Record<string, string>>;
}

const START_WITHIN_MS = 20_000;

/**
 * Runs a server in its own process until it is closed, or until the tests are killed.
 * @throws Error with its output if it does not start
 */
export async function startServerProgram(
  program: string,
  args: readonly string[],
  { name, url, files = {} }: ServerProgramOptions,
): Promise<ServerProgram> {
  const cwd = await mkdtemp(join(tmpdir(), 'gw-server-'));
  for (const [file, text] of Object.entries(files)) await writeFile(join(cwd, file), text);
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], cwd });
  const guard = startGuard();
  guard.watchDirectory(cwd);
  if (child.pid !== undefined) guard.watch(child.pid);
  const said: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => said.push(chunk));
  async function close(): Promise<void> {
    if (child.exitCode === null) {
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
    }
    guard.release();
    await rm(cwd, { recursive: true, force: true });
  }
  const deadline = Date.now() + START_WITHIN_MS;
  while (!(await answers(url))) {
    if (child.exitCode !== null || Date.now() > deadline) {
      await close();
      throw new Error(`${name} does not start:\n${Buffer.concat(said).toString()}`);
    }
    await delay(50);
  }
  return { close };
}

async function answers(url: string): Promise<boolean> {
  return fetch(url).then(
    async (response) => {
      await response.body?.cancel();
      return true;
    },
    () => false,
  );
}
