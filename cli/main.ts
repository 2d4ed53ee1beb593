#!/usr/bin/env node
import { realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import type { Io } from './command.ts';
import { whyTooOld } from './node-version.ts';

/**
 * Runs one command line; the exit code is 0, 1 for a failure, 2 for a mistake in the call.
 *
 * This file imports nothing statically that an old Node lacks, so that it can say so instead of a SyntaxError.
 */
export async function main(argv: readonly string[], io: Io): Promise<number> {
  // Modules that are imported from here on come from the compile cache.
  const { run } = await import('./run.ts');
  return run(argv, io);
}

async function start(): Promise<void> {
  const { stdin, stdout, stderr, env } = process;
  // `gateway keys list | head` closes the pipe: no reader is left for an error.
  stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));
  const { keepCompiledCode } = await import('./compiled-code.ts');
  await keepCompiledCode(env);
  const code = await main(process.argv.slice(2), { stdin, stdout, stderr, env, process });
  // The work is done: timers of connections that never came about must not hold the terminal.
  stdout.write('', () => process.exit(code));
}

/** `import.meta.main` does not exist before Node 22.18. */
function isMain(): boolean {
  const [, program] = process.argv;
  return program !== undefined && realpathSync(program) === fileURLToPath(import.meta.url);
}

if (isMain()) {
  const tooOld = whyTooOld(process.versions.node);
  if (tooOld === undefined) await start();
  else {
    process.stderr.write(`gateway: ${tooOld}\n`);
    process.exitCode = 1;
  }
}
