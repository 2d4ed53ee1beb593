import { BUDGET_WINDOWS, type BudgetLimits } from '../../budget-windows.ts';
import type { CoreConfig } from '../../config/core.ts';
import { parseBudgetLimits } from '../../redis/budget-limits.ts';
import type { RedisStoreOptions } from '../../redis/client.ts';
import {
  budgetLimitsKey,
  DEFAULT_BUDGET_KEY,
  holdKey,
  holdsKey,
  riskProfileKey,
  spendKey,
} from '../../redis/keys.ts';
import { createOperations } from '../../redis/batch.ts';
import { markKey } from '../../redis/marked-keys.ts';
import { listOf, number, oneOf, tupleOf, wholeNumber, yes } from '../../redis/reply.ts';
import { loadScript, type ScriptArg } from '../../redis/script.ts';
import { formField, writeVersionOf } from '../../redis/stored-forms.ts';
import { withRedisDeadline } from '../../redis/unavailable.ts';
import type {
  Account,
  AccountStatus,
  BudgetStore,
  LimitChanges,
  BudgetOperation,
  Reservation,
  ReserveResult,
  SettleResult,
  Tightest,
} from './store.ts';
import { LEASE_MS } from '../lease.ts';

export interface RedisBudgetStoreOptions extends RedisStoreOptions {
  readonly leaseMs?: number;
  readonly alertPercents: readonly number[];
  /** Retention of daily spend records; undefined disables them. */
  readonly spendLifeMs?: number | undefined;
}

/**
 * How long a settled operation is remembered: longer than all retries of the client library, but short, because every
 * request leaves an entry.
 */
const SETTLED_MEMORY_MS = 60_000;
/** Label of spend in shared budgets; keys record provider and model instead. */
const SHARED = 'shared';
/** How long a settlement is accepted after its lease has expired. */
const LATE_MS = 3_600_000;

function loadScripts(leaseMs: number, alertPercents: readonly number[], spendLifeMs: number | undefined) {
  const leases = {
    LEASE: leaseMs,
    LATE_TEXT: String(LATE_MS),
    HOLD_LIFE_TEXT: String(leaseMs + LATE_MS),
    SPEND_LIFE_TEXT: spendLifeMs === undefined ? '' : String(spendLifeMs),
  };
  const [least = Number.MAX_SAFE_INTEGER] = alertPercents;
  const alerts = { ALERT_PERCENTS: alertPercents.join(','), LEAST_PERCENT: least };
  return {
    reserve: loadScript(new URL('./reserve-budget.lua', import.meta.url), leases),
    settle: loadScript(new URL('./settle-budget.lua', import.meta.url), {
      ...leases,
      ...alerts,
      SETTLED_LIFE_TEXT: String(SETTLED_MEMORY_MS),
    }),
    renew: loadScript(new URL('./renew-leases.lua', import.meta.url), leases),
    read: loadScript(new URL('./read-budget.lua', import.meta.url), leases),
  };
}

const reserveReply = tupleOf(
  oneOf('reserved', 'refused', 'closed'),
  number,
  wholeNumber,
  wholeNumber,
  number,
  wholeNumber,
);
const amounts = listOf(number);
const settleReply = tupleOf(yes, number, wholeNumber, number, wholeNumber, number, amounts);
const renewReply = listOf(yes);

export function spendLifeMs({ spend }: Pick<CoreConfig, 'spend'>): number | undefined {
  return spend.enabled ? spend.retention : undefined;
}

export function createRedisBudgetStore(options: RedisBudgetStoreOptions): BudgetStore {
  const { client, deadlineMs, leaseMs = LEASE_MS } = options;
  const operations = createOperations(client, deadlineMs);
  const scripts = loadScripts(
    leaseMs,
    options.alertPercents.toSorted((a, b) => a - b),
    options.spendLifeMs,
  );
  const now = (): string => (options.now === undefined ? '' : String(options.now()));

  function reserveArgs(reservation: Reservation): ScriptArg[] {
    return [
      now(),
      whole(reservation.inputNanoUsd),
      String(reservation.outputNanoUsd),
      reservation.outputTokens ?? '',
      reservation.maxGrantTokens,
      reservation.minGrantTokens,
      reservation.lowestTokens ?? '',
      ...ledgerArgs(reservation.accounts),
    ];
  }

  const reserve: BudgetStore['reserve'] = (reservation, batch, otherwise) =>
    operations.run(
      {
        script: scripts.reserve,
        keys: operationKeys(reservation),
        args: reserveArgs(reservation),
        read: (reply) => reserveResult(reserveReply(reply), reservation.accounts),
        ...(otherwise && {
          otherwise(result: ReserveResult) {
            const other = otherwise(result);
            return other && reserveArgs(other);
          },
        }),
      },
      batch,
    );

  const settle: BudgetStore['settle'] = (settlement, batch) =>
    operations.run(
      {
        script: scripts.settle,
        keys: operationKeys(settlement),
        args: [
          now(),
          whole(settlement.costNanoUsd),
          settlement.repeated ? '' : '1',
          settlement.spentFor ?? SHARED,
          ...ledgerArgs(settlement.accounts),
        ],
        read: (reply) => settleResult(settleReply(reply), settlement.accounts),
      },
      batch,
    );

  async function renew(keyHash: string, operationIds: readonly string[]): Promise<readonly string[]> {
    return withRedisDeadline(deadlineMs, async () => {
      const holds = operationIds.map((id) => holdKey(keyHash, id));
      const reply = await scripts.renew.run(
        client,
        [holdsKey(keyHash), riskProfileKey(keyHash), ...holds],
        [now()],
      );
      const renewed = renewReply(reply);
      return operationIds.filter((_id, index) => renewed[index] !== true);
    });
  }

  async function status(keyHash: string, accounts: readonly Account[]): Promise<readonly AccountStatus[]> {
    const keys = [
      holdsKey(keyHash),
      riskProfileKey(keyHash),
      ...ledgersOf(accounts).map((ledger) => spendKey(keyHash, ledger)),
    ];
    for (;;) {
      const [charged = 0, ...fields] = await withRedisDeadline(deadlineMs, async () =>
        amounts(await scripts.read.run(client, keys, [now(), ...ledgerArgs(accounts)])),
      );
      // A crashed worker may leave more expired leases than one call charges.
      if (charged === 0) {
        return accounts.map((account, index) => accountStatus(account, fields.slice(index * 3)));
      }
    }
  }

  async function getLimits(keyHash: string | undefined): Promise<BudgetLimits> {
    return withRedisDeadline(deadlineMs, async () =>
      parseBudgetLimits(await client.hgetall(limitsKey(keyHash))),
    );
  }

  async function setLimits(keyHash: string | undefined, changes: LimitChanges): Promise<void> {
    const key = limitsKey(keyHash);
    const set = BUDGET_WINDOWS.flatMap((window) => {
      const limit = changes[window];
      return typeof limit === 'number' ? [window, whole(limit)] : [];
    });
    const removed = BUDGET_WINDOWS.filter((window) => changes[window] === null);
    await withRedisDeadline(deadlineMs, async () => {
      // In a transaction, because Redis without free memory would refuse the new limits but remove the old ones.
      const change = client.multi();
      if (set.length > 0) change.hset(key, ...set, ...formField(writeVersionOf(client)));
      if (removed.length > 0) change.hdel(key, ...removed);
      const [, replies] = await Promise.all([
        keyHash !== undefined && set.includes('0') ? markKey(client, keyHash, Infinity) : undefined,
        change.exec(),
      ]);
      for (const [error] of replies ?? []) if (error !== null) throw error;
    });
  }

  return {
    reserve,
    renew,
    settle,
    release: (operation) => settle({ ...operation, costNanoUsd: 0, repeated: false }),
    status,
    getLimits,
    setLimits,
  };
}

