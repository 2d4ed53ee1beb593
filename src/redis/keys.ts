/**
 * Redis key names. Three are fixed, because other programs read them (docs/redis.md). Most other state of a proxy key
 * has the hash tag `{gateway:risk_profile:<key_hash>}`, so that one script can change windows, sessions and risk
 * together in a cluster.
 */

/** A key's risk profile: hash (docs/risk.md). */
export function riskProfileKey(keyHash: string): string {
  return `gateway:risk_profile:${keyHash}`;
}

/** A key's lock: string, JSON (docs/risk.md). */
export function quarantineKey(keyHash: string): string {
  return `gateway:quarantine:${keyHash}`;
}

/** Requests refused while a key is locked or blocked: hash with count and last time, in the slot of the lock. */
export function heldAttemptsKey(keyHash: string): string {
  return `gateway:held_attempts:{${quarantineKey(keyHash)}}`;
}

/** The first user request, written once (docs/sessions.md). */
export function sessionAnchorKey(keyHash: string, sessionId: string): string {
  return `gateway:session:${keyHash}:${sessionId}:anchor`;
}

function tag(keyHash: string): string {
  return `{${riskProfileKey(keyHash)}}`;
}

/** A proxy key's record: hash, by the digest of the raw key, which rotation changes. */
export function keyRecordKey(rawHash: string): string {
  return `gateway:key:${rawHash}`;
}

export const KEY_INDEX = 'gateway:keys';

/** All keys by creation time; in the slot of the index. */
export const KEYS_BY_CREATION = `gateway:keys_by_creation:{${KEY_INDEX}}`;

/** Used keys by last use in Unix ms; in the slot of the index. */
export const KEYS_BY_USE = `gateway:keys_by_use:{${KEY_INDEX}}`;

/** Keys with a score, lock, block or limit of 0, by the time when lists stop showing them. */
export const MARKED_KEYS = `gateway:marked_keys:{${KEY_INDEX}}`;

/** Present while `KEYS_BY_USE` is complete (use-order.ts): string. */
export const USES_COMPLETE = `gateway:keys_by_use_complete:{${KEY_INDEX}}`;

/** Hash of key name to key hash. */
export const KEY_NAMES = 'gateway:key_names';

/** Failed authentications of a client address in one minute (Unix time / 60). */
export function authFailuresKey(address: string, minute: number): string {
  return `gateway:auth_failures:${address}:${minute}`;
}

/** A used DPoP proof, with the id of its request. `proofId` is a digest. */
export function proofKey(proofId: string): string {
  return `gateway:dpop:${proofId}`;
}

/** A key's own budget limits: hash of window to integer nano-USD. */
export function budgetLimitsKey(keyHash: string): string {
  return `gateway:budget:${tag(keyHash)}`;
}

/** Limits for keys without their own budget. */
export const DEFAULT_BUDGET_KEY = 'gateway:budget:default';

/** Budgets that several keys share: hash of JSON by `budget:<name>`, in the slot of the default budget. */
export const SHARED_BUDGETS = `gateway:shared_budgets:{${DEFAULT_BUDGET_KEY}}`;

/** One ledger of a key's accounts, such as `windows`: string (ledger.lua). */
export function spendKey(keyHash: string, ledger: string): string {
  return `gateway:spend:${tag(keyHash)}:${ledger}`;
}

/** A key's spend on one day (Unix time in days): hash of nano-USD by purpose. */
export function spendDayKey(keyHash: string, day: number): string {
  return `gateway:spend_day:${tag(keyHash)}:${String(day)}`;
}

/** A key's live reservations: sorted set of hold keys by lease end. */
export function holdsKey(keyHash: string): string {
  return `gateway:holds:${tag(keyHash)}`;
}

/** One reservation: string with state, amount and ledgers (holds.lua). */
export function holdKey(keyHash: string, operationId: string): string {
  return `gateway:hold:${tag(keyHash)}:${operationId}`;
}

/** One session: string of limits, steps, state, calls in flight, taints, tools and marks. */
export function sessionKey(keyHash: string, sessionId: string): string {
  return `gateway:session_state:${tag(keyHash)}:${sessionId}`;
}

/** Steps and moves given back in a key's sessions: sorted set of operation ids by time. */
export function leftStepsKey(keyHash: string): string {
  return `gateway:left_steps:${tag(keyHash)}`;
}

/** A key's live sessions: sorted set of session ids by the time after which they may be evicted. */
export function sessionsKey(keyHash: string): string {
  return `gateway:sessions:${tag(keyHash)}`;
}

/** Marks a completed change to a key's risk profile (a score, a reset), so that repeats are harmless. */
export function operationKey(keyHash: string, operationId: string): string {
  return `gateway:operation:${tag(keyHash)}:${operationId}`;
}

/** A key's rate limit state: one number (GCRA's theoretical arrival time). */
export function rateLimitKey(keyHash: string): string {
  return `gateway:rate_limit:${tag(keyHash)}`;
}

/** Recent calls of one session, for loop detection: string of times, fingerprints and operations. */
export function loopKey(keyHash: string, sessionId: string): string {
  return `gateway:loop:${tag(keyHash)}:${sessionId}`;
}

/** A session's anchor and prior turn as n-gram sets, for drift detection: hash. */
export function driftKey(keyHash: string, sessionId: string): string {
  return `gateway:drift:${tag(keyHash)}:${sessionId}`;
}

/** The proxy key that owns an MCP session or task; `digest` covers the server name and the id. */
export function mcpSessionKey(digest: string): string {
  return `gateway:mcp_session:${digest}`;
}

