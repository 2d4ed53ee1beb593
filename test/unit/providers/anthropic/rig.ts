import { anthropicMessages } from '../../../../src/providers/dialects/anthropic-messages.ts';
import type { JsonObject } from '../../../../src/json/is-object.ts';
import type { RequestFacts } from '../../../../src/providers/request-facts.ts';

const ENDPOINT = { operation: 'chat', dialect: anthropicMessages } as const;

export function read(body: JsonObject): RequestFacts {
  const messages = [{ role: 'user', content: 'hi' }];
  return anthropicMessages.request({ model: 'claude-x', max_tokens: 9, messages, ...body }, ENDPOINT);
}
