import type { Decision, Overview } from '../api/schemas/traffic.ts';

const MINUTE_MS = 60_000;
const MINUTES = 60;
/** Maximum number of providers and MCP servers counted separately. Further ones are counted as `other`. */
const MAX_SERVICES = 64;
const MAX_RULES = 2_000;

interface Sums {
  requests: number;
  refused: number;
  errors: number;
  spendUsd: number;
}

interface Minute {
  readonly all: Sums;
  readonly services: Map<string, Sums>;
  /** Matches by rule. */
  readonly rules: Map<string, number>;
}

export interface LastHour {
  add(decision: Decision, rules: readonly string[]): void;
  traffic(now: number): Overview['traffic'];
  providers(now: number): Overview['providers'];
  /** Matches by rule. */
  fired(now: number): ReadonlyMap<string, number>;
}

export function createLastHour(): LastHour {
  const minutes = new Map<number, Minute>();

  function minuteOf(time: number): Minute {
    const nth = Math.floor(time / MINUTE_MS);
    const known = minutes.get(nth);
    if (known !== undefined) return known;
    const fresh: Minute = { all: noSums(), services: new Map(), rules: new Map() };
    minutes.set(nth, fresh);
    if (minutes.size > 2 * MINUTES)
      for (const old of [...minutes.keys()].sort(byNumber).slice(0, MINUTES)) minutes.delete(old);
    return fresh;
  }
  function recent(now: number): (readonly [nth: number, minute: Minute | undefined])[] {
    const last = Math.floor(now / MINUTE_MS);
    return Array.from({ length: MINUTES }, (_, index) => {
      const nth = last - MINUTES + 1 + index;
      return [nth, minutes.get(nth)];
    });
  }
  return {
    add(decision, rules) {
      if (decision.kind !== 'request') return;
      const minute = minuteOf(Date.parse(decision.at));
      addTo(minute.all, decision);
      addTo(sumsOf(minute.services, decision.service ?? 'none'), decision);
      for (const rule of new Set(rules))
        if (minute.rules.has(rule) || minute.rules.size < MAX_RULES)
          minute.rules.set(rule, (minute.rules.get(rule) ?? 0) + 1);
    },
    traffic: (now) =>
      recent(now).map(([nth, minute]) => ({
        at: new Date(nth * MINUTE_MS).toISOString(),
        ...shown(minute?.all ?? noSums()),
      })),
    providers: (now) => {
      const sums = new Map<string, Sums>();
      for (const [, minute] of recent(now))
        for (const [service, counts] of minute?.services ?? []) merge(sumsOf(sums, service), counts);
      return [...sums]
        .map(([provider, counts]) => ({ provider, ...shown(counts) }))
        .toSorted((one, other) => other.requests - one.requests);
    },
    fired: (now) => {
      const fired = new Map<string, number>();
      for (const [, minute] of recent(now))
        for (const [rule, count] of minute?.rules ?? []) fired.set(rule, (fired.get(rule) ?? 0) + count);
      return fired;
    },
  };
}

function addTo(sums: Sums, { refusal, status, cost_usd }: Decision): void {
  sums.requests += 1;
  if (refusal !== null) sums.refused += 1;
  else if (status !== null && status >= 500) sums.errors += 1;
  sums.spendUsd += cost_usd ?? 0;
}

function merge(into: Sums, from: Sums): void {
  into.requests += from.requests;
  into.refused += from.refused;
  into.errors += from.errors;
  into.spendUsd += from.spendUsd;
}

function sumsOf(services: Map<string, Sums>, service: string): Sums {
  const name = services.has(service) || services.size < MAX_SERVICES ? service : 'other';
  const known = services.get(name) ?? noSums();
  services.set(name, known);
  return known;
}

function noSums(): Sums {
  return { requests: 0, refused: 0, errors: 0, spendUsd: 0 };
}

function shown({ spendUsd, ...sums }: Sums) {
  return { ...sums, spend_usd: Math.round(spendUsd * 1e9) / 1e9 };
}

function byNumber(one: number, other: number): number {
  return one - other;
}
