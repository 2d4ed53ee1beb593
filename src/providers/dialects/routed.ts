import { GatewayError } from '../../errors.ts';
import type { JsonEdit } from '../../json/path.ts';
import type { Dialect } from '../dialect.ts';
import type { JsonObject } from '../../json/is-object.ts';
import type { PriceCap, RequestFacts } from '../request-facts.ts';
import { billed, usdBill } from './billed.ts';
import { objectOf, optionalObject, refuseOtherCase } from './fields.ts';

/**
 * Extends a dialect for OpenRouter, which chooses one of a model's hosts, also according to the client (`provider`,
 * `:nitro`), and reports the bill. Caps the prices of the hosts and reads the bill (openrouter.ai/docs, provider
 * routing and usage accounting).
 */
export function routed(inner: Dialect): Dialect {
  return {
    ...billed(inner, billOf),
    request: (body, endpoint) => ({ ...inner.request(body, endpoint), ...readRouting(body) }),
  };
}

/** Members of `provider` read here. The others only choose among hosts, which the price cap bounds. */
const ROUTING_MEMBERS: ReadonlySet<string> = new Set(['max_price']);

function readRouting(body: JsonObject): Pick<RequestFacts, 'capPrice'> {
  refuseOtherCase(body, (name) => name === 'provider');
  const provider = optionalObject(body, 'provider') ?? {};
  refuseOtherCase(provider, (name) => ROUTING_MEMBERS.has(name));
  const own = optionalObject(provider, 'max_price') ?? {};
  const limits = new Map(Object.entries(own).map(([name, value]) => [name, usdOf(value)]));
  refuseOtherCase(own, (name) => CAPPED.has(name));
  return {
    capPrice: (cap) =>
      [...CAPPED].flatMap(([name, limitOf]): JsonEdit[] => {
        const most = limitOf(cap);
        if (most === undefined || (limits.get(name) ?? Infinity) <= most) return [];
        return [{ kind: 'set', path: ['provider', 'max_price', name], value: most }];
      }),
  };
}

/** Members of `max_price`: USD per million tokens, per request and per image. */
const CAPPED: ReadonlyMap<string, (cap: PriceCap) => number | undefined> = new Map([
  ['prompt', ({ inputUsdPerMillion }: PriceCap) => inputUsdPerMillion],
  ['completion', ({ outputUsdPerMillion }: PriceCap) => outputUsdPerMillion],
  ['request', ({ requestUsd }: PriceCap) => requestUsd],
  ['image', ({ imageUsd }: PriceCap) => imageUsd],
  ['audio', ({ audioUsdPerMillion }: PriceCap) => audioUsdPerMillion],
]);

/** OpenRouter accepts numbers and decimal strings. Null counts as absent. */
function usdOf(value: unknown): number {
  if (value === null) return Infinity;
  const isDecimal = typeof value === 'string' && /^\d{1,12}(?:\.\d{1,12})?$/.test(value);
  const usd = typeof value === 'number' || isDecimal ? Number(value) : Number.NaN;
  if (usd >= 0 && usd < Infinity) return usd;
  throw new GatewayError(
    'invalid_request',
    'The request\'s "provider.max_price" must contain prices in USD of at least 0.',
  );
}

/** Returns the billed amount. If the client's own key is used at the host, the host's bill is added. */
function billOf({ cost, is_byok: ownKey, cost_details: details }: JsonObject): number | undefined {
  const billed = usdBill(cost);
  const upstream = ownKey === true ? (usdBill(objectOf(details).upstream_inference_cost) ?? 0) : 0;
  return billed === undefined ? undefined : billed + upstream;
}
