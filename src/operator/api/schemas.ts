/**
 * The contract of the operator's API: what it answers. `routes.ts` checks against these schemas, OpenAPI is made from
 * them, and the page imports their types. Bodies of changes are in `bodies.ts`.
 *
 * Times are ISO 8601 in UTC, money is USD, and an absent value is null. No answer holds a prompt, an argument or an
 * answer of a request. Only approvers see masked arguments of a call that waits.
 */
import * as z from 'zod';

const time = z.iso.datetime();
const usd = z.number();
const count = z.int().min(0);
/** `sha256:` and 64 hex digits: identifies a proxy key. */
const keyHash = z.string();
const texts = z.array(z.string());

export const ROLES = ['viewer', 'approver', 'operator', 'admin'] as const;
export const role = z.enum(ROLES);
export type Role = z.infer<typeof role>;

/** A page of a list: `next` is the cursor of the following page. */
function pageOf<Item extends z.ZodType>(item: Item) {
  return z.object({ items: z.array(item), next: z.string().optional() });
}

/**
 * A page of a list that is sorted or searched over all keys. The rows are current; their order is as of `as_of`.
 * `complete: false`: not all keys have been read yet, so ask again soon.
 */
function surveyOf<Item extends z.ZodType>(item: Item) {
  return z.object({
    items: z.array(item),
    next: z.string().optional(),
    /** Rows that match, on all pages. */
    total: count,
    as_of: time,
    complete: z.boolean(),
  });
}

/** RFC 9457, as `application/problem+json`. */
export const problem = z.object({
  /** An error type of docs/refusals.md or of docs/operator-page.md, such as `redis_unavailable`. */
  type: z.string(),
  title: z.string(),
  status: z.int(),
  detail: z.string(),
  /** Where a body or query is wrong. */
  errors: z.array(z.object({ at: z.string(), message: z.string() })).optional(),
});
export type Problem = z.infer<typeof problem>;

const SIGN_IN_KINDS = ['password', 'oidc', 'proxy'] as const;

/** How one can sign in here; answered without a session. */
export const signInKinds = z.object({ kinds: z.array(z.enum(SIGN_IN_KINDS)) });
export type SignInKinds = z.infer<typeof signInKinds>;

export const me = z.object({
  name: z.string(),
  role,
  /** Set for an owner, who sees the keys of this owner only. */
  owner: z.string().nullable(),
  signed_in_by: z.enum([...SIGN_IN_KINDS, 'token']),
  /** For `X-CSRF-Token` of every change; null for tokens, which need none. */
  csrf_token: z.string().nullable(),
  /** When the session ends unless it is used; null for tokens without a session. */
  idle_until: time.nullable(),
  /** When the session or token ends anyway. */
  ends_at: time.nullable(),
  version: z.string(),
});
export type Me = z.infer<typeof me>;

/** One gateway that uses this Redis, as it announced itself a few seconds ago. */
export const gateway = z.object({
  id: z.string(),
  host: z.string(),
  version: z.string(),
  started_at: time,
  seen_at: time,
  ready: z.boolean(),
  draining: z.boolean(),
  redis: z.enum(['up', 'down', 'unfit']),
  workers: z.object({ ready: count, wanted: count }),
  crash_loops: texts,
  shadow_mode: z.boolean(),
  policy: z.object({
    enabled: z.boolean(),
    /** Digest of the set in force; null if policies are off. */
    digest: z.string().nullable(),
    /** Why the files on disk are not in force; null if they are. */
    broken: z.string().nullable(),
  }),
  /** Why gateway.yaml on disk is not in force: broken, restart or refused; null if it is. */
  config_not_in_force: z.string().nullable(),
  /** Days until the first certificate ends; null without certificates. */
  certificate_days: z.int().nullable(),
});
export type GatewayState = z.infer<typeof gateway>;

export const overview = z.object({
  gateways: z.array(gateway),
  redis: z.object({
    version: z.string(),
    used_memory_bytes: count,
    max_memory_bytes: count,
    connected_clients: count,
    keys: count,
  }),
  /** False: the audit trail is off, so there is no traffic, no decision and no count of rules. */
  audit: z.boolean(),
  /** Counts of the last hour, from the audit trail. */
  providers: z.array(
    z.object({ provider: z.string(), requests: count, errors: count, refused: count, spend_usd: usd }),
  ),
  /** One point a minute of the last hour, oldest first. */
  traffic: z.array(z.object({ at: time, requests: count, refused: count, errors: count, spend_usd: usd })),
  proxy_keys: count,
  waiting_approvals: count,
});
export type Overview = z.infer<typeof overview>;

const DECISION_KINDS = ['request', 'finding', 'operator', 'event'] as const;

