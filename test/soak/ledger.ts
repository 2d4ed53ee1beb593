import type { FakeProvider, Script } from '../support/fake-provider/index.ts';
import { MAX_TOKENS, PRICE, TOOL_PRICE } from './dialects.ts';
import { planOf, SCRIPTS } from './plan.ts';
import type { ToolServer } from './tool-server.ts';

/** A request as its client saw it. */
export interface Asked {
  readonly id: number;
  readonly keyHash: string;
  /** A call of the MCP tool. */
  readonly isCall: boolean;
  readonly bodyBytes: number;
  readonly sentAt: number;
  readonly endedAt: number;
  /** It came whole: status 200, to its end. */
  readonly isWhole: boolean;
  /** The status of an answer that came to its end, and the type of the gateway's refusal. */
  readonly status: number | undefined;
  readonly refusal: string | undefined;
}

/** A time in which Redis may lose what it has just confirmed. */
export interface Lossy {
  readonly from: number;
  readonly to: number;
}

/** What a key may have been charged, in nano-USD. */
export interface Bounds {
  readonly least: number;
  readonly most: number;
}

/** The provider reads so many tokens of every prompt. */
const INPUT_TOKENS = 10;
/** A reservation counts a byte of the body as a token, and some for what stands around it. */
const AROUND_TOKENS = 2_000;

/**
 * What each key may have been charged by the provider's own count. A request that came whole costs what the provider
 * billed, and one that was refused unsent or that the provider failed costs nothing. Of others, the provider's bill is
 * the least, and the reservation the most.
 */
export function boundsByKey(
  asked: readonly Asked[],
  { provider, tools }: { readonly provider: FakeProvider; readonly tools: ToolServer },
  lossy: readonly Lossy[],
): ReadonlyMap<string, Bounds> {
  const billed = new Map([...billedById(provider), ...callsById(tools)]);
  const bounds = new Map<string, Bounds>();
  for (const one of asked) {
    const { least, most } = boundsOf(one, billed.get(one.id), lossy);
    const before = bounds.get(one.keyHash) ?? { least: 0, most: 0 };
    bounds.set(one.keyHash, { least: before.least + least, most: before.most + most });
  }
  return bounds;
}

function boundsOf(one: Asked, bill: Bill | undefined, lossy: readonly Lossy[]): Bounds {
  const isLossy = lossy.some(({ from, to }) => one.sentAt < to && from < one.endedAt);
  const exact = bill?.nanoUsd ?? 0;
  const least = isLossy ? 0 : exact;
  if (!isLossy && (one.isWhole || isFree(one, bill))) return { least, most: exact };
  return { least, most: Math.max(exact, reservationOf(one)) };
}

function reservationOf({ isCall, bodyBytes }: Asked): number {
  if (isCall) return TOOL_PRICE;
  return (bodyBytes + AROUND_TOKENS) * PRICE.input + MAX_TOKENS * PRICE.output;
}

/** Refusals after which Envoy may have sent the request all the same. */
const UNKNOWN = new Set(['gateway_unavailable', 'upstream_unavailable', 'upstream_timeout']);

/** The gateway refused it unsent, or the provider answered with an error of its own. */
function isFree({ refusal, status }: Asked, bill: Bill | undefined): boolean {
  if (bill === undefined) return refusal !== undefined && !UNKNOWN.has(refusal);
  return bill.status !== undefined && bill.status === status;
}

interface Bill {
  readonly nanoUsd: number;
  /** Of its error. */
  readonly status: number | undefined;
}

/** What the tool server counts, by the number of the call. */
function callsById({ answered }: ToolServer): ReadonlyMap<number, Bill> {
  const bills = new Map<number, Bill>();
  for (const id of answered)
    bills.set(id, { nanoUsd: (bills.get(id)?.nanoUsd ?? 0) + TOOL_PRICE, status: undefined });
  return bills;
}

/** What the provider bills, by the number in the prompt. */
function billedById({ requests }: FakeProvider): ReadonlyMap<number, Bill> {
  const bills = new Map<number, Bill>();
  for (const { body, billedOutputTokens } of requests) {
    const plan = planOf(body.toString());
    if (plan === undefined) continue;
    const script: Script = SCRIPTS[plan.plan];
    // A fault of the provider's may answer well what was to fail.
    const isAnswered = billedOutputTokens > 0;
    const cost = isAnswered ? INPUT_TOKENS * PRICE.input + billedOutputTokens * PRICE.output : 0;
    bills.set(plan.id, { nanoUsd: (bills.get(plan.id)?.nanoUsd ?? 0) + cost, status: script.status });
  }
  return bills;
}
