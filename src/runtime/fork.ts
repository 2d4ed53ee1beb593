import { fork, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** Destination of a child's stdout. Its stderr is always shown. */
export type WorkerOutput = 'inherit' | 'ignore';

/**
 * The nursery may grow to 8 MiB, because request objects die young; 16 MiB would save 3 % of CPU but take 20 MB more.
 * It starts at 4 MiB, because collections during its growth would take a tenth of the CPU time of a start. By default,
 * the old space grows to three times its live size before a collection, which would save 1 to 2 % of CPU but take 70 MB
 * more.
 */
const WORKER_FLAGS = ['--min-semi-space-size=4', '--max-semi-space-size=8', '--heap-growing-percent=60'];

/** Starts a sidecar process, which loads its modules and waits for its first message. */
export function forkWorker(entry: string = entryFile('worker'), output?: WorkerOutput): ChildProcess {
  return forkProcess(entry, WORKER_FLAGS, output);
}

/** Starts a child process that exits with this process. */
export function forkProcess(
  entry: string,
  flags: readonly string[],
  output: WorkerOutput = 'inherit',
): ChildProcess {
  const child = fork(entry, [], {
    stdio: ['ignore', output, 'inherit', 'ipc'],
    serialization: 'advanced',
    execArgv: [...process.execArgv, ...flags],
    // In a separate process group, because Ctrl-C must reach only this process: workers drain first.
    detached: true,
  });
  // The supervisor attaches later, and notices that the process has exited.
  child.on('error', () => undefined);
  return child;
}

/** Returns the entry file of a child process: `src/<name>.ts` in a checkout, `dist/src/<name>.js` in the package. */
export function entryFile(name: 'worker' | 'config-reader' | 'operator/process'): string {
  const extension = import.meta.url.endsWith('.ts') ? '.ts' : '.js';
  return fileURLToPath(new URL(`../${name}${extension}`, import.meta.url));
}
