import { randomUUID } from 'node:crypto';
import type { Config } from '../../config/schema.ts';
import { HEADER } from '../../headers.ts';
import { PASS, PASS_EVENT } from '../../pipeline/check.ts';
import type { Check, Denial, StreamRewriter, Verdict } from '../../pipeline/check.ts';
import type { Answered, Identified, Outcome, Parsed } from '../../pipeline/exchange.ts';
import { byteBound, countedBound } from '../../pricing/input-bound.ts';
import type { InputBound, InputSource } from '../../pricing/input-bound.ts';
import type { ModelPrice, Pricing } from '../../pricing/price.ts';
import { dearestOf, priceOfUnknown } from '../../pricing/pricing.ts';
import { formatUsd, toNanoUsd } from '../../pricing/usd.ts';
import { hasBudget } from '../../redis/budget-limits.ts';
import { chargeOf } from './charge.ts';
import { estimate } from './estimate.ts';
import { createLeases } from './leases.ts';
import { budgetExceeded, budgetHeaders, policyDenied, printable, unbounded } from './refusals.ts';
import type { BudgetStore, Operation, ReserveResult, SettleResult, Tightest } from './store.ts';
import { windowAccounts } from './windows.ts';

export interface BudgetCheckDeps {
  readonly config: Pick<Config, 'pricing' | 'proxy' | 'server'>;
  readonly pricing: Pricing;
  readonly store: BudgetStore;
  /** A threshold of `alerting.thresholds` was reached for the first time in its window. */
  readonly onAlert: (alert: BudgetAlert) => void;
  /** A real cost was over its reservation, and was charged all the same. */
  readonly onOverReservation: () => void;
  /** Redis did not take a renewal or settlement; it is repeated in the background. */
  readonly onFailure: (cause: unknown) => void;
  /** A third of the store's lease. */
  readonly renewAfterMs?: number;
}

export interface BudgetAlert {
  readonly keyHash: string;
  readonly keyName: string;
  readonly window: string;
  readonly percent: number;
  readonly limitUsd: string;
}

export interface BudgetCheck {
  readonly check: Check<BudgetState>;
  /** Makes good what is still to be settled, before the Redis connection goes. */
  close(): Promise<void>;
}

/** One exchange's reservation. */
export interface BudgetState {
  hold?: Hold;
  answered?: Answered;
}

interface Hold {
  readonly operation: Operation;
  readonly parsed: Parsed;
  readonly price: ModelPrice;
  readonly toolsNanoUsd: number;
  reservedNanoUsd: number;
  tightest: Tightest | undefined;
  settled: boolean;
}

const DEFAULT_RENEW_AFTER_MS = 10_000;

/**
 * Takes the worst-case cost of a request from every budget of its key before it is sent, and puts the real cost in
 * its place when the answer is known (SPEC "Budget", DECISIONS "Budgets and cost").
 */
