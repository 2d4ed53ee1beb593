import type { ChildProcess } from 'node:child_process';
import { setFlagsFromString } from 'node:v8';
import type { Command } from 'commander';

import { giveBackMemory } from '../../src/runtime/give-back-memory.ts';
import { onStopSignals } from '../../src/runtime/stop-signals.ts';
import { forkWorker } from '../../src/runtime/worker-process.ts';
import type { Gateway } from '../../src/serve.ts';
import type { Io } from '../command.ts';

/** What a start leaves behind is collected when everything has settled: some 10 MB, which would stay. */
const SETTLED_MS = 5_000;

/** `gateway serve`: starts the runtime and stays until SIGTERM or SIGINT. */
export function registerServe(program: Command, io: Io): void {
  program
    .command('serve')
    .description('start the gateway: Envoy, the sidecar processes and the admin listener')
    .action(async (_options: unknown, command: Command) => {
      await withWorkerAhead(async (ahead) => {
        const { startServing } = await import('../start-serving.ts');
        const { gateway, close } = await startServing(command, io, ahead);
        setTimeout(giveBackMemory, SETTLED_MS).unref();
        await untilStopped(gateway).finally(close);
      });
    });
}

/**
 * What takes longest of a start is a sidecar's modules: a process begins to load them while this one reads its own and
 * the configuration. It goes where the start fails.
 */
export async function withWorkerAhead(work: (ahead: ChildProcess) => Promise<void>): Promise<void> {
  // For the sidecars: glibc keeps what each thread has freed apart, 20 to 90 MB; one arena costs 1 % of a request's CPU.
  process.env['MALLOC_ARENA_MAX'] ??= '1';
  const ahead = forkWorker();
  // This process only supervises: a nursery that grows while it loads would stay, some 25 MB, and never be used again.
  setFlagsFromString('--semi-space-growth-factor=1');
  try {
    await work(ahead);
  } finally {
    ahead.kill('SIGKILL');
  }
}

/** Resolves when the gateway has drained after the first signal, or was ended by the second. */
export function untilStopped(gateway: Gateway): Promise<void> {
  return new Promise((resolve, reject) => {
    function done(work: Promise<void>): void {
      work.finally(forget).then(resolve, reject);
    }
    const forget = onStopSignals(
      () => {
        done(gateway.drain());
      },
      () => {
        done(gateway.kill());
      },
    );
  });
}
