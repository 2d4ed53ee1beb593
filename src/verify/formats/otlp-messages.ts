import { stringIn, type TraceFields } from './fields.ts';
import { asText, parsedAttribute } from './span-steps.ts';
import { isObject } from '../../json/is-object.ts';

/** Supports `gen_ai.input.messages`, one event per message, and older forms such as `gen_ai.prompt.0.content`. */
export function promptOf(span: TraceFields, attributes: TraceFields): readonly TraceFields[] | undefined {
  const details = detailsOf(span, attributes);
  const system = partsIn(parsedAttribute(details['gen_ai.system_instructions']));
  const input = messagesIn(parsedAttribute(details['gen_ai.input.messages']));
  if (input.length > 0 || system.length > 0) {
    return [...(system.length === 0 ? [] : [tracedMessage('system', system)]), ...input];
  }
  const numbered = numberedMessages(details, 'gen_ai.prompt');
  if (numbered.length > 0) return numbered;
  const events = eventsOf(span).flatMap(({ name, attributes: detail }) => eventMessage(name, detail));
  if (events.length > 0) return events;
  const plain =
    eventAttribute(span, 'gen_ai.content.prompt', 'gen_ai.prompt') ?? stringIn(details, ['gen_ai.prompt']);
  return plain === undefined ? undefined : [{ role: 'user', content: plain }];
}

export function answerOf(span: TraceFields, attributes: TraceFields): TraceFields | undefined {
  const details = detailsOf(span, attributes);
  const [output] = messagesIn(parsedAttribute(details['gen_ai.output.messages']));
  if (output !== undefined) return { ...output, role: 'assistant' };
  const [numbered] = numberedMessages(details, 'gen_ai.completion');
  if (numbered !== undefined) return { ...numbered, role: 'assistant' };
  const choice = eventsOf(span).find(({ name }) => name === 'gen_ai.choice');
  const message = parsedAttribute(choice?.attributes['message']);
  if (isObject(message)) return { ...message, role: 'assistant' };
  const plain =
    stringIn(choice?.attributes ?? {}, ['content']) ??
    eventAttribute(span, 'gen_ai.content.completion', 'gen_ai.completion') ??
    stringIn(details, ['gen_ai.completion']);
  return plain === undefined ? undefined : { role: 'assistant', content: plain };
}

interface SpanEvent {
  readonly name: string;
  readonly attributes: TraceFields;
}

export function eventsOf(span: TraceFields): readonly SpanEvent[] {
  const { events } = span;
  return (Array.isArray(events) ? events : []).filter(isObject).map((event) => ({
    name: stringIn(event, ['name']) ?? '',
    attributes: attributesOf(event['attributes']),
  }));
}

function detailsOf(span: TraceFields, attributes: TraceFields): TraceFields {
  const details = eventsOf(span).find(({ name }) => name === 'gen_ai.client.inference.operation.details');
  return details === undefined ? attributes : { ...attributes, ...details.attributes };
}

function eventAttribute(span: TraceFields, name: string, attribute: string): string | undefined {
  const event = eventsOf(span).find((candidate) => candidate.name === name);
  return event === undefined ? undefined : stringIn(event.attributes, [attribute]);
}

const ROLE_OF_EVENT = /^gen_ai\.(system|user|assistant|tool)\.message$/;

function eventMessage(name: string, attributes: TraceFields): TraceFields[] {
  const role = ROLE_OF_EVENT.exec(name)?.[1];
  if (role === undefined) return [];
  const content = stringIn(attributes, ['content', 'gen_ai.event.content']) ?? '';
  return [{ role, content }];
}

const MAX_NUMBERED = 10_000;

function numberedMessages(attributes: TraceFields, prefix: string): TraceFields[] {
  const messages: TraceFields[] = [];
  for (let index = 0; index < MAX_NUMBERED; index += 1) {
    const content = attributes[`${prefix}.${index}.content`];
    const role = stringIn(attributes, [`${prefix}.${index}.role`]);
    if (content === undefined && role === undefined) break;
    messages.push({ role: role ?? 'user', content: content ?? '' });
  }
  return messages;
}

function messagesIn(written: unknown): TraceFields[] {
  if (typeof written === 'string') return [{ role: 'user', content: written }];
  return (Array.isArray(written) ? written : []).filter(isObject).map((message) => {
    const role = stringIn(message, ['role']) ?? 'user';
    const parts = partsIn(message['parts']);
    return parts.length === 0 ? { ...message, role } : tracedMessage(role, parts);
  });
}

function partsIn(written: unknown): readonly TraceFields[] {
  if (typeof written === 'string') return [{ type: 'text', content: written }];
  return (Array.isArray(written) ? written : []).filter(isObject);
}

function tracedMessage(role: string, parts: readonly TraceFields[]): TraceFields {
  const texts = parts.filter(({ type }) => type !== 'tool_call').map(textOfPart);
  const calls = parts
    .filter(({ type }) => type === 'tool_call')
    .map((part) => ({
      id: stringIn(part, ['id']) ?? '',
      type: 'function',
      function: { name: stringIn(part, ['name']) ?? '', arguments: asText(part['arguments'] ?? {}) },
    }));
  return { role, content: texts.join('\n'), ...(calls.length > 0 && { tool_calls: calls }) };
}

function textOfPart(part: TraceFields): string {
  return asText(part['content'] ?? part['result'] ?? part['response'] ?? part['text'] ?? '');
}

export function attributesOf(written: unknown): TraceFields {
  if (!Array.isArray(written)) return isObject(written) ? written : {};
  return Object.fromEntries(
    written.flatMap((attribute: unknown) =>
      isObject(attribute) && typeof attribute['key'] === 'string'
        ? [[attribute['key'], valueOf(attribute['value'])]]
        : [],
    ),
  );
}

function valueOf(value: unknown): unknown {
  if (!isObject(value)) return value;
  const { stringValue, intValue, doubleValue, boolValue, arrayValue, kvlistValue } = value;
  if (isObject(arrayValue)) {
    const { values } = arrayValue;
    return Array.isArray(values) ? values.map(valueOf) : [];
  }
  if (isObject(kvlistValue)) return attributesOf(kvlistValue['values']);
  return stringValue ?? intValue ?? doubleValue ?? boolValue;
}
