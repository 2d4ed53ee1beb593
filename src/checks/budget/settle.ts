import { type Answered, type Outcome, type Parsed, isSuccess } from '../../pipeline/exchange.ts';
import type { Batch } from '../../pipeline/batch.ts';
import { chargeOf, type Charge } from './charge.ts';
import type { BudgetCheckDeps } from './deps.ts';
import type { SettledCost } from './headers.ts';
import type { Leases } from './leases.ts';
import { spentFor } from './spend-label.ts';
import { tightestOf } from './reserve-everywhere.ts';
import type { BudgetOperation, SettleResult, Settlement, Tightest } from './store.ts';
import { servedTarget, worstAlone, type Targets } from './targets.ts';
import { WINDOWS_LEDGER } from './accounts.ts';

export interface Hold {
  readonly operation: BudgetOperation;
  readonly shared: readonly BudgetOperation[];
  readonly parsed: Parsed;
  /** Terms of each target, or a tool call's price in nano-USD. */
  readonly priced: Targets | number;
  /** Whether a budget applied. If so, the request was sent with an output limit. */
  readonly isBudgeted: boolean;
  reservedNanoUsd: number;
  outputTokens: number;
  /** Monotonic time in milliseconds, just before forwarding. */
  reservedAt: number;
  tightest: Tightest | undefined;
  settled: boolean;
}

interface Charges {
  readonly parsed: Parsed;
  readonly charge: Charge;
  readonly tried: readonly { readonly parsed: Parsed; readonly costNanoUsd: number }[];
  /** True for a model call without an answer, which any target may have processed. */
  readonly isUnknown: boolean;
}

export interface Settlements {
  /** Never rejects; failures are retried in the background. */
  release(operation: BudgetOperation): Promise<void>;
  /** Must be called once per hold. If Redis fails, throws and retries the settlement in the background. */
  settle(hold: Hold, answered: Answered | undefined, outcome: Outcome, batch?: Batch): Promise<SettledCost>;
  close(): Promise<void>;
}

export function createSettlements(deps: BudgetCheckDeps, leases: Leases, now: () => number): Settlements {
  const { store } = deps;
  const thresholds = createThresholds(deps);
  const { pricing: settings } = deps.config;

  async function release(operation: BudgetOperation): Promise<void> {
    await store.release(operation).catch((cause: unknown) => {
      leases.settleLater({ ...operation, costNanoUsd: 0 });
      deps.onFailure(cause);
    });
  }

  function chargesFor(hold: Hold, answered: Answered | undefined, outcome: Outcome): Charges {
    const { priced } = hold;
    if (typeof priced === 'number') {
      return {
        parsed: hold.parsed,
        charge: chargeOfTool(priced, answered, outcome),
        tried: [],
        isUnknown: false,
      };
    }
    const target = servedTarget(priced, answered);
    const { parsed, quote } = target;
    // Without an answer, it is unknown which targets were tried.
    const isOfOne = priced.length > 1 && answered !== undefined;
    const charge = chargeOf({
      parsed,
      ...quote,
      reservedNanoUsd: isOfOne ? worstAlone(target, settings, hold) : hold.reservedNanoUsd,
      outputTokens: hold.outputTokens,
      isLimited: hold.isBudgeted || parsed.request.output?.tokens !== undefined,
      answered,
      outcome,
      abortSlackTokens: settings.abort_slack_tokens,
      elapsedMs: now() - hold.reservedAt,
      outputTokensPerSecond: settings.output_tokens_per_second[parsed.provider.name],
      at: new Date(),
    });
    // One target's byte bound may exceed the token-counted reservation for all targets.
    let room = Math.max(0, hold.reservedNanoUsd - charge.costNanoUsd);
    const tried = (answered?.alsoAsked ?? []).map((earlier) => {
      const costNanoUsd = Math.min(room, worstAlone(servedTarget(priced, earlier), settings, hold));
      room -= costNanoUsd;
      return { parsed: earlier, costNanoUsd };
    });
    return { parsed, charge, tried, isUnknown: answered === undefined };
  }

  /**
   * Returns the cost charged to a shared budget: the sum over the targets that it covers, or the whole cost if it is
   * unknown which targets were tried.
   */
  function shareOf({ keyHash }: BudgetOperation, hold: Hold, charges: Charges): number {
    const { parsed, charge, tried, isUnknown } = charges;
    if (isUnknown || typeof hold.priced === 'number' || hold.priced.length === 1) return charge.costNanoUsd;
    return [{ parsed, costNanoUsd: charge.costNanoUsd }, ...tried]
      .filter((target) =>
        deps
          .findShared(target.parsed, hold.parsed.budget.limits.shared)
          .some((budget) => budget.keyHash === keyHash),
      )
      .reduce((sum, { costNanoUsd }) => sum + costNanoUsd, 0);
  }

  async function settle(
    hold: Hold,
    answered: Answered | undefined,
    outcome: Outcome,
    batch?: Batch,
  ): Promise<SettledCost> {
    hold.settled = true;
    for (const { operationId } of [hold.operation, ...hold.shared]) leases.letGo(operationId);
    const charges = chargesFor(hold, answered, outcome);
    const costNanoUsd = charges.tried.reduce(
      (sum, target) => sum + target.costNanoUsd,
      charges.charge.costNanoUsd,
    );
    const charge = { ...charges.charge, costNanoUsd, parsed: charges.parsed };
    const settlement = { ...hold.operation, costNanoUsd, spentFor: spentFor(charges.parsed) };
    const others = hold.shared.map((operation) =>
      settleShared(hold, { ...operation, costNanoUsd: shareOf(operation, hold, charges) }),
    );
    try {
      const result = await store.settle({ ...settlement, repeated: false }, batch);
      report(hold, charge, result);
      const tightest = [result.tightest, ...(await Promise.all(others))];
      return { costNanoUsd, ...result, tightest: tightestOf(tightest) };
    } catch (cause) {
      leases.settleLater(settlement, (result) => report(hold, charge, result));
      deps.onFailure(cause);
      throw cause;
    }
  }

  async function settleShared(
    { parsed }: Hold,
    settlement: Omit<Settlement, 'repeated'>,
  ): Promise<Tightest | undefined> {
    const settled = ({ crossed }: SettleResult): void => thresholds.report(parsed, settlement, crossed);
    try {
      const result = await store.settle({ ...settlement, repeated: false });
      settled(result);
      return result.tightest;
    } catch (cause) {
      leases.settleLater(settlement, settled);
      deps.onFailure(cause);
      return undefined;
    }
  }

  function report(
    { operation, reservedNanoUsd }: Hold,
    { costNanoUsd, reportedNanoUsd, absurd, parsed }: Charge & { readonly parsed: Parsed },
    result: SettleResult,
  ): void {
    if (result.applied) {
      deps.onCharged(parsed, costNanoUsd);
      if (costNanoUsd > reservedNanoUsd) deps.onOverReservation();
      if (reportedNanoUsd > 0) deps.onHigherCharge(parsed, reportedNanoUsd);
      if (absurd !== undefined) deps.onAbsurdUsage(parsed, absurd);
    }
    thresholds.report(parsed, operation, result.crossed);
  }

  return { release, settle, close: thresholds.close };
}

