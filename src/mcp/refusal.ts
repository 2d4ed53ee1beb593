import { ERROR_STATUS, type ErrorType, type Refusal } from '../errors.ts';
import { calledTool, type JsonRpcId, type McpMessage } from './message.ts';

export interface RefusedMessage {
  readonly mcp?: McpMessage | undefined;
  /** The id of an invalid message, if it could be parsed. */
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
/** Server failure. JSON-RPC 2.0 reserves this code for implementations. */
const FAILED = -32000;
const HEADER_MISMATCH = -32020;
/** Defined by JSON-RPC 2.0. */
const INVALID_REQUEST = -32600;
const INVALID_PARAMS = -32602;

/**
 * Refusals sent as answers to a request (docs/refusals.md, docs/mcp-messages.md). Those that an agent must see have
 * status 200; the others have the status and code that MCP defines.
 */
const ANSWER_FORMS: { readonly [Type in ErrorType]?: { readonly status: number; readonly code: number } } = {
  policy_denied: { status: 200, code: DENIED },
  escalation_denied: { status: 200, code: DENIED },
  escalation_timeout: { status: 200, code: DENIED },
  circuit_open: { status: 200, code: FAILED },
  header_mismatch: { status: ERROR_STATUS.header_mismatch, code: HEADER_MISMATCH },
  invalid_params: { status: ERROR_STATUS.invalid_params, code: INVALID_PARAMS },
};

/** Other types that are the request's fault. All remaining types use `FAILED`. */
const REQUEST_ERRORS: ReadonlySet<ErrorType> = new Set([
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

/** Official clients reject a top-level `type` in answers, so only other refusals have it. */
export function mcpAnswer(refusal: Refusal, { mcp, mcpId = null }: RefusedMessage = {}): McpAnswer {
  const { type } = refusal;
  const answer = ANSWER_FORMS[type];
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
  return ANSWER_FORMS[type]?.code ?? (REQUEST_ERRORS.has(type) ? INVALID_REQUEST : FAILED);
}

/** Returns the error that ends a stream or answers a request. Has an id if `mcp` is a request. */
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
      error: {
        code,
        message: namingServer(refusal.message),
        data: { type: refusal.type, ...findingsOf(refusal) },
      },
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
    ...findingsOf(refusal),
    ...(maskedResult !== undefined && { result: maskedResult }),
  };
  const message = `Error: ${callSubject(mcp, toolName)} blocked. Reason: ${reason}`;
  return { jsonrpc: '2.0', ...id, error: { code, message, data } };
}

function findingsOf({ findings }: Refusal): { readonly findings?: Refusal['findings'] } {
  return findings === undefined || findings.length === 0 ? {} : { findings };
}

/** Escapes a reason to at most 256 characters of printable ASCII on one line, for agents and a header. */
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

function namingServer(message: string): string {
  return message.replace(/^the provider\b/, 'the MCP server');
}

export function refusalReason({ details, message }: Pick<Refusal, 'details' | 'message'>): string {
  return details?.reason ?? message;
}

function callSubject(mcp: McpMessage | undefined, toolName: string | undefined): string {
  if (toolName !== undefined) return `tool [${boundedName(toolName)}]`;
  return mcp === undefined || mcp.kind === 'response' ? 'message' : `method [${boundedName(mcp.method)}]`;
}

function boundedName(name: string): string {
  return name.slice(0, MAX_NAME_CHARS).replace(UNSEEN, '?').toWellFormed();
}
