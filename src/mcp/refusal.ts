import { ERROR_STATUS, type ErrorType, type Refusal } from '../errors.ts';
import { calledTool, type JsonRpcId, type McpMessage } from './message.ts';

/** The message that a refusal answers. */
export interface RefusedMessage {
  readonly mcp?: McpMessage | undefined;
  /** Of the message, where one could be read of what is refused as none. */
  readonly mcpId?: JsonRpcId | null;
}

export interface McpAnswer {
  readonly status: number;
  readonly body: string;
}

interface JsonRpcError {
  readonly jsonrpc: '2.0';
  readonly id?: JsonRpcId | null;
  readonly error: { readonly code: number; readonly message: string; readonly data: object };
}

const DENIED = -32001;
/** The server's side failed; MCP gives no code of this range a meaning. */
const FAILED = -32000;
const HEADER_MISMATCH = -32020;
/** JSON-RPC 2.0's own. */
const INVALID_REQUEST = -32600;
const INVALID_PARAMS = -32602;

/**
 * Refusals of requests that a client reads as answers (docs/refusals.md, docs/mcp-messages.md): those that an agent
 * can act on come with HTTP 200, so that it sees them; those that are MCP's own have the status and the code that it
 * gives them.
 */
const AS_ANSWER: { readonly [Type in ErrorType]?: { readonly status: number; readonly code: number } } = {
  policy_denied: { status: 200, code: DENIED },
  escalation_denied: { status: 200, code: DENIED },
  escalation_timeout: { status: 200, code: DENIED },
  circuit_open: { status: 200, code: FAILED },
  header_mismatch: { status: ERROR_STATUS.header_mismatch, code: HEADER_MISMATCH },
  invalid_params: { status: ERROR_STATUS.invalid_params, code: INVALID_PARAMS },
};

/** Codes of the others, where the request is to blame; all else is -32000. */
const OF_REQUEST: ReadonlySet<ErrorType> = new Set([
  'invalid_request',
  'not_found',
  'unknown_mcp_server',
  'method_not_allowed',
  'payload_too_large',
  'unsupported_media_type',
  'upgrade_not_supported',
]);

const MAX_NAME_CHARS = 128;
const UNSEEN = /[\p{C}\p{Z}]/gu;
const MAX_HEADER_CHARS = 256;

/**
 * The JSON-RPC error that a refusal is on an MCP path. What is no answer has its `type` at the top level too, as our
 * refusals have it everywhere; of an answer the official clients take no such member.
 */
export function mcpAnswer(refusal: Refusal, { mcp, mcpId = null }: RefusedMessage = {}): McpAnswer {
  const { type } = refusal;
  const answer = AS_ANSWER[type];
  if (answer !== undefined && mcp?.kind === 'request') {
    return { status: answer.status, body: JSON.stringify(errorOf(refusal, mcp)) };
  }
  const { error } = errorOf(refusal, mcp);
  return {
    status: ERROR_STATUS[type],
    body: JSON.stringify({ jsonrpc: '2.0', id: mcpId, error, type }),
  };
}

function codeOf(type: ErrorType): number {
  return AS_ANSWER[type]?.code ?? (OF_REQUEST.has(type) ? INVALID_REQUEST : FAILED);
}

/** The error that ends a stream, or answers a request; without an id where nobody asked for anything. */
export function jsonRpcError(refusal: Refusal, mcp?: McpMessage): JsonRpcError {
  return errorOf({ type: refusal.type, message: refusal.message, details: refusal.details }, mcp);
}

function errorOf(refusal: Refusal, mcp?: McpMessage): JsonRpcError {
  const code = codeOf(refusal.type);
  const id = mcp?.kind === 'request' ? { id: mcp.id } : {};
  if (code !== DENIED) {
    return {
      jsonrpc: '2.0',
      ...id,
      error: { code, message: ofServer(refusal.message), data: { type: refusal.type, ...told(refusal) } },
    };
  }
  const { maskedResult, toolName = calledTool(mcp), ...details } = refusal.details ?? { reason: '' };
  const rule = details.rule ?? refusal.findings?.[0]?.rule;
  const reason = refusalReason(refusal);
  const data = {
    type: refusal.type,
    reason,
    ...(toolName !== undefined && { tool_name: boundedName(toolName) }),
    ...(rule !== undefined && { rule }),
    ...told(refusal),
    ...(maskedResult !== undefined && { result: maskedResult }),
  };
  const message = `Error: ${callSubject(mcp, toolName)} blocked. Reason: ${reason}`;
  return { jsonrpc: '2.0', ...id, error: { code, message, data } };
}

function told({ findings }: Refusal): { readonly findings?: Refusal['findings'] } {
  return findings === undefined || findings.length === 0 ? {} : { findings };
}

/** `Reason`s are read by agents and stand in a header: visible ASCII on one line, everything else escaped. */
export function blockReason(reason: string): string {
  let text = '';
  for (let at = 0; at < reason.length; at += 1) {
    const code = reason.charCodeAt(at);
    const next =
      code >= 0x20 && code <= 0x7e ? reason.charAt(at) : `\\u${code.toString(16).padStart(4, '0')}`;
    if (text.length + next.length > MAX_HEADER_CHARS) break;
    text += next;
  }
  return text.trim();
}

/** What is common to all upstreams' answers speaks of a provider. */
function ofServer(message: string): string {
  return message.replace(/^the provider\b/, 'the MCP server');
}

/** Why, in the words that a record, an agent or a person is told. */
export function refusalReason({ details, message }: Pick<Refusal, 'details' | 'message'>): string {
  return details?.reason ?? message;
}

function callSubject(mcp: McpMessage | undefined, toolName: string | undefined): string {
  if (toolName !== undefined) return `tool [${boundedName(toolName)}]`;
  return mcp === undefined || mcp.kind === 'response' ? 'message' : `method [${boundedName(mcp.method)}]`;
}

/** A client's own word, in one line of what can be seen. */
function boundedName(name: string): string {
  return name.slice(0, MAX_NAME_CHARS).replace(UNSEEN, '?').toWellFormed();
}
