import * as z from 'zod';
import { ROLES, SIGN_IN_KINDS } from '../../sign-in/roles.ts';
import { time, pageOf } from './parts.ts';

export const role = z.enum(ROLES);
export type Role = z.infer<typeof role>;

/** `application/problem+json` (RFC 9457). */
export const problem = z.object({
  /** An error type from docs/refusals.md or docs/operator-page.md, such as `redis_unavailable`. */
  type: z.string(),
  title: z.string(),
  status: z.int(),
  detail: z.string(),
  /** Invalid members of a body or query. */
  errors: z.array(z.object({ at: z.string(), message: z.string() })).optional(),
});
export type Problem = z.infer<typeof problem>;

/** Ways to sign in, readable without a session. */
export const signInKinds = z.object({ kinds: z.array(z.enum(SIGN_IN_KINDS).exclude(['token'])) });
export type SignInKinds = z.infer<typeof signInKinds>;

export const me = z.object({
  name: z.string(),
  role,
  /** If set, the person sees only keys with this owner. */
  owner: z.string().nullable(),
  signed_in_by: z.enum(SIGN_IN_KINDS),
  /** Value of `X-CSRF-Token` for changes; null for tokens, which do not need it. */
  csrf_token: z.string().nullable(),
  /** End of the session if idle; null without a session (token or proxy). */
  idle_until: time.nullable(),
  /** Absolute end of the session; null without a session. */
  ends_at: time.nullable(),
  version: z.string(),
});
export type Me = z.infer<typeof me>;

export const token = z.object({
  id: z.string(),
  name: z.string(),
  role,
  owner: z.string().nullable(),
  created_at: time,
  created_by: z.string(),
  expires_at: time,
  last_used_at: time.nullable(),
});
export type Token = z.infer<typeof token>;
export const tokens = pageOf(token);
export const issuedToken = z.object({ token, raw_token: z.string() });
export type IssuedToken = z.infer<typeof issuedToken>;
export const done = z.object({ changed: z.boolean() });
