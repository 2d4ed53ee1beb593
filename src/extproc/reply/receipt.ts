import { HEADER } from '../../headers.ts';
import type { Receipt } from '../../signing/receipt.ts';
import type { Admitted } from '../../pipeline/exchange.ts';
import { exchangeOf, type StreamContext } from '../context.ts';
import type { HeaderList } from '../wire/messages.ts';

/**
 * Adds a receipt to an answer's headers, if answers are signed and the key is known.
 * @param status of the answer that the client gets
 */
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
