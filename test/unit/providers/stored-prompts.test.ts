import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/json/is-object.ts';
import { type ProviderName, providers } from '../../../src/providers/registry.ts';
import { parsed } from '../../support/exchange.ts';

const CHAT = '/v1/chat/completions';
const RESPONSES = '/v1/responses';
const GENERATE = '/v1beta/models/gemini-2.5-flash:generateContent';
const PROMPT_ARN = 'arn:aws:bedrock:us-east-1:123456789012:prompt/ABC:1';

const messages = [{ role: 'user', content: 'Say.' }];
const chat = { model: 'm', messages };
const responses = { model: 'm', input: 'Say.' };
const generate = { contents: [{ role: 'user', parts: [{ text: 'Say.' }] }] };
const converse = { messages: [{ role: 'user', content: [{ text: 'Say.' }] }] };

const STORED: readonly (readonly [ProviderName, string, JsonObject, string])[] = [
  ['openai', RESPONSES, { ...responses, prompt: { id: 'pmpt_1' } }, 'prompt'],
  ['openai', '/v1/responses/compact', { ...responses, prompt: { id: 'pmpt_1' } }, 'prompt'],
  ['azure', '/openai/v1/responses', { ...responses, prompt: { id: 'pmpt_1' } }, 'prompt'],
  ['azure', '/openai/v1/responses', { ...responses, agent: { type: 'agent_reference', name: 'a' } }, 'agent'],
  ['azure', '/openai/v1/responses', { ...responses, agent_reference: { name: 'a' } }, 'agent_reference'],
  ['openai', CHAT, { ...chat, prompt: { id: 'pmpt_1' } }, 'prompt'],
  ['mistral', CHAT, { ...chat, agent_id: 'ag_1' }, 'agent_id'],
  ['gemini', GENERATE, { ...generate, cachedContent: 'cachedContents/1' }, 'cachedContent'],
  ['gemini', GENERATE, { ...generate, cached_content: 'cachedContents/1' }, 'cached_content'],
  [
    'gemini',
    GENERATE.replace(':generate', ':streamGenerate'),
    { ...generate, cached_content: 'cachedContents/1' },
    'cached_content',
  ],
  [
    'gemini',
    GENERATE.replace(':generateContent', ':countTokens'),
    { generateContentRequest: { ...generate, cachedContent: 'cachedContents/1' } },
    'cachedContent',
  ],
  [
    'gemini',
    '/v1beta/openai/chat/completions',
    { ...chat, extra_body: { google: { cached_content: 'cachedContents/1' } } },
    'cached_content',
  ],
  [
    'gemini',
    '/v1beta/openai/chat/completions',
    { ...chat, google: { cachedContent: 'cachedContents/1' } },
    'cachedContent',
  ],
  ['openai', CHAT, { ...chat, extra_body: { prompt: { id: 'pmpt_1' } } }, 'prompt'],
  ['openrouter', CHAT, { ...chat, preset: 'p' }, 'preset'],
  ['openrouter', CHAT, { ...chat, model: '@preset/p' }, 'model'],
  ['openrouter', CHAT, { ...chat, model: 'a/b@Preset/p' }, 'model'],
  ['openrouter', CHAT, { ...chat, models: ['@preset/p'] }, 'model'],
  ['openrouter', RESPONSES, { ...responses, preset: 'p' }, 'preset'],
  ['openrouter', '/v1/completions', { model: '@preset/p', prompt: 'Say.' }, 'model'],
  ['openrouter', '/v1/messages', { ...chat, preset: 'p' }, 'preset'],
  ['openrouter', '/v1/embeddings', { model: 'm', input: 'x', models: ['@preset/p'] }, 'model'],
  ['bedrock', `/model/${encodeURIComponent(PROMPT_ARN)}/converse`, converse, 'model'],
  ['bedrock', `/model/${encodeURIComponent(PROMPT_ARN)}/converse-stream`, converse, 'model'],
  ['bedrock', `/openai${CHAT}`, { ...chat, model: PROMPT_ARN }, 'model'],
  [
    'anthropic',
    '/v1/messages',
    { ...chat, container: { skills: [{ type: 'custom', skill_id: 's' }] } },
    'container.skills',
  ],
];

describe('stored prompts of a request', () => {
  it.each(STORED)('%s %s %j', (provider, path, body, member) => {
    expect(parsed({ provider, path, body }).request.storedPrompt).toBe(member);
  });

  it.each<[ProviderName, string, JsonObject]>([
    ['openai', RESPONSES, { ...responses, prompt: null, prompt_cache_key: 'k', previous_response_id: 'r' }],
    ['openai', CHAT, { ...chat, prompt_cache_key: 'k', metadata: { preset: 'p' } }],
    ['openai', '/v1/completions', { model: 'm', prompt: ['Say.'] }],
    ['gemini', GENERATE, { ...generate, cachedContent: null }],
    ['openrouter', CHAT, { ...chat, preset: null, model: 'a/preset' }],
    ['anthropic', '/v1/messages', { ...chat, container: { skills: [] } }],
    [
      'bedrock',
      '/model/amazon.nova-lite-v1:0/converse',
      { ...converse, promptVariables: { a: { text: 'x' } } },
    ],
  ])('none: %s %s %j', (provider, path, body) => {
    expect(parsed({ provider, path, body }).request.storedPrompt).toBeUndefined();
  });

  it('cannot be invoked', () => {
    const path = `/model/${encodeURIComponent(PROMPT_ARN)}/invoke`;
    expect(providers.bedrock.endpoint('POST', path)).toBeUndefined();
  });
});