export function createBudgetCheck(deps: BudgetCheckDeps): BudgetCheck {
  const { config, store } = deps;
  const { pricing: settings } = config;
  const leases = createLeases({
    store,
    renewAfterMs: deps.renewAfterMs ?? DEFAULT_RENEW_AFTER_MS,
    onFailure: deps.onFailure,
  });

  async function reserve(exchange: Parsed, state: BudgetState): Promise<Verdict> {
    const budgeted = hasBudget(exchange.budgetLimits);
    const refusal = budgeted ? refuseUnbounded(exchange) : undefined;
    if (refusal !== undefined) {
      return refusal;
    }
    const price = priceFor(exchange, budgeted);
    if ('kind' in price) {
      return price;
    }
    const hold: Hold = {
      operation: {
        keyHash: exchange.key.keyHash,
        operationId: randomUUID(),
        accounts: windowAccounts(exchange.budgetLimits),
      },
      parsed: exchange,
      price,
      toolsNanoUsd: toolsCost(exchange),
      reservedNanoUsd: 0,
      tightest: undefined,
      settled: false,
    };
    // Set before Redis is asked: a reservation whose reply is lost must be given back too.
    state.hold = hold;
    const result = await reserveAtMost(hold);
    if (result.kind === 'refused') {
      delete state.hold;
      return budgetExceeded(result.tightest, result.amountNanoUsd);
    }
    if (result.kind === 'closed') {
      throw new Error('a fresh operation cannot have been settled');
    }
    leases.hold(hold.operation);
    hold.reservedNanoUsd = result.amountNanoUsd;
    hold.tightest = result.tightest;
    const { output, askUsage } = exchange.request;
    if (budgeted && output !== undefined && output.tokens === undefined) {
      exchange.edits.push(...output.set(result.outputTokens));
    }
    exchange.edits.push(...(askUsage ?? []));
    return PASS;
  }

  /** First by the bound that costs nothing; counted only where that does not fit. */
  async function reserveAtMost(hold: Hold): Promise<ReserveResult> {
    const source = inputSource(hold);
    const cheap = byteBound(source);
    const first = await attempt(hold, cheap);
    if (first.kind !== 'refused' || first.tightest.account.limitNanoUsd === 0) {
      return first;
    }
    const counted = countedBound(source);
    return counted.textTokens < cheap.textTokens && hold.price.worstInputNanoUsd > 0
      ? attempt(hold, counted)
      : first;
  }

  function attempt(hold: Hold, ownBound: InputBound): Promise<ReserveResult> {
    const { parsed, price, toolsNanoUsd, operation } = hold;
    const bound = searches(parsed)
      ? { ...ownBound, textTokens: Math.max(ownBound.textTokens, contextOf(price)) }
      : ownBound;
    const worst = estimate({
      exchange: parsed,
      price,
      bound,
      toolsNanoUsd,
      defaultMaxOutputTokens: settings.default_max_output_tokens,
    });
    return store.reserve({ ...operation, ...worst });
  }

  function inputSource({ parsed, price }: Hold): InputSource {
    return {
      provider: parsed.provider.name,
      request: parsed.request,
      bodyBytes: parsed.body.length,
      contextTokens: contextOf(price),
    };
  }

  function contextOf(price: ModelPrice): number {
    return price.contextTokens ?? settings.default_context_tokens;
  }

  /** What a key with a budget may not send, because nobody could say what it costs. */
  function refuseUnbounded({ request, endpoint }: Parsed): Denial | undefined {
    if (endpoint.operation === 'unknown') {
      return policyDenied('the cost of this endpoint is unknown, and this key has a budget');
    }
    if (request.unbounded !== undefined) {
      return unbounded(`the cost cannot be bounded: ${request.unbounded}`);
    }
    const unpriced = keptTools(request.providerTools).find((type) => settings.tools[type] === undefined);
    return unpriced === undefined
      ? undefined
      : unbounded(`the cost of ${printable(unpriced)} is unknown: set its price in pricing.tools`);
  }

  function priceFor({ request, provider, endpoint, key }: Parsed, budgeted: boolean): ModelPrice | Denial {
    const unknown = priceOfUnknown(settings.unknown_model, budgeted);
    const prices: ModelPrice[] = [];
    for (const model of request.models.length > 0 ? request.models : ['']) {
      const price = deps.pricing.find(provider.name, model) ?? unknown;
      if (price === undefined) {
        const name =
          model === '' ? 'a request without a model' : `model ${printable(model)} of ${key.provider}`;
        return policyDenied(`no price is known for ${name}: set it in pricing.overrides`);
      }
      prices.push(price);
    }
    const [first, ...others] = prices;
    const price = dearestOf([first ?? priceless(), ...others]);
    if (!budgeted) {
      return price;
    }
    if (request.media.some(({ kind }) => kind === 'audio') && price.worstInputAudioNanoUsd === undefined) {
      return unbounded('no audio price is known for this model: set input_audio in pricing.overrides');
    }
    const isMedia = endpoint.operation === 'images' || endpoint.operation === 'audio';
    return isMedia && request.output === undefined && price.requestNanoUsd === 0
      ? unbounded('the cost of this endpoint cannot be bounded: set request in pricing.overrides')
      : price;
  }

  function keptTools(tools: Parsed['request']['providerTools']): string[] {
    const kept = tools.map(({ type }) => type).filter((type) => config.proxy.provider_tools.includes(type));
    return [...new Set(kept)];
  }

  /** What a tool of the provider's own finds is input that nobody saw beforehand. */
  function searches({ request }: Parsed): boolean {
    return keptTools(request.providerTools).length > 0;
  }

  function toolsCost({ request }: Parsed): number {
    return keptTools(request.providerTools).reduce(
      (sum, type) => sum + toNanoUsd(settings.tools[type] ?? 0),
      0,
    );
  }

  /** Settles once; a settlement that Redis does not take is repeated in the background, and the failure thrown. */
  async function settle(hold: Hold, answered: Answered | undefined, outcome: Outcome) {
    hold.settled = true;
    leases.letGo(hold.operation.operationId);
    const costNanoUsd = chargeOf({
      ...hold,
      answered,
      outcome,
      abortSlackTokens: settings.abort_slack_tokens,
      at: new Date(),
    });
    const settlement = { ...hold.operation, costNanoUsd };
    try {
      const result = await store.settle({ ...settlement, repeated: false });
      report(hold, costNanoUsd, result);
      return { costNanoUsd, tightest: result.tightest };
    } catch (cause) {
      leases.settleLater(settlement, (result) => report(hold, costNanoUsd, result));
      deps.onFailure(cause);
      throw cause;
    }
  }

  function report({ parsed, reservedNanoUsd }: Hold, costNanoUsd: number, result: SettleResult): void {
    if (result.applied && costNanoUsd > reservedNanoUsd) {
      deps.onOverReservation();
    }
    for (const { account, percent } of result.crossed) {
      deps.onAlert({
        keyHash: parsed.key.keyHash,
        keyName: parsed.key.name,
        window: account.name,
        percent,
        limitUsd: formatUsd(account.limitNanoUsd ?? 0),
      });
    }
  }

  function rewriter(exchange: Answered, hold: Hold): StreamRewriter {
    const asked = exchange.request.askUsage !== undefined;
    return {
      event: (event) => (asked && event.usageOnly === true ? { kind: 'drop' } : PASS_EVENT),
      async end() {
        if (hold.settled) {
          return undefined;
        }
        const outcome: Outcome = { kind: exchange.answer.complete ? 'complete' : 'broken_off' };
        try {
          const { costNanoUsd, tightest } = await settle(hold, exchange, outcome);
          return config.server.strip_budget_headers
            ? undefined
            : { comment: closingComment(costNanoUsd, tightest) };
        } catch {
          // The client has its answer already, and the settlement is repeated: only the comment is lost.
          return undefined;
        }
      },
    };
  }

  const check: Check<BudgetState> = {
    name: 'budget',
    shadowable: false,
    begin: () => ({}),
    requestBody(exchange, state) {
      const { operation } = exchange.endpoint;
      const free = operation === 'models' || operation === 'count_tokens';
      const unread = operation === 'unknown' && !hasBudget(exchange.budgetLimits);
      return free || unread ? PASS : reserve(exchange, state);
    },
    async response(exchange, state) {
      state.answered = exchange;
      const { hold } = state;
      if (hold === undefined) {
        return PASS;
      }
      if (exchange.form === 'stream') {
        addHeaders(exchange, hold.tightest);
        return PASS;
      }
      const { costNanoUsd, tightest } = await settle(hold, exchange, { kind: 'complete' });
      exchange.responseHeaders.set(HEADER.requestCost, formatUsd(costNanoUsd));
      addHeaders(exchange, tightest);
      return PASS;
    },
    stream: (exchange, { hold }) => (hold === undefined ? undefined : rewriter(exchange, hold)),
    async end(_exchange, outcome, { hold, answered }) {
      if (hold === undefined || hold.settled) {
        return;
      }
      try {
        await settle(hold, answered, outcome);
      } catch {
        // Reported and queued by settle().
      }
    },
  };
  return { check, close: () => leases.close() };
}

function addHeaders(exchange: Identified, tightest: Tightest | undefined): void {
  if (tightest === undefined) {
    return;
  }
  for (const [name, value] of Object.entries(budgetHeaders(tightest))) {
    exchange.responseHeaders.set(name, value);
  }
}

/** The final cost of a stream, whose headers left before it was known. */
function closingComment(costNanoUsd: number, tightest: Tightest | undefined): string {
  const headers = tightest === undefined ? {} : budgetHeaders(tightest);
  return Object.entries({ [HEADER.requestCost]: formatUsd(costNanoUsd), ...headers })
    .map(([name, value]) => `${name}=${value}`)
    .join(' ');
}

function priceless(): never {
  throw new Error('a request is priced by at least one model');
}
