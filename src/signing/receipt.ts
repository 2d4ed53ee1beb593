import * as z from 'zod';

/** `typ` headers. They differ, so that a signed request is not accepted as a receipt. */
export const REQUEST_TYPE = 'gateway-request+jws';
export const RECEIPT_TYPE = 'gateway-receipt+jwt';

const digest = z.string().regex(/^sha256:[0-9a-f]{64}$/);

/** The gateway's signed statement about one exchange. */
export const receiptSchema = z.object({
  /** Request id, as in `X-Gateway-Request-ID`. */
  jti: z.string(),
  /** Start of the answer, in Unix seconds. */
  iat: z.int(),
  key_hash: digest,
  /** Digest of the client's body; absent if the request was refused before its body arrived. */
  request_digest: digest.optional(),
  /** Digest of the body sent upstream; absent if nothing was sent. */
  upstream_digest: digest.optional(),
  /** `mask`: parts of the answer were masked. */
  decision: z.enum(['allow', 'mask', 'deny']),
  type: z.string().optional(),
  status: z.int(),
  /** Digest of the policy set. Absent if no policies were evaluated. */
  policy_set: z.string().optional(),
  /** Absent if unknown when the headers are sent, as for streams, and with `server.strip_budget_headers`. */
  cost_usd: z.number().optional(),
});

export type Receipt = z.infer<typeof receiptSchema>;
