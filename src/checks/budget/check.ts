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
import { createLeases } from './leases.ts';
import { capPrice, quote, type QuoteDeps } from './quote.ts';
import { policyDenied } from '../denials.ts';
import type { BudgetCheckDeps } from './deps.ts';
import { budgetHeaders, closingComment, costHeaders, type SettledCost } from './headers.ts';
import { budgetExceeded } from './refusals.ts';
import { lowerLimit, reserveWorstCase } from './reserve.ts';
import { reserveEverywhere } from './reserve-everywhere.ts';
import { createSettlements, type Hold } from './settle.ts';
import type { SharedBudget } from './shared.ts';
import { editsOf, pricedTargets, targetsOf, type Targets } from './targets.ts';
import { renewAfterMs } from '../lease.ts';

export interface BudgetCheck {
  readonly check: Check<BudgetState, 'budget'>;
  close(): Promise<void>;
}

export interface BudgetState {
  hold?: Hold;
  /** Resolves when the reservation has succeeded or failed. */
  taking?: Promise<unknown>;
}

const FIXED = {
  outputNanoUsd: 0,
  outputTokens: 0,
  maxGrantTokens: 0,
  minGrantTokens: 0,
  lowestTokens: undefined,
} as const;

const UNREADABLE =
  'the cost of this endpoint is unknown, and this key or session has a budget: use another endpoint, or a key without a budget';

