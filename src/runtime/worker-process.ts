import { fork, type ChildProcess } from 'node:child_process';

import { entryFile } from './entry-file.ts';

/** Where a worker's log goes: our own standard output, or nowhere. What it says as it breaks is always shown. */
export type WorkerOutput = 'inherit' | 'ignore';

/** Starts one sidecar process, which loads its modules and waits for its first message; it ends with this process. */
export function forkWorker(
  entry: string = entryFile('worker'),
  output: WorkerOutput = 'inherit',
): ChildProcess {
  const child = fork(entry, [], {
    // Logs go straight to our own output; the channel is for the protocol alone.
    stdio: ['ignore', output, 'inherit', 'ipc'],
    serialization: 'advanced',
    // A request's objects die young, and a nursery stays resident: 16 MiB would save 3 % of its CPU, for 20 MB. Left to
    // itself the old space grows to three times what lives in it before it is collected: 70 MB, for 1 to 2 % of CPU.
    execArgv: [...process.execArgv, '--max-semi-space-size=8', '--heap-growing-percent=60'],
    // Its own process group: Ctrl-C is for us, and a worker ends when it has drained.
    detached: true,
  });
  // Whoever supervises it hears of it too; before that nobody does.
  child.on('error', () => undefined);
  return child;
}
