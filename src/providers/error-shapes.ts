/** Whose error object a client reads. */
export type ErrorShape = 'openai' | 'anthropic' | 'gemini' | 'bedrock' | 'cohere' | 'mistral' | 'ollama';

/**
 * The shape by `/<provider>/<path>`; the first that matches counts. Linear, and in what JavaScript and RE2 read alike:
 * Envoy asks them for what it answers by itself.
 */
export const ERROR_SHAPES: readonly (readonly [RegExp, ErrorShape])[] = [
  [/^\/(gemini|bedrock|cohere)\/([a-z0-9]{1,16}\/)?(openai|compatibility)\//, 'openai'],
  [/^\/ollama\/v1\/(chat|completions|responses|embeddings|models)/, 'openai'],
  [/^\/(anthropic|(deepseek|azure)\/anthropic)(\/|$)/, 'anthropic'],
  [/^\/(ollama|vllm|openrouter)\/([a-z0-9]{1,16}\/){0,3}messages/, 'anthropic'],
  [/^\/gemini(\/|$)/, 'gemini'],
  [/^\/bedrock(\/|$)/, 'bedrock'],
  [/^\/cohere(\/|$)/, 'cohere'],
  [/^\/mistral(\/|$)/, 'mistral'],
  [/^\/ollama(\/|$)/, 'ollama'],
  [/^\/(openai|azure|groq|deepseek|together|fireworks|xai|vllm|openrouter)(\/|$)/, 'openai'],
];

/** @param path `/<provider>/<path>`, without a key segment; undefined where it leads to no provider */
export function errorShapeOf(path: string): ErrorShape | undefined {
  return ERROR_SHAPES.find(([pattern]) => pattern.test(path))?.[1];
}
