import { describe, expect, it } from 'vitest';
import { GatewayError } from '../../../src/errors.ts';
import { type ProviderName, providers } from '../../../src/providers/registry.ts';

describe('paths', () => {
  it.each<[ProviderName, string, string | undefined]>([
    ['openai', '/v1/chat/completions', 'openai-chat'],
    ['openai', '/v1/responses', 'openai-responses'],
    ['openai', '/v1/responses/compact', 'openai-compact'],
    ['openai', '/v1/responses/input_tokens', 'openai-input-tokens'],
    ['openai', '/v1/images/generations', undefined],
    ['openai', '/v1/audio/speech', undefined],
    ['openai', '/v1/chat/completions/', undefined],
    ['openai', '/chat/completions', undefined],
    ['openai', '/v1/rerank', undefined],
    ['azure', '/openai/deployments/gpt-4o/chat/completions', 'openai-chat'],
    ['azure', '/deployments/gpt-4o/chat/completions', 'openai-chat'],
    ['azure', '/openai/v1/responses', 'openai-responses'],
    ['azure', '/openai/responses', 'openai-responses'],
    ['azure', '/openai/deployments/gpt-4o/images/generations', undefined],
    ['azure', '/openai/deployments/gpt-4o/responses', undefined],
    ['azure', '/openai/deployments/a%2Fb/chat/completions', undefined],
    ['mistral', '/v1/fim/completions', 'openai-completions'],
    ['mistral', '/v1/chat/moderations', 'openai-moderations'],
    ['mistral', '/v1/agents/completions', undefined],
    ['mistral', '/v1/conversations', undefined],
    ['groq', '/v1/chat/completions', 'openai-chat'],
    ['groq', '/v1/audio/transcriptions', undefined],
    ['deepseek', '/anthropic/v1/messages', 'anthropic-messages'],
    ['deepseek', '/beta/v1/completions', 'openai-completions'],
    ['together', '/v1/rerank', 'openai-rerank'],
    ['together', '/v1/images/generations', undefined],
    ['ollama', '/api/chat', 'ollama-chat'],
    ['ollama', '/api/embeddings', 'ollama-embed'],
    ['ollama', '/api/pull', undefined],
    ['ollama', '/api/create', undefined],
    ['ollama', '/v1/messages', 'anthropic-messages'],
    ['fireworks', '/v1/completions', 'openai-completions'],
    ['xai', '/v1/responses', 'openai-responses'],
    ['xai', '/v1/images/generations', undefined],
    ['vllm', '/score', 'openai-rerank'],
    ['vllm', '/tokenize', undefined],
    ['openrouter', '/v1/messages', 'openrouter-messages'],
    ['openrouter', '/v1/keys', undefined],
  ])('%s reads POST %s as %s', (name, path, dialect) => {
    expect(providers[name].endpoint('POST', path)?.dialect.name).toBe(dialect);
  });

  it.each<[ProviderName, string, boolean]>([
    ['openai', '/v1/models', true],
    ['openai', '/v1/models/gpt-4o', true],
    ['openai', '/v1/responses/resp_1', false],
    ['openai', '/v1/models/', false],
    ['azure', '/openai/v1/models', true],
    ['azure', '/openai/models', true],
    ['deepseek', '/models', true],
    ['ollama', '/api/tags', true],
    ['ollama', '/api/blobs/sha256:0', false],
    ['openrouter', '/v1/models/openai/gpt-4o/endpoints', true],
    ['openrouter', '/v1/credits', false],
  ])('%s lists models at GET %s: %s', (name, path, known) => {
    expect(providers[name].endpoint('GET', path)?.operation).toBe(known ? 'models' : undefined);
  });

  it('takes the model of an Azure deployment from the path, not from the body', () => {
    const endpoint = providers.azure.endpoint('POST', '/openai/deployments/mine/chat/completions');
    const facts = endpoint?.dialect.request({ model: 'another', messages: [] }, endpoint);
    expect(facts?.model).toBe('mine');
  });
});

describe('credentials', () => {
  it.each<[ProviderName, string, string, string]>([
    ['openai', 'sk-1', 'authorization', 'Bearer sk-1'],
    ['azure', '0123abcd', 'api-key', '0123abcd'],
    ['azure', 'eyJhbGciOi.x.y', 'authorization', 'Bearer eyJhbGciOi.x.y'],
    ['groq', 'gsk_1', 'authorization', 'Bearer gsk_1'],
    ['ollama', 'any', 'authorization', 'Bearer any'],
  ])('%s: %s is sent in %s', (name, key, header, value) => {
    expect(providers[name].credential(key)).toEqual({ kind: 'header', name: header, value });
  });

  it('are not needed by self-hosted providers', () => {
    const keyless = Object.values(providers).filter((provider) => !provider.needsKey);
    expect(keyless.map((provider) => provider.name)).toEqual(['ollama', 'vllm']);
  });

  it('are never quoted in a refusal', () => {
    try {
      providers.openai.credential('sk secret');
      expect.unreachable();
    } catch (error) {
      expect(error).toBeInstanceOf(GatewayError);
      expect(String(error)).not.toContain('secret');
    }
  });
});

describe('default base URLs', () => {
  it('contain the base path that clients may omit', () => {
    const bases = Object.values(providers).map((provider) => [provider.name, provider.defaultBaseUrl]);
    expect(Object.fromEntries(bases)).toMatchObject({
      openai: 'https://api.openai.com',
      groq: 'https://api.groq.com/openai',
      fireworks: 'https://api.fireworks.ai/inference',
      openrouter: 'https://openrouter.ai/api',
      ollama: 'http://localhost:11434',
      azure: undefined,
      vllm: undefined,
    });
  });
});
