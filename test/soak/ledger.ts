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
  /** Whether the answer arrived completely with status 200. */
  readonly isWhole: boolean;
  /** The status of a complete answer, and the type of the gateway's refusal. */
  readonly status: number | undefined;
  readonly refusal: string | undefined;
}

/** A period in which Redis may lose confirmed writes. */
export interface Lossy {
  readonly from: number;
  readonly to: number;
}

/** The possible charge of a key, in nano-USD. */
export interface Bounds {
  readonly least: number;
  readonly most: number;
}

/** The provider's count of input tokens for every prompt. */
const INPUT_TOKENS = 10;
/** A reservation counts each byte of the body as a token, and some for the template. */
const AROUND_TOKENS = 2_000;

/**
 * The possible charge of each key by the provider's own count. A complete answer costs the provider's
 * bill, and a request that was refused unsent or that the provider failed costs nothing. For others, the provider's bill
 * is the minimum, and the reservation the maximum.
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

/** Refusals after which Envoy may still have sent the request. */
const UNKNOWN = new Set(['gateway_unavailable', 'upstream_unavailable', 'upstream_timeout']);

/** The gateway refused it unsent, or the provider answered with its own error. */
function isFree({ refusal, status }: Asked, bill: Bill | undefined): boolean {
  if (bill === undefined) return refusal !== undefined && !UNKNOWN.has(refusal);
  return bill.status !== undefined && bill.status === status;
}

interface Bill {
  readonly nanoUsd: number;
  /** Status of its error. */
  readonly status: number | undefined;
}

/** The tool server's counts, by the number of the call. */
function callsById({ answered }: ToolServer): ReadonlyMap<number, Bill> {
  const bills = new Map<number, Bill>();
  for (const id of answered)
    bills.set(id, { nanoUsd: (bills.get(id)?.nanoUsd ?? 0) + TOOL_PRICE, status: undefined });
  return bills;
}

/** The provider's bills, by the number in the prompt. */
function billedById({ requests }: FakeProvider): ReadonlyMap<number, Bill> {
  const bills = new Map<number, Bill>();
  for (const { body, billedOutputTokens } of requests) {
    const plan = planOf(body.toString());
    if (plan === undefined) continue;
    const script: Script = SCRIPTS[plan.plan];
    // Under a fault of the provider, a request that should fail may succeed.
    const isAnswered = billedOutputTokens > 0;
    const cost = isAnswered ? INPUT_TOKENS * PRICE.input + billedOutputTokens * PRICE.output : 0;
    bills.set(plan.id, { nanoUsd: (bills.get(plan.id)?.nanoUsd ?? 0) + cost, status: script.status });
  }
  return bills;
}
