import { expect, it } from 'vitest';
import { newKeyHash, reservation, USD, windowStatus, heldIn } from '../support.ts';
import { NOON, storeAt } from './rig.ts';

export function clocks(): void {
  it('never reopen when the clock goes back, nor last longer than their length', async () => {
    const clock = { now: NOON };
    const store = storeAt(clock);
    const { keyHash, held: spent } = await heldIn(store, { minute: USD, daily: USD }, USD);
    await store.settle({ ...spent, costNanoUsd: USD, repeated: false });
    clock.now -= 2 * 86_400_000;
    const again = await store.reserve(reservation(keyHash, { minute: USD, daily: USD }, USD));
    expect(again).toMatchObject({ kind: 'refused' });
    expect(await windowStatus(store, keyHash, 'minute')).toMatchObject({ spent: USD, resetMs: 60_000 });
    expect(await windowStatus(store, keyHash, 'daily')).toMatchObject({ spent: USD, resetMs: 43_200_000 });
  });

  it('stay if the clock goes back over their beginning: midnight does not give a day twice', async () => {
    const clock = { now: NOON + 12 * 3_600_000 + 60_000 };
    const store = storeAt(clock);
    const { keyHash, held: spent } = await heldIn(store, { daily: USD }, USD);
    await store.settle({ ...spent, costNanoUsd: USD, repeated: false });
    clock.now -= 3_600_000;
    expect(await store.reserve(reservation(keyHash, { daily: USD }, 1))).toMatchObject({ kind: 'refused' });
    expect(await windowStatus(store, keyHash, 'daily')).toMatchObject({
      spent: USD,
      resetMs: 90_000_000 - 60_000,
    });
  });

  it('of a minute do not block a key for an hour if the clock goes back by an hour', async () => {
    const clock = { now: NOON + 3_600_000 };
    const store = storeAt(clock);
    const { keyHash, held: spent } = await heldIn(store, { minute: USD }, USD);
    await store.settle({ ...spent, costNanoUsd: USD, repeated: false });
    clock.now -= 3_600_000 - 10_000;
    for (let second = 0; second < 50; second += 10) {
      expect(await store.reserve(reservation(keyHash, { minute: USD }, 1))).toMatchObject({
        kind: 'refused',
      });
      clock.now += 10_000;
    }
    for (let minute = 0; minute < 3; minute++) {
      const held = reservation(keyHash, { minute: USD }, USD);
      expect(await store.reserve(held)).toMatchObject({ kind: 'reserved' });
      expect(await store.reserve(reservation(keyHash, { minute: USD }, 1))).toMatchObject({
        kind: 'refused',
      });
      await store.settle({ ...held, costNanoUsd: USD, repeated: false });
      expect(await windowStatus(store, keyHash, 'minute')).toMatchObject({
        spent: USD,
        reserved: 0,
        resetMs: 60_000,
      });
      clock.now += 60_000;
    }
  });

  it('hold what was reserved before the clock went back until it ends, and never less than zero', async () => {
    const clock = { now: NOON };
    const store = storeAt(clock);
    const { keyHash, held: before } = await heldIn(store, { minute: 3 * USD, daily: 9 * USD }, USD);
    clock.now += 3_600_000;
    await store.renew(keyHash, [before.operationId]);
    const ahead = reservation(keyHash, { minute: 3 * USD, daily: 9 * USD }, USD);
    await store.reserve(ahead);
    clock.now -= 3_600_000 - 1_000;
    const after = reservation(keyHash, { minute: 3 * USD, daily: 9 * USD }, USD);
    expect(await store.reserve(after)).toMatchObject({ kind: 'reserved' });
    for (const held of [before, ahead, after]) {
      await store.settle({ ...held, costNanoUsd: 1_000, repeated: false });
    }
    const minute = await windowStatus(store, keyHash, 'minute');
    expect(minute).toMatchObject({ spent: USD + 1_000, reserved: 0 });
    expect(await windowStatus(store, keyHash, 'daily')).toMatchObject({ spent: 3_000, reserved: 0 });
    clock.now += 60_000;
    expect(await windowStatus(store, keyHash, 'minute')).toMatchObject({ spent: 0, reserved: 0 });
  });

  it.each([3_600_000, 180_000])(
    'get back a dead gateway’s reservations within a lease, though the clock went back by %d ms',
    async (backMs) => {
      const clock = { now: NOON + 3_600_000 };
      const store = storeAt(clock);
      const keyHash = newKeyHash();
      await store.reserve(reservation(keyHash, { daily: USD }, USD));
      clock.now -= backMs;
      expect(await windowStatus(store, keyHash, 'daily')).toMatchObject({ spent: 0, reserved: USD });
      clock.now += 30_000;
      expect(await windowStatus(store, keyHash, 'daily')).toMatchObject({ spent: USD, reserved: 0 });
    },
  );
}
