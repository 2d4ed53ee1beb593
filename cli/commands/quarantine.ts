import { Option, type Command } from 'commander';

import type { KeyRecord } from '../../src/auth/key-record.ts';
import { formatDuration } from '../../src/config/duration.ts';
import { lockJson } from '../../src/operator/changes.ts';
import type { Operations } from '../../src/operator/operations.ts';
import { lockCauseInWords } from '../../src/risk/lock-cause.ts';
import type { Lock } from '../../src/risk/profile.ts';
import { DEFAULT_LOCK_MS } from '../../src/risk/scoring.ts';
import type { LockTime } from '../../src/risk/store.ts';
import { durationOf } from '../arguments.ts';
import { UsageError, withCall, type Call, type Io } from '../command.ts';
import { keyRows } from '../key-rows.ts';
import { copyable, KEY_ARGUMENT } from '../key-view.ts';
import { onGateway } from '../on-gateway.ts';
import { auditChange, withOperator } from '../operator-change.ts';
import { painter, print, printable, table, withOutput, type OutputOptions } from '../output.ts';
import { activeKeys, ofEachKey } from '../read-keys.ts';

const REASON_HELP = 'reason, shown to the client, in the list and in the audit trail; at most 200 characters';

type SetOptions = OutputOptions & { readonly for: number; readonly reason?: string };

interface NamedLock {
  readonly keyHash: string;
  readonly name: string;
  readonly lock: Lock;
}

/** Adds `gateway quarantine …`, which locks and unlocks keys (docs/risk.md). */
export function registerQuarantine(program: Command, io: Io): void {
  const quarantine = program.command('quarantine').description('lock and unlock keys');
  withOutput(
    quarantine
      .command('list')
      .description('list the locked keys')
      .option(
        '--all',
        'read every key, to find locks that were set directly in Redis and have not refused a request yet',
      ),
  ).action(withCall(io, listLocks));
  withOutput(
    withOperator(quarantine.command('set').argument(...KEY_ARGUMENT), REASON_HELP)
      .description('lock a key for a limited time; an existing longer lock is not shortened')
      .addOption(
        new Option('--for <duration>', 'duration of the lock, e.g. 30m')
          .argParser(durationOf('--for'))
          .default(DEFAULT_LOCK_MS, formatDuration(DEFAULT_LOCK_MS)),
      ),
  ).action(withCall(io, setLock));
  withOutput(
    withOperator(quarantine.command('release').argument(...KEY_ARGUMENT)).description(
      'unlock a key; its risk score is kept',
    ),
  ).action(withCall(io, releaseKey));
}

async function listLocks(call: Call, { all = false }: { readonly all?: boolean }): Promise<void> {
  const { locks, now } = await onGateway(call, async (operations) => ({
    locks: await allLocks(operations, call, all),
    now: await operations.readClock(),
  }));
  const json = locks.map(({ keyHash, name, lock }) => ({
    key_hash: keyHash,
    name,
    ...lockJson(lock, now),
    cause: lock.cause ?? null,
  }));
  print(call, { locks: json }, () => {
    if (locks.length === 0) return 'No key is locked.';
    const rows = locks.map(({ keyHash, name, lock }) => [
      name,
      keyHash,
      ...timeLeft(lock, now),
      lock.cause === undefined ? '-' : lockCauseInWords(lock.cause),
    ]);
    return table(['NAME', 'HASH', 'TIME LEFT', 'UNTIL (UTC)', 'CAUSE'], rows, painter(call));
  });
}

/** Returns locks sorted by key hash. */
async function allLocks(operations: Operations, io: Io, all: boolean): Promise<NamedLock[]> {
  const records = all
    ? (await keyRows(operations, io, 'hash')).rows
    : activeKeys(operations, io, { marked: true });
  const locks: NamedLock[] = [];
  for await (const { keyHash, name, lock } of ofEachKey(records, readLock))
    if (lock !== undefined) locks.push({ keyHash, name, lock });
  return locks.toSorted((one, other) => (one.keyHash < other.keyHash ? -1 : 1));

  async function readLock({ keyHash, name }: KeyRecord) {
    return { keyHash, name, lock: (await operations.risks.read(keyHash)).lock };
  }
}

async function setLock(call: Call, reference: string, options: SetOptions): Promise<void> {
  if (options.for === 0) throw new UsageError('--for must be longer than zero, for example: --for 1h');
  const locked = await onGateway(call, ({ changes }) =>
    changes.lockKey({ reference, forMs: options.for, reason: options.reason }),
  );
  const { record, lock, now } = locked.result;
  const { keyHash, name } = record;
  const json = lockJson(lock, now);
  print(call, { key_hash: keyHash, name, ...json }, () => {
    const [left, until] = timeLeft(lock, now);
    const when = until === '-' ? 'permanently' : `for ${left}, until ${until} UTC`;
    const longer = lock.ttlMs === options.for ? '' : ' It already had a longer lock, which is kept.';
    return `${printable(name)} (${keyHash}) is locked ${when}.${longer} To unlock: gateway quarantine release ${copyable(reference, record)}`;
  });
  await auditChange(call, locked.record);
}

async function releaseKey(call: Call, reference: string): Promise<void> {
  const change = await onGateway(call, ({ changes }) => changes.releaseKey({ reference }));
  const { record, released } = change.result;
  const { keyHash, name } = record;
  print(call, { key_hash: keyHash, name, released }, () =>
    released
      ? `${printable(name)} (${keyHash}) is released.`
      : `${printable(name)} (${keyHash}) was not locked.`,
  );
  await auditChange(call, change.record);
}

/** Returns the remaining time, rounded up to seconds, and the end in UTC. */
function timeLeft({ ttlMs }: LockTime, now: number): [string, string] {
  if (ttlMs === undefined) return ['no end', '-'];
  const until = new Date(now + ttlMs).toISOString().slice(0, 19).replace('T', ' ');
  return [formatDuration(Math.ceil(ttlMs / 1_000) * 1_000), until];
}
