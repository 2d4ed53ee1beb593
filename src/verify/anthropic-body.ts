import type { JsonObject } from '../providers/provider.ts';
import type { TraceFields } from './formats/fields.ts';
import { isObject } from '../json/is-object.ts';
import { callsIn, resultsIn } from './formats/messages.ts';

const MAX_TOKENS = 1_024;
const OF_SYSTEM: ReadonlySet<unknown> = new Set(['system', 'developer']);

/** Converts chat messages to a body of Anthropic's API, which has no roles for system and tools. */
export function anthropicBody({ messages, ...rest }: JsonObject): JsonObject {
  const written = (Array.isArray(messages) ? messages : []).filter(isObject);
  const system = written.filter(({ role }) => OF_SYSTEM.has(role)).map(({ content }) => content);
  return {
    ...rest,
    max_tokens: MAX_TOKENS,
    ...(system.length > 0 && { system: system.map(contentText).join('\n') }),
    messages: written.filter(({ role }) => !OF_SYSTEM.has(role)).map(anthropicMessage),
  };
}

function anthropicMessage(message: TraceFields): JsonObject {
  const { role, content } = message;
  if (role === 'tool' || role === 'function')
    return { role: 'user', content: resultsIn(message).map(resultBlock) };
  const calls = Array.isArray(message['tool_calls']) ? callsIn({ tool_calls: message['tool_calls'] }) : [];
  if (calls.length === 0) return { role, content: content ?? '' };
  const blocks = calls.map((call) => ({
    type: 'tool_use',
    id: call.id ?? '',
    name: call.tool,
    input: isObject(call.arguments) ? call.arguments : { text: call.arguments },
  }));
  return { role, content: [{ type: 'text', text: contentText(content) }, ...blocks] };
}

function resultBlock({ id, result }: ReturnType<typeof resultsIn>[number]): JsonObject {
  return { type: 'tool_result', tool_use_id: id ?? '', content: contentText(result) };
}

function contentText(content: unknown): string {
  return typeof content === 'string' ? content : JSON.stringify(content ?? '');
}
