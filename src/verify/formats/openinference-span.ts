import { isObject } from '../../json/is-object.ts';
import type { Read } from '../step.ts';
import { argumentsOf, stringIn, type TraceFields } from './fields.ts';
import { asText, holdsContent, modelReads, parsedAttribute, toolRead, type SpanView } from './span-steps.ts';

const KIND = 'openinference.span.kind';
const UNREAD =
  'OpenInference spans without a recorded model call below them: record those calls (openinference.span.kind LLM)';
const OTHER_KIND = 'OpenInference spans without text';

/** Chains and agents repeat the inputs of the calls below them, and are not judged. */
export function readOpenInferenceSpan(span: SpanView): Read[] | undefined {
  const { attributes, owner } = span;
  switch (stringIn(attributes, [KIND])?.toUpperCase()) {
    case undefined:
      return undefined;
    case 'LLM':
      return modelReads(
        {
          prompt: promptIn(attributes),
          answer: answerIn(attributes),
          provider: stringIn(attributes, ['llm.provider', 'llm.system']),
          model: stringIn(attributes, ['llm.model_name', 'llm.request.model']),
        },
        owner,
      );
    case 'EMBEDDING':
      return modelReads(
        {
          prompt: embeddedTexts(attributes),
          answer: undefined,
          provider: stringIn(attributes, ['llm.provider', 'llm.system']),
          model: stringIn(attributes, ['embedding.model_name']),
        },
        owner,
      );
    case 'TOOL':
      return [toolRead(toolIn(span), owner)];
    case 'RETRIEVER':
    case 'RERANKER':
      return [toolRead(retrievalIn(span), owner)];
    default:
      return holdsContent(attributes)
        ? [{ kind: 'unjudged', why: UNREAD, isAround: true }]
        : [{ kind: 'skipped', why: OTHER_KIND }];
  }
}

function promptIn(attributes: TraceFields): TraceFields[] | undefined {
  const messages = messagesAt(attributes, 'llm.input_messages');
  if (messages.length > 0) return messages;
  const prompts = listAt(attributes, 'llm.prompts').map((prompt) =>
    asText(prompt['prompt.text'] ?? prompt['']),
  );
  if (prompts.length > 0) return prompts.map((content) => ({ role: 'user', content }));
  const input = parsedAttribute(attributes['input.value']);
  if (input === undefined) return undefined;
  const listed = isObject(input) ? input['messages'] : input;
  const isChat =
    Array.isArray(listed) &&
    listed.every((message) => isObject(message) && typeof message['role'] === 'string');
  return isChat ? (listed as TraceFields[]) : [{ role: 'user', content: asText(attributes['input.value']) }];
}

function answerIn(attributes: TraceFields): TraceFields | undefined {
  const messages = messagesAt(attributes, 'llm.output_messages');
  if (messages.length > 0) {
    const calls = messages.flatMap(({ tool_calls }) => (Array.isArray(tool_calls) ? tool_calls : []));
    return {
      role: 'assistant',
      content: messages.flatMap(({ content }) =>
        Array.isArray(content) ? content : [textPart(asText(content))],
      ),
      ...(calls.length > 0 && { tool_calls: calls }),
    };
  }
  const completions = listAt(attributes, 'llm.completions').map((completion) =>
    asText(completion['completion.text'] ?? completion['']),
  );
  if (completions.length > 0) return { role: 'assistant', content: completions.join('\n') };
  const output = attributes['output.value'];
  return output === undefined ? undefined : { role: 'assistant', content: asText(output) };
}

function embeddedTexts(attributes: TraceFields): TraceFields[] | undefined {
  const texts = listAt(attributes, 'embedding.embeddings').flatMap((item) => {
    const text = item['embedding.text'];
    return text === undefined ? [] : [asText(text)];
  });
  const all = texts.length > 0 ? texts : [attributes['embedding.text'] ?? attributes['input.value']];
  if (all[0] === undefined) return undefined;
  return all.map((text) => ({ role: 'user', content: asText(text) }));
}

