import type { ChildProcess } from 'node:child_process';
import { setFlagsFromString } from 'node:v8';

import type { Command } from 'commander';

import { DEFAULT_CONFIG_PATH } from '../../src/config/default-path.ts';
import type { Config } from '../../src/config/schema.ts';
import { startConfigReader } from '../../src/runtime/config-reader.ts';
import { forkWorker, type WorkerOutput } from '../../src/runtime/fork.ts';
import { giveBackMemory } from '../../src/runtime/give-back-memory.ts';
import { onStopSignals } from '../../src/runtime/stop-signals.ts';
import type { Gateway } from '../../src/serve.ts';
import type { GlobalOptions, Io } from '../command.ts';
import type { Serving } from '../start-serving.ts';

/** Delay before collecting the startup garbage, about 10 MB. */
const SETTLED_MS = 5_000;

/** Adds `gateway serve`, which runs the gateway until SIGTERM or SIGINT. */
export function registerServe(program: Command, io: Io): void {
  program
    .command('serve')
    .description('start the gateway: Envoy, the sidecar processes and the admin listener')
    .action(async (_options: unknown, command: Command) => {
      await withWorkerAhead(async (ahead) => {
        const { config: path } = command.optsWithGlobals<GlobalOptions>();
        const { gateway, close } = await startOn(path, io, ahead);
        setTimeout(giveBackMemory, SETTLED_MS).unref();
        await untilStopped(gateway).finally(close);
      });
    });
}

/** Serves the configuration at `path`, which another process loads while this one imports modules. */
async function startOn(path: string | undefined, io: Io, ahead: ChildProcess): Promise<Serving> {
  const { readConfig, renderEnvoy, close } = startConfigReader();
  try {
    const [config, { startServing }] = await Promise.all([
      readConfig(path, io.env),
      import('../start-serving.ts'),
    ]);
    const reload = {
      file: path ?? DEFAULT_CONFIG_PATH,
      read: (inForce: Config) => readAgain(path, io, inForce),
    };
    return await startServing({ config, renderEnvoy, ahead, reload, io });
  } finally {
    close();
  }
}

async function readAgain(path: string | undefined, io: Io, inForce: Config) {
  const reader = startConfigReader();
  try {
    const config = await reader.readConfig(path, io.env);
    return { config, changes: await reader.compare(inForce) };
  } finally {
    reader.close();
  }
}

/** Starts the first sidecar early, because importing modules takes most of its startup. Kills it at the end. */
export async function withWorkerAhead(
  work: (ahead: ChildProcess) => Promise<void>,
  output?: WorkerOutput,
): Promise<void> {
  // Inherited by sidecars. glibc would keep 20 to 90 MB of freed memory in one arena per thread.
  // A single arena costs 1 % of a request's CPU.
  process.env['MALLOC_ARENA_MAX'] ??= '1';
  const ahead = forkWorker(undefined, output);
  // This process only supervises, so a nursery that grew during startup would waste 25 MB.
  setFlagsFromString('--semi-space-growth-factor=1');
  try {
    await work(ahead);
  } finally {
    ahead.kill('SIGKILL');
  }
}

/** Resolves when the gateway has drained (first signal) or was killed (second signal). */
export function untilStopped(gateway: Pick<Gateway, 'drain' | 'kill'>): Promise<void> {
  return new Promise((resolve, reject) => {
    function done(work: Promise<void>): void {
      work.finally(forget).then(resolve, reject);
    }
    const forget = onStopSignals(
      () => done(gateway.drain()),
      () => done(gateway.kill()),
    );
  });
}
