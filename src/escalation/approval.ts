import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import canonicalize from 'canonicalize';
import * as z from 'zod';
import { isPlainLabel } from '../text/label.ts';
import { parsedJson } from '../json/parsed.ts';
import type { Escalation } from './escalation.ts';

/** A person's answer, signed with `zsp.escalation_secret`. */
const approval = z.strictObject({
  id: z.string(),
  nonce: z.string(),
  key_hash: z.string(),
  decision: z.enum(['approve', 'deny']),
  approver: z.string().min(1).max(128).refine(isPlainLabel),
  /** Unix ms at which the answer expires. */
  expiry: z.int().min(0),
  request_digest: z.string(),
  /** HMAC-SHA256 over the RFC 8785 form of the other fields, in lower-case hex. */
  hmac: z.string().regex(/^[0-9a-f]{64}$/),
});
export type Approval = Readonly<z.infer<typeof approval>>;
export type UnsignedApproval = Omit<Approval, 'hmac'>;
export type ApprovalDecision = Approval['decision'];

export const ANSWER_FAULTS = ['malformed', 'forged', 'mismatched', 'expired'] as const;
export type AnswerFault = (typeof ANSWER_FAULTS)[number];

/** Valid answers have about 500 characters. */
const MAX_ANSWER_CHARS = 4_096;

export function signApproval(unsigned: UnsignedApproval, secret: string): Approval {
  return { ...unsigned, hmac: hmacOf(unsigned, secret).toString('hex') };
}

/**
 * Verifies an answer's signature, and that the answer belongs to this request. Redis checks the expiry when the request
 * is taken.
 */
export function readApproval(
  json: string,
  escalation: Escalation,
  secret: string,
): { readonly approval: Approval } | { readonly fault: AnswerFault } {
  const read = json.length > MAX_ANSWER_CHARS ? undefined : approval.safeParse(parsedJson(json)).data;
  if (read === undefined) return { fault: 'malformed' };
  const { hmac, ...signed } = read;
  if (!timingSafeEqual(Buffer.from(hmac, 'hex'), hmacOf(signed, secret))) return { fault: 'forged' };
  const matchesRequest =
    read.id === escalation.id &&
    read.nonce === escalation.nonce &&
    read.key_hash === escalation.key_hash &&
    read.request_digest === escalation.request_digest;
  if (!matchesRequest) return { fault: 'mismatched' };
  return { approval: read };
}

/** Returns `sha256:<hex>` of the method, path, query and body as received (without a proxy key in the path). */
export function requestDigest(request: {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly body: Buffer;
}): string {
  const hash = createHash('sha256').update(`${request.method} ${request.path}${request.query}\n`);
  return `sha256:${hash.update(request.body).digest('hex')}`;
}

function hmacOf(
  { id, nonce, key_hash, decision, approver, expiry, request_digest }: UnsignedApproval,
  secret: string,
): Buffer {
  const text = canonicalize({ id, nonce, key_hash, decision, approver, expiry, request_digest });
  if (text === undefined) throw new Error('an approval has no canonical form');
  return createHmac('sha256', secret).update(text).digest();
}
