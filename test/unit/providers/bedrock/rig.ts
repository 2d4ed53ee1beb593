import { bedrockConverse } from '../../../../src/providers/dialects/bedrock-converse.ts';
import type { Endpoint, JsonObject, RequestFacts } from '../../../../src/providers/provider.ts';

export const ENDPOINT: Endpoint = {
  operation: 'chat',
  dialect: bedrockConverse,
  model: 'amazon.nova-lite-v1:0',
};

export function read(body: JsonObject, model = 'amazon.nova-lite-v1:0'): RequestFacts {
  return bedrockConverse.request(body, { ...ENDPOINT, model });
}
