import { Option, type Command } from 'commander';
import { DEFAULT_LOCK_MS } from '../../src/risk/scoring.ts';
import { lockJson } from '../../src/operator/changes.ts';
import type { LockTime } from '../../src/risk/store.ts';
import { formatDuration } from '../../src/config/duration.ts';
import type { Operations } from '../../src/operator/operations.ts';
import { lockCauseInWords } from '../../src/risk/lock-cause.ts';
import type { Lock } from '../../src/risk/profile.ts';
import type { KeyRecord } from '../../src/auth/key-record.ts';
import { activeKeys, ofEachKey } from '../read-keys.ts';
import { durationOf } from '../arguments.ts';
import { UsageError, type Io } from '../command.ts';
import { keyRows } from '../key-rows.ts';
import { auditChange, withOperator } from '../operator-change.ts';
import {
  painter,
  print,
  printable,
  table,
  withOutput,
  type OutputFormat,
  type OutputOptions,
} from '../output.ts';
import { copyable, KEY_ARGUMENT } from '../key-view.ts';
import { onGateway } from '../on-gateway.ts';

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
  ).action((options: OutputOptions & { readonly all?: true }, command: Command) =>
    listLocks(command, io, options),
  );
  withOutput(
    withOperator(quarantine.command('set').argument(...KEY_ARGUMENT), REASON_HELP)
      .description('lock a key for a limited time; an existing longer lock is not shortened')
      .addOption(
        new Option('--for <duration>', 'duration of the lock, e.g. 30m')
          .argParser(durationOf('--for'))
          .default(DEFAULT_LOCK_MS, formatDuration(DEFAULT_LOCK_MS)),
      ),
  ).action((reference: string, options: SetOptions, command: Command) =>
    setLock(command, io, reference, options),
  );
  withOutput(
    withOperator(quarantine.command('release').argument(...KEY_ARGUMENT)).description(
      'unlock a key; its risk score stays',
    ),
  ).action((reference: string, options: OutputOptions, command: Command) =>
    releaseKey(command, io, reference, options.output),
  );
}

async function listLocks(
  command: Command,
  io: Io,
  { output, all = false }: OutputOptions & { readonly all?: boolean },
): Promise<void> {
  const { locks, now } = await onGateway(command, io, async (operations) => ({
    locks: await allLocks(operations, io, all),
    now: await operations.readClock(),
  }));
  const json = locks.map(({ keyHash, name, lock }) => ({
    key_hash: keyHash,
    name,
    ...lockJson(lock, now),
    cause: lock.cause ?? null,
  }));
  print(io, output, { locks: json }, () => {
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

/** Returns locks, sorted by key hash. */
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

async function setLock(command: Command, io: Io, reference: string, options: SetOptions): Promise<void> {
  if (options.for === 0) throw new UsageError('--for must be longer than zero, for example: --for 1h');
  const locked = await onGateway(command, io, ({ changes }) =>
    changes.lockKey({ reference, forMs: options.for, reason: options.reason }),
  );
  const { record, lock, now } = locked.result;
  const { keyHash, name } = record;
  const json = lockJson(lock, now);
  print(io, options.output, { key_hash: keyHash, name, ...json }, () => {
    const [left, until] = timeLeft(lock, now);
    const when = until === '-' ? 'permanently' : `for ${left}, until ${until} UTC`;
    const longer = lock.ttlMs === options.for ? '' : ' It already had a longer lock, which is kept.';
    return `${printable(name)} (${keyHash}) is locked ${when}.${longer} To unlock: gateway quarantine release ${copyable(reference, record)}`;
  });
  await auditChange(command, io, locked.record);
}

async function releaseKey(command: Command, io: Io, reference: string, output: OutputFormat): Promise<void> {
  const change = await onGateway(command, io, ({ changes }) => changes.releaseKey({ reference }));
  const { record, released } = change.result;
  const { keyHash, name } = record;
  print(io, output, { key_hash: keyHash, name, released }, () =>
    released
      ? `${printable(name)} (${keyHash}) is released.`
      : `${printable(name)} (${keyHash}) was not locked.`,
  );
  await auditChange(command, io, change.record);
}

/** Returns the remaining time in whole seconds, and its end. */
function timeLeft({ ttlMs }: LockTime, now: number): [string, string] {
  if (ttlMs === undefined) return ['no end', '-'];
  const until = new Date(now + ttlMs).toISOString().slice(0, 19).replace('T', ' ');
  return [formatDuration(Math.ceil(ttlMs / 1_000) * 1_000), until];
}
