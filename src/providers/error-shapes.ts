/** Whose error object a client reads. */
export type ErrorShape = 'openai' | 'anthropic' | 'gemini' | 'bedrock' | 'cohere' | 'mistral' | 'ollama';

/**
 * The shape by `/<provider>/<path>`; the first that matches counts. Envoy asks them too, for what it answers by itself:
 * they are in what JavaScript and RE2 read alike, and short, since Envoy takes no program of more than 100 steps.
 */
export const ERROR_SHAPES: readonly (readonly [RegExp, ErrorShape])[] = [
  [/^\/gemini\/([^/]+\/)?openai\//, 'openai'],
  [/^\/bedrock\/openai\//, 'openai'],
  [/^\/cohere\/compatibility\//, 'openai'],
  [/^\/(deepseek\/|azure\/)?anthropic(\/|$)/, 'anthropic'],
  [/^\/(ollama|vllm|openrouter)\/(api\/)?v1\/messages/, 'anthropic'],
  [/^\/ollama\/v1\//, 'openai'],
  [/^\/gemini(\/|$)/, 'gemini'],
  [/^\/bedrock(\/|$)/, 'bedrock'],
  [/^\/cohere(\/|$)/, 'cohere'],
  [/^\/mistral(\/|$)/, 'mistral'],
  [/^\/ollama(\/|$)/, 'ollama'],
  [/^\/(openai|azure|groq|deepseek|together)(\/|$)/, 'openai'],
  [/^\/(fireworks|xai|vllm|openrouter)(\/|$)/, 'openai'],
];

/** @param path `/<provider>/<path>`, without a key segment; undefined where it leads to no provider */
export function errorShapeOf(path: string): ErrorShape | undefined {
  return ERROR_SHAPES.find(([pattern]) => pattern.test(path))?.[1];
}
