/**
 * Every Redis key the gateway uses. Three names are fixed for others to read (docs/redis.md); whatever else belongs to a
 * proxy key carries the hash tag `{gateway:risk_profile:<key_hash>}`, whose slot is the risk profile's, so that one
 * script can move windows, sessions and risk together on a cluster (docs/redis.md).
 */

/** docs/risk.md. */
export function riskProfileKey(keyHash: string): string {
  return `gateway:risk_profile:${keyHash}`;
}

/** docs/risk.md. */
export function quarantineKey(keyHash: string): string {
  return `gateway:quarantine:${keyHash}`;
}

/** docs/sessions.md: the first user request, written once. */
export function sessionAnchorKey(keyHash: string, sessionId: string): string {
  return `gateway:session:${keyHash}:${sessionId}:anchor`;
}

function tag(keyHash: string): string {
  return `{${riskProfileKey(keyHash)}}`;
}

/** A raw key's record: `rawHash` is the hash of the raw key presented, which a rotation changes. */
export function keyRecordKey(rawHash: string): string {
  return `gateway:key:${rawHash}`;
}

/** Index of all key records. */
export const KEY_INDEX = 'gateway:keys';

/** Which key has a name: hash of name to key hash. */
export const KEY_NAMES = 'gateway:key_names';

/** Failed authentications of a client address in one minute (Unix time / 60). */
export function authFailuresKey(address: string, minute: number): string {
  return `gateway:auth_failures:${address}:${minute}`;
}

/** A DPoP proof that was used: the id of its request. `proofId` is a digest. */
export function proofKey(proofId: string): string {
  return `gateway:dpop:${proofId}`;
}

/** Limits of a key with a budget of its own: hash of window to integer nano-USD. */
export function budgetLimitsKey(keyHash: string): string {
  return `gateway:budget:${tag(keyHash)}`;
}

/** Limits of every key without a budget of its own. */
export const DEFAULT_BUDGET_KEY = 'gateway:budget:default';

/** One ledger of a key's accounts, e.g. its `windows`: string (ledger.lua). */
export function spendKey(keyHash: string, ledger: string): string {
  return `gateway:spend:${tag(keyHash)}:${ledger}`;
}

/** What a key has spent on one day (Unix time in days): hash of nano-USD by what it was spent for. */
export function spendDayKey(keyHash: string, day: number): string {
  return `gateway:spend_day:${tag(keyHash)}:${String(day)}`;
}

/** A key's live reservations: sorted set of hold keys by the time their lease ends. */
export function holdsKey(keyHash: string): string {
  return `gateway:holds:${tag(keyHash)}`;
}

/** One reservation: string of state, amount and the ledgers it stands in (holds.lua). */
export function holdKey(keyHash: string, operationId: string): string {
  return `gateway:hold:${tag(keyHash)}:${operationId}`;
}

/** One session: string of its limits, steps, state, calls on their way, taints and tools. */
export function sessionKey(keyHash: string, sessionId: string): string {
  return `gateway:session_state:${tag(keyHash)}:${sessionId}`;
}

/** Steps of a key's sessions that were given back: sorted set of operation ids by time. */
export function leftStepsKey(keyHash: string): string {
  return `gateway:left_steps:${tag(keyHash)}`;
}

/** A key's live sessions: sorted set of session ids by the time at which they may go. */
export function sessionsKey(keyHash: string): string {
  return `gateway:sessions:${tag(keyHash)}`;
}

/** One operation on a key's conduct state (a step, a score): a repeat of it changes nothing. */
export function operationKey(keyHash: string, operationId: string): string {
  return `gateway:operation:${tag(keyHash)}:${operationId}`;
}

/** A key's place in the rate limit: one number (GCRA's theoretical arrival time). */
export function rateLimitKey(keyHash: string): string {
  return `gateway:rate_limit:${tag(keyHash)}`;
}

/** Recent calls of one session, for loop detection: string of times, fingerprints and operations. */
export function loopKey(keyHash: string, sessionId: string): string {
  return `gateway:loop:${tag(keyHash)}:${sessionId}`;
}

