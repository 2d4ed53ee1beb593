import { fork, type ChildProcess } from 'node:child_process';

import { entryFile } from './entry-file.ts';

/** Destination of a worker's log: our standard output, or nothing. Its standard error is always shown. */
export type WorkerOutput = 'inherit' | 'ignore';

/** Starts a sidecar process. It loads its modules and waits for its first message; it ends with this process. */
export function forkWorker(
  entry: string = entryFile('worker'),
  output: WorkerOutput = 'inherit',
): ChildProcess {
  const child = fork(entry, [], {
    // Logs go directly to our own output. The channel carries only the protocol.
    stdio: ['ignore', output, 'inherit', 'ipc'],
    serialization: 'advanced',
    // Request objects die young, and a nursery stays resident: 16 MiB would save 3 % of CPU for 20 MB. By default the old
    // space grows to three times its live size before a collection: 70 MB for 1 to 2 % of CPU.
    // It starts at 4 MiB, because a growing one collects during the start, which takes a tenth of its CPU.
    execArgv: [
      ...process.execArgv,
      '--min-semi-space-size=4',
      '--max-semi-space-size=8',
      '--heap-growing-percent=60',
    ],
    // Separate process group: Ctrl-C must only reach us, because workers drain first.
    detached: true,
  });
  // Errors before supervision starts are handled later: the supervisor sees that the process is gone.
  child.on('error', () => undefined);
  return child;
}