/** One record of the audit trail in short. */
export const decision = z.object({
  /** Id in the stream, and of the server-sent event. */
  id: z.string(),
  at: time,
  kind: z.enum(DECISION_KINDS),
  request_id: z.string(),
  key_hash: keyHash.nullable(),
  /** Key, or for `operator` the person. */
  name: z.string().nullable(),
  owner: z.string().nullable(),
  agent: z.string().nullable(),
  session_id: z.string().nullable(),
  /** Provider, or `mcp:<server>`. */
  service: z.string().nullable(),
  operation: z.string().nullable(),
  model: z.string().nullable(),
  tool: z.string().nullable(),
  /** Allowed, Blocked, Quarantined, Corrected, Detected or Error. */
  disposition: z.string(),
  status: z.int().nullable(),
  /** Error type of a refusal. */
  refusal: z.string().nullable(),
  message: z.string(),
  cost_usd: usd.nullable(),
  latency_ms: z.number().nullable(),
  input_tokens: count.nullable(),
  output_tokens: count.nullable(),
});
export type Decision = z.infer<typeof decision>;
export const decisions = pageOf(decision);

/** Where something was found; never the text. Offsets are UTF-16 units, the end exclusive. */
const foundAt = z.object({
  rule: z.string(),
  detector: z.string().nullable(),
  class: z.string().nullable(),
  place: z.string().nullable(),
  path: z.string().nullable(),
  role: z.string().nullable(),
  start: count.nullable(),
  end: count.nullable(),
  score: z.number().nullable(),
});

/** Everything on record about one request, oldest first: what `gateway audit show` tells. */
export const requestStory = z.object({
  request_id: z.string(),
  steps: z.array(
    decision.extend({
      /** forwarding, finished, finding, event or operator. */
      stage: z.string(),
      client_address: z.string().nullable(),
      outcome: z.string().nullable(),
      trace_id: z.string().nullable(),
      reserved_usd: usd.nullable(),
      checks: z.array(z.object({ check: z.string(), decision: z.string(), reason: z.string().nullable() })),
      findings: z.array(foundAt),
      rules: z.array(
        z.object({
          rule: z.string(),
          action: z.string(),
          mode: z.string().nullable(),
          file: z.string().nullable(),
          line: count.nullable(),
        }),
      ),
      owasp: texts,
    }),
  ),
  /** Where to see the trace, if `otel` names a viewer. */
  trace_url: z.string().nullable(),
  /** Records searched. */
  searched: count,
  /** False: the search ended at its bound before the trail did. */
  complete: z.boolean(),
});
export type RequestStory = z.infer<typeof requestStory>;

export const key = z.object({
  key_hash: keyHash,
  name: z.string(),
  provider: z.string(),
  status: z.enum(['active', 'revoked', 'expired']),
  agent_name: z.string().nullable(),
  owner: z.string().nullable(),
  tags: z.record(z.string(), z.string()),
  /** Null allows all; an empty list allows none. */
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
  /** Null for a lock without an end. */
  locked_until: time.nullable(),
  /** In words. */
  lock_cause: z.string().nullable(),
  lock_request_id: z.string().nullable(),
  /** Requests refused while the key is locked or blocked; 0 again once it is released. */
  held_attempts: count,
  last_held_attempt_at: time.nullable(),
  risk_score: z.number(),
  /** Blocked permanently since. */
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
  /** Spent and reserved of the fullest window, as a share of its limit. */
  used_percent: z.number(),
});
export type Budget = z.infer<typeof budget>;
export const budgets = surveyOf(budget);

/** A budget that several keys share, such as that of a team. */
export const sharedBudget = z.object({
  name: z.string(),
  /** Conditions of which each must hold; empty for every request. `by` is a member of `budgets[].match`, such as `owners` or `tags.team`. */
  match: z.array(z.object({ by: z.string(), values: texts })),
  time_zone: z.string(),
  windows: z.array(budgetWindow),
  used_percent: z.number(),
});
export type SharedBudget = z.infer<typeof sharedBudget>;
export const sharedBudgets = pageOf(sharedBudget);

/** One key: its record, its state, its budget. */
export const keyDetails = key.extend({
  budget,
  taint_flags: texts,
  sessions: count,
  total_policy_blocks: count,
  total_escalations: count,
  total_spend_usd: usd,
});
export type KeyDetails = z.infer<typeof keyDetails>;

export const spend = z.object({
  by: z.string(),
  bucket: z.string(),
  from: z.iso.date(),
  to: z.iso.date(),
  /** False: `spend.enabled` is off, so nothing is recorded. */
  enabled: z.boolean(),
  rows: z.array(z.object({ from: z.string().nullable(), group: z.string(), usd })),
  total_usd: usd,
  as_of: time,
  /** False: the time limit ended the count, so the sums are too low. */
  complete: z.boolean(),
});
export type Spend = z.infer<typeof spend>;

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
  .extend({
    taint_flags: texts,
    total_policy_blocks: count,
    total_escalations: count,
  });
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