/** A tool call is charged once it may have run. An HTTP error means that it has not run. */
function chargeOfTool(costNanoUsd: number, answered: Answered | undefined, outcome: Outcome): Charge {
  const isFree = outcome.kind === 'not_forwarded' || (answered !== undefined && !isSuccess(answered));
  return { costNanoUsd: isFree ? 0 : costNanoUsd, reportedNanoUsd: 0 };
}

/** Creates a reporter of crossed thresholds that does not delay requests. */
function createThresholds(deps: BudgetCheckDeps) {
  const reporting = new Set<Promise<void>>();
  return {
    report(parsed: Parsed, operation: BudgetOperation, crossed: SettleResult['crossed']): void {
      if (crossed.length === 0) return;
      for (const { account } of crossed) deps.onCrossed(account.name);
      const report = reportCrossed(deps, parsed, operation, crossed).finally(() => reporting.delete(report));
      reporting.add(report);
    },
    async close(): Promise<void> {
      await Promise.all(reporting);
    },
  };
}

/** Sends alerts with the current spend, or with null if the spend cannot be read. */
async function reportCrossed(
  { store, onAlert, onFailure }: BudgetCheckDeps,
  { key }: Parsed,
  { keyHash, accounts }: BudgetOperation,
  crossed: SettleResult['crossed'],
): Promise<void> {
  const windows = await store
    .status(
      keyHash,
      accounts.filter(({ ledger }) => ledger === WINDOWS_LEDGER),
    )
    .catch((cause: unknown) => {
      onFailure(cause);
      return [];
    });
  for (const { account, percent: thresholdPercent } of crossed) {
    const { limitNanoUsd = 0 } = account;
    const spentNanoUsd = windows.find((window) => window.account.name === account.name)?.spentNanoUsd;
    onAlert({
      keyHash: key.keyHash,
      keyName: key.name,
      window: account.name,
      ...(account.budget !== undefined && { budget: account.budget }),
      thresholdPercent,
      percent: percentOf(spentNanoUsd, limitNanoUsd, thresholdPercent),
      spentUsd: spentNanoUsd === undefined ? null : spentNanoUsd / 1e9,
      limitUsd: limitNanoUsd / 1e9,
    });
  }
}

/** Returns at least the threshold, because a new window may have begun in the meantime. */
function percentOf(spentNanoUsd: number | undefined, limitNanoUsd: number, thresholdPercent: number): number {
  if (spentNanoUsd === undefined || limitNanoUsd === 0) return thresholdPercent;
  return Math.max(thresholdPercent, Math.floor((spentNanoUsd * 100) / limitNanoUsd));
}
