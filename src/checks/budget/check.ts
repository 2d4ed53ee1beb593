import { newOperationId } from '../../operation-id.ts';
import {
  PASS,
  PASS_EVENT,
  type Check,
  type FinalVerdict,
  type Pass,
  type StreamRewriter,
  type Verdict,
} from '../../pipeline/check.ts';
import type { Answered, Identified, Outcome, Parsed } from '../../pipeline/exchange.ts';
import { BatchAborted, type Batch } from '../../pipeline/batch.ts';
import { accountsOf, isBudgeted } from './accounts.ts';
import { chargeOf, type Charge } from './charge.ts';
import { createLeases } from './leases.ts';
import { capPrice, quote, type Quote, type QuoteDeps } from './quote.ts';
import { policyDenied } from '../denials.ts';
import type { BudgetCheckDeps } from './deps.ts';
import { budgetHeaders, closingComment, costHeaders, type SettledCost } from './headers.ts';
import { budgetExceeded } from './refusals.ts';
import { lowerLimit, reserveWorstCase } from './reserve.ts';
import type { BudgetOperation, SettleResult, Tightest } from './store.ts';
import { createThresholds } from './thresholds.ts';
import { renewAfterMs } from '../lease.ts';

export interface BudgetCheck {
  readonly check: Check<BudgetState, 'budget'>;
  /** Settles what is pending before the Redis connection closes. */
  close(): Promise<void>;
}

/** One exchange's reservation. */
export interface BudgetState {
  hold?: Hold;
  /** Settles once it is known whether the hold was taken. */
  taking?: Promise<unknown>;
}

interface Hold {
  readonly operation: BudgetOperation;
  readonly parsed: Parsed;
  readonly quote: Quote;
  reservedNanoUsd: number;
  outputTokens: number;
  /** Time of the reservation, just before forwarding. */
  reservedAt: number;
  tightest: Tightest | undefined;
  settled: boolean;
}

const UNREADABLE =
  'the cost of this endpoint is unknown, and this key or session has a budget: use another endpoint, or a key without a budget';

/**
 * Reserves a request's worst-case cost in every budget of its key before sending, and replaces it by the real
 * cost when the answer is known (docs/budgets.md).
 */
