import { geminiGenerate } from '../../../../src/providers/dialects/gemini-generate.ts';
import type { Endpoint } from '../../../../src/providers/dialect.ts';
import type { JsonObject } from '../../../../src/json/is-object.ts';
import type { RequestFacts } from '../../../../src/providers/request-facts.ts';

export const ENDPOINT: Endpoint = { operation: 'chat', dialect: geminiGenerate, model: 'gemini-x' };

export function read(body: JsonObject): RequestFacts {
  return geminiGenerate.request(body, ENDPOINT);
}
