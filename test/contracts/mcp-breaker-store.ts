import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type {
  BreakerSettings,
  BreakerStore,
  CircuitCaller,
  CircuitChange,
} from '../../src/checks/mcp-breaker/store.ts';

export const SETTINGS: BreakerSettings = { threshold: 5, windowMs: 60_000, probeLeaseMs: 15_000 };

const newServer = (): string => `server-${randomUUID()}`;
export const newKey = (): string => `sha256:${randomUUID()}`;
export const newCaller = (server = newServer()): CircuitCaller => ({ server, keyHash: newKey() });
export const newCall = (): string => randomUUID();

export const OPENED: readonly CircuitChange[] = [{ circuit: 'key', change: 'opened' }];
export const CLOSED: readonly CircuitChange[] = [{ circuit: 'key', change: 'closed' }];

/** Opens a key's circuit with as many failures as needed. */
async function open(store: BreakerStore, caller: CircuitCaller): Promise<void> {
  for (let nth = 0; nth < SETTINGS.threshold; nth++) await store.report(caller, newCall(), 'failed');
}

/** Tests for every circuit store. The store's `now` is the rig's clock. */
export function breakerStoreContract(create: (now: () => number) => BreakerStore): void {
  function rig() {
    const clock = { now: Date.now() };
    return { clock, store: create(() => clock.now), caller: newCaller() };
  }

  /** A circuit after its open time. */
  async function halfOpen() {
    const made = rig();
    await open(made.store, made.caller);
    made.clock.now += SETTINGS.windowMs;
    return made;
  }

  describe('a closed circuit of a key', () => {
    it('opens with the fifth failure, which is reported to one caller', async () => {
      const { store, caller } = rig();
      expect(await store.read(caller)).toEqual({ kind: 'closed' });
      for (let nth = 1; nth < 5; nth++) {
        expect(await store.report(caller, newCall(), 'failed')).toEqual([]);
        expect(await store.read(caller)).toEqual({ kind: 'closed' });
      }
      expect(await store.report(caller, newCall(), 'failed')).toEqual(OPENED);
      expect(await store.report(caller, newCall(), 'failed')).toEqual([]);
      expect(await store.read(caller)).toEqual({ kind: 'open', retryAfterMs: 60_000 });
    });

    it('opens once for simultaneous failures', async () => {
      const { store, caller } = rig();
      const changes = await Promise.all(
        Array.from({ length: 50 }, () => store.report(caller, newCall(), 'failed')),
      );
      expect(changes.filter((told) => told.length > 0)).toHaveLength(1);
    });

    it('drops failures as old as the window', async () => {
      const { clock, store, caller } = rig();
      for (let nth = 0; nth < 20; nth++) {
        expect(await store.report(caller, newCall(), 'failed')).toEqual([]);
        clock.now += 15_000;
      }
      // 15, 30 and 45 seconds old, and this one: four.
      expect(await store.report(caller, newCall(), 'failed')).toEqual([]);
      clock.now += 14_999;
      expect(await store.report(caller, newCall(), 'failed')).toEqual(OPENED);
    });

    it('drops failures that are in the future after its clock went back', async () => {
      const { clock, store, caller } = rig();
      for (let nth = 0; nth < 4; nth++) await store.report(caller, newCall(), 'failed');
      clock.now -= 3_600_000;
      for (let nth = 0; nth < 4; nth++) expect(await store.report(caller, newCall(), 'failed')).toEqual([]);
      expect(await store.report(caller, newCall(), 'failed')).toEqual(OPENED);
    });

    it('counts a failure once, however often it is reported', async () => {
      const { store, caller } = rig();
      const call = newCall();
      for (let nth = 0; nth < 9; nth++) expect(await store.report(caller, call, 'failed')).toEqual([]);
      for (let nth = 0; nth < 3; nth++) expect(await store.report(caller, newCall(), 'failed')).toEqual([]);
      expect(await store.report(caller, newCall(), 'failed')).toEqual(OPENED);
    });

    it('has no probe, and ignores everything but failures', async () => {
      const { store, caller } = rig();
      expect(await store.takeProbe(caller, newCall())).toEqual({ kind: 'closed' });
      for (let nth = 0; nth < 9; nth++) {
        expect(await store.report(caller, newCall(), 'abandoned')).toEqual([]);
        expect(await store.report(caller, newCall(), 'succeeded')).toEqual([]);
      }
      expect(await store.read(caller)).toEqual({ kind: 'closed' });
    });

    it('is separate for another server', async () => {
      const { store, caller } = rig();
      await open(store, newCaller());
      expect(await store.read(caller)).toEqual({ kind: 'closed' });
    });
  });

  describe('an open circuit of a key', () => {
    it('passes nothing until its time is over', async () => {
      const { clock, store, caller } = rig();
      await open(store, caller);
      clock.now += 59_999;
      expect(await store.read(caller)).toEqual({ kind: 'open', retryAfterMs: 1 });
      expect(await store.takeProbe(caller, newCall())).toEqual({ kind: 'open', retryAfterMs: 1 });
      clock.now += 1;
      expect(await store.read(caller)).toEqual({ kind: 'half_open' });
    });

    it('may be probed at once if the clock went back, and its probe ends with its lease', async () => {
      const { clock, store, caller } = rig();
      await open(store, caller);
      clock.now -= 3_600_000;
      expect(await store.read(caller)).toEqual({ kind: 'half_open' });
      expect(await store.takeProbe(caller, newCall())).toEqual({ kind: 'taken' });
      expect(await store.read(caller)).toMatchObject({ kind: 'open' });
      clock.now -= 3_600_000;
      expect(await store.takeProbe(caller, newCall())).toEqual({ kind: 'taken' });
    });

    it('is neither closed nor extended by the results of calls sent before it opened', async () => {
      const { clock, store, caller } = rig();
      await open(store, caller);
      clock.now += 30_000;
      for (const result of ['failed', 'succeeded', 'abandoned'] as const) {
        expect(await store.report(caller, newCall(), result)).toEqual([]);
      }
      expect(await store.read(caller)).toEqual({ kind: 'open', retryAfterMs: 30_000 });
    });

    it('is half open if it opened in the future by its clock', async () => {
      const { clock, store, caller } = rig();
      await open(store, caller);
      clock.now -= 3_600_000;
      expect(await store.read(caller)).toEqual({ kind: 'half_open' });
    });
  });

  describe('a half-open circuit of a key', () => {
    it('gives its probe to one of 50 simultaneous callers, and the others a time to retry', async () => {
      const { store, caller } = await halfOpen();
      const results = await Promise.all(Array.from({ length: 50 }, () => store.takeProbe(caller, newCall())));
      expect(results.filter(({ kind }) => kind === 'taken')).toHaveLength(1);
      expect(results.filter(({ kind }) => kind === 'open')).toHaveLength(49);
      expect(await store.read(caller)).toEqual({ kind: 'open', retryAfterMs: 15_000 });
    });

    it('closes with a successful probe, and has dropped all failures', async () => {
      const { store, caller } = await halfOpen();
      const probe = newCall();
      await store.takeProbe(caller, probe);
      expect(await store.report(caller, probe, 'succeeded')).toEqual(CLOSED);
      expect(await store.report(caller, probe, 'succeeded')).toEqual([]);
      for (let nth = 1; nth < 5; nth++) expect(await store.report(caller, newCall(), 'failed')).toEqual([]);
      expect(await store.read(caller)).toEqual({ kind: 'closed' });
      expect(await store.report(caller, newCall(), 'failed')).toEqual(OPENED);
    });

    it('opens again, for its whole time, with a failed probe', async () => {
      const { clock, store, caller } = await halfOpen();
      const probe = newCall();
      await store.takeProbe(caller, probe);
      clock.now += 7_000;
      expect(await store.report(caller, probe, 'failed')).toEqual(OPENED);
      expect(await store.report(caller, probe, 'failed')).toEqual([]);
      expect(await store.read(caller)).toEqual({ kind: 'open', retryAfterMs: 60_000 });
    });

    it('gives its probe to the next caller if the outcome is unknown', async () => {
      const { store, caller } = await halfOpen();
      const probe = newCall();
      await store.takeProbe(caller, probe);
      expect(await store.report(caller, probe, 'abandoned')).toEqual([]);
      expect(await store.read(caller)).toEqual({ kind: 'half_open' });
      expect(await store.takeProbe(caller, newCall())).toEqual({ kind: 'taken' });
    });

    it('gives it to the next caller when the lease is over, and then ignores the first', async () => {
      const { clock, store, caller } = await halfOpen();
      const first = newCall();
      const second = newCall();
      await store.takeProbe(caller, first);
      clock.now += 15_000;
      expect(await store.read(caller)).toEqual({ kind: 'half_open' });
      expect(await store.takeProbe(caller, second)).toEqual({ kind: 'taken' });
      expect(await store.takeProbe(caller, first)).toEqual({ kind: 'open', retryAfterMs: 15_000 });
      for (const result of ['failed', 'succeeded', 'abandoned'] as const) {
        expect(await store.report(caller, first, result)).toEqual([]);
      }
      expect(await store.report(caller, second, 'succeeded')).toEqual(CLOSED);
    });

    it('reserves it for its holder as long as that one asks', async () => {
      const { clock, store, caller } = await halfOpen();
      const probe = newCall();
      for (let nth = 0; nth < 20; nth++) {
        expect(await store.takeProbe(caller, probe)).toEqual({ kind: 'taken' });
        clock.now += 10_000;
        expect(await store.read(caller)).toEqual({ kind: 'open', retryAfterMs: 5_000 });
      }
      expect(await store.report(caller, probe, 'succeeded')).toEqual(CLOSED);
    });
  });

  const SHUT: CircuitChange = { circuit: 'server', change: 'opened' };
  const FREED: CircuitChange = { circuit: 'server', change: 'closed' };

  describe('the circuit of a server', () => {
    it.each(['failed', 'lost', 'unreachable'] as const)(
      'is separate from that of a key: %s',
      async (result) => {
        const { store, caller } = rig();
        for (let nth = 0; nth < 4; nth++) await store.report(caller, newCall(), result);
        expect(await store.read(newCaller(caller.server))).toEqual({ kind: 'closed' });
      },
    );

    it('stays closed, however often one key fails, and two', async () => {
      const { clock, store, caller } = rig();
      const second = newCaller(caller.server);
      for (let nth = 0; nth < 40; nth++) {
        const told = await store.report(nth % 2 === 0 ? caller : second, newCall(), 'failed');
        expect(told).not.toContainEqual(SHUT);
        clock.now += 400;
      }
      for (const each of [caller, second]) expect(await store.read(each)).toMatchObject({ kind: 'open' });
      expect(await store.read(newCaller(caller.server))).toEqual({ kind: 'closed' });
    });

    it.each([
      ['five keys that fail once', 5, 1],
      ['three keys that fail twice', 3, 2],
      ['four keys that fail twice', 4, 2],
    ])('opens for all with %s', async (_what, keys, times) => {
      const { store, caller } = rig();
      const callers = Array.from({ length: keys }, () => newCaller(caller.server));
      const told: CircuitChange[] = [];
      for (let nth = 0; nth < times; nth++) {
        for (const each of callers) told.push(...(await store.report(each, newCall(), 'failed')));
      }
      expect(told).toEqual([SHUT]);
      for (const each of [...callers, caller]) {
        expect(await store.read(each)).toEqual({ kind: 'open', retryAfterMs: 60_000 });
      }
    });

    it('does not open with one key that fails four times and two that fail once', async () => {
      const { store, caller } = rig();
      for (let nth = 0; nth < 4; nth++) await store.report(caller, newCall(), 'failed');
      for (let nth = 0; nth < 2; nth++) await store.report(newCaller(caller.server), newCall(), 'failed');
      expect(await store.read(newCaller(caller.server))).toEqual({ kind: 'closed' });
    });

    it('counts the newest failures of a key, and only those within the window', async () => {
      const { clock, store, caller } = rig();
      const others = [newCaller(caller.server), newCaller(caller.server), newCaller(caller.server)];
      await store.report(caller, newCall(), 'failed');
      clock.now += 20_000;
      for (let nth = 0; nth < 2; nth++) await store.report(caller, newCall(), 'failed');
      clock.now += 39_999;
      // The two of 40 seconds ago count, and not the one of a minute ago; each of these once.
      const told: (readonly CircuitChange[])[] = [];
      for (const other of others) told.push(await store.report(other, newCall(), 'failed'));
      expect(told).toEqual([[], [], [SHUT]]);
      const again = rig();
      const late = newCaller(again.caller.server);
      for (let nth = 0; nth < 2; nth++) await again.store.report(again.caller, newCall(), 'failed');
      again.clock.now += 60_000;
      for (let nth = 0; nth < 2; nth++) await again.store.report(late, newCall(), 'failed');
      for (let nth = 0; nth < 2; nth++)
        expect(await again.store.report(newCaller(late.server), newCall(), 'failed')).toEqual([]);
      expect(await again.store.report(newCaller(late.server), newCall(), 'failed')).toEqual([SHUT]);
    });

    it.each(['lost', 'unreachable'] as const)(
      'opens with five calls of one key without an answer: %s',
      async (result) => {
        const { store, caller } = rig();
        for (let nth = 0; nth < 4; nth++) expect(await store.report(caller, newCall(), result)).toEqual([]);
        expect(await store.report(caller, newCall(), result)).toEqual([SHUT, ...OPENED]);
        expect(await store.read(newCaller(caller.server))).toEqual({ kind: 'open', retryAfterMs: 60_000 });
        expect(await store.read(newCaller())).toEqual({ kind: 'closed' });
      },
    );

    it('counts a repeated report once', async () => {
      const { store, caller } = rig();
      for (const result of ['lost', 'failed'] as const) {
        const callers = [caller, newCaller(caller.server), newCaller(caller.server)];
        for (const each of callers.slice(0, 2)) {
          const call = newCall();
          for (let nth = 0; nth < 9; nth++) await store.report(each, call, result);
        }
      }
      // Two of each so far.
      expect(await store.read(newCaller(caller.server))).toEqual({ kind: 'closed' });
    });

    /** Opened by five connections of five keys, and past its open time. */
    async function serverHalfOpen() {
      const made = rig();
      for (let nth = 0; nth < 5; nth++)
        await made.store.report(newCaller(made.caller.server), newCall(), 'unreachable');
      made.clock.now += SETTINGS.windowMs;
      return { ...made, key: () => newCaller(made.caller.server) };
    }

    it('gives one probe to one of all keys, and closes for all with its success', async () => {
      const { store, caller, key } = await serverHalfOpen();
      const calls = Array.from({ length: 20 }, () => ({ by: key(), call: newCall() }));
      const results = await Promise.all(calls.map(({ by, call }) => store.takeProbe(by, call)));
      expect(results.filter(({ kind }) => kind === 'taken')).toHaveLength(1);
      const probe = calls[results.findIndex(({ kind }) => kind === 'taken')];
      if (probe === undefined) throw new Error('no probe');
      expect(await store.report(probe.by, probe.call, 'succeeded')).toEqual([FREED]);
      expect(await store.read(caller)).toEqual({ kind: 'closed' });
    });

    it('opens again with a probe that gets no answer', async () => {
      const { store, caller, key } = await serverHalfOpen();
      const [by, call] = [key(), newCall()];
      await store.takeProbe(by, call);
      expect(await store.report(by, call, 'unreachable')).toEqual([SHUT]);
      expect(await store.read(caller)).toEqual({ kind: 'open', retryAfterMs: 60_000 });
    });

    it.each(['failed', 'lost'] as const)(
      'is not kept open by the failed probes of one key, nor of two: %s',
      async (result) => {
        const { store, caller, key } = await serverHalfOpen();
        for (let nth = 0; nth < 2; nth++) {
          const [by, call] = [key(), newCall()];
          expect(await store.takeProbe(by, call)).toEqual({ kind: 'taken' });
          expect(await store.report(by, call, result)).toEqual(OPENED);
          expect(await store.report(by, call, result)).toEqual([]);
          expect(await store.takeProbe(by, newCall())).toEqual({ kind: 'open', retryAfterMs: 60_000 });
          expect(await store.read(caller)).toEqual({ kind: 'half_open' });
        }
        const [by, call] = [key(), newCall()];
        await store.takeProbe(by, call);
        expect(await store.report(by, call, result)).toEqual([SHUT, ...OPENED]);
        expect(await store.read(caller)).toEqual({ kind: 'open', retryAfterMs: 60_000 });
      },
    );

    it('gives its probe to the next key if the outcome is unknown', async () => {
      const { store, key } = await serverHalfOpen();
      const [by, call] = [key(), newCall()];
      await store.takeProbe(by, call);
      expect(await store.report(by, call, 'abandoned')).toEqual([]);
      expect(await store.takeProbe(key(), newCall())).toEqual({ kind: 'taken' });
    });

    it('is probed together with the key’s own, with the same result', async () => {
      const { clock, store, caller } = rig();
      for (let nth = 0; nth < 5; nth++) await store.report(caller, newCall(), 'unreachable');
      clock.now += SETTINGS.windowMs;
      const first = newCall();
      expect(await store.takeProbe(caller, first)).toEqual({ kind: 'taken' });
      expect(await store.read(newCaller(caller.server))).toMatchObject({ kind: 'open' });
      expect(await store.report(caller, first, 'unreachable')).toEqual([SHUT, ...OPENED]);
      clock.now += SETTINGS.windowMs;
      const second = newCall();
      await store.takeProbe(caller, second);
      expect(await store.report(caller, second, 'succeeded')).toEqual([FREED, ...CLOSED]);
    });
  });
}
