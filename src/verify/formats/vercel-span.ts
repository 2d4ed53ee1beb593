import { isObject } from '../../json/is-object.ts';
import type { Read } from '../step.ts';
import { stringIn, type TraceFields } from './fields.ts';
import { asText, modelReads, parsedAttribute, toolRead, type SpanView } from './span-steps.ts';

const OPERATION =
  /^ai\.(?:toolCall|(?:generateText|streamText|generateObject|streamObject|embed|embedMany)(\.do(?:Generate|Stream|Embed))?)$/;
const TOOL_CALL = 'ai.toolCall';

/** Spans such as `ai.generateText` enclose the SDK's calls, and are judged only if those are missing. */
export function readVercelSpan({ name, attributes, owner, isFailed }: SpanView): Read[] | undefined {
  const operation = stringIn(attributes, ['ai.operationId']) ?? name;
  const match = OPERATION.exec(operation);
  if (match === null) return undefined;
  if (operation === TOOL_CALL) {
    const tool = stringIn(attributes, ['ai.toolCall.name']);
    if (tool === undefined)
      return [{ kind: 'unreadable', problem: 'a span ai.toolCall needs ai.toolCall.name' }];
    const called = {
      tool,
      callId: stringIn(attributes, ['ai.toolCall.id']),
      arguments: attributes['ai.toolCall.args'],
      result: parsedAttribute(attributes['ai.toolCall.result']),
      isError: isFailed,
    };
    return [toolRead(called, owner)];
  }
  const reads = modelReads(
    {
      prompt: promptIn(attributes),
      answer: answerIn(attributes),
      provider: stringIn(attributes, ['ai.model.provider', 'gen_ai.system'])?.replace(
        /\.(?:chat|responses|messages|completion|embedding|generative-ai)$/,
        '',
      ),
      model: stringIn(attributes, ['ai.model.id', 'gen_ai.request.model', 'gen_ai.response.model']),
    },
    owner,
  );
  return match[1] === undefined ? reads.map((read) => ({ ...read, isAround: true })) : reads;
}

function promptIn(attributes: TraceFields): TraceFields[] | undefined {
  const sent = parsedAttribute(attributes['ai.prompt.messages']);
  if (sent !== undefined) return messagesIn(sent);
  const values = attributes['ai.values'] ?? attributes['ai.value'];
  if (values !== undefined) {
    return (Array.isArray(values) ? values : [values]).map((value) => userMessage(parsedAttribute(value)));
  }
  const written = parsedAttribute(attributes['ai.prompt']);
  if (written === undefined) return undefined;
  if (!isObject(written)) return [userMessage(written)];
  const { system, prompt, messages } = written;
  return [
    ...(system === undefined || system === null ? [] : messagesIn(system, 'system')),
    ...(prompt === undefined ? [] : messagesIn(prompt)),
    ...(messages === undefined ? [] : messagesIn(messages)),
  ];
}

function answerIn(attributes: TraceFields): TraceFields | undefined {
  const texts = ['text', 'object', 'reasoning'].flatMap((part) => {
    const value = attributes[`ai.response.${part}`] ?? attributes[`ai.result.${part}`];
    return value === undefined ? [] : [asText(value)];
  });
  const written = parsedAttribute(attributes['ai.response.toolCalls'] ?? attributes['ai.result.toolCalls']);
  const calls = (Array.isArray(written) ? written : []).filter(isObject).map(toolCallOf);
  if (typeof written === 'string') texts.push(written);
  if (texts.length + calls.length === 0) return undefined;
  return { role: 'assistant', content: texts.join('\n'), ...(calls.length > 0 && { tool_calls: calls }) };
}

function userMessage(value: unknown): TraceFields {
  return { role: 'user', content: asText(value) };
}

function messagesIn(written: unknown, role = 'user'): TraceFields[] {
  if (!Array.isArray(written))
    return isObject(written) ? messageOf(written) : [{ role, content: asText(written) }];
  return written.flatMap((message: unknown) =>
    isObject(message) ? messageOf(message) : [{ role, content: asText(message) }],
  );
}

/** Converts an SDK message to chat messages. Each tool result becomes a separate message. */
function messageOf(message: TraceFields): TraceFields[] {
  const role = stringIn(message, ['role']) ?? 'user';
  const { content } = message;
  if (!Array.isArray(content)) return [{ role, content: asText(content ?? message['parts']) }];
  const parts = content.map((part: unknown): TraceFields => (isObject(part) ? part : { text: asText(part) }));
  const calls = parts.filter(({ type }) => type === 'tool-call').map(toolCallOf);
  const results = parts
    .filter(({ type }) => type === 'tool-result')
    .map((part) => ({
      role: 'tool',
      tool_call_id: stringIn(part, ['toolCallId']) ?? '',
      name: stringIn(part, ['toolName']) ?? '',
      content: asText(outputOf(part)),
    }));
  const texts = parts.filter(({ type }) => type !== 'tool-call' && type !== 'tool-result').map(chatPart);
  const hasMessage = texts.length > 0 || calls.length > 0 || results.length === 0;
  return [
    ...(hasMessage ? [{ role, content: texts, ...(calls.length > 0 && { tool_calls: calls }) }] : []),
    ...results,
  ];
}

function outputOf({ output, result }: TraceFields): unknown {
  return isObject(output) ? (output['value'] ?? output) : (output ?? result);
}

function toolCallOf(call: TraceFields): TraceFields {
  return {
    id: stringIn(call, ['toolCallId']) ?? '',
    type: 'function',
    function: {
      name: stringIn(call, ['toolName']) ?? '',
      arguments: asText(call['input'] ?? call['args'] ?? {}),
    },
  };
}

function chatPart(part: TraceFields): TraceFields {
  if (typeof part['text'] === 'string') return { type: 'text', text: part['text'] };
  const data = part['data'] ?? part['image'];
  if (typeof data !== 'string') return { type: 'text', text: asText(part) };
  const media = stringIn(part, ['mediaType', 'mimeType']) ?? 'image/png';
  const url = /^(?:https?|data):/.test(data) ? data : `data:${media};base64,${data}`;
  return media.startsWith('image/')
    ? { type: 'image_url', image_url: { url } }
    : { type: 'file', file: { filename: stringIn(part, ['filename']) ?? 'file', file_data: url } };
}
