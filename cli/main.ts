#!/usr/bin/env node
import type { Io } from './command.ts';
import { keepCompiledCode } from './compiled-code.ts';

/** Runs one command line; the exit code is 0, 1 for a failure, 2 for a mistake in the call. */
export async function main(argv: readonly string[], io: Io): Promise<number> {
  // What is imported here comes from the compiled code that was kept; what stands above does not.
  const { run } = await import('./run.ts');
  return run(argv, io);
}

if (import.meta.main) {
  const { stdin, stdout, stderr, env } = process;
  // `gateway keys list | head` closes the pipe: nobody is left to read an error.
  stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));
  await keepCompiledCode(env);
  const code = await main(process.argv.slice(2), { stdin, stdout, stderr, env, process });
  // The work is done: timers of connections that never came about must not hold the terminal.
  stdout.write('', () => process.exit(code));
}
