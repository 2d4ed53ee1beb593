/** Operator API input: queries of reads and bodies of changes. Answers are in `schemas/`. */
import { BUDGET_WINDOWS } from '../../budget-windows.ts';
import * as z from 'zod';
import { keyChangeSchema, newKeySchema } from '../../auth/key-fields.ts';
import { DURATION_PATTERN, DURATION_RULE } from '../../config/duration.ts';
import { MAX_LIMIT_USD } from '../../redis/budget-limits.ts';
import { role } from './schemas/people.ts';

const MAX_PAGE = 200;

/** Recorded in the audit trail. */
const reason = z.string().trim().min(1).max(200);
const duration = z.string().regex(DURATION_PATTERN, { error: DURATION_RULE });
const text = z.string().max(256);

const page = {
  limit: z.coerce.number().int().min(1).max(MAX_PAGE).default(50),
  cursor: z.string().max(512).optional(),
};
/** `search` matches a part of name, owner, agent or tag, or the start of the hash. */
const search = { ...page, search: text.optional(), owner: text.optional() };

export const pageQuery = z.strictObject(page);
export const keysQuery = z.strictObject({
  ...search,
  status: z.enum(['active', 'revoked', 'expired', 'locked']).optional(),
  sort: z.enum(['name', 'created', 'last_used', 'expires']).default('created'),
});
export const budgetsQuery = z.strictObject({ ...search, sort: z.enum(['used', 'name']).default('used') });
export const risksQuery = z.strictObject({
  ...search,
  /** Only keys that are locked or blocked. */
  held: z.stringbool().default(false),
  sort: z.enum(['score', 'name']).default('score'),
});
export const spendQuery = z.strictObject({
  /** owner, team (the tag named team), key, provider, model, tool, or tag:NAME. */
  by: z
    .string()
    .regex(/^(?:owner|team|key|provider|model|tool|tag:.{1,64})$/)
    .default('owner'),
  days: z.coerce.number().int().min(1).max(366).default(30),
  bucket: z.enum(['day', 'week', 'month', 'total']).default('total'),
});
export const sessionsQuery = z.strictObject({ ...page, key: text.optional() });
export const sessionQuery = z.strictObject({ key: text });
export const decisionsQuery = z.strictObject({
  ...page,
  kind: z.enum(['request', 'finding', 'operator', 'event']).optional(),
  /** Name or hash of the key. */
  key: text.optional(),
  owner: text.optional(),
  service: text.optional(),
  model: text.optional(),
  tool: text.optional(),
  disposition: text.optional(),
  refusal: text.optional(),
});
/** Live stream filters. `Last-Event-ID` resumes a stream. */
export const liveQuery = decisionsQuery.omit({ limit: true, cursor: true });
export const pinsQuery = z.strictObject({
  ...page,
  server: text.optional(),
  changed: z.stringbool().optional(),
});

export const signInBody = z.strictObject({ password: z.string().min(1).max(1_024) });
export const explainBody = z.strictObject({
  /** A policy input (docs/policies.md). */
  input: z.record(z.string(), z.unknown()),
});

export const reasonBody = z.strictObject({ reason });
export const newKeyBody = newKeySchema
  .omit({ expiresInMs: true })
  .extend({ expiresIn: duration.optional(), reason })
  .strict();
export const keyChangeBody = keyChangeSchema.extend({ reason });
/** `grace`: how long older raw keys stay valid; `0` ends them immediately. */
export const rotateBody = z.strictObject({ reason, grace: z.union([duration, z.literal('0')]).default('0') });
export const lockBody = z.strictObject({ reason, for: duration });
const limit = z.number().min(0).max(MAX_LIMIT_USD).nullable();
/** In USD. Null removes a limit, 0 blocks, and absent windows are unchanged. */
export const budgetBody = z.strictObject({ reason, limits: z.partialRecord(z.enum(BUDGET_WINDOWS), limit) });
export const answerBody = z.strictObject({ reason });
export const endSessionBody = z.strictObject({ reason, key: text });
/** `digest`: the changed definition that the operator has read. No other definition is accepted. */
export const acceptPinBody = z.strictObject({ reason, digest: z.string().regex(/^[\w-]{16,64}$/) });
export const newTokenBody = z.strictObject({
  reason,
  name: z.string().trim().min(1).max(128),
  role,
  owner: text.optional(),
  expiresIn: duration,
});