/** Objects that a key created at providers: sorted set of digests by their last use in Unix ms. */
export function storedObjectsKey(keyHash: string): string {
  return `gateway:stored_objects:${tag(keyHash)}`;
}

/** A key's MCP sessions and tasks: sorted set of digests by last use. */
export function mcpSessionsKey(keyHash: string): string {
  return `gateway:mcp_sessions:${tag(keyHash)}`;
}

/** Pinned tool definitions of an MCP server: hash of tool name to digest. */
export function mcpPinsKey(server: string): string {
  return `gateway:mcp_pins:${server}`;
}

/** Listed tool definitions of an MCP server: hash of digest to JSON. */
export function mcpDefinitionsKey(server: string): string {
  return `gateway:mcp_definitions:${server}`;
}

/** Circuit of an MCP server for all keys, present unless closed; shared by all gateways. */
export function mcpBreakerKey(server: string): string {
  return `gateway:mcp_breaker:${server}`;
}

/** Failures of an MCP server for all keys: sorted set by time, in the slot of its circuit. */
export function mcpFailuresKey(server: string): string {
  return `gateway:mcp_failures:{${mcpBreakerKey(server)}}`;
}

/** Known taints in a key's sessions: sorted set of session id and flag by Unix ms. */
export function knownFlagsKey(keyHash: string): string {
  return `gateway:known_flags:${tag(keyHash)}`;
}

/** Circuit of one key for an MCP server, present unless closed; in the slot of the server's circuit. */
export function mcpKeyBreakerKey(server: string, keyHash: string): string {
  return `gateway:mcp_key_breaker:{${mcpBreakerKey(server)}}:${keyHash}`;
}

/** Failures of a key's calls to an MCP server: sorted set of operation ids by time, in the slot of its circuit. */
export function mcpKeyFailuresKey(server: string, keyHash: string): string {
  return `gateway:mcp_key_failures:{${mcpBreakerKey(server)}}:${keyHash}`;
}

/** Findings that raised a key's score in the last 24 hours: sorted set of digests. */
export function scoredFindingsKey(keyHash: string): string {
  return `gateway:scored_findings:${tag(keyHash)}`;
}

/** A request waiting for approval: string, JSON of the record; deleted when answered, withdrawn or expired. */
export function escalationKey(id: string): string {
  return `gateway:escalation:${id}`;
}

/** Ids of waiting requests: sorted set by expiry in Unix ms. */
export const ESCALATIONS_KEY = 'gateway:escalation:pending';

/** Waiting requests of one key: sorted set of `<request digest> <id>` by expiry; in the same slot. */
export function escalationsOfKey(keyHash: string): string {
  return `gateway:escalation:pending_of:{${ESCALATIONS_KEY}}:${keyHash}`;
}

/** An approver's answer: string, and the channel on which it is published. */
export function escalationAnswerKey(id: string): string {
  return `gateway:escalation:approvals:${id}`;
}

/** Channel pattern for all answers. */
export const ESCALATION_ANSWERS = 'gateway:escalation:approvals:*';

/** Channel of approval requests and their outcomes. */
export const ESCALATION_REQUESTS = 'gateway:escalation:requests';

/** The audit trail of all keys: capped stream of records. */
export const AUDIT_STREAM = 'gateway:audit';

/** Records of keys that exceed their share of the trail: capped stream in the same slot. */
export const AUDIT_OVERFLOW_STREAM = `gateway:audit_overflow:{${AUDIT_STREAM}}`;

/** Recent record counts per key: hash. */
export const AUDIT_COUNTS = `gateway:audit_counts:{${AUDIT_STREAM}}`;

/** Marks an appended batch of records; in the slot of the stream. */
export function auditBatchKey(batchId: string): string {
  return `gateway:audit_batch:{${AUDIT_STREAM}}:${batchId}`;
}

/** API tokens of the operator page: hash of token hash to JSON. */
export const UI_TOKENS = 'gateway:ui_tokens';

/** Last uses of API tokens: hash of token hash to Unix ms, in the same slot. */
export const UI_TOKEN_USES = `gateway:ui_token_uses:{${UI_TOKENS}}`;

/** The answer to a change through the operator API: string, keyed by digests of the person and the Idempotency-Key. */
export function uiAnswerKey(person: string, change: string): string {
  return `gateway:ui_answer:{${uiChangesKey(person)}}:${change}`;
}

/** A person's changes through the operator API in this minute: counter. */
export function uiChangesKey(person: string): string {
  return `gateway:ui_changes:${person}`;
}

/** The scrypt hash of the operator page password: string. */
export const UI_PASSWORD = 'gateway:ui_password';

/** A session of the operator page: string, keyed by the SHA-256 of its id, in the password's slot. */
export function uiSessionKey(idHash: string): string {
  return `gateway:ui_session:{${UI_PASSWORD}}:${idHash}`;
}

/** Sign-in attempts on the operator page, from an address or `all`, in one minute (Unix time / 60). */
export function uiAttemptsKey(who: string, minute: number): string {
  return `gateway:ui_attempts:{${UI_PASSWORD}}:${who}:${String(minute)}`;
}

/** Requests to reload a provider credential: hash of credential name to request id. */
export const CREDENTIAL_READS = 'gateway:credential_reads';

/** The last announcement of each running gateway: hash of gateway id to JSON. */
export const GATEWAYS = 'gateway:gateways';

/** Times after which gateways are considered gone: sorted set of gateway ids by Unix ms, in the same slot. */
export const GATEWAY_ENDS = `gateway:gateway_ends:{${GATEWAYS}}`;

/** CSRF key for users identified by an authenticating proxy: string. */
export const UI_CSRF_KEY = 'gateway:ui_csrf_key';
