import { toNanoUsd } from '../../pricing/usd.ts';
import { changed } from '../../turns.ts';
import type { Dialect, StreamReader, Usage } from '../dialect.ts';
import type { JsonObject } from '../../json/is-object.ts';
import { objectOf } from './fields.ts';

/** Returns the actual cost in USD from a usage object, or undefined if the object contains no cost. */
export type BillOf = (usage: JsonObject) => number | undefined;

/** Extends a dialect for a provider that reports the actual cost in addition to token counts. */
export function billed(inner: Dialect, billOf: BillOf): Dialect {
  return {
    ...inner,
    answer: changed(inner.answer, (facts, body) => ({
      ...facts,
      usage: withBill(facts.usage, billIn(body, billOf)),
    })),
    stream(request) {
      const reader = inner.stream(request);
      return reader && billedReader(reader, billOf);
    },
  };
}

/** Maximum plausible cost of one call. */
const MAX_BILL_USD = 10_000;

/** Returns a plausible amount in USD, or undefined. */
export function usdBill(value: unknown): number | undefined {
  return typeof value === 'number' && value >= 0 && value <= MAX_BILL_USD ? value : undefined;
}

function billIn(json: unknown, billOf: BillOf): number | undefined {
  const { usage, response, message } = objectOf(json);
  const bills = [usage, objectOf(response).usage, objectOf(message).usage]
    .map((value) => billOf(objectOf(value)))
    .filter((usd) => usd !== undefined);
  return bills.length === 0 ? undefined : toNanoUsd(Math.max(...bills));
}

/** An actual cost above 0 applies even without readable token counts. */
function withBill(usage: Usage | undefined, billedNanoUsd: number | undefined): Usage | undefined {
  if (billedNanoUsd === undefined) return usage;
  if (usage === undefined && billedNanoUsd === 0) return undefined;
  return { inputTokens: 0, outputTokens: 0, ...usage, billedNanoUsd };
}

function billedReader(reader: StreamReader, billOf: BillOf): StreamReader {
  let usage: Usage | undefined;
  let billedNanoUsd: number | undefined;
  return {
    ...reader,
    read: changed(reader.read, (event) => {
      const bill = billIn(event.json, billOf);
      if (event.usage === undefined && bill === undefined) return event;
      usage = event.usage ?? usage;
      billedNanoUsd = bill === undefined ? billedNanoUsd : Math.max(bill, billedNanoUsd ?? 0);
      const known = withBill(usage, billedNanoUsd);
      return known === undefined ? event : { ...event, usage: known };
    }),
  };
}
