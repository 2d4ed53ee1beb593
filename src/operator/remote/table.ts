/** API operations for commands (`gateway --server`), named after functions of `Operations` and `Changes`. */
import { BUDGET_WINDOWS } from '../../budget-windows.ts';
import * as z from 'zod';
import { keyChangeSchema, newKeySchema } from '../../auth/key-fields.ts';
import { MOST_AT_ONCE, type ActiveKeys } from '../../auth/key-use-store.ts';
import { WINDOWS_LEDGER } from '../../checks/budget/accounts.ts';
import type { Account } from '../../checks/budget/store.ts';
import { MAX_LIMIT_USD } from '../../redis/budget-limits.ts';
import { budgetMatch, budgetName } from '../../config/sections/budgets.ts';
import type { Changed } from '../changed.ts';
import type { Changes } from '../changes.ts';
import type { Operations } from '../operations.ts';
import { forRole, type Role } from '../sign-in/roles.ts';

const text = z.string().max(1_024);
const name = text.min(1);
const ofKey = { reference: name };
/** Ledger id of a key or a shared budget. */
const keyHash = z.string().regex(/^(?:sha256:[0-9a-f]{64}|(?:budget|shared):[A-Za-z0-9._-]{1,64})$/, {
  error: 'must be a key hash, or the ledger id of a shared budget',
});
const MAX_RECORDS = 1_000;
const MAX_DAYS = 3_660;
/** Cost of a page with hundreds of entries. */
const MANY = 500;
/** Maximum cost of one request, over all its calls. */
export const MAX_COST = 4_000;
const MAX_MS = 10 * 366 * 86_400_000;

const calendar = z.union([
  z.enum(['minute', 'hour', 'day', 'week', 'month', 'none']),
  z.templateLiteral(['at:', z.string().max(512)]),
]);

/** The cast is safe, because `limitNanoUsd` may be undefined in `Account`. */
const account = z.strictObject({
  budget: name.optional(),
  name,
  ledger: z.literal(WINDOWS_LEDGER),
  calendar,
  limitNanoUsd: z.number().optional(),
  idleMs: z.int().min(0),
}) as unknown as z.ZodType<Account>;

export interface ReadOperation {
  readonly kind: 'read';
  readonly role: Role;
  readonly arguments: z.ZodType;
  /** Upper estimate of the number of Redis commands. */
  cost(given: unknown): number;
  /** @param role of the caller */
  run(operations: Operations, given: unknown, role: Role): Promise<unknown>;
}

/** A change, recorded in the audit trail. */
export interface ChangeOperation {
  readonly kind: 'change';
  readonly role: Role;
  readonly arguments: z.ZodType;
  /** @param approver the caller's name */
  run(changes: Changes, given: unknown, approver: string): Promise<Changed<unknown>>;
}

function read<Arguments extends z.ZodType>(
  role: Role,
  schema: Arguments,
  run: (operations: Operations, given: z.output<Arguments>, role: Role) => Promise<unknown>,
  cost: (given: z.output<Arguments>) => number = () => 10,
): ReadOperation {
  const [runs, costs] = [run as ReadOperation['run'], cost as ReadOperation['cost']];
  return { kind: 'read', role, arguments: schema, cost: costs, run: runs };
}

function change<Arguments extends z.ZodType>(
  role: Role,
  schema: Arguments,
  run: (changes: Changes, given: z.output<Arguments>, approver: string) => Promise<Changed<unknown>>,
): ChangeOperation {
  return { kind: 'change', role, arguments: schema, run: run as ChangeOperation['run'] };
}

const limitChanges = z.partialRecord(
  z.enum(BUDGET_WINDOWS),
  z
    .int()
    .min(0)
    .max(MAX_LIMIT_USD * 1e9)
    .nullable(),
);
const page = z.strictObject({ after: text.optional() });
const records = z.strictObject({ id: text, count: z.int().min(1).max(MAX_RECORDS) });
const nothing = z.strictObject({});

