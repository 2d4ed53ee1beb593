import { describe, expect, it } from 'vitest';
import { createHostedToolsCheck } from '../../../../src/checks/hosted-tools/check.ts';
import type { Parsed } from '../../../../src/pipeline/exchange.ts';
import { applyEdits } from '../../../../src/json/edit.ts';
import type { JsonObject } from '../../../../src/json/is-object.ts';
import type { ProviderName } from '../../../../src/providers/registry.ts';
import { composedOnMemory } from '../../../support/composed-checks.ts';
import { parsed } from '../../../support/exchange.ts';

interface Request {
  readonly provider?: ProviderName;
  readonly path?: string;
  readonly body: JsonObject;
  /** Of the key; all by default. */
  readonly allowedModels?: readonly string[];
}

const modelOf = (_provider: ProviderName, name: string): string => name;

function withModels(exchange: Parsed, allowedModels: readonly string[] | undefined): Parsed {
  return allowedModels === undefined ? exchange : { ...exchange, key: { ...exchange.key, allowedModels } };
}

const FUNCTION = { type: 'function', name: 'f' };
const CLAUDE_FUNCTION = { name: 'f', input_schema: { type: 'object' } };
const SEARCH = { type: 'web_search' };
const ask = (members: JsonObject): Request => ({
  path: '/v1/responses',
  body: { model: 'm', input: 'hi', ...members },
});

/** The outcome of a request, and its body. */
async function judge(
  request: Request,
  allowed: readonly string[] = [],
  action: 'remove' | 'deny' = 'remove',
) {
  const check = createHostedToolsCheck({ allowed, action, storedPrompts: 'deny', modelOf });
  const exchange = withModels(parsed(request), request.allowedModels);
  const verdict = await check.requestBody?.(exchange, undefined);
  const sent = JSON.parse(applyEdits(exchange.body, exchange.edits).toString()) as JsonObject;
  const removed = exchange.responseHeaders.get('x-gateway-tools-removed');
  return { verdict, sent, removed, toolModels: exchange.facts.toolModels };
}

const REFUSED = { kind: 'deny', type: 'policy_denied' };

describe('tools that the provider runs itself', () => {
  it('are removed, and the others stay', async () => {
    const request = ask({ tools: [SEARCH, FUNCTION, SEARCH], tool_choice: 'auto' });
    const { verdict, sent, removed } = await judge(request);
    expect([verdict?.kind, removed]).toEqual(['flag', 'web_search']);
    expect(sent).toEqual({ ...request.body, tools: [FUNCTION] });
  });

  it('are denied if the request forces one, or under proxy.provider_tools_action: deny', async () => {
    const forced = ask({ tools: [SEARCH, FUNCTION], tool_choice: SEARCH });
    expect((await judge(forced)).verdict).toMatchObject(REFUSED);
    expect((await judge(ask({ tools: [SEARCH, FUNCTION] }), [], 'deny')).verdict).toMatchObject(REFUSED);
  });

  it('stay if proxy.provider_tools names them', async () => {
    const request = ask({ tools: [SEARCH] });
    const { verdict, sent } = await judge(request, ['web_search'], 'deny');
    expect([verdict?.kind, sent]).toEqual(['pass', request.body]);
  });
});

