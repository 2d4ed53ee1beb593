import { GatewayError } from '../../errors.ts';
import { parseStrict } from '../../json/strict-parse.ts';
import { createBodyReader, isBody } from '../formats/bodies.ts';
import { createConversationReader, isMessage } from '../formats/conversation.ts';
import { isAuditRecord, isLogLine, readAuditRecord, readLogLine } from '../formats/audit.ts';
import type { TraceFields } from '../formats/fields.ts';
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
  /** Returns parts that waited for an answer. */
  end(): ReadElement[];
}

const REMEDY =
  'is not a step: it needs type (llm_call, llm_response, mcp_tool_call, mcp_tool_response, mcp_resource_read …), or must be a chat message, a request body, a span or a log line';

export function createElementReader(): ElementReader {
  const conversations = createConversationReader();
  const bodies = createBodyReader();
  const tree = createSpanTree();

  function span(
    fields: TraceFields,
    place: TracePlace,
    context: Context,
    resource: OtlpResource,
  ): ReadElement[] {
    const reads = readSpan(fields, resource, context);
    tree.note(fields, reads);
    const key = spanKey(fields);
    return reads.map((read) => ({ ...place, ...read, ...(isOfSpan(read) && { span: key }) }));
  }

  function read(
    fields: TraceFields,
    place: TracePlace,
    context: Context,
    resource: OtlpResource,
  ): ReadElement[] {
    if (isLogLine(fields)) return [{ ...place, ...readLogLine(fields, context) }];
    if (isStep(fields)) return [{ ...place, ...readStep(fields, context) }];
    if (isAuditRecord(fields)) return [{ ...place, ...readAuditRecord(fields, context) }];
    if (isSpan(fields)) return span(fields, place, context, resource);
    if (isJsonRpc(fields)) return [{ ...place, ...readJsonRpc(fields, context) }];
    if (isMessage(fields)) return conversations.message(fields, place, context);
    if (isBody(fields)) return [{ ...place, ...bodies.read(fields, place.index, context) }];
    return [{ ...place, ...unreadableStep(REMEDY) }];
  }

  return {
    read: (value, place, context, resource) =>
      isObject(value)
        ? read(value, place, context, resource)
        : [{ ...place, ...unreadableStep('is not a JSON object') }],
    settle: (element) => tree.settle(element),
    end: () => conversations.end(),
  };
}

function isOfSpan({ kind }: Read): boolean {
  return kind === 'steps' || kind === 'unjudged';
}

/** Returns a JSON value that all parsers read alike, or the problem. */
export function parsedValue(bytes: Buffer): { readonly value: unknown } | { readonly problem: string } {
  try {
    return { value: parseStrict(bytes) };
  } catch (failure) {
    if (!(failure instanceof GatewayError)) throw failure;
    return { problem: failure.message.replace(/^The request body /, '').replace(/\.$/, '') };
  }
}
