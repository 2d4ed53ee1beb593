import { GatewayError } from '../../errors.ts';
import { toNanoUsd } from '../../pricing/usd.ts';
import type { JsonEdit } from '../../json/path.ts';
import type { Frame } from '../../streams/frame.ts';
import { stepsOf, stepwise, type Work } from '../../turns.ts';
import type { AnswerFacts, Dialect, StreamEvent, StreamReader, Usage } from '../dialect.ts';
import type { JsonObject } from '../../json/is-object.ts';
import type { PriceCap, RequestFacts } from '../request-facts.ts';
import { objectOf, optionalObject, refuseOtherCase } from './fields.ts';

/**
 * Extends a dialect for OpenRouter, which chooses among a model's hosts, also by the client's wishes (`provider`,
 * `:nitro`), and reports what it billed. Caps the hosts' prices and reads the bill (openrouter.ai/docs, provider
 * routing and usage accounting).
 */
export function routed(inner: Dialect): Dialect {
  return {
    ...inner,
    request: (body, endpoint) => ({ ...inner.request(body, endpoint), ...readRouting(body) }),
    answer: stepwise(function* (body: unknown): Work<AnswerFacts> {
      const facts = yield* stepsOf(inner.answer, body);
      return { ...facts, usage: withBill(facts.usage, billIn(body)) };
    }),
    stream(request) {
      const reader = inner.stream(request);
      return reader && billedReader(reader);
    },
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
    'The request\'s "provider.max_price" must hold prices in USD of at least 0.',
  );
}

/** A larger bill for one call is nonsense. */
const MAX_BILL_USD = 10_000;

/** Reads the billed amount. If the client's own key is used at the host, the host's bill is added. */
function billIn(json: unknown): number | undefined {
  const { usage, response, message } = objectOf(json);
  const bills = [usage, objectOf(response).usage, objectOf(message).usage].flatMap((value) => {
    const { cost, is_byok: ownKey, cost_details: details } = objectOf(value);
    const upstream = ownKey === true ? (usdBill(objectOf(details).upstream_inference_cost) ?? 0) : 0;
    const billed = usdBill(cost);
    return billed === undefined ? [] : [toNanoUsd(billed + upstream)];
  });
  return bills.length === 0 ? undefined : Math.max(...bills);
}

function usdBill(value: unknown): number | undefined {
  return typeof value === 'number' && value >= 0 && value <= MAX_BILL_USD ? value : undefined;
}

/** A bill counts even without readable token counts. */
function withBill(usage: Usage | undefined, billedNanoUsd: number | undefined): Usage | undefined {
  if (billedNanoUsd === undefined) return usage;
  if (usage === undefined && billedNanoUsd === 0) return undefined;
  return { inputTokens: 0, outputTokens: 0, ...usage, billedNanoUsd };
}

function billedReader(reader: StreamReader): StreamReader {
  let usage: Usage | undefined;
  let billedNanoUsd: number | undefined;
  return {
    ...reader,
    read: stepwise(function* (frame: Frame): Work<StreamEvent> {
      const event = yield* stepsOf(reader.read, frame);
      const bill = billIn(event.json);
      if (event.usage === undefined && bill === undefined) return event;
      usage = event.usage ?? usage;
      billedNanoUsd = bill === undefined ? billedNanoUsd : Math.max(bill, billedNanoUsd ?? 0);
      const known = withBill(usage, billedNanoUsd);
      return known === undefined ? event : { ...event, usage: known };
    }),
  };
}
