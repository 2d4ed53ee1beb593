import { ERROR_STATUS, type ErrorType, type RefusalDetails } from '../errors.ts';
import { calledTool, type JsonRpcId, type McpMessage } from './message.ts';

/** A refusal as the checks give it, and the message that it answers. */
export interface RefusedMessage {
  readonly type: ErrorType;
  readonly message: string;
  readonly details?: RefusalDetails | undefined;
  readonly mcp?: McpMessage | undefined;
}

export interface McpAnswer {
  readonly status: number;
  readonly body: string;
}

interface JsonRpcError {
  readonly jsonrpc: '2.0';
  readonly id?: JsonRpcId;
  readonly error: { readonly code: number; readonly message: string; readonly data: object };
}

const DENIED = -32001;
/** The server's side failed; MCP gives no code of this range a meaning. */
const FAILED = -32000;
const HEADER_MISMATCH = -32020;

/**
 * Refusals that a client reads as JSON-RPC errors (DECISIONS "Error bodies", "MCP"): those that an agent can act on
 * come with HTTP 200, so that it sees them. All others keep their HTTP status and our own shape.
 */
const AS_JSON_RPC: { readonly [Type in ErrorType]?: { readonly status: number; readonly code: number } } = {
  policy_denied: { status: 200, code: DENIED },
  escalation_denied: { status: 200, code: DENIED },
  circuit_open: { status: 200, code: FAILED },
  header_mismatch: { status: ERROR_STATUS.header_mismatch, code: HEADER_MISMATCH },
};

const MAX_NAME_CHARS = 128;
const UNSEEN = /[\p{C}\p{Z}]/gu;
const MAX_HEADER_CHARS = 256;

/** The JSON-RPC answer to a refused request; undefined where the refusal is answered in our own shape. */
export function mcpAnswer(refusal: RefusedMessage): McpAnswer | undefined {
  const form = AS_JSON_RPC[refusal.type];
  if (form === undefined || refusal.mcp?.kind !== 'request') return undefined;
  return { status: form.status, body: JSON.stringify(jsonRpcError(refusal)) };
}

/** The error that ends a stream, or answers a request; without an id where nobody asked for anything. */
export function jsonRpcError(refusal: RefusedMessage): JsonRpcError {
  const code = AS_JSON_RPC[refusal.type]?.code ?? FAILED;
  const id = refusal.mcp?.kind === 'request' ? { id: refusal.mcp.id } : {};
  if (code !== DENIED) {
    return { jsonrpc: '2.0', ...id, error: { code, message: refusal.message, data: { type: refusal.type } } };
  }
  const { rule, maskedResult, toolName = calledTool(refusal.mcp) } = refusal.details ?? { reason: '' };
  const reason = reasonOf(refusal);
  const data = {
    type: refusal.type,
    reason,
    ...(toolName !== undefined && { tool_name: shown(toolName) }),
    ...(rule !== undefined && { rule }),
    ...(maskedResult !== undefined && { result: maskedResult }),
  };
  const message = `Error: ${subjectOf(refusal.mcp, toolName)} blocked. Reason: ${reason}`;
  return { jsonrpc: '2.0', ...id, error: { code, message, data } };
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

/** Why, in the words that a record, an agent or a person is told. */
export function reasonOf({ details, message }: Pick<RefusedMessage, 'details' | 'message'>): string {
  return details?.reason ?? message;
}

function subjectOf(mcp: McpMessage | undefined, toolName: string | undefined): string {
  if (toolName !== undefined) return `tool [${shown(toolName)}]`;
  return mcp === undefined || mcp.kind === 'response' ? 'message' : `method [${shown(mcp.method)}]`;
}

/** A client's own word, in one line of what can be seen. */
function shown(name: string): string {
  return name.slice(0, MAX_NAME_CHARS).replace(UNSEEN, '?').toWellFormed();
}
