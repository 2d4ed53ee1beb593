import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../src/json/is-object.ts';
import type { ProviderName } from '../../../../src/providers/registry.ts';
import { CHAT, RESPONSES, read, withoutTools } from './rig.ts';

describe('tools that the provider runs', () => {
  it.each<[ProviderName, string, JsonObject, string[], boolean, JsonObject]>([
    ['openai', CHAT, { web_search_options: {} }, ['web_search_options'], false, {}],
    ['xai', CHAT, { search_parameters: { mode: 'auto' } }, ['search_parameters'], false, {}],
    ['xai', CHAT, { search_parameters: { mode: 'off' } }, [], false, { search_parameters: { mode: 'off' } }],
    [
      'azure',
      '/openai/v1/chat/completions',
      { messages: [], data_sources: [{ type: 'x' }] },
      ['data_sources'],
      false,
      { messages: [] },
    ],
    ['openrouter', CHAT, { plugins: [{ id: 'web' }] }, ['plugins'], false, {}],
    ['openrouter', CHAT, { model: 'openai/gpt-4o:online' }, [':online'], false, { model: 'openai/gpt-4o' }],
    [
      'openrouter',
      CHAT,
      { model: 'x/y:free:online', models: ['a/b', 'c/d:online'] },
      [':online'],
      false,
      { model: 'x/y:free', models: ['a/b', 'c/d'] },
    ],
    [
      'openrouter',
      '/v1/messages',
      { model: 'a/b:online', max_tokens: 1, messages: [] },
      [':online'],
      false,
      { model: 'a/b', max_tokens: 1, messages: [] },
    ],
    ['groq', CHAT, { model: 'groq/compound' }, ['compound'], true, { model: 'groq/compound' }],
    [
      'openai',
      CHAT,
      { model: 'gpt-4o-search-preview-2025-03-11' },
      ['web_search'],
      true,
      { model: 'gpt-4o-search-preview-2025-03-11' },
    ],
    [
      'groq',
      CHAT,
      { tools: [{ type: 'browser_search' }, { type: 'function', function: { name: 'f' } }] },
      ['browser_search'],
      false,
      { tools: [{ type: 'function', function: { name: 'f' } }] },
    ],
    [
      'mistral',
      CHAT,
      { tools: [{ type: 'web_search' }], tool_choice: 'any' },
      ['web_search'],
      true,
      { tools: [], tool_choice: 'any' },
    ],
    [
      'openai',
      RESPONSES,
      {
        tools: [{ type: 'web_search' }, { type: 'mcp', server_label: 's' }, { type: 'function', name: 'f' }],
      },
      ['web_search', 'mcp'],
      false,
      { tools: [{ type: 'function', name: 'f' }] },
    ],
    [
      'openai',
      RESPONSES,
      { tools: [{ type: 'web_search' }], tool_choice: { type: 'web_search' } },
      ['web_search'],
      true,
      { tools: [], tool_choice: { type: 'web_search' } },
    ],
    [
      'openai',
      RESPONSES,
      { tools: [{ type: 'web_search' }], tool_choice: 'required' },
      ['web_search'],
      true,
      { tools: [], tool_choice: 'required' },
    ],
    [
      'openai',
      RESPONSES,
      { tools: [{ type: 'shell', environment: { type: 'local' } }, { type: 'shell' }] },
      ['shell'],
      false,
      { tools: [{ type: 'shell', environment: { type: 'local' } }] },
    ],
    [
      'openai',
      RESPONSES,
      { tools: [{ type: 'tool_search', execution: 'client' }, { type: 'tool_search' }] },
      ['tool_search'],
      false,
      { tools: [{ type: 'tool_search', execution: 'client' }] },
    ],
    [
      'openai',
      RESPONSES,
      { tools: [{ type: 'a_tool_of_next_year' }, { type: 'custom', name: 'c' }] },
      ['a_tool_of_next_year'],
      false,
      { tools: [{ type: 'custom', name: 'c' }] },
    ],
    [
      'openai',
      RESPONSES,
      {
        input: [
          {
            type: 'additional_tools',
            role: 'developer',
            tools: [{ type: 'mcp' }, { type: 'custom', name: 'c' }],
          },
        ],
      },
      ['mcp'],
      false,
      { input: [{ type: 'additional_tools', role: 'developer', tools: [{ type: 'custom', name: 'c' }] }] },
    ],
  ])('%s %s %j', (provider, path, extra, types, forced, left) => {
    const { hostedTools } = read(provider, path, extra);
    expect(hostedTools.map((tool) => tool.type)).toEqual(types);
    expect(hostedTools.some((tool) => tool.forced)).toBe(forced);
    expect(withoutTools(provider, path, extra)).toEqual(left);
  });

  it.each<[ProviderName, string, string | undefined]>([
    ['openrouter', 'perplexity/sonar', 'web_search'],
    ['openrouter', 'perplexity/sonar:nitro', 'web_search'],
    ['openrouter', 'Perplexity/Sonar-Pro', 'web_search'],
    ['openrouter', ' perplexity/sonar ', 'web_search'],
    ['openrouter', 'openai/gpt-4o-search-preview:floor', 'web_search'],
    ['openrouter', 'openai/o3-deep-research', 'web_search'],
    ['openrouter', 'openai/o4-mini-deep-research-2025-06-26:nitro', 'web_search'],
    ['openai', 'gpt-5-search-api', 'web_search'],
    ['groq', 'GROQ/Compound-Mini', 'compound'],
    ['openai', 'o3-deep-research', undefined],
    ['openrouter', 'acme/sonarqube-helper', undefined],
    ['groq', 'acme/compounder', undefined],
  ])('%s runs tools with the model %j: %s', (provider, model, type) => {
    const { hostedTools } = read(provider, CHAT, { model });
    expect(hostedTools.map((tool) => [tool.type, tool.forced])).toEqual(
      type === undefined ? [] : [[type, true]],
    );
  });

  it('include models that run tools among the fallbacks of a message', () => {
    const fallbacks = [{ model: 'perplexity/sonar' }];
    const { hostedTools } = read('openrouter', '/v1/messages', {
      model: 'a/b',
      max_tokens: 1,
      messages: [],
      fallbacks,
    });
    expect(hostedTools.map((tool) => tool.type)).toEqual(['web_search']);
  });

  it.each<[string, unknown, number]>([
    ['web_search_options', { mode: 'off' }, 1],
    ['web_search_options', true, 1],
    ['plugins', { id: 'web', mode: 'off' }, 1],
    ['web_search_options', false, 0],
    ['plugins', [], 0],
    ['search_parameters', { mode: 'off' }, 0],
  ])('are enabled by %s: %j or not', (name, value, count) => {
    expect(read('openrouter', CHAT, { [name]: value }).hostedTools).toHaveLength(count);
  });

  it('take time linear in their number, with repeated types', () => {
    const many = Array.from({ length: 5_000 }, () => ({ type: 'a' }));
    const { hostedTools } = read('openai', CHAT, {
      tools: many,
      tool_choice: {
        type: 'allowed_tools',
        allowed_tools: { mode: 'auto', tools: [...many, { type: 'b' }] },
      },
    });
    const removals = hostedTools.reduce((sum, { remove }) => sum + remove.length, 0);
    expect(removals).toBe(10_000);
  });

  it('are removed from the allowed tools, and are forced only if these have no others', () => {
    const extra = {
      tools: [{ type: 'web_search' }, { type: 'function', name: 'f' }],
      tool_choice: {
        type: 'allowed_tools',
        mode: 'required',
        tools: [{ type: 'web_search' }, { type: 'function', name: 'f' }],
      },
    };
    expect(read('openai', RESPONSES, extra).hostedTools[0]?.forced).toBe(false);
    expect(withoutTools('openai', RESPONSES, extra)).toEqual({
      tools: [{ type: 'function', name: 'f' }],
      tool_choice: { type: 'allowed_tools', mode: 'required', tools: [{ type: 'function', name: 'f' }] },
    });
    const only = {
      ...extra,
      tool_choice: { type: 'allowed_tools', mode: 'required', tools: [{ type: 'web_search' }] },
    };
    expect(read('openai', RESPONSES, only).hostedTools[0]?.forced).toBe(true);
  });

  it('do not include tools that Codex and other agents run', () => {
    const tools = ['function', 'custom', 'local_shell', 'apply_patch', 'computer', 'computer_use_preview'];
    const { hostedTools, tools: names } = read('openai', RESPONSES, {
      tools: tools.map((type) => ({ type, name: type })),
    });
    expect(hostedTools).toEqual([]);
    expect(names).toEqual(tools);
  });
});
