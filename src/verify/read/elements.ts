import { GatewayError } from '../../errors.ts';
import { parseStrict } from '../../json/strict-parse.ts';
import { createBodyReader, isBody } from '../formats/bodies.ts';
import { createConversationReader, isMessage } from '../formats/conversation.ts';
import { isAuditRecord, isLogLine, readAuditRecord, readLogLine } from '../formats/audit.ts';
import { isObject } from '../../json/is-object.ts';
import { createSpanTree, spanKey } from '../formats/span-tree.ts';
import { isSpan, readSpan, type OtlpResource } from '../formats/otlp.ts';
import { isJsonRpc, readJsonRpc } from '../formats/rpc.ts';
import { isStep, readStep } from '../formats/steps.ts';
import { unreadableStep, type Context, type Read, type TracePlace, type ReadElement } from '../step.ts';

export interface ElementReader {
  read(value: unknown, place: TracePlace, context: Context, resource: OtlpResource): ReadElement[];
  /** Completes an element at its final position, when repeated spans are known (`span-tree.ts`). */
  settle(element: ReadElement): ReadElement;
  /** Returns the parts that waited for an answer. */
  end(): ReadElement[];
}

const REMEDY =
  'is not a step: it needs type (llm_call, llm_response, mcp_tool_call, mcp_tool_response, mcp_resource_read …), or must be a chat message, a request body, a span or a log line';

export function createElementReader(): ElementReader {
  const conversations = createConversationReader();
  const readBody = createBodyReader();
  const tree = createSpanTree();

  function read(value: unknown, place: TracePlace, context: Context, resource: OtlpResource): ReadElement[] {
    if (!isObject(value)) return [{ ...place, ...unreadableStep('is not a JSON object') }];
    if (isLogLine(value)) return [{ ...place, ...readLogLine(value, context) }];
    if (isStep(value)) return [{ ...place, ...readStep(value, context) }];
    if (isAuditRecord(value)) return [{ ...place, ...readAuditRecord(value, context) }];
    if (isSpan(value)) {
      const reads = readSpan(value, resource, context);
      tree.note(value, reads);
      const span = spanKey(value);
      return reads.map((one) => ({ ...place, ...one, ...(isOfSpan(one) && { span }) }));
    }
    if (isJsonRpc(value)) return [{ ...place, ...readJsonRpc(value, context) }];
    if (isMessage(value)) return conversations.message(value, place, context);
    if (isBody(value)) return [{ ...place, ...readBody(value, place.index, context) }];
    return [{ ...place, ...unreadableStep(REMEDY) }];
  }

  return { read, settle: tree.settle, end: conversations.end };
}

function isOfSpan({ kind }: Read): boolean {
  return kind === 'steps' || kind === 'unjudged';
}

/** Returns a JSON value that all parsers interpret alike, or the problem. */
export function parsedValue(bytes: Buffer): { readonly value: unknown } | { readonly problem: string } {
  try {
    return { value: parseStrict(bytes) };
  } catch (failure) {
    if (!(failure instanceof GatewayError)) throw failure;
    return { problem: failure.message.replace(/^The request body /, '').replace(/\.$/, '') };
  }
}
