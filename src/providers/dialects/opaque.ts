import type { Dialect } from '../dialect.ts';
import type { JsonObject } from '../../json/is-object.ts';
import type { PromptText } from '../request-facts.ts';
import type { JsonPath } from '../../json/path.ts';
import { PromptCollector, ROLE } from './prompt-collector.ts';
import { addMediaOf } from './media.ts';
import { readOpaqueTools } from './opaque-tools.ts';
import { createAnyJsonReader, readElements } from './any-json.ts';

/** Reads endpoints that `proxy.unknown_endpoints` allows. All strings are prompt text. The cost is unbounded. */
export const opaque: Dialect = {
  name: 'opaque',
  hasBody: true,
  request(body: JsonObject) {
    const models = typeof body['model'] === 'string' ? [body['model']] : [];
    return {
      ...mediaAndTexts(body),
      ...readOpaqueTools(body, models),
      model: models[0],
      models,
      stream: body['stream'] === true,
      choices: 1,
      output: undefined,
      unseenContent: true,
      unbounded: 'the gateway does not know this endpoint',
    };
  },
  // A client may read a JSON array as a stream of its elements.
  answer: readElements,
  stream: createAnyJsonReader,
};

function mediaAndTexts(body: JsonObject) {
  const into = new PromptCollector();
  for (const text of strings(body)) into.texts.push(text);
  addMediaOf(into, ROLE.userText, undefined, body, []);
  return { texts: into.texts, media: into.media };
}

function strings(root: unknown): PromptText[] {
  const found: PromptText[] = [];
  function visit(value: unknown, path: JsonPath): void {
    if (typeof value === 'string') found.push({ role: 'user', kind: 'text', text: value, path });
    else if (Array.isArray(value)) value.forEach((item, index) => visit(item, [...path, index]));
    else if (typeof value === 'object' && value !== null) {
      for (const [name, member] of Object.entries(value)) visit(member, [...path, name]);
    }
  }
  visit(root, []);
  return found;
}
