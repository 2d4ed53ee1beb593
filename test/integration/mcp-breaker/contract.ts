import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { BreakerSettings, BreakerStore } from '../../../src/checks/mcp-breaker/store.ts';

export const SETTINGS: BreakerSettings = { threshold: 5, windowMs: 60_000, probeLeaseMs: 15_000 };

export const newServer = (): string => `server-${randomUUID()}`;
export const newCall = (): string => randomUUID();

/** Opens a circuit by as many failures as it takes. */
export async function open(store: BreakerStore, server: string): Promise<void> {
  for (let nth = 0; nth < SETTINGS.threshold; nth++) await store.report(server, newCall(), 'failed');
}

/** What every store of circuits does, wherever it keeps them. `now` of the store is the rig's clock. */
export function breakerStoreContract(create: (now: () => number) => BreakerStore): void {
  function rig() {
    const clock = { now: Date.now() };
    return { clock, store: create(() => clock.now), server: newServer() };
  }

  /** A circuit whose time is over. */
  async function halfOpen() {
    const made = rig();
    await open(made.store, made.server);
    made.clock.now += SETTINGS.windowMs;
    return made;
  }

  describe('a closed circuit', () => {
    it('opens with the fifth failure, which one caller is told of', async () => {
      const { store, server } = rig();
      expect(await store.read(server)).toEqual({ kind: 'closed' });
      for (let nth = 1; nth < 5; nth++) {
        expect(await store.report(server, newCall(), 'failed')).toBeUndefined();
        expect(await store.read(server)).toEqual({ kind: 'closed' });
      }
      expect(await store.report(server, newCall(), 'failed')).toBe('opened');
      expect(await store.report(server, newCall(), 'failed')).toBeUndefined();
      expect(await store.read(server)).toEqual({ kind: 'open', retryAfterMs: 60_000 });
    });

    it('opens once for failures that come all at once', async () => {
      const { store, server } = rig();
      const changes = await Promise.all(
        Array.from({ length: 50 }, () => store.report(server, newCall(), 'failed')),
      );
      expect(changes.filter((change) => change === 'opened')).toHaveLength(1);
    });

    it('forgets failures that are as old as the window', async () => {
      const { clock, store, server } = rig();
      for (let nth = 0; nth < 20; nth++) {
        expect(await store.report(server, newCall(), 'failed')).toBeUndefined();
        clock.now += 15_000;
      }
      // 15, 30 and 45 seconds old, and this one: four.
      expect(await store.report(server, newCall(), 'failed')).toBeUndefined();
      clock.now += 14_999;
      expect(await store.report(server, newCall(), 'failed')).toBe('opened');
    });

    it('forgets failures that its clock, which went back, has yet to see', async () => {
      const { clock, store, server } = rig();
      for (let nth = 0; nth < 4; nth++) await store.report(server, newCall(), 'failed');
      clock.now -= 3_600_000;
      for (let nth = 0; nth < 4; nth++)
        expect(await store.report(server, newCall(), 'failed')).toBeUndefined();
      expect(await store.report(server, newCall(), 'failed')).toBe('opened');
    });

    it('counts a failure once, however often it is reported', async () => {
      const { store, server } = rig();
      const call = newCall();
      for (let nth = 0; nth < 9; nth++) expect(await store.report(server, call, 'failed')).toBeUndefined();
      for (let nth = 0; nth < 3; nth++)
        expect(await store.report(server, newCall(), 'failed')).toBeUndefined();
      expect(await store.report(server, newCall(), 'failed')).toBe('opened');
    });

    it('has no probe, and nothing but failures is of interest', async () => {
      const { store, server } = rig();
      expect(await store.takeProbe(server, newCall())).toEqual({ kind: 'closed' });
      for (let nth = 0; nth < 9; nth++) {
        expect(await store.report(server, newCall(), 'abandoned')).toBeUndefined();
        expect(await store.report(server, newCall(), 'succeeded')).toBeUndefined();
      }
      expect(await store.read(server)).toEqual({ kind: 'closed' });
    });

    it('is not that of another server', async () => {
      const { store, server } = rig();
      await open(store, newServer());
      expect(await store.read(server)).toEqual({ kind: 'closed' });
    });
  });

  describe('an open circuit', () => {
    it('lets nothing pass until its time is over', async () => {
      const { clock, store, server } = rig();
      await open(store, server);
      clock.now += 59_999;
      expect(await store.read(server)).toEqual({ kind: 'open', retryAfterMs: 1 });
      expect(await store.takeProbe(server, newCall())).toEqual({ kind: 'open', retryAfterMs: 1 });
      clock.now += 1;
      expect(await store.read(server)).toEqual({ kind: 'half_open' });
    });

    it('is neither closed nor put off by what comes of calls that were sent before it opened', async () => {
      const { clock, store, server } = rig();
      await open(store, server);
      clock.now += 30_000;
      for (const result of ['failed', 'succeeded', 'abandoned'] as const) {
        expect(await store.report(server, newCall(), result)).toBeUndefined();
      }
      expect(await store.read(server)).toEqual({ kind: 'open', retryAfterMs: 30_000 });
    });

    it('of which the clock says that it opens later is half open', async () => {
      const { clock, store, server } = rig();
      await open(store, server);
      clock.now -= 3_600_000;
      expect(await store.read(server)).toEqual({ kind: 'half_open' });
    });
  });

  describe('a half-open circuit', () => {
    it('gives its probe to one of 50 that ask at once; the others are told when to come back', async () => {
      const { store, server } = await halfOpen();
      const results = await Promise.all(Array.from({ length: 50 }, () => store.takeProbe(server, newCall())));
      expect(results.filter(({ kind }) => kind === 'taken')).toHaveLength(1);
      expect(results.filter(({ kind }) => kind === 'open')).toHaveLength(49);
      expect(await store.read(server)).toEqual({ kind: 'open', retryAfterMs: 15_000 });
    });

    it('closes with a probe that succeeds, and has forgotten all failures', async () => {
      const { store, server } = await halfOpen();
      const probe = newCall();
      await store.takeProbe(server, probe);
      expect(await store.report(server, probe, 'succeeded')).toBe('closed');
      expect(await store.report(server, probe, 'succeeded')).toBeUndefined();
      for (let nth = 1; nth < 5; nth++)
        expect(await store.report(server, newCall(), 'failed')).toBeUndefined();
      expect(await store.read(server)).toEqual({ kind: 'closed' });
      expect(await store.report(server, newCall(), 'failed')).toBe('opened');
    });

    it('opens again, for its whole time, with a probe that fails', async () => {
      const { clock, store, server } = await halfOpen();
      const probe = newCall();
      await store.takeProbe(server, probe);
      clock.now += 7_000;
      expect(await store.report(server, probe, 'failed')).toBe('opened');
      expect(await store.report(server, probe, 'failed')).toBeUndefined();
      expect(await store.read(server)).toEqual({ kind: 'open', retryAfterMs: 60_000 });
    });

    it('gives its probe to the next one where nobody knows what became of it', async () => {
      const { store, server } = await halfOpen();
      const probe = newCall();
      await store.takeProbe(server, probe);
      expect(await store.report(server, probe, 'abandoned')).toBeUndefined();
      expect(await store.read(server)).toEqual({ kind: 'half_open' });
      expect(await store.takeProbe(server, newCall())).toEqual({ kind: 'taken' });
    });

    it('gives it to the next one too when the lease is over, and then hears nothing of the first', async () => {
      const { clock, store, server } = await halfOpen();
      const first = newCall();
      const second = newCall();
      await store.takeProbe(server, first);
      clock.now += 15_000;
      expect(await store.read(server)).toEqual({ kind: 'half_open' });
      expect(await store.takeProbe(server, second)).toEqual({ kind: 'taken' });
      expect(await store.takeProbe(server, first)).toEqual({ kind: 'open', retryAfterMs: 15_000 });
      for (const result of ['failed', 'succeeded', 'abandoned'] as const) {
        expect(await store.report(server, first, result)).toBeUndefined();
      }
      expect(await store.report(server, second, 'succeeded')).toBe('closed');
    });

    it('leaves it to who holds it for as long as that one asks', async () => {
      const { clock, store, server } = await halfOpen();
      const probe = newCall();
      for (let nth = 0; nth < 20; nth++) {
        expect(await store.takeProbe(server, probe)).toEqual({ kind: 'taken' });
        clock.now += 10_000;
        expect(await store.read(server)).toEqual({ kind: 'open', retryAfterMs: 5_000 });
      }
      expect(await store.report(server, probe, 'succeeded')).toBe('closed');
    });
  });
}