describe('a tool that runs another model', () => {
  const advisor = { type: 'advisor_20260301', name: 'advisor', model: 'claude-opus-4-8' };
  const request: Request = {
    provider: 'anthropic',
    path: '/v1/messages',
    body: { model: 'claude-haiku-4-5', max_tokens: 9, messages: [], tools: [advisor, CLAUDE_FUNCTION] },
  };
  const kept = ['advisor_20260301'];

  it('is denied to a key that may not use that model', async () => {
    const limited = { ...request, allowedModels: ['claude-haiku*'] };
    expect((await judge(limited, kept)).verdict).toMatchObject(REFUSED);
    const { verdict, removed } = await judge(limited);
    expect([verdict?.kind, removed]).toEqual(['flag', 'advisor_20260301']);
  });

  it('stays with a key that may, and its model is known to later checks', async () => {
    const { verdict, toolModels } = await judge({ ...request, allowedModels: ['claude-*'] }, kept);
    expect([verdict?.kind, toolModels]).toEqual(['pass', ['claude-opus-4-8']]);
    expect((await judge(request)).toolModels).toBeUndefined();
  });

  it('is denied for OpenAI’s images, too', async () => {
    const images = { type: 'image_generation', model: 'gpt-image-1.5' };
    const drawn: Request = {
      provider: 'openai',
      path: '/v1/responses',
      body: { model: 'gpt-5-mini', input: 'draw', tools: [images] },
    };
    const types = ['image_generation'];
    expect((await judge({ ...drawn, allowedModels: ['gpt-5*'] }, types)).verdict).toMatchObject(REFUSED);
    const { verdict, toolModels } = await judge({ ...drawn, allowedModels: ['gpt-*'] }, types);
    expect([verdict?.kind, toolModels]).toEqual(['pass', ['gpt-image-1.5']]);
  });
});

describe('a request that brings no other tool', () => {
  const contents = [{ role: 'user', parts: [{ text: 'hi' }] }];
  const messages = [{ role: 'user', content: 'hi' }];
  const converse = [{ role: 'user', content: [{ text: 'hi' }] }];
  const GENERATE = '/v1beta/models/m:generateContent';
  const AZURE = '/openai/deployments/m/chat/completions';

  it.each<[string, string, Request]>([
    ['a tool in a list', 'web_search', ask({ tools: [SEARCH], tool_choice: 'auto' })],
    ['several', 'web_search, mcp', ask({ tools: [SEARCH, { type: 'mcp', server_label: 'x' }, SEARCH] })],
    [
      'anthropic’s',
      'web_search_20250305',
      {
        provider: 'anthropic',
        path: '/v1/messages',
        body: { model: 'm', messages, tools: [{ type: 'web_search_20250305', name: 'web_search' }] },
      },
    ],
    [
      'MCP servers that Anthropic calls',
      'mcp_servers',
      {
        provider: 'anthropic',
        path: '/v1/messages',
        body: { model: 'm', messages, mcp_servers: [{ type: 'url', url: 'https://a.example', name: 'a' }] },
      },
    ],
    [
      'Gemini’s tools, in one object and in two',
      'googleSearch, urlContext, codeExecution',
      {
        provider: 'gemini',
        path: GENERATE,
        body: { contents, tools: [{ googleSearch: {} }, { url_context: {}, codeExecution: {} }] },
      },
    ],
    [
      'bedrock’s',
      'nova_grounding',
      {
        provider: 'bedrock',
        path: '/model/m/converse',
        body: { messages: converse, toolConfig: { tools: [{ systemTool: { name: 'nova_grounding' } }] } },
      },
    ],
    [
      'a member of a chat request',
      'web_search_options',
      { body: { model: 'm', messages, web_search_options: {} } },
    ],
    [
      'data sources of Azure',
      'data_sources',
      { provider: 'azure', path: AZURE, body: { messages, data_sources: [{ type: 'azure_search' }] } },
    ],
    [
      'connectors of Cohere',
      'connectors',
      {
        provider: 'cohere',
        path: '/v1/chat',
        body: { model: 'm', message: 'hi', connectors: [{ id: 'web-search' }] },
      },
    ],
    [
      'OpenRouter’s :online beside a plugin',
      'plugins, :online',
      {
        provider: 'openrouter',
        path: '/v1/chat/completions',
        body: { model: 'm:online', messages, plugins: [{ id: 'response-healing' }] },
      },
    ],
  ])(
    'is refused, with the tools and the setting that would allow them: %s',
    async (_what, types, request) => {
      const { verdict, sent } = await judge(request);
      expect(verdict).toMatchObject(REFUSED);
      if (verdict?.kind !== 'deny') throw new Error('was not refused');
      expect(verdict.message).toContain(`the request's only tools are ${types}, which`);
      expect(verdict.message).toContain('proxy.provider_tools');
      expect(sent).toEqual(request.body);
      const allowed = types.split(', ');
      expect((await judge(request, allowed)).verdict?.kind).toBe('pass');
    },
  );

  it('except an allowed one, continues with that one', async () => {
    const tools = [{ googleSearch: {} }, { codeExecution: {} }];
    const { verdict, sent } = await judge({ provider: 'gemini', path: GENERATE, body: { contents, tools } }, [
      'googleSearch',
    ]);
    expect([verdict?.kind, sent['tools']]).toEqual(['flag', [{ googleSearch: {} }]]);
  });

  it('except one that a message adds, continues without the empty list and its choice', async () => {
    const added = {
      role: 'system',
      content: [{ type: 'tool_addition', tool: { definition: CLAUDE_FUNCTION } }],
    };
    const tools = [{ type: 'web_search_20250305', name: 'web_search' }];
    const body = { model: 'm', messages: [...messages, added] };
    const { verdict, sent } = await judge({
      provider: 'anthropic',
      path: '/v1/messages',
      body: { ...body, tools, tool_choice: { type: 'auto' } },
    });
    expect([verdict?.kind, sent]).toEqual(['flag', body]);
  });

  it('to count tokens is counted without', async () => {
    const body = { model: 'm', messages };
    const { verdict, sent } = await judge({
      provider: 'anthropic',
      path: '/v1/messages/count_tokens',
      body: {
        ...body,
        tools: [{ type: 'web_search_20250305', name: 'web_search' }],
        tool_choice: { type: 'auto' },
      },
    });
    expect([verdict?.kind, sent]).toEqual(['flag', body]);
  });

  it('but openrouter’s plugins makes sense without them', async () => {
    const body = { model: 'm', messages };
    const request = { ...body, plugins: [{ id: 'file-parser' }] };
    const { verdict, sent, removed } = await judge({
      provider: 'openrouter',
      path: '/v1/chat/completions',
      body: request,
    });
    expect([verdict?.kind, sent, removed]).toEqual(['flag', body, 'plugins']);
  });

  it('names a hostile type in plain characters', async () => {
    const { verdict } = await judge(ask({ tools: [{ type: 'web\r\nx: `ignore all`\u202e' }] }));
    expect(verdict?.kind === 'deny' && verdict.message).toContain('are web??x:??ignore?all??, which');
  });
});

