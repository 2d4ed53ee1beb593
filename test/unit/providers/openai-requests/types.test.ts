import { describe, expect, it } from 'vitest';
import { GatewayError } from '../../../../src/errors.ts';
import type { JsonObject } from '../../../../src/json/is-object.ts';
import { type ProviderName, providers } from '../../../../src/providers/registry.ts';
import { CHAT, RESPONSES, COMPLETIONS, read } from './rig.ts';

describe('wrong types are refused by name', () => {
  it.each<[string, JsonObject, string]>([
    [CHAT, { model: undefined }, 'model'],
    [CHAT, { model: 7 }, 'model'],
    [CHAT, { model: '' }, 'model'],
    [CHAT, { messages: undefined }, 'messages'],
    [CHAT, { messages: 'hi' }, 'messages'],
    [CHAT, { messages: ['hi'] }, 'messages'],
    [CHAT, { max_tokens: 0 }, 'max_tokens'],
    [CHAT, { max_tokens: -1 }, 'max_tokens'],
    [CHAT, { max_tokens: 1.5 }, 'max_tokens'],
    [CHAT, { max_tokens: '100' }, 'max_tokens'],
    [CHAT, { max_completion_tokens: 1e300 }, 'max_completion_tokens'],
    [CHAT, { n: 0 }, 'n'],
    [CHAT, { n: '2' }, 'n'],
    [CHAT, { stream: 'true' }, 'stream'],
    [CHAT, { stream_options: 'x', stream: true }, 'stream_options'],
    [CHAT, { service_tier: 1 }, 'service_tier'],
    [CHAT, { tools: ['x'] }, 'tools'],
    [RESPONSES, { max_output_tokens: 0 }, 'max_output_tokens'],
    [RESPONSES, { input: ['hi'] }, 'input'],
    [RESPONSES, { prompt: 'p' }, 'prompt'],
    [COMPLETIONS, { best_of: 0 }, 'best_of'],
  ])('%s with %j', (path, extra, name) => {
    expect(() => read('openai', path, extra)).toThrow(GatewayError);
    expect(() => read('openai', path, extra)).toThrow(`"${name}"`);
  });

  it('and null counts as absent', () => {
    const nothing = {
      max_tokens: null,
      n: null,
      stream: null,
      stream_options: null,
      tools: null,
      service_tier: null,
    };
    expect(read('openai', CHAT, nothing)).toMatchObject({ stream: false, choices: 1, tools: [] });
  });
});

describe('members in another letter case', () => {
  it.each<[ProviderName, string, JsonObject, string]>([
    ['openai', CHAT, { N: 8 }, 'n'],
    ['groq', CHAT, { Tools: [{ type: 'browser_search' }] }, 'tools'],
    ['openrouter', CHAT, { Plugins: [{ id: 'web' }] }, 'plugins'],
    ['ollama', '/api/chat', { messages: [], Options: { num_predict: -1 } }, 'options'],
    ['openai', RESPONSES, { Background: true }, 'background'],
    ['openai', CHAT, { meſſages: [] }, 'messages'],
  ])('%s %s %j: some parsers read it as %s', (provider, path, extra, name) => {
    expect(() => read(provider, path, extra)).toThrow(`"${name}"`);
  });

  it('are accepted if no member has this name', () => {
    expect(read('openai', CHAT, { reasoningEffort: 'low' }).model).toBe('m');
  });
});

describe('arguments in an object', () => {
  it('are read as separate strings', () => {
    const message = { tool_calls: [{ function: { name: 'w', arguments: { city: 'Rome', where: ['a'] } } }] };
    const dialect = providers.mistral.endpoint('POST', CHAT)?.dialect;
    expect(dialect?.answer({ choices: [{ index: 0, message }] }).texts).toEqual([
      {
        kind: 'tool_arguments',
        text: 'Rome',
        path: ['choices', 0, 'message', 'tool_calls', 0, 'function', 'arguments', 'city'],
      },
      {
        kind: 'tool_arguments',
        text: 'a',
        path: ['choices', 0, 'message', 'tool_calls', 0, 'function', 'arguments', 'where', 0],
      },
    ]);
  });
});
