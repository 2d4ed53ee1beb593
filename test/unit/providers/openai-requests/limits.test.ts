import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../src/json/is-object.ts';
import { type ProviderName, providers } from '../../../../src/providers/registry.ts';
import { CHAT, RESPONSES, COMPLETIONS, read } from './rig.ts';

describe('output limits', () => {
  it.each<[ProviderName, string, JsonObject, number | undefined, string[]]>([
    ['openai', CHAT, {}, undefined, ['max_completion_tokens']],
    ['azure', '/openai/v1/chat/completions', { messages: [] }, undefined, ['max_completion_tokens']],
    ['openai', CHAT, { max_tokens: 5 }, 5, ['max_tokens']],
    ['openai', CHAT, { max_tokens: 5, max_completion_tokens: 9 }, 9, ['max_tokens', 'max_completion_tokens']],
    ['mistral', CHAT, {}, undefined, ['max_tokens']],
    ['vllm', CHAT, { max_completion_tokens: 3 }, 3, ['max_completion_tokens']],
    // DeepSeek ignores the newer name, so it sets no limit.
    ['deepseek', CHAT, { max_completion_tokens: 300 }, undefined, ['max_tokens', 'max_completion_tokens']],
    // Beside a known name it counts, since DeepSeek may support it later.
    [
      'fireworks',
      CHAT,
      { max_tokens: 1, max_completion_tokens: 300 },
      300,
      ['max_tokens', 'max_completion_tokens'],
    ],
    // Engines behind the same API have names of their own, which may take precedence.
    ...['n_predict', 'max_new_tokens', 'max_gen_len', 'maxTokens'].map(
      (name): [ProviderName, string, JsonObject, number, string[]] => [
        'vllm',
        CHAT,
        { max_tokens: 5, [name]: 900 },
        900,
        ['max_tokens', name],
      ],
    ),
    ['openai', COMPLETIONS, { max_completion_tokens: 300 }, 16, ['max_tokens', 'max_completion_tokens']],
    ['vllm', COMPLETIONS, {}, undefined, ['max_tokens']],
    ['openai', RESPONSES, { max_tokens: 300 }, undefined, ['max_output_tokens', 'max_tokens']],
    ['openai', RESPONSES, { max_output_tokens: 30 }, 30, ['max_output_tokens']],
  ])('%s %s %j', (provider, path, extra, tokens, fields) => {
    const { output } = read(provider, path, extra);
    expect(output?.tokens).toBe(tokens);
    const set = fields.map((name) => {
      const own = extra[name];
      return { kind: 'set', path: [name], value: typeof own === 'number' ? Math.min(own, 50) : 50 };
    });
    expect(output?.set(50)).toEqual(set);
  });

  it('are never granted above the client’s limit under an ignored name', () => {
    const { output } = read('deepseek', CHAT, { max_completion_tokens: 3 });
    expect(output?.set(8192)).toEqual([
      { kind: 'set', path: ['max_tokens'], value: 3 },
      { kind: 'set', path: ['max_completion_tokens'], value: 3 },
    ]);
  });

  it('are granted to older versions of Azure under the name that they know', () => {
    const path = '/openai/deployments/d/chat/completions';
    for (const [query, field, asks] of [
      ['?api-version=2024-06-01', 'max_tokens', false],
      ['?api-version=2024-09-01-preview', 'max_completion_tokens', true],
      ['', 'max_completion_tokens', true],
    ] as const) {
      const endpoint = providers.azure.endpoint('POST', path, query);
      const facts = endpoint?.dialect.request({ messages: [], stream: true }, endpoint);
      expect(facts?.output?.set(1)).toMatchObject([{ path: [field] }]);
      expect(facts?.askUsage !== undefined).toBe(asks);
    }
  });

  it('read Ollama options, where a negative number means no limit', () => {
    const limit = (options: JsonObject) =>
      read('ollama', '/api/chat', { messages: [], options }).output?.tokens;
    expect(limit({ num_predict: 5 })).toBe(5);
    expect(limit({ num_predict: -1 })).toBeUndefined();
    expect(limit({ num_predict: -2 })).toBeUndefined();
    expect(() => limit({ num_predict: -3 })).toThrow('num_predict');
  });
});

