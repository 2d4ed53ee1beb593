import type { Dialect } from '../dialect.ts';
import type { JsonObject } from '../../json/is-object.ts';
import { FREE_ANSWERS } from './answer-reader.ts';
import { readCohereUsage } from './cohere-answer.ts';
import { arrayOf, objectOf, optionalArray, requiredArray, requiredObject, requiredString } from './fields.ts';
import { addCohereImage } from './cohere-chat.ts';
import { PromptCollector, ROLE } from './prompt-collector.ts';
import { addMedium, addUnknown } from './media.ts';

function searchDialect(name: string, addWords: (into: PromptCollector, body: JsonObject) => void): Dialect {
  return {
    name,
    hasBody: true,
    request(body) {
      const into = new PromptCollector();
      addWords(into, body);
      return into.facts([requiredString(body, 'model')]);
    },
    answer: (body) => ({ usage: readCohereUsage(objectOf(body).meta), texts: [] }),
    stream: () => undefined,
  };
}

export const cohereEmbed = searchDialect('cohere-embed', (into, body) => {
  into.addTextsIn(ROLE.userText, optionalArray(body, 'texts'), ['texts']);
  (optionalArray(body, 'images') ?? []).forEach((url, index) => {
    addMedium(into, ROLE.userText, { kind: 'image', isAddress: true }, url, ['images', index]);
  });
  (optionalArray(body, 'inputs') ?? []).forEach((input, i) => {
    arrayOf(requiredObject(input, 'inputs').content).forEach((value, p) => {
      const part = objectOf(value);
      const path = ['inputs', i, 'content', p];
      if (part.type === 'text') into.addText(ROLE.userText, part.text, [...path, 'text']);
      else if (part.type === 'image_url') addCohereImage(into, ROLE.userText, part, path);
      else addUnknown(into, ROLE.userText, part, path);
    });
  });
});

/** `POST /v1/rerank` and `/v2/rerank`, billed per search unit. */
export const cohereRerank = searchDialect('cohere-rerank', (into, body) => {
  into.addText(ROLE.userText, requiredString(body, 'query'), ['query']);
  requiredArray(body, 'documents').forEach((document, index) => {
    addUnknown(into, ROLE.userText, document, ['documents', index]);
  });
});

/** `POST /v1/tokenize`: free of charge. */
export const cohereTokenize: Dialect = {
  ...searchDialect('cohere-tokenize', (into, body) => {
    into.addText(ROLE.userText, requiredString(body, 'text'), ['text']);
  }),
  ...FREE_ANSWERS,
};
