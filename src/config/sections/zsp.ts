import * as z from 'zod';
import { duration, durationOrZero, httpUrlOrEmpty, positiveCount, section } from '../fields.ts';

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
}).prefault({});
