import * as z from 'zod';
import {
  needsRestart,
  count,
  positiveCount,
  section,
  duration,
  durationOrZero,
  httpUrlOrEmpty,
} from '../fields.ts';

export const auth = section({
  max_failures_per_minute: needsRestart(
    positiveCount
      .default(60)
      .describe(
        'Number of failed authentications per client address and minute before invalid keys get a shorter check. Further invalid keys are refused after one Redis read and are not logged. Valid keys are still accepted.',
      ),
  ),
  trusted_hops: needsRestart(
    count
      .max(100)
      .default(0)
      .describe('Number of proxies in front of the gateway whose `x-forwarded-for` is trusted.'),
  ),
})
  .prefault({})
  .describe(
    'Limits on failed authentication, and the number of trusted proxies. See docs/keys.md#failed-attempts.',
  );

/** JWT authentication and human approval (docs/identity.md, docs/approvals.md). */
export const zsp = section({
  enabled: needsRestart(z.boolean().default(false).describe('Accept a JWT along with the proxy key.')),
  jwt_only: z.boolean().default(false).describe('Require a JWT with every proxy key.'),
  jwks_url: httpUrlOrEmpty
    .default('')
    .describe('URL of the JSON Web Key Set that verifies JWTs. Required when `enabled`.'),
  issuer: z.string().default('').describe('Required value of `iss` in JWTs. Must be set when `enabled`.'),
  audience: z
    .string()
    .default('')
    .describe('Required value of `aud` in JWTs, alone or in an array. Must be set when `enabled`.'),
  leeway: durationOrZero('30s').describe(
    'Tolerated clock difference when the times of JWTs and DPoP proofs are checked.',
  ),
  require_dpop: z
    .boolean()
    .default(false)
    .describe('Require a DPoP proof (RFC 9449) with every JWT, so that a stolen token is useless.'),
  escalation_enabled: needsRestart(
    z
      .boolean()
      .default(false)
      .describe('Let policies hold a request until a person approves it (`escalate`).'),
  ),
  escalation_secret: z
    .string()
    .default('')
    .describe(
      'Secret that signs approvals. All gateways and operators on one Redis must use the same secret.',
    ),
  escalation_timeout: needsRestart(
    duration('60s').describe('Longest wait for approval; then the request is refused.'),
  ),
  escalation_arguments: z
    .boolean()
    .default(false)
    .describe(
      'Show approvers the arguments of a waiting MCP call, with DLP findings masked. The masked arguments are stored in Redis while the call waits.',
    ),
  escalation_prompts: z
    .boolean()
    .default(false)
    .describe(
      'Show approvers the last user text of a waiting model call, masked in the same way. Also needs `escalation_arguments`.',
    ),
  max_pending: positiveCount
    .default(100)
    .describe('Maximum number of requests that wait for approval at the same time.'),
  max_pending_per_key: positiveCount
    .optional()
    .describe(
      'Maximum number of requests of one key that wait for approval at the same time. Default: a tenth of `max_pending`.',
    ),
}).prefault({});

export const signature = section({
  enabled: z.boolean().default(false).describe('Sign upstream requests and issue receipts to clients.'),
  type: z
    .enum(['hmac', 'ed25519'])
    .default('hmac')
    .describe(
      'Signature algorithm: `hmac` uses a shared secret; with `ed25519`, anyone with the public key can verify.',
    ),
  secret: z
    .string()
    .default('')
    .describe('The HMAC secret; for `ed25519`, a PKCS#8 PEM private key or its path.'),
})
  .prefault({})
  .describe('Signed upstream requests and receipts. See docs/signatures.md.');