describe('the number of answers', () => {
  it.each<[string, JsonObject, number]>([
    [CHAT, { n: 3 }, 3],
    [CHAT, { n: 2, best_of: 4 }, 4],
    [COMPLETIONS, { n: 2, best_of: 5 }, 5],
    [COMPLETIONS, { prompt: ['a', 'b', 'c'], n: 2 }, 6],
    [COMPLETIONS, { prompt: [1, 2, 3] }, 1],
    [COMPLETIONS, { prompt: [[1], [2]] }, 2],
    [RESPONSES, { n: 4 }, 1],
  ])('%s %j: %i', (path, extra, choices) => {
    expect(read('openai', path, extra).choices).toBe(choices);
  });
});

describe('unbounded costs', () => {
  it.each<[ProviderName, string, JsonObject, string | undefined]>([
    ['openai', RESPONSES, { background: true }, 'background'],
    ['openai', RESPONSES, { context_management: [{ type: 'compaction' }] }, 'context_management'],
    ['openai', '/v1/responses/compact', { input: 'x' }, 'compaction has no output limit'],
    ['openai', RESPONSES, { background: 'true' }, 'background'],
    ['openai', RESPONSES, { background: false }, undefined],
    ['xai', CHAT, { deferred: true }, 'deferred'],
    ['openrouter', CHAT, { preset: 'p' }, 'preset'],
    ['openrouter', CHAT, { model: 'a/b@preset/p' }, 'preset'],
    ['openrouter', '/v1/messages', { messages: [], preset: 'p' }, 'preset'],
    ['openai', CHAT, { service_tier: 'priority' }, 'service_tier "priority"'],
    ['openai', CHAT, { service_tier: 'flex' }, 'service_tier "flex"'],
    ['openai', CHAT, { service_tier: 'auto' }, undefined],
    ['openai', CHAT, { service_tier: 'default' }, undefined],
    ['groq', CHAT, { service_tier: 'on_demand' }, undefined],
    ['mistral', CHAT, { service_tier: 'standard_only' }, undefined],
  ])('%s %s %j: %s', (provider, path, extra, reason) => {
    expect(read(provider, path, extra).unbounded).toBe(reason);
  });
});

describe('hidden reasoning', () => {
  it.each<[ProviderName, string, JsonObject, true | undefined]>([
    ['openrouter', CHAT, { reasoning: { exclude: true } }, true],
    ['openrouter', CHAT, { include_reasoning: false }, true],
    ['groq', CHAT, { reasoning_format: 'hidden' }, true],
    ['groq', CHAT, { reasoning_format: 'parsed' }, undefined],
    ['openrouter', CHAT, { reasoning: { effort: 'high' } }, undefined],
    [
      'openrouter',
      '/v1/messages',
      { messages: [], thinking: { type: 'adaptive', display: 'omitted' } },
      true,
    ],
    ['openrouter', '/v1/messages', { messages: [], thinking: { type: 'disabled' } }, undefined],
  ])('%s %s %j: %s', (provider, path, extra, hides) => {
    expect(read(provider, path, extra).hidesReasoning).toBe(hides);
  });
});

describe('streams', () => {
  it('are Ollama’s default', () => {
    expect(read('ollama', '/api/chat', { messages: [] }).stream).toBe(true);
    expect(read('ollama', '/api/chat', { messages: [], stream: false }).stream).toBe(false);
  });

  it('mark chunks of only usage, errors, and copies', () => {
    const frame = (data: unknown) => ({ raw: Buffer.alloc(0), data: JSON.stringify(data) });
    const usage = { prompt_tokens: 1, completion_tokens: 1 };
    const chat = providers.openai.endpoint('POST', CHAT)?.dialect.stream();
    expect(chat?.read(frame({ choices: [], usage })).usageOnly).toBe(true);
    expect(chat?.read(frame({ choices: [], prompt_filter_results: [] })).usageOnly).toBeUndefined();
    expect(chat?.read(frame({ choices: [{ delta: {} }], usage })).usageOnly).toBeUndefined();
    expect(chat?.read(frame({ error: { message: 'x' }, choices: [{ delta: { content: '' } }] })).failed).toBe(
      true,
    );
    const responses = providers.openai.endpoint('POST', RESPONSES)?.dialect.stream();
    const done = { type: 'response.output_text.done', output_index: 0, text: 'all' };
    expect(responses?.read(frame(done)).deltas).toMatchObject([
      { text: 'all', path: ['text'], repeats: true },
    ]);
    expect(responses?.read(frame({ type: 'response.failed', response: { error: {} } }))).toMatchObject({
      done: true,
      failed: true,
    });
    expect(responses?.read(frame({ type: 'error', message: 'x' })).failed).toBe(true);
  });
});
