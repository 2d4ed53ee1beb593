import type { JsonObject } from '../../../../src/json/is-object.ts';
import type { ProviderName } from '../../../../src/providers/registry.ts';

/** The contents of a generated request. */
export interface Asked {
  readonly messages: readonly string[];
  readonly limit: number;
  readonly choices: number;
  /** A document of unknown length. */
  readonly document: boolean;
  readonly tools: boolean;
  readonly stream: boolean;
}

/** Its provider's bill, in tokens. */
export interface Billed {
  readonly input: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly cacheWrite1h: number;
  readonly output: number;
  readonly reasoning: number;
}

export interface Form {
  readonly provider: ProviderName;
  readonly models: readonly string[];
  path(model: string): string;
  body(model: string, asked: Asked): JsonObject;
  answer(billed: Billed): JsonObject;
  /** Maximum number of requested answers. */
  readonly mostChoices?: number;
}

const PDF = Buffer.from('%PDF-1.7\n1 0 obj').toString('base64');
const parameters = { type: 'object', properties: { city: { type: 'string', description: 'Where.' } } };
const functionTool = { name: 'weather', description: 'What the weather is like.', parameters };

function chatBody(model: string, { messages, limit, choices, document, tools, stream }: Asked): JsonObject {
  const parts = messages.map((content) => ({ role: 'user', content }) as const);
  const file = { type: 'file', file: { filename: 'a.pdf', file_data: `data:application/pdf;base64,${PDF}` } };
  return {
    model,
    messages: document ? [...parts, { role: 'user', content: [file] }] : parts,
    max_tokens: limit,
    n: choices,
    ...(tools && { tools: [{ type: 'function', function: functionTool }] }),
    ...(stream && { stream: true }),
  };
}

const chatAnswer = ({ input, cacheRead, output, reasoning }: Billed): JsonObject => ({
  choices: [{ index: 0, message: { content: 'Well.' } }],
  usage: {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: { cached_tokens: cacheRead },
    completion_tokens_details: { reasoning_tokens: reasoning },
  },
});

const chatOf = (provider: ProviderName, path: string, ...models: readonly string[]): Form => ({
  provider,
  models,
  path: () => path,
  body: chatBody,
  answer: chatAnswer,
  mostChoices: 4,
});

const claudeUsage = ({ input, cacheRead, cacheWrite, cacheWrite1h, output }: Billed) => ({
  input_tokens: input - cacheRead - cacheWrite,
  cache_read_input_tokens: cacheRead,
  cache_creation_input_tokens: cacheWrite,
  cache_creation: { ephemeral_1h_input_tokens: cacheWrite1h },
  output_tokens: output,
});

export const FORMS: readonly Form[] = [
  chatOf('openai', '/v1/chat/completions', 'gpt-4o', 'gpt-4.1-mini', 'o3', 'gpt-5'),
  chatOf('deepseek', '/chat/completions', 'deepseek-chat', 'deepseek-reasoner'),
  chatOf('mistral', '/v1/chat/completions', 'mistral-large-latest'),
  chatOf('xai', '/v1/chat/completions', 'grok-4'),
  chatOf('groq', '/v1/chat/completions', 'llama-3.3-70b-versatile'),
  chatOf('gemini', '/v1beta/openai/chat/completions', 'gemini-2.5-pro'),
  {
    provider: 'openai',
    models: ['gpt-4o', 'gpt-5-mini'],
    path: () => '/v1/responses',
    body: (model, { messages, limit, tools }) => ({
      model,
      input: messages.map((content) => ({ role: 'user', content })),
      max_output_tokens: limit,
      ...(tools && { tools: [{ type: 'function', ...functionTool }] }),
    }),
    answer: ({ input, cacheRead, output, reasoning }) => ({
      output: [],
      usage: {
        input_tokens: input,
        input_tokens_details: { cached_tokens: cacheRead },
        output_tokens: output,
        output_tokens_details: { reasoning_tokens: reasoning },
      },
    }),
  },
  {
    provider: 'anthropic',
    models: ['claude-sonnet-4-5', 'claude-opus-4-1', 'claude-3-5-haiku-latest'],
    path: () => '/v1/messages',
    body: (model, { messages, limit, document, tools }) => ({
      model,
      max_tokens: limit,
      system: 'Be brief.',
      messages: [
        ...messages.map((content) => ({ role: 'user', content })),
        ...(document
          ? [
              {
                role: 'user',
                content: [
                  { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: PDF } },
                ],
              },
            ]
          : []),
      ],
      ...(tools && { tools: [{ name: 'weather', description: 'Weather.', input_schema: parameters }] }),
    }),
    answer: (billed) => ({ content: [{ type: 'text', text: 'Well.' }], usage: claudeUsage(billed) }),
  },
  {
    provider: 'gemini',
    models: ['gemini-2.5-pro', 'gemini-2.5-flash'],
    path: (model) => `/v1beta/models/${model}:generateContent`,
    body: (_model, { messages, limit, choices, document, tools }) => ({
      contents: [
        ...messages.map((text) => ({ role: 'user', parts: [{ text }] })),
        ...(document ? [{ parts: [{ inlineData: { mimeType: 'application/pdf', data: PDF } }] }] : []),
      ],
      generationConfig: { maxOutputTokens: limit, candidateCount: choices },
      ...(tools && { tools: [{ functionDeclarations: [functionTool] }] }),
    }),
    answer: ({ input, cacheRead, output, reasoning }) => ({
      candidates: [{ content: { parts: [{ text: 'Well.' }] }, finishReason: 'STOP' }],
      usageMetadata: {
        promptTokenCount: input,
        cachedContentTokenCount: cacheRead,
        candidatesTokenCount: output - reasoning,
        thoughtsTokenCount: reasoning,
      },
    }),
    mostChoices: 4,
  },
  {
    provider: 'bedrock',
    models: ['anthropic.claude-sonnet-4-5-20250929-v1:0', 'amazon.nova-pro-v1:0'],
    path: (model) => `/model/${encodeURIComponent(model)}/converse`,
    body: (_model, { messages, limit }) => ({
      messages: messages.map((text) => ({ role: 'user', content: [{ text }] })),
      inferenceConfig: { maxTokens: limit },
    }),
    answer: ({ input, cacheRead, cacheWrite, cacheWrite1h, output }) => ({
      output: {},
      usage: {
        inputTokens: input - cacheRead - cacheWrite,
        cacheReadInputTokens: cacheRead,
        cacheWriteInputTokens: cacheWrite,
        cacheDetails: [{ ttl: '1h', inputTokens: cacheWrite1h }],
        outputTokens: output,
      },
    }),
  },
  {
    provider: 'cohere',
    models: ['command-r-plus-08-2024'],
    path: () => '/v2/chat',
    body: (model, { messages, limit }) => ({
      model,
      messages: messages.map((content) => ({ role: 'user', content })),
      max_tokens: limit,
    }),
    answer: ({ input, output }) => ({
      message: { content: [{ type: 'text', text: 'Well.' }] },
      usage: { billed_units: { input_tokens: input, output_tokens: output } },
    }),
  },
];
