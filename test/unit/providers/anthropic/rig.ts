import { anthropicMessages } from '../../../../src/providers/dialects/anthropic-messages.ts';
import type { JsonObject, RequestFacts } from '../../../../src/providers/provider.ts';

const ENDPOINT = { operation: 'chat', dialect: anthropicMessages } as const;

export function read(body: JsonObject): RequestFacts {
  const messages = [{ role: 'user', content: 'hi' }];
  return anthropicMessages.request({ model: 'claude-x', max_tokens: 9, messages, ...body }, ENDPOINT);
}
