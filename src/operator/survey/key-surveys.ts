import type { BudgetLimits } from '../../budget-windows.ts';
import type { KeyRecord } from '../../auth/key-record.ts';
import { effectiveLimits, hasBudget } from '../../redis/budget-limits.ts';
import type { RedisOperations } from '../redis-operations.ts';
import { usedPercent } from '../../checks/budget/status-json.ts';
import { windowsOf } from '../views/budget-view.ts';
import { createSurvey, type Survey } from './survey.ts';

/** Fields for searching and sorting keys. Kept small, because there may be 250,000 keys. */
export interface KeyRow {
  readonly name: string;
  readonly provider: string;
  readonly owner: string | undefined;
  /** Name, owner, agent and tags in lower case. */
  readonly text: string;
  readonly createdAt: number;
  readonly expiresAt: number | undefined;
  readonly revokedAt: number | undefined;
  readonly lastUsedAt: number | undefined;
}

/** Values for sorting and filtering keys by risk, lock and budget. */
export interface StateRow {
  readonly riskScore: number;
  readonly isLocked: boolean;
  readonly isBlocked: boolean;
  readonly usedPercent: number;
}

export interface KeySurveys {
  readonly keys: Survey<KeyRow>;
  readonly states: Survey<StateRow>;
  /** Reads one key again after a change. */
  note(keyHash: string): Promise<void>;
}

/** A batch of this many states takes about 1 ms in Redis. */
const STATES_AT_ONCE = 50;
/** Pauses between batches, as multiples of the batch duration. */
const PAUSES = { keys: 2, states: 4 } as const;
/** The longest budget window, plus a day. */
const LONGEST_WINDOW_MS = 32 * 86_400_000;

export function createKeySurveys(operations: RedisOperations, countKeys: () => Promise<number>): KeySurveys {
  async function* readKeys() {
    for (let after: string | undefined; ;) {
      const page = await operations.keys.list(after);
      yield page.keys.map((record) => [record.keyHash, keyRow(record)] as const);
      if (page.next === undefined) return;
      after = page.next;
    }
  }
  const keys = createSurvey<KeyRow>({ read: readKeys, pause: PAUSES.keys, count: countKeys });

  async function* readStates() {
    const { rows } = await keys.view();
    const all = [...rows];
    const [fallback, now, active] = await Promise.all([
      operations.budgets.getLimits(undefined),
      operations.readClock(),
      activeKeys(operations),
    ]);
    // With a default budget of 0, the budget of every key without its own counts as used up.
    const isActive = ([keyHash]: (typeof all)[number]): boolean =>
      active === undefined || Object.values(fallback).includes(0) || active.has(keyHash);
    yield all.filter((entry) => !isActive(entry)).map(([keyHash]) => [keyHash, IDLE] as const);
    const read = all.filter(isActive);
    for (let at = 0; at < read.length; at += STATES_AT_ONCE) {
      const batch = read.slice(at, at + STATES_AT_ONCE);
      yield await Promise.all(
        batch.map(
          async ([keyHash, row]) =>
            [keyHash, await readState(operations, keyHash, row, fallback, now)] as const,
        ),
      );
    }
  }
  const states = createSurvey<StateRow>({ read: readStates, pause: PAUSES.states });

  return {
    keys,
    states,
    async note(keyHash) {
      const state = await operations.keyStates.readNamedKey(keyHash);
      const row = state && keyRow(state.record);
      keys.put(keyHash, row);
      states.put(
        keyHash,
        state && row && (await readState(operations, keyHash, row, state.limits, state.readAt)),
      );
    },
  };
}

/** The state of a key that is neither used nor marked. */
const IDLE: StateRow = { riskScore: 0, isLocked: false, isBlocked: false, usedPercent: 0 };

/** Returns the keys whose state may differ from IDLE, or undefined if Redis does not know them all. */
async function activeKeys({ keyUses }: RedisOperations): Promise<ReadonlySet<string> | undefined> {
  if (!(await keyUses.isComplete())) return undefined;
  const active = new Set<string>();
  for (let after: string | undefined; ;) {
    const { hashes, next } = await keyUses.active({ usedSince: 'spend', marked: true }, after);
    for (const hash of hashes) active.add(hash);
    if (next === undefined) return active;
    after = next;
  }
}

async function readState(
  operations: RedisOperations,
  keyHash: string,
  { lastUsedAt = 0 }: KeyRow,
  fallback: BudgetLimits,
  now: number,
): Promise<StateRow> {
  const [{ risk, lock }, own] = await Promise.all([
    operations.risks.read(keyHash),
    operations.budgets.getLimits(keyHash),
  ]);
  const limits = effectiveLimits(own, fallback);
  // An unused key has spent nothing, but a limit of 0 counts as used up.
  const mayHaveSpent = lastUsedAt > now - LONGEST_WINDOW_MS || Object.values(limits).includes(0);
  const windows = mayHaveSpent && hasBudget(limits) ? await windowsOf(operations, keyHash, limits) : [];
  return {
    riskScore: risk.riskScore,
    isLocked: lock !== undefined,
    isBlocked: risk.blockedAt !== undefined,
    usedPercent: usedPercent(windows),
  };
}

function keyRow(record: KeyRecord): KeyRow {
  const { name, provider, owner, agentName, tags, createdAt, expiresAt, revokedAt, lastUsedAt } = record;
  const tagTexts = Object.entries(tags).map(([tag, value]) => `${tag}=${value}`);
  const text = [name, owner, agentName, ...tagTexts].join('\n').toLowerCase();
  return { name, provider, owner, text, createdAt, expiresAt, revokedAt, lastUsedAt };
}
