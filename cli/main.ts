#!/usr/bin/env node
import { realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import type { Io } from './command.ts';

/**
 * Returns the exit code: 0 for success, 1 for a failure, 2 for a usage error, or that of an `ExitCode`. This module's
 * static imports must load on old Node versions, so that users see a clear message instead of a SyntaxError.
 */
export async function main(argv: readonly string[], io: Io): Promise<number> {
  // Imported dynamically, so that the compile cache is enabled first.
  const { run } = await import('./run.ts');
  return run(argv, io);
}

async function start(): Promise<void> {
  const { stdin, stdout, stderr, env } = process;
  // `gateway keys list | head` closes the pipe early, which is not an error.
  stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));
  const { keepCompiledCode } = await import('./compiled-code.ts');
  await keepCompiledCode(env);
  const code = await main(process.argv.slice(2), { stdin, stdout, stderr, env, process });
  // Timers of failed connection attempts would keep the process alive.
  stdout.write('', () => process.exit(code));
}

/** Replaces `import.meta.main`, which needs Node 22.18. */
function isMain(): boolean {
  const [, program] = process.argv;
  return program !== undefined && realpathSync(program) === fileURLToPath(import.meta.url);
}

/** Must match `engines.node` in package.json; a test checks this. */
const OLDEST = { major: 22, minor: 15 };

/** Returns the reason why a Node version, such as `20.20.2`, cannot run the gateway, or undefined if it can. */
export function whyTooOld(version: string): string | undefined {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > OLDEST.major || (major === OLDEST.major && minor >= OLDEST.minor)) return undefined;
  return `needs Node ${String(OLDEST.major)}.${String(OLDEST.minor)} or newer; this is Node ${version}. Install a newer version from https://nodejs.org/en/download`;
}

if (isMain()) {
  const tooOld = whyTooOld(process.versions.node);
  if (tooOld === undefined) await start();
  else {
    process.stderr.write(`gateway: ${tooOld}\n`);
    process.exitCode = 1;
  }
}
