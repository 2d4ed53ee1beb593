import type { CoreConfig } from '../../config/core.ts';
import type { JsonEdit } from '../../json/path.ts';
import type { Answered, Parsed } from '../../pipeline/exchange.ts';
import type { InputBound } from '../../pricing/input-bound.ts';
import { estimate, outputTokens, type Estimate } from './estimate.ts';
import type { Quote } from './quote.ts';

export interface PricedTarget {
  readonly parsed: Parsed;
  readonly quote: Quote;
}

export type Targets = readonly [PricedTarget, ...PricedTarget[]];

export function targetsOf(exchange: Parsed): readonly Parsed[] {
  return [exchange, ...(exchange.fallbacks ?? [])];
}

/** Returns the mutable edits for this target alone. */
export function editsOf({ edits, ownEdits }: Parsed): JsonEdit[] {
  return ownEdits ?? edits;
}

/** Prices the fallbacks, and removes those whose cost cannot be bounded. */
export function pricedTargets(first: PricedTarget, priced: (fallback: Parsed) => Quote | undefined): Targets {
  const { parsed } = first;
  const others = (parsed.fallbacks ?? []).flatMap((fallback): PricedTarget[] => {
    const quote = priced(fallback);
    return quote === undefined ? [] : [{ parsed: fallback, quote }];
  });
  if (parsed.fallbacks !== undefined) parsed.fallbacks = others.map((other) => other.parsed);
  return [first, ...others];
}

/** Returns the highest output limit that any target finds in the request, or undefined if none does. */
export function limitRead(targets: Targets): number | undefined {
  const read = targets.map(({ parsed }) => outputTokens(parsed.request.output) ?? 0);
  const most = Math.max(...read);
  return most === 0 ? undefined : most;
}

interface EstimateOptions {
  readonly settings: Pick<CoreConfig['pricing'], 'default_max_output_tokens'>;
  readonly bound: (quote: Quote) => InputBound;
  readonly mayLowerLimit: boolean;
  readonly readElsewhere?: number | undefined;
}

/** Covers all targets: the highest reservation, or the sum if a lost request may be tried at the next target. */
export function worstOf(targets: Targets, options: Omit<EstimateOptions, 'readElsewhere'>): Estimate {
  const readElsewhere = limitRead(targets);
  const [first, ...others] = targets.map((target) => worstOfOne(target, { ...options, readElsewhere }));
  if (first === undefined) throw new Error('there is no target to reserve for');
  const isSum = targets.some(({ parsed }) => parsed.followsUncertain === true);
  return others.reduce((a, b) => covering(a, b, isSum), first);
}

function worstOfOne(
  { parsed, quote }: PricedTarget,
  { settings, bound, mayLowerLimit, readElsewhere }: EstimateOptions,
): Estimate {
  return estimate({
    exchange: parsed,
    price: quote.price,
    bound: bound(quote),
    toolsNanoUsd: quote.toolsNanoUsd,
    defaultMaxOutputTokens: settings.default_max_output_tokens,
    mayLowerLimit,
    readElsewhere,
  });
}

/** Returns an estimate that covers two targets. A granted limit must bound the cost of both. */
function covering(a: Estimate, b: Estimate, isSum: boolean): Estimate {
  const both = (x: number, y: number): number => (isSum ? x + y : Math.max(x, y));
  const minGrantTokens = Math.max(a.minGrantTokens, b.minGrantTokens);
  return {
    inputNanoUsd: both(a.inputNanoUsd, b.inputNanoUsd),
    outputNanoUsd: both(a.outputNanoUsd, b.outputNanoUsd),
    outputTokens: greater(a.outputTokens, b.outputTokens),
    maxGrantTokens: Math.max(minGrantTokens, Math.min(a.maxGrantTokens, b.maxGrantTokens)),
    minGrantTokens,
    lowestTokens: greater(a.lowestTokens, b.lowestTokens),
  };
}

function greater(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? undefined : Math.max(a, b);
}

/**
 * Finds the target that answered, by comparing `request`, which stays the same object at every stage. Without an
 * answer, returns the first target.
 */
export function servedTarget(
  targets: Targets,
  answered: Pick<Answered, 'request'> | undefined,
): PricedTarget {
  return targets.find(({ parsed }) => parsed.request === answered?.request) ?? targets[0];
}

/** Returns the part of the reservation that this target alone would have required. */
export function worstAlone(
  target: PricedTarget,
  settings: EstimateOptions['settings'],
  reserved: { readonly reservedNanoUsd: number; readonly outputTokens: number },
): number {
  const worst = worstOfOne(target, {
    settings,
    bound: (quote) => quote.bound('bytes'),
    mayLowerLimit: false,
  });
  const alone = Math.ceil(worst.inputNanoUsd + worst.outputNanoUsd * reserved.outputTokens);
  return Math.min(alone, reserved.reservedNanoUsd);
}
