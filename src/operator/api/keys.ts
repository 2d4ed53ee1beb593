import type { HeldAttempts } from '../../auth/held-attempts-store.ts';
import { statusOf, type KeyRecord } from '../../auth/key-record.ts';
import type { KeyState } from '../../auth/key-state-store.ts';
import { KeyError, noSuchKey } from '../../auth/key-store.ts';
import type { PageServices } from '../services.ts';
import { maySee, type SignedIn } from '../sign-in/roles.ts';
import type { KeyRow, StateRow } from '../survey/key-surveys.ts';
import { pageOf, type Order, type PageOf, type PageQuery } from '../survey/page.ts';
import type { View } from '../survey/survey.ts';
import { readBudget } from '../views/budget-view.ts';
import { budgetsQuery, keysQuery, risksQuery } from './bodies.ts';
import { keyView } from './key-view.ts';
import { route, type Route } from './route.ts';
import { budgets, keyDetails, keys, risks, type Key, type RiskRow } from './schemas/keys.ts';

const KEY_ORDERS: Readonly<Record<'name' | 'created' | 'last_used' | 'expires', Order<KeyRow>>> = {
  name: { value: ({ name }) => name, descending: false },
  created: { value: ({ createdAt }) => createdAt, descending: true },
  last_used: { value: ({ lastUsedAt = 0 }) => lastUsedAt, descending: true },
  expires: { value: ({ expiresAt = Number.MAX_SAFE_INTEGER }) => expiresAt, descending: false },
};

export function keyRoutes(services: PageServices): readonly Route[] {
  const { operations, surveys, redis } = services;
  const statesOf = (page: PageOf<unknown>): Promise<ShownState[]> => readStates(services, page);
  return [
    route({
      method: 'GET',
      path: '/api/keys',
      summary: 'Keys, with search and sorting',
      role: 'viewer',
      owners: true,
      query: keysQuery,
      answer: keys,
      handle: async ({ query, who }) => {
        const view = await surveys.keys.view();
        const locks = query.status === 'locked' ? await surveys.states.view() : undefined;
        const now = await operations.readClock();
        const isFound = matching(query, who);
        const isOfStatus = (row: KeyRow, keyHash: string): boolean =>
          query.status === undefined ||
          (query.status === 'locked'
            ? isHeld(locks?.rows.get(keyHash))
            : statusOf(row, now) === query.status);
        const page = pageOf(
          view.rows,
          (row, keyHash) => isFound(row, keyHash) && isOfStatus(row, keyHash),
          KEY_ORDERS[query.sort],
          query,
        );
        return surveyed(page, (await statesOf(page)).map(keyOf), view, locks);
      },
    }),
    route({
      method: 'GET',
      path: '/api/keys/{id}',
      summary: 'One key, by its hash, the beginning of its hash, or its name',
      role: 'viewer',
      owners: true,
      answer: keyDetails,
      handle: async ({ params: { id = '' }, who }) => {
        const record = await findKey(services, id, who);
        const [state, fallback, now, sessions] = await Promise.all([
          readState(services, record.keyHash),
          operations.budgets.getLimits(undefined),
          operations.readClock(),
          redis.countSessions(record.keyHash),
        ]);
        if (state === undefined) throw new KeyError('the key was deleted');
        return {
          ...riskView(state),
          ...keyOf(state),
          budget: await readBudget(operations, record, fallback, now),
          sessions,
          total_spend_usd: state.risk.totalSpendNanoUsd / 1e9,
        };
      },
    }),
    route({
      method: 'GET',
      path: '/api/budgets',
      summary: 'Key budgets, most used first',
      role: 'viewer',
      owners: true,
      query: budgetsQuery,
      answer: budgets,
      handle: async ({ query, who }) => {
        const [view, states] = await Promise.all([surveys.keys.view(), surveys.states.view()]);
        const order: Order<KeyRow> =
          query.sort === 'name'
            ? KEY_ORDERS.name
            : stateOrder(view, states, ({ usedPercent }) => usedPercent);
        const page = pageOf(view.rows, matching(query, who), order, query);
        const [fallback, now, records] = await Promise.all([
          operations.budgets.getLimits(undefined),
          operations.readClock(),
          statesOf(page),
        ]);
        const items = await Promise.all(
          records.map(({ record }) => readBudget(operations, record, fallback, now)),
        );
        return surveyed(page, items, view, query.sort === 'used' ? states : undefined);
      },
    }),
    route({
      method: 'GET',
      path: '/api/risk',
      summary: 'Key risks and locks, riskiest first',
      role: 'viewer',
      owners: true,
      query: risksQuery,
      answer: risks,
      handle: async ({ query, who }) => {
        const [view, states] = await Promise.all([surveys.keys.view(), surveys.states.view()]);
        const order: Order<KeyRow> =
          query.sort === 'name' ? KEY_ORDERS.name : stateOrder(view, states, ({ riskScore }) => riskScore);
        const isFound = matching(query, who);
        const page = pageOf(
          view.rows,
          (row, keyHash) => isFound(row, keyHash) && (!query.held || isHeld(states.rows.get(keyHash))),
          order,
          query,
        );
        return surveyed(page, (await statesOf(page)).map(riskView), view, states);
      },
    }),
  ];
}

