import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import { createAuthenticate, type Authenticate } from '../../../src/auth/authenticate.ts';
import { createKeyStateStore } from '../../../src/auth/key-state-store.ts';
import { createKeyStore, KeyError, type IssuedKey, type KeyStore } from '../../../src/auth/key-store.ts';
import { createRawKey, hashKey } from '../../../src/auth/raw-key.ts';
import { GatewayError } from '../../../src/errors.ts';
import type { RedisClient } from '../../../src/redis/client.ts';
import { defaultConfig } from '../../support/default-config.ts';
import { useTestRedis } from '../../support/redis.ts';

const RUNS = 60;
const SLOTS = 2;
const SHORT_MS = 40;
const WAIT_MS = 60;
const LONG_MS = 3_600_000;
const MAX_LIVE_RAW_KEYS = 8;

const redis = useTestRedis();
let client: RedisClient;

beforeAll(async () => {
  client = await redis.connect();
});

/** A time by Redis's clock, as exact as the waits for Redis allow. Unix ms. */
interface Moment {
  readonly from: number;
  readonly to: number;
}

interface RawKey {
  readonly rawKey: string;
  /** Undefined: it does not expire. */
  until: Moment | undefined;
}

interface Identity {
  readonly keyHash: string;
  readonly raws: RawKey[];
  readonly expiresAt: Moment | undefined;
  isRevoked: boolean;
}

/** The state of every issued key by the rules of docs/keys.md. */
interface Model {
  readonly slots: (Identity | undefined)[];
  /** Keys whose slot was given to another key. */
  readonly former: Identity[];
}

interface Real {
  readonly store: KeyStore;
  /** A worker that has seen all earlier events, with its caches. */
  readonly worker: Authenticate;
}

const RISK = defaultConfig().risk_profile;
const NO_LIMIT = { count: () => undefined, isOver: () => false };

function newWorker(isOver = false): Authenticate {
  const keys = createKeyStateStore({ client, deadlineMs: 2_000 });
  return createAuthenticate({
    keys,
    failures: { ...NO_LIMIT, isOver: () => isOver },
    heldAttempts: { count: () => undefined },
    riskProfile: RISK,
  });
}

async function redisTime(): Promise<number> {
  const [seconds, micros] = await client.time();
  return Number(seconds) * 1_000 + Math.floor(Number(micros) / 1_000);
}

async function timed<Result>(work: () => Promise<Result>): Promise<{ at: Moment; result: Result }> {
  const from = await redisTime();
  const result = await work();
  return { at: { from, to: await redisTime() }, result };
}

function after({ from, to }: Moment, ms: number): Moment {
  return { from: from + ms, to: to + ms };
}

function earlier(one: Moment | undefined, other: Moment): Moment {
  if (one === undefined) return other;
  return { from: Math.min(one.from, other.from), to: Math.min(one.to, other.to) };
}

/** Undefined if the clock reading is too inexact to decide. */
function hasEnded(end: Moment | undefined, now: Moment): boolean | undefined {
  if (end === undefined || now.to < end.from) return false;
  return now.from >= end.to ? true : undefined;
}

function isActive(identity: Identity, raw: RawKey, now: Moment): boolean | undefined {
  const ends = [hasEnded(identity.expiresAt, now), hasEnded(raw.until, now), identity.isRevoked];
  if (ends.includes(true)) return false;
  return ends.includes(undefined) ? undefined : true;
}

async function answerOf(authenticate: Authenticate, rawKey: string): Promise<string> {
  try {
    return (await authenticate({ rawKey, clientAddress: '192.0.2.7' })).key.keyHash;
  } catch (failure) {
    if (failure instanceof GatewayError) return failure.type;
    throw failure;
  }
}

/** Every issued raw key, tried at a worker that knows it, a new one, and one that rechecks it. */
async function assertAnswers({ slots, former }: Model, { worker }: Real): Promise<void> {
  const workers = [worker, newWorker(), newWorker(true)];
  const known = createKeyStateStore({ client, deadlineMs: 2_000 });
  for (const identity of [...slots, ...former]) {
    for (const raw of identity?.raws ?? []) {
      const { at, result: answers } = await timed(() =>
        Promise.all(workers.map((one) => answerOf(one, raw.rawKey))),
      );
      const active = identity && isActive(identity, raw, at);
      if (active === undefined) continue;
      const expected = active ? identity?.keyHash : 'invalid_key';
      expect(answers).toEqual(workers.map(() => expected));
      if (active) expect(await known.knowsAny([hashKey(raw.rawKey)])).toBe(true);
    }
  }
  expect(await answerOf(worker, createRawKey())).toBe('invalid_key');
}

abstract class Step implements fc.AsyncCommand<Model, Real> {
  readonly slot: number;

  constructor(slot: number) {
    this.slot = slot;
  }

  check({ slots }: Readonly<Model>): boolean {
    return slots[this.slot] !== undefined;
  }

  async run(model: Model, real: Real): Promise<void> {
    await this.act(model, real);
    await assertAnswers(model, real);
  }

  abstract act(model: Model, real: Real): Promise<void>;
}

class Create extends Step {
  readonly lifeMs: number | undefined;

