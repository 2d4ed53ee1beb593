import type { KeyRecord } from '../../auth/key-record.ts';
import { hasBudget } from '../../redis/budget-limits.ts';
import type { RedisOperations } from '../redis-operations.ts';
import { usedPercent } from '../../checks/budget/status-json.ts';
import { windowsOf } from '../views/budget-view.ts';
import { createSurvey, type Survey } from './survey.ts';

/** What lists of keys are searched and sorted by; small, because there may be 250,000. */
export interface KeyRow {
  readonly name: string;
  readonly provider: string;
  readonly owner: string | undefined;
  /** Lower case: name, owner, agent and tags. */
  readonly text: string;
  readonly createdAt: number;
  readonly expiresAt: number | undefined;
  readonly revokedAt: number | undefined;
  readonly lastUsedAt: number | undefined;
}

/** What lists by risk, lock and budget are sorted by. */
export interface StateRow {
  readonly riskScore: number;
  readonly isLocked: boolean;
  readonly isBlocked: boolean;
  readonly usedPercent: number;
}

export interface KeySurveys {
  readonly keys: Survey<KeyRow>;
  readonly states: Survey<StateRow>;
  /** Reads one key again, after a change. */
  note(keyHash: string): Promise<void>;
}

/** Reads at once of the state of keys: some 1 ms of Redis's time. */
const STATES_AT_ONCE = 25;
/** Pauses between parts, in multiples of their time: records take a third of a connection, states a tenth. */
const PAUSES = { keys: 2, states: 9 } as const;

export function createKeySurveys(operations: RedisOperations): KeySurveys {
  async function* readKeys() {
    for (let after: string | undefined; ;) {
      const page = await operations.keys.list(after);
      yield page.keys.map((record) => [record.keyHash, keyRow(record)] as const);
      if (page.next === undefined) return;
      after = page.next;
    }
  }
  const keys = createSurvey<KeyRow>({ read: readKeys, pause: PAUSES.keys });

  async function* readStates() {
    const { rows } = await keys.view();
    const hashes = [...rows.keys()];
    for (let at = 0; at < hashes.length; at += STATES_AT_ONCE) {
      const part = hashes.slice(at, at + STATES_AT_ONCE);
      const states = await Promise.all(part.map((keyHash) => readState(operations, keyHash)));
      yield part.flatMap((keyHash, nth) => {
        const state = states[nth];
        return state === undefined ? [] : [[keyHash, state] as const];
      });
    }
  }
  const states = createSurvey<StateRow>({ read: readStates, pause: PAUSES.states });

  return {
    keys,
    states,
    async note(keyHash) {
      const state = await operations.keyStates.readNamedKey(keyHash);
      keys.put(keyHash, state && keyRow(state.record));
      states.put(keyHash, state && (await readState(operations, keyHash)));
    },
  };
}

async function readState(operations: RedisOperations, keyHash: string): Promise<StateRow | undefined> {
  const state = await operations.keyStates.readNamedKey(keyHash);
  if (state === undefined) return undefined;
  const windows = hasBudget(state.limits) ? await windowsOf(operations, keyHash, state.limits) : [];
  return {
    riskScore: state.risk.riskScore,
    isLocked: state.lock !== undefined,
    isBlocked: state.risk.blockedAt !== undefined,
    usedPercent: usedPercent(windows),
  };
}

function keyRow(record: KeyRecord): KeyRow {
  const { name, provider, owner, agentName, tags, createdAt, expiresAt, revokedAt, lastUsedAt } = record;
  const tagTexts = Object.entries(tags).map(([tag, value]) => `${tag}=${value}`);
  const text = [name, owner, agentName, ...tagTexts].join('\n').toLowerCase();
  return { name, provider, owner, text, createdAt, expiresAt, revokedAt, lastUsedAt };
}
