import type { JsonPath } from '../../json/path.ts';
import type { AnswerFacts, Dialect } from '../dialect.ts';
import type { JsonObject } from '../../json/is-object.ts';
import type { RequestFacts } from '../request-facts.ts';
import { objectOf, optionalString, requiredString } from './fields.ts';
import { PromptCollector, ROLE } from './prompt-collector.ts';
import { readChatMessages } from './openai-chat.ts';
import { readParts } from './openai-parts.ts';
import { readMembers } from './openai-request.ts';
import { readInputUsage } from './openai-usage.ts';

export const openaiEmbeddings = inputDialect('openai-embeddings', (body) => requiredString(body, 'model'));

/** `POST …/rerank` and `…/score` (Together, vLLM, Fireworks). */
export const openaiRerank = inputDialect('openai-rerank', (body) => requiredString(body, 'model'));

/** `POST …/moderations`, where the model is optional. */
export const openaiModerations = inputDialect(
  'openai-moderations',
  (body) => optionalString(body, 'model') ?? 'omni-moderation-latest',
);

function inputDialect(name: string, modelOf: (body: JsonObject) => string): Dialect {
  return {
    name,
    hasBody: true,
    request: (body, endpoint) => readEmbeddingsInput(body, endpoint.model ?? modelOf(body)),
    answer: (body): AnswerFacts => ({ usage: readInputUsage(objectOf(body).usage), texts: [] }),
    stream: () => undefined,
  };
}

function readEmbeddingsInput(body: JsonObject, model: string): RequestFacts {
  const into = new PromptCollector();
  readMembers(into, body, {
    input: (value) => readTokenInput(into, value, ['input']),
    messages: (value) => readChatMessages(into, value),
    ...Object.fromEntries(
      ['query', 'documents', 'text_1', 'text_2', 'queries'].map((name) => [
        name,
        (value: unknown) => readParts(into, ROLE.userText, value, [name]),
      ]),
    ),
  });
  return into.facts([model]);
}

/** Reads text, content parts or token ids. Token ids can be counted but not read. */
export function readTokenInput(into: PromptCollector, value: unknown, path: JsonPath): void {
  if (!Array.isArray(value)) return readParts(into, ROLE.userText, value, path);
  if (value.some((item) => typeof item === 'number')) {
    into.addEncodedPrompt(path);
    into.addTextsIn(ROLE.userText, value, path);
    return;
  }
  value.forEach((item, index) => {
    readTokenInput(into, item, [...path, index]);
  });
}
