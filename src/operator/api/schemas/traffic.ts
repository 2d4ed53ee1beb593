import * as z from 'zod';
import { time, usd, count, keyHash, texts, pageOf } from './parts.ts';

/** The last announcement of a running gateway. */
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
    /** Digest of the policies in effect; null if policies are off. */
    digest: z.string().nullable(),
    /** Why the files on disk are not in effect; null if they are in effect. */
    broken: z.string().nullable(),
  }),
  /** Why gateway.yaml on disk is not in effect: broken, restart or refused; null if it is in effect. */
  config_not_in_force: z.string().nullable(),
  /** Days until the first certificate expires; null without certificates. */
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
  /** False if the audit trail is off. Traffic, decisions and rule counts are then empty. */
  audit: z.boolean(),
  /** Counts of the last hour, from the audit trail. */
  providers: z.array(
    z.object({ provider: z.string(), requests: count, errors: count, refused: count, spend_usd: usd }),
  ),
  /** One point per minute of the last hour, oldest first. */
  traffic: z.array(z.object({ at: time, requests: count, refused: count, errors: count, spend_usd: usd })),
  proxy_keys: count,
  waiting_approvals: count,
});
export type Overview = z.infer<typeof overview>;

const DECISION_KINDS = ['request', 'finding', 'operator', 'event'] as const;

/** Summary of an audit record. */
export const decision = z.object({
  /** Stream id, also of the server-sent event. */
  id: z.string(),
  at: time,
  kind: z.enum(DECISION_KINDS),
  request_id: z.string(),
  key_hash: keyHash.nullable(),
  /** Key name; for `operator`, the person's name. */
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
  refusal: z.string().nullable(),
  message: z.string(),
  cost_usd: usd.nullable(),
  latency_ms: z.number().nullable(),
  input_tokens: count.nullable(),
  output_tokens: count.nullable(),
});
export type Decision = z.infer<typeof decision>;
export const decisions = pageOf(decision);

/** Location of a finding, without its text. Offsets are in UTF-16 code units; the end is exclusive. */
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

/** Records of one request found in Redis, oldest first. `gateway audit show` also searches `audit.file`. */
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
  /** Null without a trace or `otel.viewer_url`. */
  trace_url: z.string().nullable(),
  searched: count,
  /** False if the search stopped at its limit. */
  complete: z.boolean(),
});
export type RequestStory = z.infer<typeof requestStory>;

export const spend = z.object({
  by: z.string(),
  bucket: z.string(),
  from: z.iso.date(),
  to: z.iso.date(),
  /** False if `spend.enabled` is false and nothing is recorded. */
  enabled: z.boolean(),
  rows: z.array(z.object({ from: z.string().nullable(), group: z.string(), usd })),
  total_usd: usd,
  as_of: time,
  /** False while keys are still being counted, or if rows were left out. */
  complete: z.boolean(),
});
export type Spend = z.infer<typeof spend>;

export const escalation = z.object({
  id: z.string(),
  key_hash: keyHash,
  key_name: z.string(),
  agent_name: z.string(),
  owner: z.string(),
  method: z.string(),
  provider: z.string(),
  model: z.string(),
  /** `<provider> <model>` of each other model that may answer instead. */
  other_models: z.array(z.string()),
  mcp_server: z.string(),
  tool_name: z.string(),
  resource_uri: z.string(),
  prompt_name: z.string(),
  /** Masked, for approvers; empty unless `zsp.escalation_arguments` is on. */
  arguments: z.string(),
  /** Last user text of a model call, masked in the same way (`zsp.escalation_prompts`). */
  prompt_text: z.string(),
  session_id: z.string(),
  rules: z.array(z.object({ rule: z.string(), reason: z.string() })),
  request_digest: z.string(),
  requested_at: time,
  expiry: time,
});
export type Escalation = z.infer<typeof escalation>;
/** `now` and `expiry` are in Redis time. */
export const escalations = pageOf(escalation).extend({ enabled: z.boolean(), now: time });
export type Escalations = z.infer<typeof escalations>;
export const answeredEscalation = z.object({
  id: z.string(),
  outcome: z.enum(['approved', 'denied']),
  /** Always true. If another person answered first, the request is refused with 409. */
  changed: z.boolean(),
});
export type AnsweredEscalation = z.infer<typeof answeredEscalation>;