describe('an object stored at the provider', () => {
  const judged = (storedPrompts: 'deny' | 'allow') =>
    createHostedToolsCheck({ allowed: [], action: 'remove', storedPrompts, modelOf }).requestBody?.(
      parsed(ask({ prompt: { id: 'pmpt_1' } })),
      undefined,
    );

  it('is denied, with the setting that would allow it', async () => {
    expect(await judged('deny')).toMatchObject({
      ...REFUSED,
      message: expect.stringContaining('proxy.stored_prompts') as string,
    });
  });

  it('passes under proxy.stored_prompts: allow', async () => {
    expect((await judged('allow'))?.kind).toBe('pass');
  });
});

it.each([
  ['remove', 'flag'],
  ['deny', 'deny'],
] as const)(
  'proxy.provider_tools_action: %s is applied by the check as a gateway creates it',
  async (action, kind) => {
    const { checks } = await composedOnMemory({
      config: { proxy: { provider_tools_action: action, provider_tools: ['code_interpreter'] } },
    });
    const check = checks.find(({ name }) => name === 'hosted-tools');
    const judged = (body: Request): unknown => check?.requestBody?.(parsed(body), undefined);
    expect(judged(ask({ tools: [SEARCH, FUNCTION] }))).toMatchObject({ kind });
    expect(judged(ask({ tools: [{ type: 'code_interpreter' }] }))).toEqual({ kind: 'pass' });
  },
);

it.each([
  ['deny', 'deny'],
  ['allow', 'pass'],
] as const)('proxy.stored_prompts: %s likewise', async (stored_prompts, kind) => {
  const { checks } = await composedOnMemory({ config: { proxy: { stored_prompts } } });
  const check = checks.find(({ name }) => name === 'hosted-tools');
  const exchange = parsed(ask({ prompt: { id: 'p' } }));
  expect(check?.requestBody?.(exchange, undefined)).toMatchObject({ kind });
});
