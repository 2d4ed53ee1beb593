import { keyChangeSchema, newKeySchema, type NewKey } from '../../auth/key-fields.ts';
import type { KeyRecord } from '../../auth/key-record.ts';
import type { IssuedKey } from '../../auth/key-store.ts';
import type { Changed } from '../changed.ts';
import type { Changes } from '../changes.ts';
import type { Operations } from '../operations.ts';
import { createConnection, type ConnectionOptions } from './connection.ts';
import type { OperationName } from './table.ts';

/** Creates operations that call the API of a running gateway. The gateway attributes changes to the token. */
export function createRemoteOperations(options: ConnectionOptions): Operations {
  const connection = createConnection(options);
  /** Does not validate the answer, but assumes the type that this version expects. */
  const call = <Result>(operation: OperationName, given: object = {}): Promise<Result> =>
    connection({ operation, arguments: { ...given } }) as Promise<Result>;

  function change<Given extends object, Result>(
    operation: OperationName & keyof Changes,
  ): (given: Given) => Promise<Changed<Result>> {
    return async (given) => ({ result: await call<Result>(operation, given) });
  }

  return {
    keys: {
      find: (reference) => call('keys.find', { reference }),
      list: (after, order) => call('keys.list', { after, order }),
      count: () => call('keys.count'),
      names: (prefix, limits) => call('keys.names', { prefix, ...limits }),
    },
    keyStates: { readKeyState: (keyHash) => call('keyStates.readKeyState', { keyHash }) },
    keyUses: {
      isComplete: () => call('keyUses.isComplete'),
      complete: () => call('keyUses.complete'),
      active: (keys, after) => call('keyUses.active', { keys, after }),
      latest: (count) => call('keyUses.latest', { count }),
      records: (hashes) => call('keyUses.records', { hashes }),
    },
    budgets: {
      getLimits: (keyHash) => call('budgets.getLimits', { keyHash }),
      status: (keyHash, accounts) => call('budgets.status', { keyHash, accounts }),
    },
    sharedBudgets: { list: () => call('sharedBudgets.list') },
    spend: { read: (keyHash, firstDay, lastDay) => call('spend.read', { keyHash, firstDay, lastDay }) },
    sessions: {
      list: (keyHash) => call('sessions.list', { keyHash }),
      read: ({ keyHash, sessionId }) => call('sessions.read', { keyHash, sessionId }),
    },
    risks: { read: (keyHash) => call('risks.read', { keyHash }) },
    pins: { list: (server) => call('pins.list', { server }) },
    escalations: { list: () => call('escalations.list'), now: () => call('escalations.now') },
    audit: {
      after: (id, count) => call('audit.after', { id, count }),
      before: (id, count) => call('audit.before', { id, count }),
    },
    readClock: () => call('readClock'),
    readSettings: () => call('readSettings'),
    // The API does not send events; callers also poll the list.
    watchEscalations: () => Promise.resolve(() => undefined),
    changes: {
      // Validated here too, so that errors name the command's flag.
      createKey: async (key) => change<NewKey, IssuedKey>('createKey')(newKeySchema.parse(key)),
      updateKey: async ({ reference, change: wanted }) =>
        change<object, KeyRecord>('updateKey')({ reference, change: keyChangeSchema.parse(wanted) }),
      rotateKey: change('rotateKey'),
      revokeKey: change('revokeKey'),
      setBudget: change('setBudget'),
      setSharedBudget: change('setSharedBudget'),
      lockKey: change('lockKey'),
      releaseKey: change('releaseKey'),
      resetRisk: change('resetRisk'),
      endSession: change('endSession'),
      acceptPins: change('acceptPins'),
      answerEscalation: ({ id, decision }) => change<object, never>('answerEscalation')({ id, decision }),
    },
  };
}
