import { cohereChatV2 } from '../../../../src/providers/dialects/cohere-chat.ts';
import type { Dialect, Endpoint } from '../../../../src/providers/dialect.ts';
import type { JsonObject } from '../../../../src/json/is-object.ts';
import type { RequestFacts } from '../../../../src/providers/request-facts.ts';

const ENDPOINT: Endpoint = { operation: 'chat', dialect: cohereChatV2 };

export function read(dialect: Dialect, body: JsonObject): RequestFacts {
  return dialect.request({ model: 'command-x', ...body }, ENDPOINT);
}
