import { addAll } from '../../add-all.ts';
import {
  hiddenTools,
  isEventStream,
  isMessageEvent,
  isServerMessage,
  toolListIn,
} from '../../mcp/answer-shape.ts';
import type { JsonEdit } from '../../json/path.ts';
import { type Check, type Denial, PASS, PASS_EVENT, type StreamAction } from '../../pipeline/check.ts';
import type { Answered } from '../../pipeline/exchange.ts';
import type { StreamEvent } from '../../providers/dialect.ts';

const ERROR_STATUS = 400;

/**
 * Hides tools that a key may not call (docs/mcp-tools.md). As access control, this also applies in shadow mode and with
 * the inspector off. For a key with an allowlist, ambiguous answers are refused.
 */
export function createMcpToolsCheck(): Check<unknown, 'mcp-tools'> {
  return {
    name: 'mcp-tools',
    shadowable: false,
    response(exchange) {
      const { whole } = exchange.answer;
      if (!isLimited(exchange)) return PASS;
      if (exchange.form === 'stream') {
        return isEventStream(exchange.answerHeaders.get('content-type')) ? PASS : unreadableBody();
      }
      if (whole === undefined || whole.body.length === 0) return PASS;
      if (!isServerMessage(whole.json)) return expectsMessage(exchange) ? unreadableBody() : PASS;
      const edits = hiddenIn(exchange, whole.json);
      if (edits.length === 0) return PASS;
      return {
        kind: 'rewrite',
        reason: leftOut(edits),
        apply: () => addAll(whole.edits, edits),
      };
    },
    stream(exchange) {
      if (!isLimited(exchange)) return undefined;
      return { event: (event) => judgeEvent(exchange, event) };
    },
  };
}

function judgeEvent(exchange: Answered, event: StreamEvent): StreamAction {
  if ((event.frame.data ?? '') === '' || !isMessageEvent(event)) return PASS_EVENT;
  const { json } = event;
  if (!isServerMessage(json)) return { kind: 'cut', denial: unreadableBody() };
  const edits = hiddenIn(exchange, json);
  return edits.length === 0 ? PASS_EVENT : { kind: 'rewrite', edits, reason: leftOut(edits) };
}

function isLimited({ mcp, key }: Answered): boolean {
  return mcp !== undefined && key.allowedTools !== undefined;
}

/** Requests and GETs must be answered with a message, unless they fail. */
function expectsMessage({ method, request, status }: Answered): boolean {
  return status < ERROR_STATUS && (method === 'GET' || request.mcp?.kind === 'request');
}

function hiddenIn({ key, request }: Answered, message: unknown): readonly JsonEdit[] {
  return hiddenTools(toolListIn(message, request.mcp) ?? [], key.allowedTools);
}

function leftOut(edits: readonly JsonEdit[]): string {
  return `removed tools that the key may not use: ${String(edits.length)}`;
}

function unreadableBody(): Denial {
  return {
    kind: 'deny',
    type: 'upstream_unavailable',
    message: "the MCP server's answer is unreadable, so tools hidden from this key cannot be removed",
  };
}