/** @throws KeyError for an unknown key, or a key that the person may not see */
export async function findKey(
  { operations }: PageServices,
  reference: string,
  who: SignedIn,
): Promise<KeyRecord> {
  const record = await operations.keys.find(reference).catch((failure: unknown) => {
    // If several keys match, the message would name those of other owners.
    if (failure instanceof KeyError && who.owner !== undefined) return undefined;
    throw failure;
  });
  // Same message as for a missing key.
  if (record === undefined || !maySee(who, record)) throw new KeyError(noSuchKey(reference));
  return record;
}

type Search = PageQuery & { readonly search?: string | undefined; readonly owner?: string | undefined };

function matching({ search = '', owner }: Search, who: SignedIn): (row: KeyRow, keyHash: string) => boolean {
  const wanted = search.toLowerCase();
  const hash = wanted.replace(/^sha256:/, '');
  return (row, keyHash) =>
    maySee(who, row) &&
    (owner === undefined || row.owner === owner) &&
    (wanted === '' || row.text.includes(wanted) || keyHash.startsWith(hash, 'sha256:'.length));
}

function isHeld(state: StateRow | undefined): boolean {
  return state !== undefined && (state.isLocked || state.isBlocked);
}

function stateOrder(
  view: View<KeyRow>,
  states: View<StateRow>,
  value: (state: StateRow) => number,
): Order<KeyRow> {
  const values = new Map<KeyRow, number>();
  for (const [keyHash, row] of view.rows) {
    const state = states.rows.get(keyHash);
    if (state !== undefined) values.set(row, value(state));
  }
  return { value: (row) => values.get(row) ?? 0, descending: true };
}

interface ShownState extends KeyState {
  readonly held: HeldAttempts | undefined;
}

/** Reads the keys of a page again. Omits deleted keys. */
async function readStates(services: PageServices, { rows }: PageOf<unknown>): Promise<ShownState[]> {
  const states = await Promise.all(rows.map(({ keyHash }) => readState(services, keyHash)));
  return states.filter((state) => state !== undefined);
}

async function readState(
  { operations: { keyStates, heldAttempts } }: PageServices,
  keyHash: string,
): Promise<ShownState | undefined> {
  const state = await keyStates.readNamedKey(keyHash);
  if (state === undefined) return undefined;
  const isNowHeld = state.lock !== undefined || state.risk.blockedAt !== undefined;
  return { ...state, held: isNowHeld ? await heldAttempts.read(keyHash) : undefined };
}

function surveyed<Item>(
  { next, total }: PageOf<unknown>,
  items: readonly Item[],
  view: View<unknown>,
  other: View<unknown> | undefined,
) {
  return {
    items,
    ...(next !== undefined && { next }),
    total,
    as_of: new Date(Math.min(view.asOf, other?.asOf ?? Infinity)).toISOString(),
    complete: view.complete && other?.complete !== false,
  };
}

function keyOf(state: ShownState): Key {
  return keyView(state.record, state, state.held, state.readAt);
}

function riskView(state: ShownState): RiskRow {
  const { totalPolicyBlocks, totalEscalations, persistentTaintFlags } = state.risk;
  return {
    ...keyOf(state),
    taint_flags: [...persistentTaintFlags],
    total_policy_blocks: totalPolicyBlocks,
    total_escalations: totalEscalations,
  };
}
