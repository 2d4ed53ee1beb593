import { describe, expect, it } from 'vitest';
import { isHostedType, readOpaqueTools } from '../../../src/providers/dialects/opaque-tools.ts';

describe('tools of a body in an unknown dialect', () => {
  it.each<[string, object, string[], unknown[][]]>([
    ['typed', { tools: [{ type: 'code_interpreter' }] }, ['code_interpreter'], [['tools', 0]]],
    ['deep', { a: [{ b: { tools: [{ type: 'x' }] } }] }, ['x'], [['a', 0, 'b', 'tools', 0]]],
    ['a tool that is not in a list', { tools: { type: 'x' } }, ['x'], [['tools']]],
    ['a tool that is only a name', { tools: ['web_search'] }, ['web_search'], [['tools', 0]]],
    ['Google’s', { tools: [{ google_search: {} }] }, ['googleSearch'], [['tools', 0]]],
    [
      'Google’s beside functions',
      { tools: [{ functionDeclarations: [], codeExecution: {} }] },
      ['codeExecution'],
      [['tools', 0, 'codeExecution']],
    ],
    [
      'disguised',
      { tools: [{ name: 'f', googleSearch: {} }] },
      ['googleSearch'],
      [['tools', 0, 'googleSearch']],
    ],
    [
      'a function with a hosted tool in it',
      { tools: [{ type: 'function', url_context: {} }] },
      ['urlContext'],
      [['tools', 0, 'url_context']],
    ],
    ['switches', { x: { webSearchOptions: {} } }, ['webSearchOptions'], [['x', 'webSearchOptions']]],
    ['servers', { 'MCP-servers': [1] }, ['MCP-servers'], [['MCP-servers']]],
    ['a model', { model: 'groq/compound' }, ['compound'], []],
  ])('are found and can be removed: %s', (_what, body, types, paths) => {
    const model = (body as { model?: string }).model;
    const { hostedTools } = readOpaqueTools({ ...body }, model === undefined ? [] : [model]);
    expect(hostedTools.map(({ type }) => type)).toEqual(types);
    expect(hostedTools.flatMap(({ remove }) => remove.map(({ path }) => path))).toEqual(paths);
  });

  it('are required if only their type occurs', () => {
    expect(readOpaqueTools({ tool_choice: { type: 'file_search' } }, []).hostedTools).toEqual([
      { type: 'file_search', remove: [], forced: true },
    ]);
  });

  it.each([
    { tools: [{ type: 'function', function: { name: 'f' } }] },
    {
      tools: [
        { type: 'custom', name: 'f' },
        { type: 'bash_20250124', name: 'f' },
      ],
    },
    { tools: [{ name: 'f', input_schema: {} }] },
    { tools: [{ functionDeclarations: [{ name: 'f' }] }] },
    { tools: [], plugins: [], connectors: null, web_search_options: false },
    { content: [{ type: 'text', text: 'web_search' }] },
  ])('are the client’s: %j', (body) => {
    expect(readOpaqueTools(body, []).hostedTools).toEqual([]);
  });

  it.each([
    'web_search',
    'web_search_20250305',
    'web_search_preview_2025_03_11',
    'WEB_SEARCH',
    'mcp',
    'tool_search_tool_regex_20251119',
    'code_execution_20250825',
  ])('a type is hosted: %s', (type) => {
    expect(isHostedType(type)).toBe(true);
  });

  it.each(['text', 'function', 'my_web_search', 'mcp_thing', `web_search${'_1'.repeat(40)}`])(
    'a type is not hosted: %s',
    (type) => {
      expect(isHostedType(type)).toBe(false);
    },
  );
});
