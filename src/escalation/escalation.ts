import { parsedJson } from '../json/parsed.ts';
import * as z from 'zod';
import { MCP_CALL_TYPES } from '../mcp/methods.ts';

const MAX_TEXT = 1_024;
const text = z.string().max(MAX_TEXT);
const unixMs = z.int().min(0);

/**
 * A request that waits for approval, as stored and published. Contains arguments and prompts only if
 * `zsp.escalation_arguments` and `zsp.escalation_prompts` are on, and always masked.
 */
export const escalation = z.object({
  id: z.uuid(),
  /** Base64url, unique to this request. Answers must repeat it. */
  nonce: z.string().regex(/^[A-Za-z0-9_-]{22}$/),
  key_hash: text,
  key_name: text,
  agent_name: text,
  owner: text,
  method: z.enum(['llm_call', ...MCP_CALL_TYPES]),
  provider: text,
  /** Empty for tool calls, and for requests without a model. */
  model: text,
  /** `<provider> <model>` of each alternative model: targets of a route, and fallbacks in the body. */
  other_models: z.array(text).max(32).default([]),
  mcp_server: text,
  tool_name: text,
  resource_uri: text.default(''),
  prompt_name: text.default(''),
  /** JSON or a note for approvers; empty if approvers must not see arguments. */
  arguments: z.string().max(4_096).default(''),
  /** The user's last text in a model call, or a note for approvers; empty if approvers must not see prompts. */
  prompt_text: z.string().max(4_096).default(''),
  session_id: text,
  rules: z.array(z.object({ rule: text, reason: text })).max(16),
  /** `sha256:<hex>`; see `requestDigest`. */
  request_digest: z.string().regex(/^sha256:[0-9a-f]{64}$/),
  /** Redis time in Unix ms, like `expiry`. */
  requested_at: unixMs,
  expiry: unixMs,
});
export type Escalation = Readonly<z.infer<typeof escalation>>;

/** Returns undefined for invalid JSON or an unexpected shape. */
export function readEscalation(json: string): Escalation | undefined {
  return escalation.safeParse(parsedJson(json)).data;
}

export const ESCALATION_OUTCOMES = [
  'approved',
  'denied',
  'timeout',
  /** Too many requests were waiting. */
  'full',
  /** Too many requests of its key were waiting. */
  'over_share',
  /** The client disconnected first. */
  'withdrawn',
  /** Redis became unavailable or lost the request. */
  'failed',
] as const;
export type EscalationOutcome = (typeof ESCALATION_OUTCOMES)[number];

export type ApprovalResult =
  | { readonly kind: 'approved' | 'denied'; readonly id: string; readonly approver: string }
  | { readonly kind: 'timeout' | 'full' | 'over_share' | 'withdrawn' };

/** Events published on `gateway:escalation:requests`. */
export const escalationEvent = z.discriminatedUnion('type', [
  escalation.extend({ type: z.literal('escalation.requested') }),
  z.object({
    type: z.literal('escalation.resolved'),
    id: z.uuid(),
    outcome: z.enum(ESCALATION_OUTCOMES),
    approver: text.optional(),
  }),
]);
export type EscalationEvent = Readonly<z.infer<typeof escalationEvent>>;

/** Returns undefined for invalid messages, because others may publish on the channel. */
export function parseEscalationEvent(json: string): EscalationEvent | undefined {
  return escalationEvent.safeParse(parsedJson(json)).data;
}
