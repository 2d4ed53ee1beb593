import { describe, expect, it } from 'vitest';
import { MEMBER_NAMES, OWN_NAMES, refuseFoldedNames } from '../../../src/providers/folded-names.ts';
import type { JsonObject } from '../../../src/json/is-object.ts';
import { providers } from '../../../src/providers/registry.ts';
import type { JsonPath } from '../../../src/json/path.ts';
import { quickestCpuMs } from '../../support/cpu-time.ts';
import { openaiRows } from './openai-rows.ts';
import { ownDialectRows } from './own-dialect-rows.ts';

const message = (more: object): JsonObject => ({
  model: 'm',
  messages: [{ role: 'user', content: 'hi', ...more }],
});
const part = (more: object): JsonObject => message({ content: [{ type: 'text', text: 'hi', ...more }] });

/** Bodies by dialect, each with a text that only case-insensitive parsers read. */
const REFUSED: readonly [string, JsonObject][] = [
  ['a message', message({ Content: 'x' })],
  ['a message without other members', { model: 'm', messages: [{ role: 'user', CONTENT: 'x' }] }],
  ['the Kelvin sign', message({ ['thin\u212a']: 1 })],
  ['the long s', { model: 'm', ['me\u017fsages']: [] }],
  ['a member of the body', { model: 'm', Messages: [] }],
  ['a content part', part({ Text: 'x' })],
  ['a nested part', part({ source: { type: 'base64', Data: 'x' } })],
  ['a system block', { model: 'm', system: [{ type: 'text', TEXT: 'x' }] }],
  ['a tool', { model: 'm', tools: [{ type: 'function', Function: {} }] }],
  [
    'a tool’s function',
    { model: 'm', tools: [{ type: 'function', function: { name: 'f', Description: 'x' } }] },
  ],
  ['a call', message({ tool_calls: [{ function: { name: 'f', Arguments: '{}' } }] })],
  ['a result', part({ type: 'tool_result', content: [{ type: 'text', tExt: 'x' }] })],
  ['Responses', { model: 'm', input: [{ role: 'user', content: [{ type: 'input_text', Text: 'x' }] }] }],
  ['Gemini', { contents: [{ parts: [{ text: 'x', InlineData: {} }] }] }],
  ['Gemini in lower case', { contents: [{ parts: [{ functioncall: {} }] }] }],
  ['Gemini’s configuration', { contents: [], generationConfig: { MaxOutputTokens: 5 } }],
  ['Converse', { messages: [{ role: 'user', content: [{ toolResult: { Content: [] } }] }] }],
  ['Converse’s configuration', { messages: [], inferenceConfig: { maxtokens: 5 } }],
  ['Cohere', { message: 'x', chat_history: [{ role: 'USER', Message: 'x' }] }],
  ['Ollama', { model: 'm', messages: [], options: { Num_Predict: 5 } }],
  ['embeddings', { model: 'm', input: [{ content: [{ Text: 'x' }] }] }],
  ['an agent', { model: 'm', messages: [], Agent_ID: 'ag_1' }],
  ['a container’s skills', { model: 'm', messages: [], container: { Skills: [{}] } }],
  ['the request for a deferred answer', { model: 'm', messages: [], Deferred: true }],
  ['the output modalities', { model: 'm', messages: [], Output_Modalities: ['audio'] }],
  ['settings of pictures', { contents: [], generationConfig: { ImageConfig: {} } }],
  ['Google’s extensions', { model: 'm', messages: [], extra_body: { Google: {} } }],
  ['a Gemini tool response', { contents: [{ parts: [{ ToolResponse: {} }] }] }],
  ['two unknown members', part({ some: { foo: 1, Foo: 2 } })],
];

