import { BUDGET_WINDOWS, type BudgetLimits, type BudgetWindow } from '../../../../../src/budget-windows.ts';
import type { Reservation } from '../../../../../src/checks/budget/store.ts';

/** The promises of docs/budgets.md, implemented a second time. */
const LEASE_MS = 30_000;
const SHARE_OF_REMAINDER = 4;

const DAY_MS = 86_400_000;
const starts: Readonly<Record<BudgetWindow, (now: number) => number>> = {
  minute: (now) => now - (now % 60_000),
  hourly: (now) => now - (now % 3_600_000),
  daily: (now) => now - (now % DAY_MS),
  // 1970-01-05 was a Monday.
  weekly: (now) => now - ((now - 4 * DAY_MS) % (7 * DAY_MS)),
  monthly: (now) => Date.UTC(new Date(now).getUTCFullYear(), new Date(now).getUTCMonth()),
};

interface Window {
  start: number;
  spent: number;
  reserved: number;
  told: number;
}

interface Hold {
  readonly amount: number;
  readonly tokens: number;
  /** The starts of its windows at the reservation. */
  readonly starts: ReadonlyMap<BudgetWindow, number>;
  leaseEnds: number;
  state: 'held' | 'charged' | 'settled';
}

export type Verdict = {
  readonly kind: 'reserved' | 'refused' | 'closed';
  readonly amount: number;
  readonly tokens: number;
};

/** A key's money, as plain arithmetic: no script, no bytes, no Redis. */
export class Ledger {
  readonly #windows = new Map<BudgetWindow, Window>();
  readonly #holds = new Map<string, Hold>();
  readonly #limits: BudgetLimits;
  readonly #percents: readonly number[];
  total = 0;

  constructor(limits: BudgetLimits, percents: readonly number[]) {
    this.#limits = limits;
    this.#percents = percents;
  }

  window(name: BudgetWindow, now: number): Window {
    const start = starts[name](now);
    const known = this.#windows.get(name);
    if (known?.start === start) return known;
    const fresh = { start, spent: 0, reserved: 0, told: 0 };
    this.#windows.set(name, fresh);
    return fresh;
  }

  #move({ starts: begun }: Hold, now: number, spent: number, reserved: number): void {
    for (const name of BUDGET_WINDOWS) {
      const window = this.window(name, now);
      if (begun.get(name) !== window.start) continue;
      window.spent += spent;
      window.reserved += reserved;
    }
  }

  /** Every access to the account charges expired leases. */
  expire(now: number): void {
    for (const hold of this.#holds.values()) {
      if (hold.state !== 'held' || hold.leaseEnds > now) continue;
      this.#move(hold, now, hold.amount, -hold.amount);
      this.total += hold.amount;
      hold.state = 'charged';
    }
  }

  remaining(now: number): number {
    const left = BUDGET_WINDOWS.flatMap((name) => {
      const { spent, reserved } = this.window(name, now);
      const limit = this.#limits[name];
      return limit === undefined ? [] : [limit - spent - reserved];
    });
    return Math.min(...left, Infinity);
  }

  reserve(id: string, now: number, wanted: Reservation): Verdict {
    this.expire(now);
    const earlier = this.#holds.get(id);
    if (earlier?.state === 'settled') return { kind: 'closed', amount: 0, tokens: 0 };
    if (earlier !== undefined) return { kind: 'reserved', amount: earlier.amount, tokens: earlier.tokens };
    const { inputNanoUsd: input, outputNanoUsd: rate } = wanted;
    const left = this.remaining(now);
    const isLimited = left < Infinity;
    const costOf = (count: number): number => input + Math.ceil(rate * count - 1e-6);
    let tokens = wanted.outputTokens ?? wanted.maxGrantTokens;
    if (wanted.outputTokens === undefined && isLimited && rate > 0) {
      const share = Math.floor((left - input) / SHARE_OF_REMAINDER / rate);
      tokens = Math.min(wanted.maxGrantTokens, Math.max(share, wanted.minGrantTokens));
    }
    const fits = (): boolean => !isLimited || (costOf(tokens) <= left && left > 0);
    if (!fits() && wanted.lowestTokens !== undefined && wanted.lowestTokens < tokens && rate > 0) {
      tokens = Math.max(wanted.lowestTokens, Math.min(Math.floor((left - input) / rate), tokens));
    }
    const amount = costOf(tokens);
    if (!fits()) return { kind: 'refused', amount, tokens };
    const begun = new Map(BUDGET_WINDOWS.map((name) => [name, this.window(name, now).start]));
    const hold: Hold = { amount, tokens, starts: begun, leaseEnds: now + LEASE_MS, state: 'held' };
    this.#holds.set(id, hold);
    this.#move(hold, now, 0, amount);
    return { kind: 'reserved', amount, tokens };
  }

  renew(id: string, now: number): boolean {
    this.expire(now);
    const hold = this.#holds.get(id);
    if (hold === undefined || hold.state === 'settled') return false;
    if (hold.state === 'charged') {
      this.#move(hold, now, -hold.amount, hold.amount);
      this.total -= hold.amount;
    }
    hold.state = 'held';
    hold.leaseEnds = now + LEASE_MS;
    return true;
  }

  /** @returns whether it was charged, and the crossed thresholds */
  settle(id: string, now: number, cost: number, isFirst: boolean) {
    this.expire(now);
    const hold = this.#holds.get(id);
    const isLost = hold === undefined && cost > 0 && isFirst;
    const applied = isLost || (hold !== undefined && hold.state !== 'settled');
    const begun = new Map(BUDGET_WINDOWS.map((name) => [name, this.window(name, now).start]));
    const own: Hold = hold ?? { amount: 0, tokens: 0, starts: begun, leaseEnds: 0, state: 'settled' };
    if (applied) {
      const charged = own.state === 'charged' ? own.amount : 0;
      this.#move(own, now, cost - charged, own.state === 'held' ? -own.amount : 0);
      this.total += cost - charged;
    }
    own.state = 'settled';
    this.#holds.set(id, own);
    return { applied, crossed: this.#crossed(now) };
  }

  #crossed(now: number): string[] {
    return BUDGET_WINDOWS.flatMap((name) => {
      const window = this.window(name, now);
      const limit = this.#limits[name];
      if (limit === undefined || limit === 0) return [];
      const reached = this.#percents.filter(
        (percent) => window.spent * 100 >= limit * percent && percent > window.told,
      );
      window.told = Math.max(window.told, ...reached);
      return reached.map((percent) => `${name} ${percent}`);
    });
  }
}
