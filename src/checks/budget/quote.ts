import type { CoreConfig } from '../../config/core.ts';
import type { Denial } from '../../pipeline/check.ts';
import type { Parsed } from '../../pipeline/exchange.ts';
import { byteBound, countedBound, type InputBound } from '../../pricing/input-bound.ts';
import { isSound, DEFAULT_MAX_IMAGE_TOKENS } from '../../pricing/media-bound.ts';
import type { ModelPrice, Pricing } from '../../pricing/price.ts';
import { mostExpensiveOf, priceOfUnknown } from '../../pricing/pricing.ts';
import { toolCallsNanoUsd } from '../../pricing/tool-calls.ts';
import type { RequestFacts } from '../../providers/request-facts.ts';
import {
  billingInHeaders,
  createBillingReader,
  type BillingDetails,
} from '../../providers/billing-details.ts';
import { outputsOf } from './estimate.ts';
import { invalidRequest, policyDenied } from '../denials.ts';
import { printableName } from '../../text/label.ts';
import type { JsonEdit } from '../../json/path.ts';

export interface Quote {
  readonly price: ModelPrice;
  readonly keptTools: readonly string[];
  /** Total cost of one call to each of `keptTools`. */
  readonly toolsNanoUsd: number;
  toolCalls(reported: ReadonlyMap<string, number>): number;
  /** Requested service terms that may cost more; allowed only without a budget. */
  readonly requested?: Pick<BillingDetails, 'tiers' | 'speeds' | 'geos'>;
  priceReported(model: string): ModelPrice | undefined;
  /** Returns an upper bound of the input tokens: cheaply from bytes, or precisely by counting tokens. */
  bound(by: 'bytes' | 'count'): InputBound;
}

export interface QuoteDeps {
  readonly pricing: Pricing;
  readonly settings: CoreConfig['pricing'];
  /** Tools allowed by `proxy.provider_tools`. All others were removed from the request. */
  readonly keptTools: readonly string[];
}

const NO_CALLS: ReadonlyMap<string, number> = new Map();

/** Prices a request. With a budget, refuses unbounded costs; without one, only `unknown_model: deny` refuses. */
export function quote(deps: QuoteDeps, exchange: Parsed, budgeted: boolean): Quote | Denial {
  const tools = keptTools(deps, exchange.request);
  const price = priceOf(deps, exchange, budgeted);
  if ('kind' in price) return price;
  const refusal = budgeted ? refuseOpenCost(deps, exchange, price, tools) : undefined;
  if (refusal !== undefined) return refusal;
  const source = {
    provider: exchange.provider.name,
    request: exchange.request,
    pricedModels: price.models,
    bodyBytes: exchange.body.length,
    contextTokens: price.contextTokens ?? deps.settings.default_context_tokens,
  };
  const toolCalls = (reported: ReadonlyMap<string, number>): number =>
    toolCallsNanoUsd({ provider: source.provider, kept: tools, reported, prices: deps.settings.tools });
  return {
    price,
    keptTools: tools,
    toolsNanoUsd: toolCalls(NO_CALLS),
    toolCalls,
    ...(exchange.request.unbounded !== undefined && { requested: requestedBill(exchange) }),
    priceReported: (model) => deps.pricing.findReported(source.provider, model),
    bound(by) {
      const bound = by === 'bytes' ? byteBound(source) : countedBound(source);
      // Results of built-in tools become input of unknown size.
      return tools.length === 0
        ? bound
        : { ...bound, textTokens: Math.max(bound.textTokens, source.contextTokens) };
    },
  };
}

function requestedBill({ json, headers }: Parsed): Required<Quote>['requested'] {
  const reader = createBillingReader();
  reader.add(json);
  const { tiers, speeds } = billingInHeaders(headers);
  const { bill } = reader;
  return { tiers: [...bill.tiers, ...tiers], speeds: [...bill.speeds, ...speeds], geos: bill.geos };
}