/** `tool.parameters` contains either the argument schema or the arguments. */
function toolIn({ name, attributes, isFailed }: SpanView) {
  const parameters = argumentsOf(attributes['tool.parameters']);
  const input = argumentsOf(
    attributes['tool_call.function.arguments'] ?? attributes['input.value'] ?? attributes['tool.parameters'],
  );
  return {
    tool: stringIn(attributes, ['tool.name', 'tool_call.function.name']) ?? name,
    callId: stringIn(attributes, ['tool_call.id', 'tool.id']),
    arguments: isObject(parameters) && !isObject(input) ? { ...parameters, input } : input,
    result: attributes['output.value'],
    isError: isFailed,
  };
}

function retrievalIn({ name, attributes, isFailed }: SpanView) {
  const documents = ['retrieval.documents', 'reranker.output_documents', 'reranker.input_documents'].flatMap(
    (prefix) => listAt(attributes, prefix).map((document) => asText(document['document.content'])),
  );
  return {
    tool: stringIn(attributes, ['tool.name']) ?? (name === '' ? 'retriever' : name),
    callId: undefined,
    arguments: { query: asText(attributes['reranker.query'] ?? attributes['input.value']) },
    result: documents.length > 0 ? documents.join('\n') : attributes['output.value'],
    isError: isFailed,
  };
}

function messagesAt(attributes: TraceFields, prefix: string): TraceFields[] {
  return listAt(attributes, prefix).map((message) => {
    const calls = nested(message, 'message.tool_calls').map((call) => ({
      id: asText(call['tool_call.id']),
      type: 'function',
      function: {
        name: asText(call['tool_call.function.name']),
        arguments: asText(call['tool_call.function.arguments'] ?? {}),
      },
    }));
    const old = stringIn(message, ['message.function_call_name']);
    if (old !== undefined) {
      const written = asText(message['message.function_call_arguments_json'] ?? {});
      calls.push({ id: '', type: 'function', function: { name: old, arguments: written } });
    }
    const parts = nested(message, 'message.contents').map(partOf);
    const { 'message.content': text } = message;
    const id = stringIn(message, ['message.tool_call_id']);
    const name = stringIn(message, ['message.name']);
    const content = text === undefined ? parts : [textPart(asText(text)), ...parts];
    return {
      role: stringIn(message, ['message.role']) ?? 'user',
      content: parts.length === 0 ? asText(text) : content,
      ...(calls.length > 0 && { tool_calls: calls }),
      ...(id !== undefined && { tool_call_id: id }),
      ...(name !== undefined && { name }),
    };
  });
}

function partOf(part: TraceFields): TraceFields {
  const text = part['message_content.text'];
  if (text !== undefined) return textPart(asText(text));
  const url = stringIn(part, ['message_content.image.image.url']);
  return url === undefined ? textPart(asText(part)) : { type: 'image_url', image_url: { url } };
}

function textPart(text: string): TraceFields {
  return { type: 'text', text };
}

const MAX_LISTED = 10_000;

/** `<prefix>.0.a.b` is member `a.b` of the first element of a flattened array. */
function listAt(attributes: TraceFields, prefix: string): TraceFields[] {
  const whole = parsedAttribute(attributes[prefix]);
  if (Array.isArray(whole)) {
    return whole
      .slice(0, MAX_LISTED)
      .map((item: unknown) => (isObject(item) ? flattened(item) : { '': item }));
  }
  return nested(attributes, prefix);
}

function nested(fields: TraceFields, prefix: string): TraceFields[] {
  const items = new Map<number, Record<string, unknown>>();
  const start = `${prefix}.`;
  for (const [key, value] of Object.entries(fields)) {
    if (!key.startsWith(start)) continue;
    const [, index, member = ''] = /^(\d{1,9})(?:\.(.*))?$/s.exec(key.slice(start.length)) ?? [];
    if (index === undefined) continue;
    const item = items.get(Number(index)) ?? {};
    Object.assign(item, { [member]: value });
    items.set(Number(index), item);
  }
  return [...items].sort(([a], [b]) => a - b).map(([, item]) => item);
}

function flattened(value: TraceFields): TraceFields {
  return Object.fromEntries(Object.entries(value).flatMap(([key, item]) => leavesOf(item, key)));
}

function leavesOf(value: unknown, path: string): [string, unknown][] {
  if (typeof value !== 'object' || value === null) return [[path, value]];
  return Object.entries(value).flatMap(([key, item]) => leavesOf(item, `${path}.${key}`));
}