/** Anchor and prior turn of one session as n-gram sets, for drift detection: one hash. */
export function driftKey(keyHash: string, sessionId: string): string {
  return `gateway:drift:${tag(keyHash)}:${sessionId}`;
}

/** Which key an `Mcp-Session-Id` was given to; `digest` is of server name and session id. */
export function mcpSessionKey(digest: string): string {
  return `gateway:mcp_session:${digest}`;
}

/** A key's sessions of MCP servers: sorted set of the digests in their names by last use. */
export function mcpSessionsKey(keyHash: string): string {
  return `gateway:mcp_sessions:${tag(keyHash)}`;
}

/** Hashes of the tool definitions that an MCP server showed first: hash of tool name to digest. */
export function mcpPinsKey(server: string): string {
  return `gateway:mcp_pins:${server}`;
}

/** The circuit of an MCP server, for all keys, while it is not closed: one for all gateways. */
export function mcpBreakerKey(server: string): string {
  return `gateway:mcp_breaker:${server}`;
}

/** What counts against an MCP server for all keys: sorted set by time, in the slot of its circuit. */
export function mcpFailuresKey(server: string): string {
  return `gateway:mcp_failures:{${mcpBreakerKey(server)}}`;
}

/** Taints that are known in a key's sessions: sorted set of session id and flag by Unix ms. */
export function knownFlagsKey(keyHash: string): string {
  return `gateway:known_flags:${tag(keyHash)}`;
}

/** The circuit of one key at an MCP server while it is not closed, in the slot of the server's. */
export function mcpKeyBreakerKey(server: string, keyHash: string): string {
  return `gateway:mcp_key_breaker:{${mcpBreakerKey(server)}}:${keyHash}`;
}

/** A key's failures at an MCP server: sorted set of operation ids by time, in the slot of its circuit. */
export function mcpKeyFailuresKey(server: string, keyHash: string): string {
  return `gateway:mcp_key_failures:{${mcpBreakerKey(server)}}:${keyHash}`;
}

/** Findings that a key was scored for in the last 24 hours: sorted set of digests. */
export function scoredFindingsKey(keyHash: string): string {
  return `gateway:scored_findings:${tag(keyHash)}`;
}

/** A request that waits for a person: string, JSON of the record; gone once it is answered, withdrawn or too late. */
export function escalationKey(id: string): string {
  return `gateway:escalation:${id}`;
}

/** Ids of the requests that wait: sorted set by the Unix ms at which each is too late. */
export const ESCALATIONS_KEY = 'gateway:escalation:pending';

/** Those of one key: the same by `<request digest> <id>`, in the slot of all. */
export function escalationsOfKey(keyHash: string): string {
  return `gateway:escalation:pending_of:{${ESCALATIONS_KEY}}:${keyHash}`;
}

/** The answer of a person: string, and the channel on which the same is published. */
export function escalationAnswerKey(id: string): string {
  return `gateway:escalation:approvals:${id}`;
}

/** Channels of all answers. */
export const ESCALATION_ANSWERS = 'gateway:escalation:approvals:*';

/** The channel on which requests for an approval, and what became of them, are published. */
export const ESCALATION_REQUESTS = 'gateway:escalation:requests';

/** The audit trail of all keys: capped stream of records. */
export const AUDIT_STREAM = 'gateway:audit';

/** Records of keys that have more than their share of the trail: capped stream, in the slot of the first. */
export const AUDIT_OVERFLOW_STREAM = `gateway:audit_overflow:{${AUDIT_STREAM}}`;

/** Records of each key of late: hash. */
export const AUDIT_COUNTS = `gateway:audit_counts:{${AUDIT_STREAM}}`;

/** A batch of records that was appended, in the slot of the stream. */
export function auditBatchKey(batchId: string): string {
  return `gateway:audit_batch:{${AUDIT_STREAM}}:${batchId}`;
}
