import {
  geminiCountTokens,
  geminiEmbed,
  geminiGenerate,
  geminiStreamGenerate,
} from './dialects/gemini-generate.ts';
import { modelList } from './dialects/model-list.ts';
import { openaiChat } from './dialects/openai-chat.ts';
import { openaiEmbeddings } from './dialects/openai-embeddings.ts';
import { bearer, headerSafe } from './openai-style.ts';
import { type Descriptor, type PriceMultiples, tilesOf } from './descriptor.ts';
import type { Dialect, Endpoint } from './dialect.ts';

const METHOD = /^\/v1(?:beta|alpha)?\/models\/([A-Za-z0-9._-]+):([A-Za-z]+)$/;
const MODELS = /^\/v1(?:beta|alpha)?\/models(\/[A-Za-z0-9._-]+)?$/;

const compatibleChat = openaiChat({ limitFields: ['max_tokens', 'max_completion_tokens'], asksUsage: true });

/** Gemini's OpenAI-compatible chat. Google's settings in `extra_body.google` may refer to a stored prompt. */
const geminiCompatibleChat: Dialect = {
  ...compatibleChat,
  name: 'gemini-compatible-chat',
  request(body, endpoint) {
    const request = compatibleChat.request(body, endpoint);
    return request.storedPrompt === undefined ? request : { ...request, unseenContent: true };
  },
};

const COMPATIBLE: Readonly<Record<string, Endpoint>> = {
  '/v1beta/openai/chat/completions': { operation: 'chat', dialect: geminiCompatibleChat },
  '/v1beta/openai/embeddings': { operation: 'embeddings', dialect: openaiEmbeddings },
};
const COMPATIBLE_MODELS = /^\/v1beta\/openai\/models(\/[^/]+){0,2}$/;

/**
 * Accepted query parameters (`alt` only with a value in `FORMS`). Google has others that omit usage, or change the
 * answer format or the method.
 */
const HARMLESS: ReadonlySet<string> = new Set([
  'alt',
  'prettyPrint',
  '$prettyPrint',
  'pageSize',
  'pageToken',
]);
const FORMS: ReadonlySet<string> = new Set(['json', 'sse']);

/** See ai.google.dev/gemini-api/docs/pricing. */
const PRIORITY: PriceMultiples = [[/^/, 2]];

/** Tuned models, batches, files and caches are not supported. */
export const gemini: Descriptor<'gemini'> = {
  name: 'gemini',
  defaultBaseUrl: 'https://generativelanguage.googleapis.com',
  needsKey: true,
  keyRefusedIn: {
    statuses: [400, 403],
    text: /"reason"\s{0,8}:\s{0,8}"API_KEY_INVALID"|"message"\s{0,8}:\s{0,8}"(?:Your )?API key (?:not valid|expired|was reported as leaked)/,
  },
  selfHosted: false,
  roots: ['/v1beta', '/v1', '/v1alpha', '/v1beta/openai'],
  basePaths: { openai: '/v1beta/openai', gemini: '' },
  modelInPath: /^(.*\/models\/)([^/:]+)(:[^/]*)$/,
  errorShape: 'gemini',
  errorShapesAt: [[/^\/([^/]+\/)?openai\//, 'openai']],
  exec: {
    keys: ['GEMINI_API_KEY', 'GOOGLE_API_KEY', 'GOOGLE_GENERATIVE_AI_API_KEY'],
    addresses: { GOOGLE_GEMINI_BASE_URL: '' },
    detours: ['GOOGLE_GENAI_USE_GCA', 'GOOGLE_GENAI_USE_VERTEXAI'],
    model: 'gemini-2.5-flash',
  },
  pricing: {
    // The smallest models reach 900 tokens per second (artificialanalysis.ai).
    outputTokensPerSecond: 1_000,
    table: 'google',
    tableNames: (model) => [model.replace(/^(?:models|publishers\/google\/models)\//, '')],
    // 258 tokens for each of 16 tiles (ai.google.dev, image understanding).
    maxImageTokens: 4_400,
    // A tile can be as small as 256 px (crop unit), and newer models bill up to 1,120 tokens for any image.
    imageTokens: (width, height) => Math.max(258 * tilesOf(width, height, 256), 1_120),
    tiers: { priority: PRIORITY, on_demand_priority: PRIORITY },
  },
  traces: {
    aliases: ['gcp.gemini', 'gcp.gen_ai', 'gcp.vertex_ai', 'google', 'google_genai', 'vertex_ai'],
    models: /^(?:models\/)?gemini/,
  },
  objects: {
    nextPage: ['nextPageToken', 'pageToken'],
    within: new Set(['documents']),
    storage: ['googleapis.com'],
  },
  headers: new Set(['x-goog-api-client', 'x-goog-user-project', 'x-server-timeout']),
  accountHeaders: new Set(['x-goog-user-project']),
  parameters: HARMLESS,
  verbs: ['generateContent', 'streamGenerateContent', 'countTokens', 'embedContent', 'batchEmbedContents'],
  endpoint(method, path, query = '') {
    if (!isPlainForm(new URLSearchParams(query))) return undefined;
    if (method !== 'POST') {
      return MODELS.test(path) || COMPATIBLE_MODELS.test(path)
        ? { operation: 'models', dialect: modelList }
        : undefined;
    }
    if (Object.hasOwn(COMPATIBLE, path)) return COMPATIBLE[path];
    const [, model, verb] = METHOD.exec(path) ?? [];
    return model === undefined ? undefined : modelMethod(model, verb, query);
  },
  credential(key) {
    // OAuth access tokens have this prefix.
    return key.startsWith('ya29.')
      ? bearer(key)
      : { kind: 'header', name: 'x-goog-api-key', value: headerSafe(key) };
  },
};

function isPlainForm(parameters: URLSearchParams): boolean {
  const forms = parameters.getAll('alt');
  return (
    forms.length <= 1 &&
    forms.every((form) => FORMS.has(form)) &&
    [...parameters.keys()].every((name) => HARMLESS.has(name))
  );
}

function modelMethod(model: string, verb: string | undefined, query: string): Endpoint | undefined {
  switch (verb) {
    case 'generateContent':
      return { operation: 'chat', dialect: geminiGenerate, model };
    case 'streamGenerateContent':
      return {
        operation: 'chat',
        dialect: geminiStreamGenerate,
        model,
        // Without `alt=sse`, the stream is one JSON array sent as `application/json`.
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
