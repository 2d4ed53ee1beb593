import type { Command } from 'commander';
import { DEFAULT_LOCK_MS } from '../../src/risk/scoring.ts';
import type { LockTime } from '../../src/risk/store.ts';
import { formatDuration } from '../../src/config/duration.ts';
import type { Operations } from '../../src/operate.ts';
import { maskSecrets } from '../../src/detectors/mask.ts';
import { lockCauseInWords, plainReason, type LockCause } from '../../src/risk/lock-cause.ts';
import type { Lock } from '../../src/risk/profile.ts';
import { durationArgument } from '../arguments.ts';
import { UsageError, type Io } from '../command.ts';
import { auditChange, newOrderId, recordChange } from '../operator-change.ts';
import {
  painter,
  print,
  printable,
  table,
  withOutput,
  type OutputFormat,
  type OutputOptions,
} from '../output.ts';
import { onKey, onRedis } from '../on-redis.ts';

type SetOptions = OutputOptions & { readonly for: number; readonly reason?: string };

interface NamedLock {
  readonly keyHash: string;
  readonly name: string;
  readonly lock: Lock;
}

/** `gateway quarantine …`: locks by hand (docs/risk.md). */
export function registerQuarantine(program: Command, io: Io): void {
  const quarantine = program.command('quarantine').description('lock keys, release them, list locked ones');
  withOutput(quarantine.command('list').description('list the keys that are locked now')).action(
    (options: OutputOptions, command: Command) => listLocks(command, io, options.output),
  );
  withOutput(
    quarantine
      .command('set <key>')
      .description('refuse every request of a key for a while; a longer lock that it has stays')
      .option('--for <duration>', 'how long, e.g. 30m', durationArgument, DEFAULT_LOCK_MS)
      .option('--reason <text>', 'shown to whoever uses the key, and in the list; 200 characters at most'),
  ).action((reference: string, options: SetOptions, command: Command) =>
    setLock(command, io, reference, options),
  );
  withOutput(quarantine.command('release <key>').description('release a key; its risk score stays')).action(
    (reference: string, options: OutputOptions, command: Command) =>
      releaseKey(command, io, reference, options.output),
  );
}

async function listLocks(command: Command, io: Io, output: OutputFormat): Promise<void> {
  const { locks, now } = await onRedis(command, io, async (operations) => ({
    locks: await allLocks(operations),
    now: await operations.readClock(),
  }));
  const json = locks.map(({ keyHash, name, lock }) => ({
    key_hash: keyHash,
    name,
    ...lockJson(lock, now),
    cause: lock.cause ?? null,
  }));
  print(io, output, json, () => {
    if (locks.length === 0) return 'No key is locked.';
    const rows = locks.map(({ keyHash, name, lock }) => [
      name,
      keyHash,
      ...timeLeft(lock, now),
      lock.cause === undefined ? '-' : lockCauseInWords(lock.cause),
    ]);
    return table(['NAME', 'HASH', 'LEFT', 'UNTIL (UTC)', 'WHY'], rows, painter(io));
  });
}

async function allLocks({ risks, keys }: Operations): Promise<NamedLock[]> {
  const locks: NamedLock[] = [];
  let after: string | undefined;
  do {
    const page = await risks.listLocked(after);
    for (const { keyHash, lock } of page.locked) {
      locks.push({ keyHash, name: (await keys.find(keyHash)).name, lock });
    }
    after = page.next;
  } while (after !== undefined);
  return locks;
}

async function setLock(command: Command, io: Io, reference: string, options: SetOptions): Promise<void> {
  if (options.for === 0) throw new UsageError('--for must be over zero');
  const operationId = newOrderId();
  const { record, lock, now } = await onKey(command, io, reference, async ({ risks, readClock }, hash) => ({
    lock: await risks.lock(hash, options.for, operationId, causeOf(options)),
    now: await readClock(),
  }));
  const { keyHash, name } = record;
  const json = lockJson(lock, now);
  recordChange(io, 'quarantine set', {
    key_hash: keyHash,
    operation_id: operationId,
    ...json,
    cause: causeOf(options),
  });
  print(io, options.output, { key_hash: keyHash, name, ...json }, () => {
    const [left, until] = timeLeft(lock, now);
    const when = until === '-' ? 'without an end' : `for ${left}, until ${until} UTC`;
    const longer = lock.ttlMs === options.for ? '' : ' It had a longer lock, which stays.';
    return `${printable(name)} (${keyHash}) is locked ${when}.${longer}`;
  });
  const fields = { ...json, cause: causeOf(options) };
  await auditChange(command, io, { activity: 'create', operation: 'quarantine set', key: record, fields });
}

async function releaseKey(command: Command, io: Io, reference: string, output: OutputFormat): Promise<void> {
  const { record, released } = await onKey(command, io, reference, async ({ risks }, hash) => ({
    released: await risks.release(hash),
  }));
  const { keyHash, name } = record;
  recordChange(io, 'quarantine released', { key_hash: keyHash, was_locked: released });
  print(io, output, { key_hash: keyHash, name, released }, () =>
    released
      ? `${printable(name)} (${keyHash}) is released.`
      : `${printable(name)} (${keyHash}) was not locked.`,
  );
  const fields = { was_locked: released };
  await auditChange(command, io, {
    activity: 'delete',
    operation: 'quarantine release',
    key: record,
    fields,
  });
}

function causeOf({ reason }: SetOptions): LockCause {
  const words = reason === undefined ? undefined : plainReason(maskSecrets(reason));
  return { kind: 'operator', ...(words !== undefined && { reason: words }) };
}

/** `now` by Redis's clock, in which the lock ends. */
function lockJson({ ttlMs }: LockTime, now: number): Record<string, unknown> {
  return {
    lock_ttl_seconds: ttlMs === undefined ? null : Math.ceil(ttlMs / 1_000),
    locked_until: ttlMs === undefined ? null : new Date(now + ttlMs).toISOString(),
  };
}

/** Time left in whole seconds, and the end of it. */
function timeLeft({ ttlMs }: LockTime, now: number): [string, string] {
  if (ttlMs === undefined) return ['no end', '-'];
  const until = new Date(now + ttlMs).toISOString().slice(0, 19).replace('T', ' ');
  return [formatDuration(Math.ceil(ttlMs / 1_000) * 1_000), until];
}
