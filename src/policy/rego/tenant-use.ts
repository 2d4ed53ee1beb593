import { RecentMap } from '../../recent-map.ts';

/** Engine time that a tenant may use at once before its calls are judged apart. */
const BURST_MS = 400;
/** Share of an engine that a tenant may use for long. */
const LASTING_SHARE = 0.1;
/** An evaluation that broke its engine counts as so many of its length: all others waited for a new one. */
const BROKEN_WEIGHT = 40;
/** Bounds what one evaluation can cost its tenant later. */
const MAX_DEBT_MS = 30_000;
const MAX_TENANTS = 10_000;

interface Use {
  debtMs: number;
  atMs: number;
  isHeavy: boolean;
}

/** How much time on the engine each tenant has used of late. */
export interface TenantUse {
  /** Counts an evaluation. */
  readonly add: (tenant: string, tookMs: number, brokeEngine: boolean) => void;
  /** Whether the tenant has used more than its share, and has not paid for it by waiting yet. */
  readonly isHeavy: (tenant: string) => boolean;
}

/** @param now milliseconds of a clock that does not go back */
export function createTenantUse(now: () => number): TenantUse {
  const uses = new RecentMap<Use>(MAX_TENANTS);

  function current(tenant: string): Use | undefined {
    const use = uses.get(tenant);
    if (use === undefined) return undefined;
    const at = now();
    use.debtMs = Math.max(0, use.debtMs - (at - use.atMs) * LASTING_SHARE);
    use.atMs = at;
    if (use.debtMs === 0) use.isHeavy = false;
    return use;
  }

  return {
    add(tenant, tookMs, brokeEngine) {
      let use = current(tenant);
      if (use === undefined) uses.set(tenant, (use = { debtMs: 0, atMs: now(), isHeavy: false }));
      use.debtMs = Math.min(MAX_DEBT_MS, use.debtMs + (brokeEngine ? BROKEN_WEIGHT * tookMs : tookMs));
      if (use.debtMs > BURST_MS) use.isHeavy = true;
    },
    isHeavy: (tenant) => current(tenant)?.isHeavy === true,
  };
}
