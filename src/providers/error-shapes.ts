/** The error object that a client expects. */
export type ErrorShape = 'openai' | 'anthropic' | 'gemini' | 'bedrock' | 'cohere' | 'mistral' | 'ollama';

/**
 * Shapes by `/<provider>/<path>`; the first match wins. Envoy also uses these for its own answers, so patterns must
 * work in both JavaScript and RE2, and stay short: Envoy limits a program to 100 steps.
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

/**
 * Returns the error shape for a path, or undefined if it names no provider.
 * @param path `/<provider>/<path>`, without a key segment
 */
export function errorShapeOf(path: string): ErrorShape | undefined {
  return ERROR_SHAPES.find(([pattern]) => pattern.test(path))?.[1];
}
