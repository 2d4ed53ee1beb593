import { setTimeout as delay } from 'node:timers/promises';
import { LEASE_MS, readAccount } from '../support/account.ts';
import { envoyStats } from '../support/memory.ts';
import { boundsByKey, type Asked, type Bounds, type Lossy } from './ledger.ts';
import type { SoakRig } from './rig.ts';

/** A key's charges since a reading, in nano-USD, and their bounds. */
export interface Account extends Bounds {
  readonly name: string;
  readonly spent: number;
  readonly reserved: number;
}

export interface Charges {
  readonly accounts: readonly Account[];
  readonly problems: readonly string[];
}

const SETTLED_WITHIN_MS = 45_000;

/**
 * Waits until every key is charged for these requests by the provider's count, or reports the difference.
 * @param before the keys' earlier charges, by their names
 */
export async function charges(
  rig: SoakRig,
  asked: readonly Asked[],
  lossy: readonly Lossy[],
  before: ReadonlyMap<string, number>,
): Promise<Charges> {
  const deadline = performance.now() + SETTLED_WITHIN_MS;
  for (;;) {
    const bounds = boundsByKey(asked, rig, lossy);
    const accounts: Account[] = [];
    for (const [name, { keyHash }] of rig.keys) {
      // As of the end of the last lease: everything unsettled by then is charged in full.
      const { spent, reserved } = await readAccount({ client: rig.redis }, keyHash, LEASE_MS + 1_000);
      const { least, most } = bounds.get(keyHash) ?? { least: 0, most: 0 };
      accounts.push({ name, spent: spent - (before.get(name) ?? 0), reserved, least, most });
    }
    const problems = accounts.flatMap(problemsOf);
    // Settlements that Redis did not accept are repeated in the background.
    if (problems.length === 0 || performance.now() > deadline) return { accounts, problems };
    await delay(500);
  }
}

/** Leftovers after the last request: open requests and connections, and permanent Redis data. */
export async function leftOver(rig: SoakRig): Promise<readonly string[]> {
  const deadline = performance.now() + LEFT_WITHIN_MS;
  for (;;) {
    const problems = [...(await openRequests(rig)), ...(await withoutEnd(rig))];
    if (problems.length === 0 || performance.now() > deadline) return problems;
    await delay(500);
  }
}

const LEFT_WITHIN_MS = 15_000;

function problemsOf({ name, spent, reserved, least, most }: Account): string[] {
  const problems: string[] = [];
  if (reserved !== 0) problems.push(`${name}: ${String(reserved)} nano-USD are still reserved`);
  if (spent < least)
    problems.push(`${name}: charged ${String(spent)}, less than the provider's ${String(least)}`);
  if (spent > most) problems.push(`${name}: charged ${String(spent)}, more than ${String(most)}`);
  return problems;
}

const ACTIVE = 'upstream_rq_active$|downstream_rq_active$|^http.*downstream_cx_active$';

async function openRequests({ gateway }: SoakRig): Promise<string[]> {
  const stats = await envoyStats(gateway, ACTIVE);
  return [...stats].flatMap(([name, value]) =>
    value > 0 && !name.includes('admin') ? [`Envoy: ${name} is ${String(value)}`] : [],
  );
}

/** Keys with their names, budgets and risk are permanent. */
const FOR_GOOD = /^gateway:(?:key|keys|budget|names|form|risk_profile)/;

async function withoutEnd({ nodes }: SoakRig): Promise<string[]> {
  const { master } = await nodes();
  const problems: string[] = [];
  let cursor = '0';
  do {
    const [next, names] = await master.client.scan(cursor, 'COUNT', 1_000);
    for (const name of names)
      if (!FOR_GOOD.test(name) && (await master.client.ttl(name)) === -1)
        problems.push(`Redis keeps ${name} for good`);
    cursor = next;
  } while (cursor !== '0');
  return problems;
}