function priceOf(
  { pricing, settings }: QuoteDeps,
  { request, provider }: Parsed,
  budgeted: boolean,
): ModelPrice | Denial {
  const models = request.models.length === 0 ? [''] : request.models;
  const known: ModelPrice[] = [];
  for (const model of new Set(models)) {
    const price = pricing.find(provider.name, model) ?? standIn(settings, model, budgeted);
    if (price === undefined) {
      if (model === '') return policyDenied('The request has no model, so its cost is unknown. Set a model');
      const named = `The model ${printableName(model)} of ${provider.name}`;
      return policyDenied(
        `${named} has no price yet, so it cannot be used. ${forOperator('pricing.overrides, or pricing.unknown_model')}`,
      );
    }
    known.push(price);
  }
  return mostExpensiveOf(known);
}

function standIn(settings: QuoteDeps['settings'], model: string, budgeted: boolean): ModelPrice | undefined {
  const price = priceOfUnknown(settings.unknown_model, budgeted);
  return price && { ...price, models: [model] };
}

function forOperator(setting: string): string {
  return `The operator of the gateway can set ${setting}`;
}

function refuseOpenCost(
  { settings }: QuoteDeps,
  { request, endpoint }: Parsed,
  price: ModelPrice,
  tools: readonly string[],
): Denial | undefined {
  if (request.unbounded !== undefined) {
    return invalidRequest(`the cost cannot be bounded: ${request.unbounded}`);
  }
  const dearer = request.hostedTools.find((tool) => tools.includes(tool.type) && tool.dearer !== undefined);
  if (dearer !== undefined) return invalidRequest(`the cost cannot be bounded: ${dearer.dearer ?? ''}`);
  const unpriced = tools.find((type) => settings.tools[type] === undefined);
  if (unpriced !== undefined) {
    return invalidRequest(
      `The tool ${printableName(unpriced)} has no price yet, so it cannot be used. ${forOperator('pricing.tools')}`,
    );
  }
  if (price.worstInputAudioNanoUsd === undefined && request.media.some(isSound)) {
    return invalidRequest(
      `Audio input of this model has no price yet, so it cannot be used. ${forOperator('input_audio in pricing.overrides')}`,
    );
  }
  const output = outputsOf(request, price).find((modality) => !price.pricedOutputs.has(modality));
  if (output !== undefined) {
    return invalidRequest(
      `The ${output} output of this model has no price yet, so it cannot be used. ${forOperator(`output_${output} in pricing.overrides`)}`,
    );
  }
  const isMedia = endpoint.operation === 'images' || endpoint.operation === 'audio';
  return isMedia && request.output === undefined && price.requestNanoUsd === 0
    ? invalidRequest(
        `This endpoint has no price per request yet, so its cost cannot be bounded. ${forOperator('request in pricing.overrides')}`,
      )
    : undefined;
}

function keptTools(deps: QuoteDeps, request: RequestFacts): string[] {
  const kept = request.hostedTools.map(({ type }) => type).filter((type) => deps.keptTools.includes(type));
  return [...new Set(kept)];
}

/** Returns edits that make a router exclude hosts above the reserved price. */
export function capPrice(
  { capPrice: edits, media }: RequestFacts,
  { listed, requestNanoUsd, worstInputAudioNanoUsd }: ModelPrice,
): readonly JsonEdit[] {
  if (edits === undefined || listed === undefined) return [];
  const { inputNanoUsd, outputNanoUsd } = listed;
  const imageUsd = (DEFAULT_MAX_IMAGE_TOKENS * inputNanoUsd) / 1e9;
  const audioNanoUsd = media.some(isSound) ? worstInputAudioNanoUsd : undefined;
  return edits({
    inputUsdPerMillion: inputNanoUsd / 1_000,
    outputUsdPerMillion: outputNanoUsd / 1_000,
    requestUsd: requestNanoUsd / 1e9,
    ...(media.some(({ kind }) => kind === 'image') && { imageUsd }),
    ...(audioNanoUsd !== undefined && { audioUsdPerMillion: audioNanoUsd / 1_000 }),
  });
}
