import { afterEach, describe, expect, it } from 'vitest';
import {
  startRegoEngine,
  type RegoEngine,
  type RegoEngineOptions,
} from '../../../../src/policy/rego/engine.ts';

/** An endless loop is stopped after 150 ms. An endless shift breaks the engine. */
const LIMITS: RegoEngineOptions = {
  evaluationMs: 150,
  graceMs: 150,
  startMs: 60_000,
  maxWaiting: 40,
  waitMs: 60_000,
};
const POLICY = `package gateway.policy
deny contains "slow" if { input.slow; r := numbers.range(1, 400); r[a] + r[b] + r[c] + r[d] < 0 }
deny contains "hung" if { input.hung; bits.lsh(1, 4000000000) > 0 }
deny contains "it" if input.word == "it"
`;

let engine: RegoEngine | undefined;
afterEach(() => engine?.close());

async function started(options = LIMITS): Promise<RegoEngine> {
  return (engine = await startRegoEngine([{ name: 'p.rego', text: POLICY }], options));
}

interface Said {
  readonly said: unknown;
  readonly ms: number;
}

async function ask(on: RegoEngine, tenant: string, input: unknown): Promise<Said> {
  const begin = performance.now();
  const said = await on.evaluate(JSON.stringify(input), tenant).catch((trouble: unknown) => trouble);
  return { said, ms: performance.now() - begin };
}

const DENIED = { deny: ['it'] };

describe('a tenant that shares an engine', { timeout: 60_000 }, () => {
  it('delays the others by one of its evaluations, not by all', async () => {
    const on = await started();
    const order: string[] = [];
    const slow = Array.from({ length: 6 }, () =>
      ask(on, 'heavy', { slow: true }).then(() => order.push('slow')),
    );
    const quick = ['b', 'c'].map((tenant) =>
      ask(on, tenant, { word: 'it' }).then(({ said }) => {
        order.push('quick');
        return said;
      }),
    );
    expect(await Promise.all(quick)).toEqual([DENIED, DENIED]);
    expect(order).toEqual(['slow', 'quick', 'quick']);
    await Promise.all(slow);
  });

  it('is judged separately once it has used its share, so that the others do not wait', async () => {
    const on = await started({ ...LIMITS, evaluationMs: 600 });
    for (let i = 0; i < 2; i++) await ask(on, 'heavy', { slow: true });
    let isOver = false;
    const heavy = Promise.all(
      Array.from({ length: 3 }, async () => {
        while (!isOver) await ask(on, 'heavy', { slow: true });
      }),
    );
    const waits: number[] = [];
    for (let i = 0; i < 40; i++) {
      const { said, ms } = await ask(on, 'quick', { word: 'it' });
      expect(said).toEqual(DENIED);
      waits.push(ms);
    }
    isOver = true;
    await heavy;
    waits.sort((a, b) => a - b);
    // Behind it, each would wait for about 600 ms.
    expect(waits[20]).toBeLessThan(300);
  });

  it('breaks only the engine of heavy tenants, from its second failure on', async () => {
    let replaced = 0;
    const on = await started({ ...LIMITS, graceMs: 2_000, onReplaced: () => replaced++ });
    const broken = { trouble: expect.stringMatching(/^(hung|died)$/), isBusy: false };
    expect((await ask(on, 'heavy', { hung: true })).said).toMatchObject(broken);
    expect((await ask(on, 'quick', { word: 'it' })).said).toEqual(DENIED);
    const hung = ask(on, 'heavy', { hung: true });
    const behind = ask(on, 'heavy', { word: 'it' });
    const { said, ms } = await ask(on, 'quick', { word: 'it' });
    expect(said).toEqual(DENIED);
    expect(ms).toBeLessThan(1_500);
    expect((await hung).said).toMatchObject(broken);
    expect((await behind).said).toEqual(DENIED);
    expect(replaced).toBe(2);
  });

  it('does not push the others out of the queue', async () => {
    const on = await started();
    const heavy = Array.from({ length: 60 }, () => ask(on, 'heavy', { slow: true }));
    expect((await ask(on, 'quick', { word: 'it' })).said).toEqual(DENIED);
    await on.close();
    const troubles = (await Promise.all(heavy)).map(({ said }) => said);
    const busy = troubles.filter(
      (said) =>
        said instanceof Error &&
        said.message === 'too many requests of this key are waiting for the policies',
    );
    expect(busy.length).toBeGreaterThanOrEqual(19);
    expect(busy.at(0)).toMatchObject({ trouble: 'busy', isBusy: true });
  });

  it('waits for its turn only as long as allowed', async () => {
    const on = await started({ ...LIMITS, evaluationMs: 400, waitMs: 200 });
    const first = ask(on, 'heavy', { slow: true });
    expect((await ask(on, 'quick', { word: 'it' })).said).toMatchObject({ trouble: 'busy', isBusy: true });
    expect((await first).said).toMatchObject({ trouble: 'failed', isBusy: false });
  });
});
