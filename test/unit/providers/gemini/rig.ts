import { geminiGenerate } from '../../../../src/providers/dialects/gemini-generate.ts';
import type { Endpoint, JsonObject, RequestFacts } from '../../../../src/providers/provider.ts';

export const ENDPOINT: Endpoint = { operation: 'chat', dialect: geminiGenerate, model: 'gemini-x' };

export function read(body: JsonObject): RequestFacts {
  return geminiGenerate.request(body, ENDPOINT);
}
