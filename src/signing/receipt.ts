import * as z from 'zod';

/** `typ` of what is signed, so that nobody passes a signed body off as a receipt. */
export const REQUEST_TYPE = 'gateway-request+jws';
export const RECEIPT_TYPE = 'gateway-receipt+jwt';

const digest = z.string().regex(/^sha256:[0-9a-f]{64}$/);

/** What the gateway says of one exchange to its client. */
export const receiptSchema = z.object({
  /** The request's id, as in `X-Gateway-Request-ID`. */
  jti: z.string(),
  /** Unix seconds at which the answer began. */
  iat: z.int(),
  key_hash: digest,
  /** Of the body as the client sent it; absent where it was refused before its body came. */
  request_digest: digest.optional(),
  /** Of the body as it was sent upstream; absent where nothing was. */
  upstream_digest: digest.optional(),
  /** `mask`: something was taken out of the answer. */
  decision: z.enum(['allow', 'mask', 'deny']),
  /** The error's type, where it was refused. */
  type: z.string().optional(),
  status: z.int(),
  /** Digest of the policies that judged it; absent where none did. */
  policy_set: z.string().optional(),
  /** Absent where it is not known when the headers leave (streams). */
  cost_usd: z.number().optional(),
});

export type Receipt = z.infer<typeof receiptSchema>;
