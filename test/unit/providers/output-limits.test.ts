import { describe, expect, it } from 'vitest';
import { applyEdits } from '../../../src/json/edit.ts';
import type { JsonObject } from '../../../src/json/is-object.ts';
import type { RequestFacts } from '../../../src/providers/request-facts.ts';
import { type ProviderName, providers } from '../../../src/providers/registry.ts';

const CHAT = '/v1/chat/completions';
const messages = [{ role: 'user', content: 'Say.' }];
const chat = { model: 'm', messages };
const CONVERSE = { messages: [{ role: 'user', content: [{ text: 'Say.' }] }] };
const GENERATE = { contents: [{ parts: [{ text: 'Say.' }] }] };
const GENERATE_PATH = '/v1beta/models/m:generateContent';
const invoke = (model: string): string => `/model/${model}/invoke`;

function read(provider: ProviderName, path: string, body: JsonObject): RequestFacts {
  const endpoint = providers[provider].endpoint('POST', path);
  if (endpoint === undefined) throw new Error(`no ${path}`);
  return endpoint.dialect.request(body, endpoint);
}

describe('a client’s limit is lowered in its place', () => {
  /** The body around the limit, which is `LIMIT`. */
  const rows: readonly (readonly [ProviderName, string, JsonObject])[] = [
    ['openai', CHAT, { ...chat, max_tokens: 'LIMIT' }],
    ['openai', CHAT, { ...chat, max_completion_tokens: 'LIMIT' }],
    ['openai', '/v1/responses', { model: 'm', input: 'Say.', max_output_tokens: 'LIMIT' }],
    ['openai', '/v1/completions', { model: 'm', prompt: 'Say.', max_tokens: 'LIMIT' }],
    ['anthropic', '/v1/messages', { ...chat, max_tokens: 'LIMIT' }],
    ['gemini', GENERATE_PATH, { ...GENERATE, generationConfig: { maxOutputTokens: 'LIMIT' } }],
    ['gemini', GENERATE_PATH, { ...GENERATE, generation_config: { max_output_tokens: 'LIMIT' } }],
    ['bedrock', '/model/m/converse', { ...CONVERSE, inferenceConfig: { maxTokens: 'LIMIT' } }],
    [
      'bedrock',
      invoke('anthropic.claude-sonnet-4-20250514-v1:0'),
      { anthropic_version: 'bedrock-2023-05-31', max_tokens: 'LIMIT', messages },
    ],
    [
      'bedrock',
      invoke('amazon.nova-pro-v1:0'),
      { ...CONVERSE, inferenceConfig: { max_new_tokens: 'LIMIT' } },
    ],
    ['bedrock', invoke('meta.llama3-8b-instruct-v1:0'), { prompt: 'Say.', max_gen_len: 'LIMIT' }],
    ['bedrock', invoke('mistral.mistral-7b-instruct-v0:2'), { prompt: 'Say.', max_tokens: 'LIMIT' }],
    ['bedrock', invoke('deepseek.r1-v1:0'), { prompt: 'Say.', max_tokens: 'LIMIT' }],
    ['bedrock', invoke('cohere.command-r-v1:0'), { message: 'Say.', max_tokens: 'LIMIT' }],
    ['bedrock', invoke('openai.gpt-oss-20b-1:0'), { ...chat, max_completion_tokens: 'LIMIT' }],
    [
      'bedrock',
      invoke('amazon.titan-text-lite-v1'),
      { inputText: 'Say.', textGenerationConfig: { maxTokenCount: 'LIMIT' } },
    ],
    ['ollama', '/api/chat', { ...chat, options: { num_predict: 'LIMIT' } }],
    ['ollama', '/api/generate', { model: 'm', prompt: 'Say.', options: { num_predict: 'LIMIT' } }],
    ['cohere', '/v2/chat', { ...chat, max_tokens: 'LIMIT' }],
    ['cohere', '/v1/chat', { model: 'm', message: 'Say.', max_tokens: 'LIMIT' }],
  ];

  it.each(rows)('%s %s %j', (provider, path, body) => {
    const written = (limit: number): string =>
      JSON.stringify(body, null, 1).replace('"LIMIT"', String(limit));
    const { output } = read(provider, path, JSON.parse(written(128_000)) as JsonObject);
    expect(output?.tokens).toBe(128_000);
    const sent = applyEdits(Buffer.from(written(128_000)), output?.set(2_000) ?? []);
    expect(sent.toString()).toBe(written(2_000));
  });

  it.each<[ProviderName, string, JsonObject, JsonObject]>([
    [
      'openai',
      CHAT,
      { ...chat, max_tokens: 50, max_completion_tokens: 9_000 },
      { max_tokens: 50, max_completion_tokens: 2_000 },
    ],
    [
      'bedrock',
      invoke('amazon.nova-pro-v1:0'),
      { ...CONVERSE, inferenceConfig: { maxTokens: 9_000, max_new_tokens: 50 } },
      { inferenceConfig: { maxTokens: 2_000, max_new_tokens: 50 } },
    ],
  ])('neither of two names in %s %s is raised', (provider, path, body, limits) => {
    const { output } = read(provider, path, body);
    const sent = applyEdits(Buffer.from(JSON.stringify(body)), output?.set(2_000) ?? []);
    expect(JSON.parse(sent.toString())).toEqual({ ...body, ...limits });
  });
});

