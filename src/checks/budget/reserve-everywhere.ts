import { BatchAborted, type Batch } from '../../pipeline/batch.ts';
import type { BudgetOperation, ReserveResult, Tightest } from './store.ts';

type Reserved = Extract<ReserveResult, { kind: 'reserved' }>;
type Refused = Extract<ReserveResult, { kind: 'refused' }>;

export interface Ledgers {
  reserve(operation: BudgetOperation, batch: Batch | undefined): Promise<ReserveResult>;
  /** Never rejects; failures are retried in the background. */
  release(operation: BudgetOperation): Promise<void>;
}

/**
 * Reserves concurrently in the ledgers of the key and all shared budgets. No script can cover all of them, because each
 * has its own Redis Cluster slot. If one refuses or fails, the other reservations are released.
 * @param batch further commands for the key's slot
 */
export async function reserveEverywhere(
  ledgers: Ledgers,
  [own, ...shared]: readonly [BudgetOperation, ...BudgetOperation[]],
  batch: Batch | undefined,
): Promise<ReserveResult> {
  if (shared.length === 0) return ledgers.reserve(own, batch);
  const operations = [own, ...shared];
  const attempts = await Promise.allSettled([
    ledgers.reserve(own, batch),
    ...shared.map((operation) => ledgers.reserve(operation, undefined)),
  ]);
  const failures = attempts.flatMap((attempt) => (attempt.status === 'rejected' ? [attempt.reason] : []));
  const results = attempts.flatMap((attempt) => (attempt.status === 'fulfilled' ? [attempt.value] : []));
  const refused = results.filter((result): result is Refused => result.kind === 'refused');
  if (failures.length === 0 && refused.length === 0) return together(results);
  // A failed reservation may have been applied; a refused one was not.
  await Promise.all(
    operations.map((operation, index) => {
      const attempt = attempts[index];
      const isFree =
        attempt?.status === 'fulfilled'
          ? attempt.value.kind === 'refused'
          : attempt?.reason instanceof BatchAborted;
      return isFree ? undefined : ledgers.release(operation);
    }),
  );
  const [first] = refused;
  if (failures.length > 0 || first === undefined)
    throw failures.find((cause) => !(cause instanceof BatchAborted)) ?? failures[0];
  return refused.reduce((a, b) => (isTighter(b.tightest, a.tightest) ? b : a), first);
}

/** Every ledger has reserved an upper bound of the cost, so the lowest one is also an upper bound. */
function together(results: readonly ReserveResult[]): ReserveResult {
  const reserved = results.filter((result): result is Reserved => result.kind === 'reserved');
  if (reserved.length < results.length) return { kind: 'closed' };
  return {
    kind: 'reserved',
    amountNanoUsd: Math.min(...reserved.map(({ amountNanoUsd }) => amountNanoUsd)),
    outputTokens: Math.min(...reserved.map(({ outputTokens }) => outputTokens)),
    tightest: tightestOf(reserved.map(({ tightest }) => tightest)),
  };
}

export function tightestOf(all: readonly (Tightest | undefined)[]): Tightest | undefined {
  return all.reduce((a, b) => (b !== undefined && (a === undefined || isTighter(b, a)) ? b : a), undefined);
}

function isTighter(a: Tightest, b: Tightest): boolean {
  return a.remainingNanoUsd < b.remainingNanoUsd;
}