function limitsKey(keyHash: string | undefined): string {
  return keyHash === undefined ? DEFAULT_BUDGET_KEY : budgetLimitsKey(keyHash);
}

function operationKeys({ keyHash, operationId, accounts }: BudgetOperation): string[] {
  return [
    holdsKey(keyHash),
    riskProfileKey(keyHash),
    holdKey(keyHash, operationId),
    ...ledgersOf(accounts).map((ledger) => spendKey(keyHash, ledger)),
  ];
}

function ledgersOf(accounts: readonly Account[]): string[] {
  const ledgers: string[] = [];
  for (const { ledger } of accounts) if (ledger !== ledgers.at(-1)) ledgers.push(ledger);
  return ledgers;
}

/** Arguments for accounts.lua: each ledger's account specs (see ledger.lua) and lifetime. */
function ledgerArgs(accounts: readonly Account[]): ScriptArg[] {
  const args: ScriptArg[] = [];
  let spec = '';
  let longestMs = 0;
  accounts.forEach(({ ledger, name, calendar, limitNanoUsd, idleMs }, index) => {
    spec += `${name} ${calendar} ${limitNanoUsd === undefined ? '' : whole(limitNanoUsd)};`;
    longestMs = Math.max(longestMs, idleMs);
    if (accounts[index + 1]?.ledger === ledger) return;
    args.push(spec, longestMs);
    spec = '';
    longestMs = 0;
  });
  return args;
}

/** Formats an amount as a whole number, rounded up and limited to the largest safe integer. */
function whole(nanoUsd: number): string {
  return String(Math.min(Math.ceil(nanoUsd), Number.MAX_SAFE_INTEGER));
}

function reserveResult(
  [verdict, amountNanoUsd, outputTokens, index, remaining, reset]: ReturnType<typeof reserveReply>,
  accounts: readonly Account[],
): ReserveResult {
  if (verdict === 'closed') return { kind: 'closed' };
  const closest = tightest(accounts, index, remaining, reset);
  if (verdict === 'reserved') return { kind: 'reserved', amountNanoUsd, outputTokens, tightest: closest };
  if (closest === undefined) throw new Error('reserve-budget.lua refused without naming an account');
  return { kind: 'refused', amountNanoUsd, tightest: closest };
}

function settleResult(
  [applied, reservedNanoUsd, index, remaining, reset, lasting, crossed]: ReturnType<typeof settleReply>,
  accounts: readonly Account[],
): SettleResult {
  return {
    applied,
    reservedNanoUsd,
    tightest: tightest(accounts, index, remaining, reset),
    sessionSpentNanoUsd: lasting < 0 ? undefined : lasting,
    crossed: crossings(accounts, crossed),
  };
}

function tightest(
  accounts: readonly Account[],
  index: number,
  remainingNanoUsd: number,
  reset: number,
): Tightest | undefined {
  const account = accounts[index];
  return account && { account, remainingNanoUsd, resetMs: reset < 0 ? undefined : reset };
}

function crossings(accounts: readonly Account[], pairs: readonly number[]): SettleResult['crossed'] {
  const crossed: { account: Account; percent: number }[] = [];
  for (let i = 0; i + 1 < pairs.length; i += 2) {
    const account = accounts[pairs[i] ?? -1];
    if (account !== undefined) crossed.push({ account, percent: pairs[i + 1] ?? 0 });
  }
  return crossed;
}

function accountStatus(
  account: Account,
  [spent = 0, reserved = 0, reset = -1]: readonly number[],
): AccountStatus {
  return { account, spentNanoUsd: spent, reservedNanoUsd: reserved, resetMs: reset < 0 ? undefined : reset };
}