export const escalation = z.object({
  id: z.string(),
  key_hash: keyHash,
  key_name: z.string(),
  agent_name: z.string(),
  owner: z.string(),
  method: z.string(),
  provider: z.string(),
  model: z.string(),
  mcp_server: z.string(),
  tool_name: z.string(),
  resource_uri: z.string(),
  prompt_name: z.string(),
  /** Masked, for approvers; empty unless `zsp.escalation_arguments` is on. */
  arguments: z.string(),
  session_id: z.string(),
  rules: z.array(z.object({ rule: z.string(), reason: z.string() })),
  request_digest: z.string(),
  requested_at: time,
  expiry: time,
});
export type Escalation = z.infer<typeof escalation>;
/** `now` is Redis's clock, by which `expiry` counts. */
export const escalations = pageOf(escalation).extend({ enabled: z.boolean(), now: time });
export type Escalations = z.infer<typeof escalations>;

export const mcpServer = z.object({
  name: z.string(),
  url: z.string(),
  circuit: z.enum(['closed', 'open', 'half_open']),
  /** When an open circuit lets a call through; null if closed. */
  retry_at: time.nullable(),
  pinned_tools: count,
  changed_tools: count,
});
export type McpServer = z.infer<typeof mcpServer>;
export const mcpServers = pageOf(mcpServer).extend({ enabled: z.boolean() });

export const mcpPin = z.object({
  server: z.string(),
  tool: z.string(),
  digest: z.string(),
  pinned_at: time,
  changed_digest: z.string().nullable(),
  changed_at: time.nullable(),
  /** The definitions as JSON, if they are stored. */
  definition: z.string().nullable(),
  changed_definition: z.string().nullable(),
});
export type McpPin = z.infer<typeof mcpPin>;
export const mcpPins = pageOf(mcpPin);

export const policies = z.object({
  enabled: z.boolean(),
  /** Digest of the files on this gateway's disk; null if they are broken. */
  digest: z.string().nullable(),
  /** Why the files cannot be loaded, a line each. */
  errors: texts,
  warnings: texts,
  default_action: z.object({ action: z.string(), why: z.string() }).nullable(),
  initial_state: z.string().nullable(),
  files: z.array(
    z.object({
      file: z.string(),
      kind: z.enum(['card', 'rego', 'preset']),
      has_states: z.boolean(),
      rules: z.array(
        z.object({
          rule: z.string(),
          mode: z.enum(['enforce', 'report', 'off']),
          /** In the last hour, from the audit trail. */
          fired: count,
        }),
      ),
    }),
  ),
});
export type Policies = z.infer<typeof policies>;

/** The output of `gateway policy explain`. */
export const explanation = z.object({
  call: z.string(),
  verdict: z.string(),
  passes: z.boolean(),
  reasons: texts,
  default_action: z.object({ action: z.string(), why: z.string() }),
  rules: z.array(
    z.object({
      rule: z.string(),
      file: z.string(),
      line: count,
      action: z.string(),
      mode: z.string(),
      fired: z.boolean(),
      reason: z.string(),
      conditions: z.array(z.object({ condition: z.unknown(), holds: z.boolean().nullable() })),
      found: z.array(z.looseObject({ before: z.string(), words: z.string(), after: z.string() })),
    }),
  ),
  rules_for_other_calls: count,
  rego: z.record(z.string(), texts).nullable(),
  taints: texts,
  state: z.string(),
  next_state: z.string().nullable(),
});
export type Explanation = z.infer<typeof explanation>;

export const connect = z.object({
  key_hash: keyHash,
  name: z.string(),
  /** Root URL of the gateway as clients reach it. */
  address: z.string(),
  /** In each snippet, `$GATEWAY_KEY` stands for the raw key, which is not known here. */
  snippets: z.array(
    z.object({ client: z.string(), title: z.string(), language: z.string(), text: z.string() }),
  ),
});
export type Connect = z.infer<typeof connect>;

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

/** Answers of changes. A raw key or token is in the one answer that made it, and nowhere else. */
export const issuedKey = z.object({ key, raw_key: z.string() });
export type IssuedKey = z.infer<typeof issuedKey>;
export const changedKey = z.object({ key, changed: z.boolean() });
export type ChangedKey = z.infer<typeof changedKey>;
export const answeredEscalation = z.object({
  id: z.string(),
  /** The stored answer: another's, if that came first. */
  outcome: z.enum(['approved', 'denied']),
  /** False if another's answer came first. */
  changed: z.boolean(),
});
export type AnsweredEscalation = z.infer<typeof answeredEscalation>;
export const endedSession = z.object({ changed: z.boolean() });
export const acceptedPins = z.object({
  server: z.string(),
  accepted: z.array(z.object({ tool: z.string(), digest: z.string() })),
});
export type AcceptedPins = z.infer<typeof acceptedPins>;
export const issuedToken = z.object({ token, raw_token: z.string() });
export type IssuedToken = z.infer<typeof issuedToken>;
export const done = z.object({ changed: z.boolean() });
