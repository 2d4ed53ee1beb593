import * as z from 'zod';
import { MCP_CALL_TYPES } from '../mcp/methods.ts';

const MAX_TEXT = 1_024;
const text = z.string().max(MAX_TEXT);
const unixMs = z.int().min(0);

/**
 * A request that waits for a person, as it stands in Redis and is published: who asks, for what, by which rules, until
 * when. Nothing of the prompt or of a tool's arguments; `request_digest` stands for them.
 */
export const escalation = z.object({
  id: z.uuid(),
  /** Base64url, of this request alone: an approval names it. */
  nonce: z.string().regex(/^[A-Za-z0-9_-]{22}$/),
  key_hash: text,
  key_name: text,
  agent_name: text,
  owner: text,
  method: z.enum(['llm_call', ...MCP_CALL_TYPES]),
  provider: text,
  /** Empty for a call of a tool, and where the request names none. */
  model: text,
  mcp_server: text,
  tool_name: text,
  resource_uri: text.default(''),
  prompt_name: text.default(''),
  session_id: text,
  rules: z.array(z.object({ rule: text, reason: text })).max(16),
  /** `sha256:<hex>`, see `requestDigest`. */
  request_digest: z.string().regex(/^sha256:[0-9a-f]{64}$/),
  /** Unix ms by Redis's clock, and so is `expiry`. */
  requested_at: unixMs,
  expiry: unixMs,
});
export type Escalation = Readonly<z.infer<typeof escalation>>;

/** Undefined where it is none. */
export function readEscalation(json: string): Escalation | undefined {
  return escalation.safeParse(parsedJson(json)).data;
}

/** How a request that waited went on. */
export const ESCALATION_OUTCOMES = [
  'approved',
  'denied',
  'timeout',
  /** Too many waited already. */
  'full',
  /** Too many of its key waited already. */
  'over_share',
  /** The client left first. */
  'withdrawn',
  /** Redis could not be asked any more. */
  'failed',
] as const;
export type EscalationOutcome = (typeof ESCALATION_OUTCOMES)[number];

/** The same, as the request is told. */
export type ApprovalResult =
  | { readonly kind: 'approved' | 'denied'; readonly id: string; readonly approver: string }
  | { readonly kind: 'timeout' | 'full' | 'over_share' | 'withdrawn' };

/** What is published on `gateway:escalation:requests`. */
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

/** Undefined where it is none: anybody may publish there. */
export function parseEscalationEvent(json: string): EscalationEvent | undefined {
  return escalationEvent.safeParse(parsedJson(json)).data;
}

export function parsedJson(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
