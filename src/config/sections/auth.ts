import * as z from 'zod';
import { count, positiveCount, section, duration, durationOrZero, httpUrlOrEmpty } from '../fields.ts';

/** Limits on failed attempts, and trust in client addresses (docs/keys.md#failed-attempts). */
export const auth = section({
  /** Failed authentications per client address that get full handling. */
  max_failures_per_minute: positiveCount.default(60),
  /** Number of trusted proxies in front that set `x-forwarded-for`. */
  trusted_hops: count.max(100).default(0),
}).prefault({});

/** JWT authentication and human approval (docs/identity.md, docs/approvals.md). */
export const zsp = section({
  enabled: z.boolean().default(false),
  /** Requires a JWT for every proxy key. */
  jwt_only: z.boolean().default(false),
  jwks_url: httpUrlOrEmpty.default(''),
  issuer: z.string().default(''),
  audience: z.string().default(''),
  /** Tolerated clock difference. */
  leeway: durationOrZero('30s'),
  require_dpop: z.boolean().default(false),
  escalation_enabled: z.boolean().default(false),
  escalation_secret: z.string().default(''),
  escalation_timeout: duration('60s'),
  /** Requests that may wait for approval at the same time. */
  max_pending: positiveCount.default(100),
  /** The same limit per key; unset: a tenth of max_pending. */
  max_pending_per_key: positiveCount.optional(),
}).prefault({});

/** Signed upstream requests and receipts (docs/signatures.md). */
export const signature = section({
  enabled: z.boolean().default(false),
  type: z.enum(['hmac', 'ed25519']).default('hmac'),
  /** The HMAC secret; for ed25519 a PKCS#8 PEM or its path. */
  secret: z.string().default(''),
}).prefault({});
