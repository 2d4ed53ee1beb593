import {
  geminiCountTokens,
  geminiEmbed,
  geminiGenerate,
  geminiStreamGenerate,
} from './dialects/gemini-generate.ts';
import { modelList } from './dialects/model-list.ts';
import type { Endpoint, Provider } from './provider.ts';

const METHOD = /^\/v1(?:beta|alpha)?\/models\/([A-Za-z0-9._-]+):([A-Za-z]+)$/;
const MODELS = /^\/v1(?:beta|alpha)?\/models(\/[A-Za-z0-9._-]+)?$/;

/** Google's Gemini API. Tuned models, batches, files and caches are not readable. */
export const gemini: Provider = {
  name: 'gemini',
  defaultBaseUrl: 'https://generativelanguage.googleapis.com',
  needsKey: true,
  selfHosted: false,
  endpoint(method, path, query = '') {
    if (method !== 'POST') {
      return MODELS.test(path) ? { operation: 'models', dialect: modelList } : undefined;
    }
    const [, model, verb] = METHOD.exec(path) ?? [];
    return model === undefined ? undefined : modelMethod(model, verb, query);
  },
  credential(key) {
    return key.startsWith('ya29.')
      ? { kind: 'header', name: 'authorization', value: `Bearer ${key}` }
      : { kind: 'header', name: 'x-goog-api-key', value: key };
  },
};

function modelMethod(model: string, verb: string | undefined, query: string): Endpoint | undefined {
  switch (verb) {
    case 'generateContent':
      return { operation: 'chat', dialect: geminiGenerate, model };
    case 'streamGenerateContent':
      return {
        operation: 'chat',
        dialect: geminiStreamGenerate,
        model,
        // Without `alt=sse` the stream is one JSON array under `application/json`.
        ...(new URLSearchParams(query).get('alt') === 'sse' ? {} : { streamFormat: 'json-array' }),
      };
    case 'countTokens':
      return { operation: 'count_tokens', dialect: geminiCountTokens, model };
    case 'embedContent':
    case 'batchEmbedContents':
      return { operation: 'embeddings', dialect: geminiEmbed, model };
    default:
      return undefined;
  }
}
