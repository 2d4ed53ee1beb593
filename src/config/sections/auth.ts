import * as z from 'zod';
import { count, positiveCount, section, duration, durationOrZero, httpUrlOrEmpty } from '../fields.ts';

/** Failed attempts and whom to believe about addresses (docs/keys.md#failed-attempts). */
export const auth = section({
  /** Failed authentications of one client address that are answered with full effort. */
  max_failures_per_minute: positiveCount.default(60),
  /** Proxies in front whose `x-forwarded-for` is believed. */
  trusted_hops: count.max(100).default(0),
}).prefault({});

/** JWT authentication and human approval (docs/identity.md, docs/approvals.md). */
export const zsp = section({
  enabled: z.boolean().default(false),
  /** Every proxy key needs a JWT. */
  jwt_only: z.boolean().default(false),
  jwks_url: httpUrlOrEmpty.default(''),
  issuer: z.string().default(''),
  audience: z.string().default(''),
  /** Clock difference that is forgiven. */
  leeway: durationOrZero('30s'),
  require_dpop: z.boolean().default(false),
  escalation_enabled: z.boolean().default(false),
  escalation_secret: z.string().default(''),
  escalation_timeout: duration('60s'),
  /** Requests that may wait for a person at once. */
  max_pending: positiveCount.default(100),
  /** The same of one key; a tenth of them unless set. */
  max_pending_per_key: positiveCount.optional(),
}).prefault({});

/** Signed upstream requests and receipts (docs/signatures.md). */
export const signature = section({
  enabled: z.boolean().default(false),
  type: z.enum(['hmac', 'ed25519']).default('hmac'),
  /** The HMAC secret, or for ed25519 a PKCS#8 PEM or its path. */
  secret: z.string().default(''),
}).prefault({});