const FREE: readonly [string, JsonObject][] = [
  [
    'a schema',
    { tools: [{ function: { name: 'f', parameters: { properties: { Name: {}, name: {}, Content: {} } } } }] },
  ],
  ['Anthropic’s schema', { tools: [{ name: 'f', input_schema: { properties: { Content: {} } } }] }],
  [
    'Converse’s schema',
    { toolConfig: { tools: [{ toolSpec: { inputSchema: { json: { properties: { Text: {} } } } } }] } },
  ],
  [
    'the schema of the answer',
    { response_format: { json_schema: { schema: { properties: { Name: {} } } } } },
  ],
  [
    'the schema in the form of Google’s clients',
    { contents: [], generationConfig: { _responseJsonSchema: { default: { Name: 'x', Content: 'y' } } } },
  ],
  ['Ollama’s format', { format: { type: 'object', properties: { Role: {}, role: {} } } }],
  ['arguments', part({ type: 'tool_use', name: 'f', input: { Content: 'x', content: 'y', CamelCase: 1 } })],
  [
    'Gemini’s arguments',
    {
      contents: [
        { parts: [{ functionCall: { args: { Text: 1 } } }, { functionResponse: { response: { Name: 1 } } }] },
      ],
    },
  ],
  ['metadata', { metadata: { Model: 'x', model: 'y' } }],
  ['headers for an MCP server', { tools: [{ type: 'mcp', headers: { Name: 'x' } }] }],
  ['documents', { documents: [{ Title: 'x', Text: 'y' }] }],
  ['unknown names', message({ 'X-Trace': 1, Größe: 2 })],
  ['a logit bias', { logit_bias: { A: 1, a: 2 } }],
];

/** A copy of a document in which the member at a path has another name. */
function renamed(value: unknown, [step, ...rest]: JsonPath, name: string): unknown {
  if (typeof value !== 'object' || value === null || step === undefined) return value;
  if (Array.isArray(value))
    return value.map((item: unknown, at) => (at === step ? renamed(item, rest, name) : item));
  return Object.fromEntries(
    Object.entries(value).map(([own, item]) =>
      own !== step ? [own, item] : rest.length === 0 ? [name, item] : [own, renamed(item, rest, name)],
    ),
  );
}

function refusalOf(body: unknown): string {
  try {
    refuseFoldedNames(body as JsonObject);
  } catch (error) {
    return error instanceof Error ? error.message : '';
  }
  return 'not refused';
}

describe('names that case-insensitive parsers read as others', () => {
  it.each(REFUSED)('are refused: %s', (_where, body) => {
    expect(() => {
      refuseFoldedNames(body);
    }).toThrow(expect.objectContaining({ type: 'invalid_request' }) as Error);
  });

  it.each(FREE)('are accepted if they are client-defined: %s', (_where, body) => {
    expect(() => {
      refuseFoldedNames(body);
    }).not.toThrow();
  });

  it.each([...openaiRows, ...ownDialectRows].map((row) => [`${row.provider} ${row.path}`, row] as const))(
    'are refused in every place that is read as text, and accepted if they are spelled correctly: %s',
    (_name, { provider, path, body }) => {
      const endpoint = providers[provider].endpoint('POST', path.split('?')[0] ?? '');
      if (endpoint === undefined || body === undefined) throw new Error('no such endpoint');
      refuseFoldedNames(body as JsonObject);
      for (const text of endpoint.dialect.request(body as JsonObject, endpoint).texts) {
        for (const [depth, step] of text.path.entries()) {
          if (typeof step === 'string' && OWN_NAMES.has(step)) break;
          if (typeof step !== 'string' || !MEMBER_NAMES.has(step)) continue;
          const respelled = renamed(
            body,
            text.path.slice(0, depth + 1),
            step.charAt(0).toUpperCase() + step.slice(1),
          );
          expect([text.path, refusalOf(respelled)]).toEqual([
            text.path,
            expect.stringContaining(`"${step}"`),
          ]);
        }
      }
    },
  );

  it('are not quoted if they may be data', () => {
    const long = 'A'.repeat(40);
    expect(() => {
      refuseFoldedNames({ some: { [long]: 1, [long.toLowerCase()]: 2 } });
    }).toThrow(/^(?!.*AAAA).*…/i);
  });

  it('do not include two dialect members', () => {
    const folds = [...MEMBER_NAMES].map((name) => name.toLowerCase());
    expect(folds.filter((fold, at) => folds.indexOf(fold) !== at)).toEqual([]);
  });

  it('are found quickly in 50,000 members, known, unknown and folded', () => {
    const messages = Array.from({ length: 12_500 }, () => ({ role: 'user', content: 'x' }));
    const many = Object.fromEntries(Array.from({ length: 25_000 }, (_, n) => [`Name${String(n)}`, n]));
    expect(
      quickestCpuMs(() => {
        refuseFoldedNames({ messages });
      }),
    ).toBeLessThan(15);
    expect(
      quickestCpuMs(() => {
        refuseFoldedNames({ some: many });
      }),
    ).toBeLessThan(40);
  });
});
