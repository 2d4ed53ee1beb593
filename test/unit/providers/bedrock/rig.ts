import { bedrockConverse } from '../../../../src/providers/dialects/bedrock-converse.ts';
import type { Endpoint } from '../../../../src/providers/dialect.ts';
import type { JsonObject } from '../../../../src/json/is-object.ts';
import type { RequestFacts } from '../../../../src/providers/request-facts.ts';

export const ENDPOINT: Endpoint = {
  operation: 'chat',
  dialect: bedrockConverse,
  model: 'amazon.nova-lite-v1:0',
};

export function read(body: JsonObject, model = 'amazon.nova-lite-v1:0'): RequestFacts {
  return bedrockConverse.request(body, { ...ENDPOINT, model });
}