export function createBudgetCheck(deps: BudgetCheckDeps): BudgetCheck {
  const { config, store } = deps;
  const { pricing: settings } = config;
  const thresholds = createThresholds(deps);
  const now = deps.now ?? (() => performance.now());
  const quoting: QuoteDeps = { pricing: deps.pricing, settings, keptTools: config.proxy.provider_tools };
  const leases = createLeases({
    store,
    renewAfterMs: deps.renewAfterMs ?? renewAfterMs(),
    onFailure: deps.onFailure,
  });

  function reserve(exchange: Parsed, state: BudgetState, batch: Batch | undefined): Verdict {
    const budgeted = isBudgeted(exchange);
    const quoted = quote(quoting, exchange, budgeted);
    if ('kind' in quoted) {
      return quoted;
    }
    const hold: Hold = {
      operation: {
        keyHash: exchange.key.keyHash,
        operationId: newOperationId(),
        accounts: accountsOf(exchange),
      },
      parsed: exchange,
      quote: quoted,
      reservedNanoUsd: 0,
      outputTokens: 0,
      reservedAt: now(),
      tightest: undefined,
      settled: false,
    };
    // Set before Redis is called: a reservation whose reply is lost must be released too.
    state.hold = hold;
    const verdict = take(exchange, state, hold, batch);
    state.taking = verdict.catch(() => undefined);
    return { kind: 'pending', verdict };
  }

  async function take(
    exchange: Parsed,
    state: BudgetState,
    hold: Hold,
    batch: Batch | undefined,
  ): Promise<FinalVerdict> {
    const result = await reserveWorstCase(store, settings, hold, batch).catch((cause: unknown) => {
      if (cause instanceof BatchAborted) delete state.hold;
      throw cause;
    });
    if (result.kind === 'refused') {
      delete state.hold;
      return budgetExceeded(result.tightest, result.amountNanoUsd);
    }
    if (result.kind === 'closed') {
      throw new Error('a fresh operation cannot have been settled');
    }
    leases.hold(hold.operation);
    hold.reservedNanoUsd = result.amountNanoUsd;
    hold.outputTokens = result.outputTokens;
    hold.reservedAt = now();
    deps.onReserved(exchange, result.amountNanoUsd);
    hold.tightest = result.tightest;
    return edited(exchange, hold.quote, result.outputTokens);
  }

  /** Writes the reservation's assumptions into the request. */
  function edited(exchange: Parsed, quoted: Quote, outputTokens: number): FinalVerdict {
    const { output, askUsage, pinTier } = exchange.request;
    const budgeted = isBudgeted(exchange);
    if (budgeted && output !== undefined && output.tokens === undefined) {
      exchange.edits.push(...output.set(outputTokens));
    }
    exchange.edits.push(...(askUsage ?? []));
    if (budgeted) {
      exchange.edits.push(...(pinTier ?? []), ...capPrice(exchange.request, quoted.price));
    }
    return lowerLimit(exchange, quoted, outputTokens);
  }

  /** Settles once. If Redis fails, the settlement is retried in the background and the failure is thrown. */
  async function settle(
    hold: Hold,
    answered: Answered | undefined,
    outcome: Outcome,
    batch?: Batch,
  ): Promise<SettledCost> {
    hold.settled = true;
    leases.letGo(hold.operation.operationId);
    const charge = chargeOf({
      parsed: hold.parsed,
      ...hold.quote,
      reservedNanoUsd: hold.reservedNanoUsd,
      outputTokens: hold.outputTokens,
      isLimited: isBudgeted(hold.parsed) || hold.parsed.request.output?.tokens !== undefined,
      answered,
      outcome,
      abortSlackTokens: settings.abort_slack_tokens,
      elapsedMs: now() - hold.reservedAt,
      outputTokensPerSecond: settings.output_tokens_per_second[hold.parsed.provider.name],
      at: new Date(),
    });
    const { costNanoUsd } = charge;
    const settlement = { ...hold.operation, costNanoUsd };
    try {
      const result = await store.settle({ ...settlement, repeated: false }, batch);
      report(hold, charge, result);
      return { costNanoUsd, ...result };
    } catch (cause) {
      leases.settleLater(settlement, (result) => report(hold, charge, result));
      deps.onFailure(cause);
      throw cause;
    }
  }

  function report(
    { parsed, reservedNanoUsd }: Hold,
    { costNanoUsd, reportedNanoUsd, absurd }: Charge,
    result: SettleResult,
  ): void {
    if (result.applied) {
      deps.onCharged(parsed, costNanoUsd);
      if (costNanoUsd > reservedNanoUsd) deps.onOverReservation();
      if (reportedNanoUsd > 0) deps.onHigherCharge(parsed, reportedNanoUsd);
      if (absurd !== undefined) deps.onAbsurdUsage(parsed, absurd);
    }
    thresholds.report(parsed, result.crossed);
  }

  function rewriter(exchange: Answered, hold: Hold): StreamRewriter {
    const requested = exchange.request.askUsage !== undefined;
    return {
      readsText: false,
      ...(requested && { event: ({ usageOnly }) => (usageOnly === true ? { kind: 'drop' } : PASS_EVENT) }),
      async comment() {
        if (hold.settled) {
          return undefined;
        }
        const outcome: Outcome = { kind: exchange.answer.complete ? 'complete' : 'broken_off' };
        try {
          return closingComment(await settle(hold, exchange, outcome));
        } catch {
          // The client has its answer and the settlement is retried: only the comment is lost.
          return undefined;
        }
      },
    };
  }

  const check: Check<BudgetState, 'budget'> = {
    name: 'budget',
    shadowable: false,
    repeatable: true,
    begin: () => ({}),
    requestBody(exchange, state, batch) {
      switch (exchange.endpoint.operation) {
        case 'models':
        case 'count_tokens':
        case 'mcp':
          return PASS;
        case 'unknown':
          return isBudgeted(exchange) ? policyDenied(UNREADABLE) : PASS;
        default:
          return reserve(exchange, state, batch);
      }
    },
    response(exchange, { hold }, batch) {
      if (hold === undefined) {
        return PASS;
      }
      if (exchange.form === 'stream') {
        addHeaders(exchange, hold.tightest === undefined ? {} : budgetHeaders(hold.tightest));
        return PASS;
      }
      const settled = settle(hold, exchange, { kind: 'complete' }, batch);
      return { kind: 'pending', verdict: settled.then((costs) => passWith(exchange, costs)) };
    },
    stream: (exchange, { hold }) => (hold === undefined ? undefined : rewriter(exchange, hold)),
    async end(exchange, outcome, state) {
      await state.taking;
      const { hold } = state;
      if (hold === undefined || hold.settled) {
        return;
      }
      try {
        // Also if an earlier check withheld the answer, since the provider bills it.
        await settle(hold, wasAnswered(exchange) ? exchange : undefined, outcome);
      } catch {
        // Reported and queued by settle().
      }
    },
  };
  return {
    check,
    async close() {
      await leases.close();
      await thresholds.close();
    },
  };
}

function wasAnswered(exchange: Identified): exchange is Answered {
  return 'answer' in exchange;
}

function addHeaders({ responseHeaders }: Identified, headers: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(headers)) {
    responseHeaders.set(name, value);
  }
}

function passWith(exchange: Identified, settled: SettledCost): Pass {
  addHeaders(exchange, costHeaders(settled));
  return PASS;
}
