import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, expect, it } from 'vitest';
import { forkWorker } from '../../../src/runtime/fork.ts';
import type { FromWorker } from '../../../src/runtime/worker-protocol.ts';

/** The worker process itself, with a parent other than `gateway serve`. */

let worker: ChildProcess | undefined;
afterEach(() => worker?.kill('SIGKILL'));

async function isAlive(of: ChildProcess): Promise<void> {
  const [message] = (await once(of, 'message')) as [FromWorker];
  expect(message).toEqual({ kind: 'alive' });
}

it('leaves Ctrl-C to its parent, and exits with it', async () => {
  worker = forkWorker();
  await isAlive(worker);
  worker.kill('SIGINT');
  await isAlive(worker);
  const ended = once(worker, 'exit');
  worker.disconnect();
  expect(await ended).toEqual([1, null]);
});
