import { expect, it } from 'vitest';
import { createMemorySessionStore } from '../../../../src/checks/session/memory-store.ts';

/** A trace of very many sessions must not read all of them for each new one. */
it('the sixteenth of very many sessions that end first is removed at once', async () => {
  let time = 1_000;
  const store = createMemorySessionStore({ ttlMs: 1e9, maxPerKey: 0, maxLive: 64, now: () => time });
  const keyHash = 'sha256:a';
  async function had(sessionId: string): Promise<void> {
    time += 1;
    const step = { keyHash, sessionId, operationId: `of-${sessionId}` };
    const opened = await store.open({ ...step, maxSteps: undefined, budgetNanoUsd: undefined });
    if (opened.kind !== 'opened') throw new Error(opened.kind);
    await store.finish(step, opened.session.createdAt);
  }
  for (let nth = 0; nth < 64; nth++) await had(`s${String(nth)}`);
  await had('new');
  const left = (await store.list(keyHash)).map(({ id }) => id);
  expect(left).toEqual(['new', ...Array.from({ length: 60 }, (_, index) => `s${String(63 - index)}`)]);
});
