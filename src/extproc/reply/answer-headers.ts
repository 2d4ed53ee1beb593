import { TELEMETRY_HEADERS, HEADER } from '../../headers.ts';
import type { Answered, Admitted } from '../../pipeline/exchange.ts';
import { isShown } from '../../shown-headers.ts';
import { type StreamContext, exchangeOf } from '../context.ts';
import type { HeaderChanges } from './respond.ts';
import type { Receipt } from '../../signing/receipt.ts';
import type { HeaderList } from '../wire/messages.ts';

/** Adds the checks' headers, and removes answer headers that must not reach a client (`isShown`). */
export function headerChanges(context: StreamContext, exchange: Answered): HeaderChanges {
  const set = [...exchange.responseHeaders];
  const source = exchange.mcp === undefined ? 'provider' : 'mcp';
  const remove: string[] = [];
  for (const [name, value] of exchange.answerHeaders) {
    if (!isEnvoyHeader(name) && !isShown(name, value, source)) remove.push(name);
  }
  const { stripTelemetry } = context.services.settings;
  const shown = stripTelemetry ? set.filter(([name]) => !TELEMETRY_HEADERS.has(name)) : set;
  return { set: withReceipt(context, context.status, shown), remove };
}

const MARK = 'x-gw-origin';

/** Reports whether Envoy needs a header: a pseudo header, or the mark that the response gate removes. */
function isEnvoyHeader(name: string): boolean {
  return name.startsWith(':') || name === MARK;
}

export function withBody(changes: HeaderChanges, body: Buffer): HeaderChanges {
  return { ...changes, set: [...changes.set, ['content-length', String(body.length)]] };
}

/** Adds a receipt if answers are signed and the key is known. `status` is the status sent to the client. */
export function withReceipt(context: StreamContext, status: number, headers: HeaderList): HeaderList {
  const { signer } = context.services;
  const exchange = signer && exchangeOf(context);
  if (signer === undefined || exchange === undefined) return headers;
  return [...headers, [HEADER.signature, signer.receipt(receiptOf(context, exchange, status))]];
}

function receiptOf(
  context: StreamContext,
  { key, facts, responseHeaders }: Admitted,
  status: number,
): Omit<Receipt, 'iat'> {
  const { signed, refusal } = context;
  const cost = context.services.settings.stripTelemetry ? undefined : responseHeaders.get(HEADER.requestCost);
  const policySet = signed?.policySet ?? facts.judged?.set.digest;
  return {
    jti: context.requestId,
    key_hash: key.keyHash,
    ...(signed?.requestDigest !== undefined && { request_digest: signed.requestDigest }),
    ...(signed?.upstreamDigest !== undefined && { upstream_digest: signed.upstreamDigest }),
    decision: refusal === undefined ? answeredHow(responseHeaders) : 'deny',
    ...(refusal !== undefined && { type: refusal.type }),
    status,
    ...(policySet !== undefined && { policy_set: policySet }),
    ...(cost !== undefined && { cost_usd: Number(cost) }),
  };
}

function answeredHow(responseHeaders: ReadonlyMap<string, string>): Receipt['decision'] {
  const isMasked = [HEADER.dlpRedacted, HEADER.responseRedacted].some((name) => responseHeaders.has(name));
  return isMasked ? 'mask' : 'allow';
}
