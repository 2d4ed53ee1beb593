import { expect, it } from 'vitest';
import type { EngineThread } from '../../../../src/policy/rego/engine-thread.ts';
import { SpareEngine } from '../../../../src/policy/rego/engine-lane.ts';

interface Started extends PromiseWithResolvers<EngineThread> {
  isEnded: boolean;
}

/** Starts that succeed or fail on demand. */
function starts() {
  const all: Started[] = [];
  return {
    all,
    start(): Promise<EngineThread> {
      const started: Started = { ...Promise.withResolvers<EngineThread>(), isEnded: false };
      all.push(started);
      return started.promise;
    },
    ready(nth: number): EngineThread {
      const thread: EngineThread = {
        facts: { rules: [], inputs: [] },
        evaluate: () => Promise.resolve(undefined),
        end() {
          const started = all[nth];
          if (started !== undefined) started.isEnded = true;
          return Promise.resolve();
        },
      };
      all[nth]?.resolve(thread);
      return thread;
    },
  };
}

it('is started ahead, and again after it was taken', async () => {
  const engines = starts();
  const spare = new SpareEngine(engines.start);
  expect(engines.all).toHaveLength(1);
  const first = engines.ready(0);
  expect(await spare.take()).toBe(first);
  expect(engines.all).toHaveLength(2);
  const second = engines.ready(1);
  expect(await spare.take()).toBe(second);
});

it('is awaited while it starts, and not started twice', async () => {
  const engines = starts();
  const spare = new SpareEngine(engines.start);
  const taken = spare.take();
  expect(engines.all).toHaveLength(1);
  const first = engines.ready(0);
  expect(await taken).toBe(first);
  expect(engines.all).toHaveLength(2);
});

it('is restarted after a failure, and a failure of that is reported', async () => {
  const engines = starts();
  const spare = new SpareEngine(engines.start);
  engines.all[0]?.reject(new Error('out of memory'));
  const taken = spare.take();
  await expect.poll(() => engines.all.length).toBe(2);
  engines.all[1]?.reject(new Error('out of memory again'));
  await expect(taken).rejects.toThrow('out of memory again');
  expect(engines.all).toHaveLength(3);
});

it('is ended with its owner, without starting another', async () => {
  const engines = starts();
  const spare = new SpareEngine(engines.start);
  engines.ready(0);
  await spare.close();
  expect(engines.all.map(({ isEnded }) => isEnded)).toEqual([true]);
});