export const OPERATIONS = {
  'keys.find': read('viewer', z.strictObject(ofKey), ({ keys }, { reference }) => keys.find(reference)),
  'keys.list': read(
    'viewer',
    page.extend({ order: z.enum(['created', 'hash']).optional() }),
    ({ keys }, { after, order }) => keys.list(after, order),
    () => MANY,
  ),
  'keys.count': read('viewer', nothing, ({ keys }) => keys.count()),
  'keys.names': read(
    'viewer',
    z.strictObject({ prefix: text, count: z.int().min(1).max(1_000), withinMs: z.int().min(1).max(5_000) }),
    ({ keys }, { prefix, ...limits }) => keys.names(prefix, limits),
    // Searches the names of all keys.
    () => MANY,
  ),
  'keyStates.readKeyState': read('viewer', z.strictObject({ keyHash }), ({ keyStates }, given) =>
    keyStates.readKeyState(given.keyHash),
  ),
  'keyUses.isComplete': read('viewer', nothing, ({ keyUses }) => keyUses.isComplete()),
  // Works for up to a second.
  'keyUses.complete': read(
    'viewer',
    nothing,
    ({ keyUses }) => keyUses.complete(),
    () => MAX_COST,
  ),
  'keyUses.active': read(
    'viewer',
    page.extend({
      keys: z.strictObject({
        usedSince: z.union([z.enum(['spend', 'sessions']), z.int().min(0)]).optional(),
        marked: z.boolean().optional(),
      }),
    }) as unknown as z.ZodType<{ readonly keys: ActiveKeys; readonly after?: string }>,
    ({ keyUses }, { keys, after }) => keyUses.active(keys, after),
    () => MANY,
  ),
  'keyUses.latest': read(
    'viewer',
    z.strictObject({ count: z.int().min(1).max(MOST_AT_ONCE) }),
    ({ keyUses }, { count }) => keyUses.latest(count),
    () => MANY,
  ),
  'keyUses.records': read(
    'viewer',
    z.strictObject({ hashes: z.array(keyHash).max(MANY) }),
    ({ keyUses }, { hashes }) => keyUses.records(hashes),
    ({ hashes }) => hashes.length,
  ),
  'budgets.getLimits': read('viewer', z.strictObject({ keyHash: keyHash.optional() }), ({ budgets }, given) =>
    budgets.getLimits(given.keyHash),
  ),
  'budgets.status': read(
    'viewer',
    z.strictObject({ keyHash, accounts: z.array(account).max(16) }),
    ({ budgets }, given) => budgets.status(given.keyHash, given.accounts),
  ),
  'sharedBudgets.list': read('viewer', nothing, ({ sharedBudgets }) => sharedBudgets.list()),
  'spend.read': read(
    'viewer',
    z
      .strictObject({ keyHash, firstDay: z.int().min(0), lastDay: z.int().min(0) })
      .refine(({ firstDay, lastDay }) => lastDay >= firstDay && lastDay - firstDay < MAX_DAYS, {
        error: `must be a range of at most ${String(MAX_DAYS)} days`,
      }),
    ({ spend }, given) => spend.read(given.keyHash, given.firstDay, given.lastDay),
    ({ firstDay, lastDay }) => lastDay - firstDay + 1,
  ),
  'sessions.list': read(
    'viewer',
    z.strictObject({ keyHash }),
    ({ sessions }, given) => sessions.list(given.keyHash),
    () => MANY,
  ),
  // The answer includes the masked first user request.
  'sessions.read': read('operator', z.strictObject({ keyHash, sessionId: name }), ({ sessions }, given) =>
    sessions.read(given),
  ),
  'risks.read': read('viewer', z.strictObject({ keyHash }), ({ risks }, given) => risks.read(given.keyHash)),
  'pins.list': read('viewer', z.strictObject({ server: name }), ({ pins }, { server }) => pins.list(server)),
  'escalations.list': read('viewer', nothing, async ({ escalations }, _given, role) =>
    (await escalations.list()).map((escalation) => forRole(escalation, role)),
  ),
  'escalations.now': read('viewer', nothing, ({ escalations }) => escalations.now()),
  'audit.after': read(
    'viewer',
    records,
    ({ audit }, { id, count }) => audit.after(id, count),
    () => MANY,
  ),
  'audit.before': read(
    'viewer',
    records,
    ({ audit }, { id, count }) => audit.before(id, count),
    () => MANY,
  ),
  readClock: read('viewer', nothing, ({ readClock }) => readClock()),
  readSettings: read('viewer', nothing, ({ readSettings }) => readSettings()),

  createKey: change('admin', newKeySchema, (changes, key) => changes.createKey(key)),
  updateKey: change('admin', z.strictObject({ ...ofKey, change: keyChangeSchema }), (changes, given) =>
    changes.updateKey(given),
  ),
  rotateKey: change(
    'admin',
    z.strictObject({ ...ofKey, graceMs: z.int().min(0).max(MAX_MS) }),
    (changes, given) => changes.rotateKey(given),
  ),
  revokeKey: change('admin', z.strictObject(ofKey), (changes, given) => changes.revokeKey(given)),
  setBudget: change(
    'operator',
    z.strictObject({ reference: name.optional(), limits: limitChanges }),
    (changes, given) => changes.setBudget(given),
  ),
  setSharedBudget: change(
    'operator',
    z.strictObject({
      name: budgetName.optional(),
      // Gateways read only JWT claims that their own configuration names.
      match: budgetMatch.omit({ claims: true }).optional(),
      limits: limitChanges,
    }),
    (changes, given) => changes.setSharedBudget(given),
  ),
  lockKey: change(
    'operator',
    z.strictObject({ ...ofKey, forMs: z.int().min(1).max(MAX_MS), reason: text.optional() }),
    (changes, given) => changes.lockKey(given),
  ),
  releaseKey: change('operator', z.strictObject(ofKey), (changes, given) => changes.releaseKey(given)),
  resetRisk: change('operator', z.strictObject(ofKey), (changes, given) => changes.resetRisk(given)),
  endSession: change('operator', z.strictObject({ ...ofKey, sessionId: name }), (changes, given) =>
    changes.endSession(given),
  ),
  acceptPins: change(
    'operator',
    z.strictObject({ server: name, tool: name.optional(), digest: name.optional() }),
    (changes, given) => changes.acceptPins(given),
  ),
  answerEscalation: change(
    'approver',
    z.strictObject({ id: name, decision: z.enum(['approve', 'deny']) }),
    (changes, given, approver) => changes.answerEscalation({ ...given, approver }),
  ),
} as const satisfies Readonly<Record<string, ReadOperation | ChangeOperation>>;

export type OperationName = keyof typeof OPERATIONS;
