import * as z from 'zod';
import { time, usd, count, keyHash, texts, pageOf, surveyOf } from './parts.ts';

export const key = z.object({
  key_hash: keyHash,
  name: z.string(),
  provider: z.string(),
  status: z.enum(['active', 'revoked', 'expired']),
  agent_name: z.string().nullable(),
  owner: z.string().nullable(),
  tags: z.record(z.string(), z.string()),
  /** Null allows every tool; an empty array allows no tool. */
  allowed_tools: texts.nullable(),
  allowed_providers: texts.nullable(),
  allowed_models: texts.nullable(),
  credentials: texts.nullable(),
  trust: texts.nullable(),
  policy_overrides: z.record(z.string(), z.string()).nullable(),
  jwt_subject: z.string().nullable(),
  created_at: time,
  expires_at: time.nullable(),
  revoked_at: time.nullable(),
  last_used_at: time.nullable(),
  locked: z.boolean(),
  /** Null without a lock, and for a permanent lock. */
  locked_until: time.nullable(),
  lock_cause: z.string().nullable(),
  lock_request_id: z.string().nullable(),
  /** Requests refused by the current lock or block. */
  held_attempts: count,
  last_held_attempt_at: time.nullable(),
  risk_score: z.number(),
  /** Start of a permanent block. */
  blocked_at: time.nullable(),
});
export type Key = z.infer<typeof key>;
export const keys = surveyOf(key);

const budgetWindow = z.object({
  window: z.string(),
  limit_usd: usd.nullable(),
  spent_usd: usd,
  reserved_usd: usd,
  remaining_usd: usd.nullable(),
  resets_at: time.nullable(),
});

export const budget = z.object({
  key_hash: keyHash,
  name: z.string(),
  owner: z.string().nullable(),
  source: z.enum(['own', 'default', 'none']),
  windows: z.array(budgetWindow),
  /** Spent and reserved money of the most used window, in percent of its limit. */
  used_percent: z.number(),
});
export type Budget = z.infer<typeof budget>;
export const budgets = surveyOf(budget);

export const sharedBudget = z.object({
  name: z.string(),
  /** Conditions that must all hold. `by` is a member of `budgets[].match`, such as `owners` or `tags.team`. */
  match: z.array(z.object({ by: z.string(), values: texts })),
  time_zone: z.string(),
  windows: z.array(budgetWindow),
  used_percent: z.number(),
});
export type SharedBudget = z.infer<typeof sharedBudget>;
export const sharedBudgets = pageOf(sharedBudget);

export const keyDetails = key.extend({
  budget,
  taint_flags: texts,
  sessions: count,
  total_policy_blocks: count,
  total_escalations: count,
  total_spend_usd: usd,
});
export type KeyDetails = z.infer<typeof keyDetails>;

export const riskRow = key
  .pick({
    key_hash: true,
    name: true,
    owner: true,
    status: true,
    locked: true,
    locked_until: true,
    lock_cause: true,
    lock_request_id: true,
    held_attempts: true,
    last_held_attempt_at: true,
    risk_score: true,
    blocked_at: true,
  })
  .extend({ taint_flags: texts, total_policy_blocks: count, total_escalations: count });
export type RiskRow = z.infer<typeof riskRow>;
export const risks = surveyOf(riskRow);

export const session = z.object({
  key_hash: keyHash,
  key_name: z.string(),
  owner: z.string().nullable(),
  id: z.string(),
  created_at: time,
  last_used_at: time,
  steps: count,
  max_steps: count.nullable(),
  spend_usd: usd,
  budget_usd: usd.nullable(),
  state: z.string().nullable(),
  taint_flags: texts,
});
export type Session = z.infer<typeof session>;
export const sessions = pageOf(session);

export const sessionDetails = session.extend({
  tools_called: texts,
  marks: texts,
  calls_in_flight: count,
  /** The stored first user request, masked; null for roles below operator. */
  anchor: z.string().nullable(),
});
export type SessionDetails = z.infer<typeof sessionDetails>;

export const connect = z.object({
  key_hash: keyHash,
  name: z.string(),
  /** Root URL of the gateway for clients. */
  address: z.string(),
  /** `$GATEWAY_KEY` is a placeholder for the raw key, which is not stored. */
  snippets: z.array(
    z.object({ client: z.string(), title: z.string(), language: z.string(), text: z.string() }),
  ),
});
export type Connect = z.infer<typeof connect>;

/** Raw keys and tokens are shown only in the answer that creates them. */
export const issuedKey = z.object({ key, raw_key: z.string() });
export type IssuedKey = z.infer<typeof issuedKey>;
export const changedKey = z.object({ key, changed: z.boolean() });
export type ChangedKey = z.infer<typeof changedKey>;
export const endedSession = z.object({ changed: z.boolean() });
