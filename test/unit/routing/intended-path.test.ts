import { describe, expect, it } from 'vitest';
import { defaultConfig } from '../../support/default-config.ts';
import { GatewayError } from '../../../src/errors.ts';
import { createRoute } from '../../../src/routing/route.ts';
import { configuredUpstreams } from '../../../src/routing/upstreams.ts';
import { threadCpuMs } from '../../support/cpu-time.ts';

const config = defaultConfig({
  providers: {
    azure: { base_url: 'https://resource.openai.azure.com' },
    vllm: { base_url: 'http://127.0.0.1:8000' },
  },
});
const route = createRoute(config, configuredUpstreams(config));

function refused(path: string, method = 'POST', query = ''): GatewayError {
  try {
    route(method, path, query);
  } catch (error) {
    if (error instanceof GatewayError) return error;
    throw error;
  }
  throw new Error(`${path} was not refused`);
}

describe('a base URL without its version, with two, or with other segments', () => {
  it.each([
    ['/openai/chat/completions', '/openai/v1/chat/completions'],
    ['/openai/v1/v1/chat/completions', '/openai/v1/chat/completions'],
    ['/openai/v1/v1/v1/responses', '/openai/v1/responses'],
    ['/openai/openai/v1/chat/completions', '/openai/v1/chat/completions'],
    ['/openai/openai/v1/v1/chat/completions', '/openai/v1/chat/completions'],
    ['/openai/v1/chat/completions/', '/openai/v1/chat/completions'],
    ['/openai/v2/chat/completions', '/openai/v1/chat/completions'],
    ['/anthropic/messages', '/anthropic/v1/messages'],
    ['/anthropic/v1/v1/messages', '/anthropic/v1/messages'],
    ['/anthropic/messages/count_tokens', '/anthropic/v1/messages/count_tokens'],
    [
      '/gemini/models/gemini-2.5-flash:generateContent',
      '/gemini/v1beta/models/gemini-2.5-flash:generateContent',
    ],
    ['/gemini/v1beta/v1beta/models/m:countTokens', '/gemini/v1beta/models/m:countTokens'],
    ['/gemini/v1/v1beta/models/m:countTokens', '/gemini/v1beta/models/m:countTokens'],
    ['/gemini/openai/chat/completions', '/gemini/v1beta/openai/chat/completions'],
    ['/gemini/chat/completions', '/gemini/v1beta/openai/chat/completions'],
    ['/cohere/chat', '/cohere/v2/chat'],
    ['/cohere/v1/v1/chat', '/cohere/v1/chat'],
    ['/cohere/v1/v2/chat', '/cohere/v2/chat'],
    ['/cohere/chat/completions', '/cohere/compatibility/v1/chat/completions'],
    ['/mistral/chat/completions', '/mistral/v1/chat/completions'],
    ['/mistral/v1/v1/fim/completions', '/mistral/v1/fim/completions'],
    ['/together/chat/completions', '/together/v1/chat/completions'],
    ['/groq/chat/completions', '/groq/v1/chat/completions'],
    ['/groq/openai/v1/v1/chat/completions', '/groq/v1/chat/completions'],
    ['/groq/openai/openai/v1/chat/completions', '/groq/v1/chat/completions'],
    ['/openrouter/chat/completions', '/openrouter/v1/chat/completions'],
    ['/openrouter/v1/api/v1/chat/completions', '/openrouter/v1/chat/completions'],
    ['/fireworks/chat/completions', '/fireworks/v1/chat/completions'],
    ['/xai/chat/completions', '/xai/v1/chat/completions'],
    ['/vllm/chat/completions', '/vllm/v1/chat/completions'],
    ['/deepseek/v1/v1/chat/completions', '/deepseek/v1/chat/completions'],
    ['/deepseek/messages', '/deepseek/anthropic/v1/messages'],
    ['/deepseek/anthropic/messages', '/deepseek/anthropic/v1/messages'],
    ['/ollama/chat', '/ollama/api/chat'],
    ['/ollama/api/api/chat', '/ollama/api/chat'],
    ['/ollama/chat/completions', '/ollama/v1/chat/completions'],
    ['/ollama/api/v1/chat/completions', '/ollama/v1/chat/completions'],
    ['/azure/v1/v1/chat/completions', '/azure/openai/v1/chat/completions'],
    ['/azure/openai/openai/deployments/d/chat/completions', '/azure/openai/deployments/d/chat/completions'],
    ['/azure/openai/v1/deployments/d/chat/completions', '/azure/openai/deployments/d/chat/completions'],
    ['/bedrock/v1/model/m/converse', '/bedrock/model/m/converse'],
    ['/bedrock/chat/completions', '/bedrock/openai/v1/chat/completions'],
  ])('%s is answered with the hint %s', (path, intended) => {
    const { type, message } = refused(path);
    expect(type).toBe('not_found');
    expect(message).toContain(`POST ${path} `);
    expect(message).toContain(`did you mean ${intended}?`);
    expect(message).not.toContain('unknown_endpoints');
  });

  it('works for lists of models too', () => {
    expect(refused('/openai/models', 'GET').message).toContain('/openai/v1/models?');
  });
});

describe('an unknown endpoint', () => {
  it.each([
    '/openai/v1/files',
    '/openai/v1/threads/t/messages',
    '/vllm/v1/audio/transcriptions',
    '/openai/v1/chat',
  ])('is policy_denied, with the setting that opens it: %s', (path) => {
    const { type, message } = refused(path);
    expect(type).toBe('policy_denied');
    expect(message).toContain(path);
    expect(message).toContain('proxy.unknown_endpoints');
  });

  it.each([
    '/vllm/v1/threads/t/messages',
    '/openai/foo',
    '/openai/v1/v1/files',
    '/openai/v1/',
    '/gemini/v1beta/v1beta/files',
  ])('gets no advice if its base URL may be wrong, or if it cannot be opened: %s', (path) => {
    expect(refused(path).message).not.toContain('unknown_endpoints');
  });
});

describe('the path in an error message', () => {
  const KEY = `gw-${'a1B2_-'.repeat(8).slice(0, 43)}`;
  it.each([
    `/openai/${KEY}/v1/chat/completions`,
    `/openai/v1/v1/${KEY}`,
    '/openai/sk-proj-abcdefghijklmnop0123456789/chat/completions',
    '/gemini/models/AIzaSyA0123456789abcdefghijklmnopqrstuv:generateContent',
    `/openai/x${encodeURIComponent(KEY)}/v1`,
  ])('contains no possible credential: %s', (path) => {
    const { message } = refused(path);
    for (const secret of [KEY, 'sk-proj-abc', 'AIzaSy']) expect(message).not.toContain(secret);
    expect(message).toContain('…');
  });

  it('is bounded, in plain letters, and found quickly at any length', () => {
    for (const path of [`/openai/${'v1/'.repeat(20_000)}chat/completions`, `/openai/${'a'.repeat(60_000)}`]) {
      const started = threadCpuMs();
      expect(refused(path).message.length).toBeLessThan(600);
      expect(threadCpuMs() - started).toBeLessThan(500);
    }
    expect(refused('/openai/<script>"alert(1)"</script>/chat').message).not.toMatch(/[<>"]/);
  });
});
