import { HEADER } from '../../headers.ts';
import type { Receipt } from '../../signing/receipt.ts';
import type { Admitted } from '../../pipeline/exchange.ts';
import type { StreamContext } from '../context.ts';
import type { HeaderList } from '../wire/messages.ts';

/**
 * Headers of an answer with its receipt, where answers are signed and it is known who has asked.
 * @param status of the answer as its client gets it
 */
export function withReceipt(context: StreamContext, status: number, headers: HeaderList): HeaderList {
  const { admitted, services } = context;
  const { signer } = services;
  if (signer === undefined || admitted === undefined) return headers;
  return [...headers, [HEADER.signature, signer.receipt(receiptOf(context, admitted, status))]];
}

function receiptOf(context: StreamContext, admitted: Admitted, status: number): Omit<Receipt, 'iat'> {
  const { signed, refusal } = context;
  const { responseHeaders } = context.exchange ?? admitted;
  const cost = context.services.settings.stripTelemetry ? undefined : responseHeaders.get(HEADER.requestCost);
  const policySet = signed?.policySet ?? context.parsed?.facts.judged?.set.digest;
  return {
    jti: context.requestId,
    key_hash: admitted.key.keyHash,
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
