import { describe, expect, it } from 'vitest';
import type { Batch } from '../../../src/pipeline/batch.ts';
import { PASS, type Denial } from '../../../src/pipeline/check.ts';
import { confirmed, SessionRead, StaleRead } from '../../../src/pipeline/read-ahead.ts';
import { parsed } from '../../support/exchange.ts';

const BATCH: Batch = { send: () => undefined, drop: () => undefined };
const DENIAL: Denial = { kind: 'deny', type: 'loop_detected', message: 'a loop' };
const CALLER = { keyHash: 'sha256:one', sessionId: 's' };

function exchange(isReadAhead: boolean) {
  const made = parsed({ body: { model: 'm', messages: [] } });
  made.facts.isReadAhead = isReadAhead;
  return made;
}

describe('a read of a session', () => {
  it.each([
    { when: 'the session was read ahead too', isReadAhead: true, expected: { data: 'ahead', isAhead: true } },
    { when: 'the session is opened now', isReadAhead: false, expected: { data: 'now', isAhead: false } },
  ])('is the early one only if $when', async ({ isReadAhead, expected }) => {
    const stored = new SessionRead<string>();
    stored.readAhead(CALLER, BATCH, () => Promise.resolve('ahead'));
    stored.read(exchange(isReadAhead), () => Promise.resolve('now'));
    expect(await stored.take()).toEqual(expected);
  });

  it('serves one judgement; the next one reads again', async () => {
    const stored = new SessionRead<string>();
    stored.readAhead(CALLER, BATCH, () => Promise.resolve('ahead'));
    stored.read(exchange(true), () => Promise.resolve('now'));
    await stored.take();
    expect(await stored.take()).toBeUndefined();
    stored.read(exchange(true), () => Promise.resolve('now'));
    expect(await stored.take()).toEqual({ data: 'now', isAhead: false });
  });

  it('is not early without a session or a batch, and not used unless the body asks for it', async () => {
    const stored = new SessionRead<string>();
    const never = (): Promise<string> => Promise.reject(new Error('read ahead'));
    stored.readAhead({ keyHash: 'sha256:one' }, BATCH, never);
    stored.readAhead(CALLER, undefined, never);
    stored.readAhead(CALLER, BATCH, () => Promise.resolve('ahead'));
    expect(await stored.take()).toBeUndefined();
    expect(await stored.takeAhead()).toBe('ahead');
    expect(stored.takeAhead()).toBeUndefined();
  });
});

describe('a verdict by early data', () => {
  const yes = (): Promise<boolean> => Promise.resolve(true);
  const gone = (): Promise<never> => Promise.reject(new Error('Redis is gone'));

  it('is valid if the data is unchanged, and stale otherwise', async () => {
    expect(await confirmed('loop', yes())).toEqual(PASS);
    expect(await confirmed('loop', yes(), DENIAL)).toEqual(DENIAL);
    for (const verdict of [PASS, DENIAL]) {
      await expect(confirmed('loop', Promise.resolve(false), verdict)).rejects.toEqual(new StaleRead('loop'));
    }
  });

  it('fails with its store, unless a refusal shows that the comparison had succeeded', async () => {
    await expect(confirmed('loop', yes(), gone())).rejects.toThrow('Redis is gone');
    await expect(confirmed('loop', gone())).rejects.toThrow('Redis is gone');
    expect(await confirmed('loop', gone(), DENIAL)).toEqual(DENIAL);
  });
});