  constructor(slot: number, lifeMs: number | undefined) {
    super(slot);
    this.lifeMs = lifeMs;
  }

  override check(): boolean {
    return true;
  }

  override async act(model: Model, { store }: Real): Promise<void> {
    const { slot, lifeMs } = this;
    const before = model.slots[slot];
    if (before !== undefined) model.former.push(before);
    const { at, result } = await timed(() =>
      store.create({
        name: `key-${randomUUID()}`,
        provider: 'openai',
        ...(lifeMs !== undefined && { expiresInMs: lifeMs }),
      }),
    );
    model.slots[slot] = {
      keyHash: result.record.keyHash,
      raws: [{ rawKey: result.rawKey, until: undefined }],
      expiresAt: lifeMs === undefined ? undefined : after(at, lifeMs),
      isRevoked: false,
    };
  }

  override toString(): string {
    return `create(${String(this.slot)}, ${String(this.lifeMs)})`;
  }
}

class Rotate extends Step {
  readonly graceMs: number;

  constructor(slot: number, graceMs: number) {
    super(slot);
    this.graceMs = graceMs;
  }

  override async act({ slots }: Model, { store }: Real): Promise<void> {
    const identity = slots[this.slot];
    if (identity === undefined) return;
    const { at, result } = await timed(() => rotated(store, identity.keyHash, this.graceMs));
    const ended = identity.raws.map(({ until }) => hasEnded(until, at));
    const mayNot = [
      identity.isRevoked,
      hasEnded(identity.expiresAt, at),
      ended.filter((one) => one === false).length >= MAX_LIVE_RAW_KEYS || undefined,
    ];
    const isClear = !ended.includes(undefined) && hasEnded(identity.expiresAt, at) !== undefined;
    if (mayNot.includes(true)) expect(result).toBe('refused');
    else if (isClear) expect(result).not.toBe('refused');
    if (result === 'refused') return;
    const last = after(at, this.graceMs);
    for (const raw of identity.raws) raw.until = earlier(raw.until, last);
    identity.raws.push({ rawKey: result.rawKey, until: undefined });
  }

  override toString(): string {
    return `rotate(${String(this.slot)}, ${String(this.graceMs)})`;
  }
}

async function rotated(store: KeyStore, keyHash: string, graceMs: number): Promise<IssuedKey | 'refused'> {
  try {
    return await store.rotate(keyHash, graceMs);
  } catch (failure) {
    if (failure instanceof KeyError) return 'refused';
    throw failure;
  }
}

class Revoke extends Step {
  override async act({ slots }: Model, { store }: Real): Promise<void> {
    const identity = slots[this.slot];
    if (identity === undefined) return;
    await store.revoke(identity.keyHash);
    identity.isRevoked = true;
  }

  override toString(): string {
    return `revoke(${String(this.slot)})`;
  }
}

class Wait extends Step {
  readonly ms: number;

  constructor(where: number, ms = WAIT_MS) {
    super(where);
    this.ms = ms;
  }

  override act(): Promise<void> {
    return delay(this.ms);
  }

  override toString(): string {
    return 'wait';
  }
}

const slot = fc.nat({ max: SLOTS - 1 });
const steps = [
  fc
    .tuple(slot, fc.constantFrom(undefined, SHORT_MS, LONG_MS))
    .map(([where, lifeMs]) => new Create(where, lifeMs)),
  fc.tuple(slot, fc.constantFrom(0, SHORT_MS, LONG_MS)).map(([where, graceMs]) => new Rotate(where, graceMs)),
  fc.tuple(slot, fc.constantFrom(0, LONG_MS)).map(([where, graceMs]) => new Rotate(where, graceMs)),
  slot.map((where) => new Revoke(where)),
  slot.map((where) => new Wait(where)),
];

async function play(commands: Iterable<fc.AsyncCommand<Model, Real>>): Promise<void> {
  await redis.flush();
  await fc.asyncModelRun(
    () => ({
      model: { slots: Array.from({ length: SLOTS }, () => undefined), former: [] } satisfies Model as Model,
      real: { store: createKeyStore(client), worker: newWorker() },
    }),
    commands,
  );
}

it('keys are admitted and refused according to their creation, rotations, revocation and expiry, by every worker', async () => {
  await fc.assert(
    fc.asyncProperty(fc.commands(steps, { maxCommands: 24 }), (commands) => play(commands)),
    { numRuns: RUNS, endOnFailure: true },
  );
}, 120_000);

it('a key that was rotated out, and removed by a later rotation, is refused, and the last one admitted', async () => {
  await play([
    new Create(0, undefined),
    ...Array.from({ length: 4 }, () => [new Rotate(0, 0), new Wait(0)]).flat(),
  ]);
});

it('a longer grace period of a later rotation extends the life of no raw key', async () => {
  await play([
    new Create(0, undefined),
    new Rotate(0, 500),
    new Rotate(0, LONG_MS),
    new Wait(0, 600),
    new Rotate(0, LONG_MS),
  ]);
});

it('a ninth live raw key is refused until one has ended', async () => {
  await play([
    new Create(0, undefined),
    ...Array.from({ length: 9 }, () => new Rotate(0, LONG_MS)),
    new Rotate(0, 0),
    new Revoke(0),
    new Rotate(0, 0),
  ]);
});