describe('thinking limits are read', () => {
  const thinking = { type: 'enabled', budget_tokens: 3_000 };

  it.each<[ProviderName, string, JsonObject]>([
    ['anthropic', '/v1/messages', { ...chat, thinking }],
    ['openrouter', '/v1/messages', { ...chat, thinking }],
    ['openrouter', CHAT, { ...chat, reasoning: { max_tokens: 3_000 } }],
    ['fireworks', CHAT, { ...chat, thinking }],
    ['together', CHAT, { ...chat, thinking_budget: 3_000 }],
    ['vllm', CHAT, { ...chat, chat_template_kwargs: { thinking_budget: 3_000 } }],
    [
      'gemini',
      GENERATE_PATH,
      { ...GENERATE, generationConfig: { thinkingConfig: { thinkingBudget: 3_000 } } },
    ],
    [
      'gemini',
      GENERATE_PATH,
      { ...GENERATE, generation_config: { thinking_config: { thinking_budget: 3_000 } } },
    ],
    [
      'gemini',
      '/v1beta/openai/chat/completions',
      { ...chat, extra_body: { google: { thinking_config: { thinking_budget: 3_000 } } } },
    ],
    ['bedrock', '/model/m/converse', { ...CONVERSE, additionalModelRequestFields: { thinking } }],
    [
      'bedrock',
      '/model/m/converse',
      { ...CONVERSE, additionalModelRequestFields: { reasoning_config: thinking } },
    ],
    [
      'bedrock',
      invoke('anthropic.claude-sonnet-4-20250514-v1:0'),
      { anthropic_version: 'bedrock-2023-05-31', messages, thinking },
    ],
    ['cohere', '/v2/chat', { ...chat, thinking: { type: 'enabled', token_budget: 3_000 } }],
  ])('%s %s %j', (provider, path, body) => {
    expect(read(provider, path, body).thinkingTokens).toBe(3_000);
  });

  it.each<[ProviderName, string, JsonObject]>([
    ['anthropic', '/v1/messages', { ...chat, thinking: { type: 'adaptive' } }],
    ['gemini', GENERATE_PATH, { ...GENERATE, generationConfig: { thinkingConfig: { thinkingBudget: -1 } } }],
    ['openai', CHAT, { ...chat, reasoning_effort: 'high' }],
    ['openrouter', CHAT, { ...chat, reasoning: { max_tokens: '3000' } }],
  ])('and are absent in %s %s %j', (provider, path, body) => {
    expect(read(provider, path, body).thinkingTokens).toBeUndefined();
  });
});
