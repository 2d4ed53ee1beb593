import type { AnswerFacts, Dialect, JsonObject, RequestFacts } from '../provider.ts';
import { readUsage } from './cohere-usage.ts';
import { arrayOf, objectOf, optionalArray, requiredArray, requiredObject, requiredString } from './fields.ts';
import { addText, addTextsIn, addUrlMedium, createGathered } from './json-text.ts';
import type { Gathered } from './json-text.ts';

const USER = { role: 'user', kind: 'text' } as const;

function facts(into: Gathered, body: JsonObject): RequestFacts {
  const model = requiredString(body, 'model');
  return {
    model,
    models: [model],
    stream: false,
    texts: into.texts,
    media: into.media,
    tools: [],
    providerTools: [],
    choices: 1,
    output: undefined,
    unseenContent: false,
  };
}

const answer = (body: unknown): AnswerFacts => ({ usage: readUsage(objectOf(body).meta), texts: [] });

/** `POST /v1/embed` and `/v2/embed`. */
export const cohereEmbed: Dialect = {
  name: 'cohere-embed',
  hasBody: true,
  request(body) {
    const into = createGathered();
    addTextsIn(into, USER, optionalArray(body, 'texts'), ['texts']);
    (optionalArray(body, 'images') ?? []).forEach((url, index) => {
      addUrlMedium(into, 'image', USER, url, ['images', index]);
    });
    (optionalArray(body, 'inputs') ?? []).forEach((input, i) => {
      arrayOf(requiredObject(input, 'inputs').content).forEach((value, p) => {
        const part = objectOf(value);
        const path = ['inputs', i, 'content', p];
        addText(into, USER, part.text, [...path, 'text']);
        addUrlMedium(into, 'image', USER, objectOf(part.image_url).url, [...path, 'image_url', 'url']);
      });
    });
    return facts(into, body);
  },
  answer,
  stream: () => undefined,
};

/** `POST /v1/rerank` and `/v2/rerank`: billed by the search unit. */
export const cohereRerank: Dialect = {
  name: 'cohere-rerank',
  hasBody: true,
  request(body) {
    const into = createGathered();
    addText(into, USER, requiredString(body, 'query'), ['query']);
    requiredArray(body, 'documents').forEach((document, index) => {
      addTextsIn(into, USER, document, ['documents', index]);
    });
    return facts(into, body);
  },
  answer,
  stream: () => undefined,
};

/** `POST /v1/tokenize`: free of charge. */
export const cohereTokenize: Dialect = {
  name: 'cohere-tokenize',
  hasBody: true,
  request(body) {
    const into = createGathered();
    addText(into, USER, requiredString(body, 'text'), ['text']);
    return facts(into, body);
  },
  answer: () => ({ usage: { inputTokens: 0, outputTokens: 0 }, texts: [] }),
  stream: () => undefined,
};
