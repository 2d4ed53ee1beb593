import type { ConfigInput } from '../../src/config/schema.ts';
import type { ProviderName } from '../../src/providers/registry.ts';
import type { StreamFormat } from '../../src/streams/frame.ts';

/** Output limit of every answer and every reservation, in tokens. */
export const MAX_TOKENS = 100;
/** Price of every model, in nano-USD. */
export const PRICE = { input: 1_000, output: 10_000 } as const;
/** Price of a tool call, in nano-USD. */
export const TOOL_PRICE = 1_000_000;

/** A client's request for a whole answer, and for a stream, in one API. */
export interface Dialect {
  readonly provider: ProviderName;
  readonly name: string;
  readonly format: StreamFormat['name'];
  ask(prompt: string, isStream: boolean): { readonly path: string; readonly body: object };
}

const CHAT_MODEL = 'gpt-4o-mini';

export const DIALECTS: readonly Dialect[] = [
  {
    provider: 'openai',
    name: 'OpenAI chat',
    format: 'sse',
    ask: (content, stream) => ({
      path: '/openai/v1/chat/completions',
      body: { model: CHAT_MODEL, max_tokens: MAX_TOKENS, stream, messages: [{ role: 'user', content }] },
    }),
  },
  {
    provider: 'openai',
    name: 'OpenAI Responses',
    format: 'sse',
    ask: (input, stream) => ({
      path: '/openai/v1/responses',
      body: { model: CHAT_MODEL, max_output_tokens: MAX_TOKENS, store: false, stream, input },
    }),
  },
  {
    provider: 'anthropic',
    name: 'Anthropic',
    format: 'sse',
    ask: (content, stream) => ({
      path: '/anthropic/v1/messages',
      body: { model: 'claude-soak', max_tokens: MAX_TOKENS, stream, messages: [{ role: 'user', content }] },
    }),
  },
  {
    provider: 'gemini',
    name: 'Gemini',
    format: 'sse',
    ask: (text, isStream) => ({
      path: `/gemini/v1beta/models/gemini-soak:${isStream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
      body: {
        contents: [{ role: 'user', parts: [{ text }] }],
        generationConfig: { maxOutputTokens: MAX_TOKENS },
      },
    }),
  },
  {
    provider: 'bedrock',
    name: 'Bedrock',
    format: 'aws-event-stream',
    ask: (text, isStream) => ({
      path: `/bedrock/model/amazon.soak-v1/${isStream ? 'converse-stream' : 'converse'}`,
      body: {
        messages: [{ role: 'user', content: [{ text }] }],
        inferenceConfig: { maxTokens: MAX_TOKENS },
      },
    }),
  },
  {
    provider: 'cohere',
    name: 'Cohere',
    format: 'sse',
    ask: (content, stream) => ({
      path: '/cohere/v2/chat',
      body: { model: 'command-soak', max_tokens: MAX_TOKENS, stream, messages: [{ role: 'user', content }] },
    }),
  },
  {
    provider: 'ollama',
    name: 'Ollama',
    format: 'ndjson',
    ask: (content, stream) => ({
      path: '/ollama/api/chat',
      body: {
        model: 'llama-soak',
        stream,
        options: { num_predict: MAX_TOKENS },
        messages: [{ role: 'user', content }],
      },
    }),
  },
];

const MODELS = [
  ...[CHAT_MODEL, 'gpt-fake', 'claude-soak', 'gemini-soak', 'amazon.soak-v1', 'command-soak', 'llama-soak'],
];

/** One price for all models, so that the provider's count is the bill. */
export const PRICING: NonNullable<ConfigInput['pricing']> = {
  overrides: Object.fromEntries(
    MODELS.map((model) => [
      model,
      { input: PRICE.input / 1_000, output: PRICE.output / 1_000, max_output_tokens: MAX_TOKENS },
    ]),
  ),
};