/** Reserves the worst case in every applicable budget, and later settles the actual cost (docs/budgets.md). */
export function createBudgetCheck(deps: BudgetCheckDeps): BudgetCheck {
  const { config, store } = deps;
  const { pricing: settings } = config;
  const now = deps.now ?? (() => performance.now());
  const quoting: QuoteDeps = { pricing: deps.pricing, settings, keptTools: config.proxy.provider_tools };
  const leases = createLeases({
    store,
    renewAfterMs: deps.renewAfterMs ?? renewAfterMs(),
    onFailure: deps.onFailure,
  });

  const settlements = createSettlements(deps, leases, now);
  const { release, settle } = settlements;
  const isLimited = (exchange: Parsed): boolean => isBudgeted(exchange) || sharedOf(exchange).length > 0;

  function sharedOf(exchange: Parsed): readonly SharedBudget[] {
    const { shared } = exchange.budget.limits;
    if (exchange.fallbacks === undefined) return deps.findShared(exchange, shared);
    const all = targetsOf(exchange).flatMap((target) => deps.findShared(target, shared));
    return all.filter(({ keyHash }, nth) => all.findIndex((budget) => budget.keyHash === keyHash) === nth);
  }

  function reserve(exchange: Parsed, state: BudgetState, batch: Batch | undefined): Verdict {
    const budgeted = isLimited(exchange);
    const quoted = quote(quoting, exchange, budgeted);
    if ('kind' in quoted) return quoted;
    const targets = pricedTargets({ parsed: exchange, quote: quoted }, (fallback) => {
      const own = quote(quoting, fallback, budgeted);
      return 'kind' in own ? undefined : own;
    });
    return hold(exchange, { priced: targets, isBudgeted: budgeted }, state, batch);
  }

  function reserveTool(exchange: Parsed, state: BudgetState, batch: Batch | undefined): Verdict {
    const costNanoUsd = deps.toolCost(exchange);
    return costNanoUsd === undefined
      ? PASS
      : hold(exchange, { priced: costNanoUsd, isBudgeted: isLimited(exchange) }, state, batch);
  }

  function hold(
    exchange: Parsed,
    terms: Pick<Hold, 'priced' | 'isBudgeted'>,
    state: BudgetState,
    batch: Batch | undefined,
  ): Verdict {
    const held: Hold = {
      operation: {
        keyHash: exchange.key.keyHash,
        operationId: newOperationId(),
        accounts: accountsOf(exchange),
      },
      shared: sharedOf(exchange).map(({ keyHash, accounts }) => ({
        keyHash,
        accounts,
        operationId: newOperationId(),
      })),
      parsed: exchange,
      ...terms,
      reservedNanoUsd: 0,
      outputTokens: 0,
      reservedAt: now(),
      tightest: undefined,
      settled: false,
    };
    // Set before the Redis call, so that the reservation is released even if the reply is lost.
    state.hold = held;
    const verdict = take(exchange, state, held, batch);
    state.taking = verdict.catch(() => undefined);
    return { kind: 'pending', verdict };
  }

  async function take(
    exchange: Parsed,
    state: BudgetState,
    hold: Hold,
    batch: Batch | undefined,
  ): Promise<FinalVerdict> {
    const { priced, shared } = hold;
    const result = await reserveEverywhere(
      {
        reserve: (operation, together) =>
          typeof priced === 'number'
            ? store.reserve({ ...operation, ...FIXED, inputNanoUsd: priced }, together)
            : reserveWorstCase(store, settings, { operation, targets: priced }, together),
        release,
      },
      [hold.operation, ...shared],
      batch,
    ).catch((cause: unknown) => {
      if (cause instanceof BatchAborted) delete state.hold;
      throw cause;
    });
    if (result.kind === 'refused') {
      delete state.hold;
      return budgetExceeded(result.tightest, result.amountNanoUsd);
    }
    if (result.kind === 'closed') throw new Error('a new operation cannot have been settled');
    for (const operation of [hold.operation, ...shared]) leases.hold(operation);
    hold.reservedNanoUsd = result.amountNanoUsd;
    hold.outputTokens = result.outputTokens;
    hold.reservedAt = now();
    deps.onReserved(exchange, result.amountNanoUsd);
    hold.tightest = result.tightest;
    return typeof priced === 'number' ? PASS : edited(priced, hold);
  }

  /** Writes the limits and terms that the reservation assumes into each target's request, and requests usage. */
  function edited(targets: Targets, { isBudgeted: budgeted, outputTokens }: Hold): FinalVerdict {
    const { default_max_output_tokens: most } = settings;
    for (const { parsed, quote: quoted } of targets) {
      const { output, askUsage, pinTier } = parsed.request;
      const edits = editsOf(parsed);
      if (budgeted && output !== undefined && output.tokens === undefined) {
        edits.push(...output.set(Math.min(outputTokens, quoted.price.maxOutputTokens ?? most)));
      }
      edits.push(...(askUsage ?? []));
      if (budgeted) edits.push(...(pinTier ?? []), ...capPrice(parsed.request, quoted.price));
    }
    return lowerLimit(targets, outputTokens);
  }

  function rewriter(exchange: Answered, hold: Hold): StreamRewriter {
    const requested = exchange.request.askUsage !== undefined;
    return {
      readsText: false,
      ...(requested && { event: ({ usageOnly }) => (usageOnly === true ? { kind: 'drop' } : PASS_EVENT) }),
      async comment() {
        if (hold.settled) return undefined;
        const outcome: Outcome = { kind: exchange.answer.complete ? 'complete' : 'broken_off' };
        try {
          return closingComment(await settle(hold, exchange, outcome));
        } catch {
          // Only the comment is lost: the client has its answer, and the settlement is retried.
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
          return PASS;
        case 'mcp':
          return reserveTool(exchange, state, batch);
        case 'unknown':
          return isLimited(exchange) ? policyDenied(UNREADABLE) : PASS;
        default:
          return reserve(exchange, state, batch);
      }
    },
    response(exchange, { hold }, batch) {
      if (hold === undefined) return PASS;
      if (exchange.form === 'stream') {
        addHeaders(exchange, hold.tightest === undefined ? {} : budgetHeaders(hold.tightest));
        return PASS;
      }
      const settled = settle(hold, exchange, { kind: 'complete' }, batch);
      return { kind: 'pending', verdict: settled.then((costs) => passWith(exchange, costs)) };
    },
    stream: (exchange, { hold }) =>
      hold === undefined || typeof hold.priced === 'number' ? undefined : rewriter(exchange, hold),
    async end(exchange, outcome, state) {
      await state.taking;
      const { hold } = state;
      if (hold === undefined || hold.settled) return;
      try {
        // Charged even if an earlier check withheld the answer, because the provider bills it.
        await settle(hold, wasAnswered(exchange) ? exchange : undefined, outcome);
      } catch {
        // settle() has reported the error and queued a retry.
      }
    },
  };
  return {
    check,
    async close() {
      await leases.close();
      await settlements.close();
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
