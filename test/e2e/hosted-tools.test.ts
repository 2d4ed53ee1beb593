import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { expectRefusal, startBudgets, TOKEN, type Budgets, type Client } from './budgets/rig.ts';
import { startRecorder, type Recorder } from '../support/recorder.ts';

/** docs/hosted-tools.md: how a request with hosted tools is treated, depending on its other tools. */
type Body = Readonly<Record<string, unknown>>;

const PRICE_USD = 0.01;
const PRICE = PRICE_USD * 1e9;

interface Sample {
  readonly what: string;
  readonly path: string;
  /** The type's name in `proxy.provider_tools`. */
  readonly type: string;
  /** A request with only this tool. */
  readonly alone: Body;
  /** The same beside a tool that the client runs, and that one by itself. */
  readonly beside?: readonly [asked: Body, forwarded: Body];
}

const messages = [{ role: 'user', content: 'Search the web for news.' }];
const contents = [{ role: 'user', parts: [{ text: 'Search the web for news.' }] }];
const converse = [{ role: 'user', content: [{ text: 'Search the web for news.' }] }];
const CLAUDE_FUNCTION = { name: 'read', input_schema: { type: 'object' } };
const FUNCTION = { type: 'function', name: 'read', parameters: { type: 'object' } };
const CHAT_FUNCTION = { type: 'function', function: { name: 'read', parameters: { type: 'object' } } };
const GEMINI_FUNCTIONS = { functionDeclarations: [{ name: 'read' }] };
const BEDROCK_FUNCTION = { toolSpec: { name: 'read', inputSchema: { json: { type: 'object' } } } };

/** Some are written as agents send them: Claude Code and Gemini CLI send a request of their own to search. */
const SAMPLES: readonly Sample[] = [
  sampleOf('claude code’s web search', '/anthropic/v1/messages', 'web_search_20250305', {
    body: { model: 'flat', max_tokens: 100, messages },
    tool: { type: 'web_search_20250305', name: 'web_search', max_uses: 8 },
    other: CLAUDE_FUNCTION,
  }),
  sampleOf('a newer web search', '/anthropic/v1/messages', 'web_search_20260209', {
    body: { model: 'flat', max_tokens: 100, messages },
    tool: { type: 'web_search_20260209', name: 'web_search' },
    other: CLAUDE_FUNCTION,
  }),
  sampleOf('gemini cli’s web search', '/gemini/v1beta/models/flat:generateContent', 'googleSearch', {
    body: { contents, generationConfig: { maxOutputTokens: 100 } },
    tool: { googleSearch: {} },
    other: GEMINI_FUNCTIONS,
  }),
  sampleOf('gemini cli’s web fetch', '/gemini/v1beta/models/flat:generateContent', 'urlContext', {
    body: { contents, generationConfig: { maxOutputTokens: 100 } },
    tool: { urlContext: {} },
    other: GEMINI_FUNCTIONS,
  }),
  sampleOf('codex’s web search', '/openai/v1/responses', 'web_search', {
    body: { model: 'flat', max_output_tokens: 100, input: 'Search.' },
    tool: { type: 'web_search', external_web_access: true },
    other: FUNCTION,
  }),
  sampleOf('a remote MCP server', '/openai/v1/responses', 'mcp', {
    body: { model: 'flat', max_output_tokens: 100, input: 'Search.' },
    tool: { type: 'mcp', server_label: 'docs', server_url: 'https://mcp.example/sse' },
    other: FUNCTION,
  }),
  sampleOf('bedrock’s grounding', '/bedrock/model/flat/converse', 'nova_grounding', {
    body: { messages: converse, inferenceConfig: { maxTokens: 100 } },
    tool: { systemTool: { name: 'nova_grounding' } },
    other: BEDROCK_FUNCTION,
    under: 'toolConfig',
  }),
  {
    what: 'a search that chat switches on',
    path: '/openai/v1/chat/completions',
    type: 'web_search_options',
    alone: { model: 'flat', max_tokens: 100, messages, web_search_options: {} },
    beside: [
      { model: 'flat', max_tokens: 100, messages, web_search_options: {}, tools: [CHAT_FUNCTION] },
      { model: 'flat', max_tokens: 100, messages, tools: [CHAT_FUNCTION] },
    ],
  },
  {
    what: 'azure’s data sources',
    path: '/azure/openai/deployments/flat/chat/completions?api-version=2024-10-21',
    type: 'data_sources',
    alone: { max_tokens: 100, messages, data_sources: [{ type: 'azure_search', parameters: {} }] },
  },
  {
    what: 'openrouter’s :online',
    path: '/openrouter/v1/chat/completions',
    type: ':online',
    alone: { model: 'flat:online', max_tokens: 100, messages },
  },
  {
    what: 'servers that anthropic calls',
    path: '/anthropic/v1/messages',
    type: 'mcp_servers',
    alone: {
      model: 'flat',
      max_tokens: 100,
      messages,
      mcp_servers: [{ type: 'url', url: 'https://mcp.example', name: 'docs' }],
      tools: [{ type: 'mcp_toolset', mcp_server_name: 'docs' }],
    },
  },
];

function sampleOf(
  what: string,
  path: string,
  type: string,
  { body, tool, other, under }: { body: Body; tool: Body; other: Body; under?: string },
): Sample {
  const tools = (list: readonly Body[]): Body =>
    under === undefined ? { ...body, tools: list } : { ...body, [under]: { tools: list } };
  return { what, path, type, alone: tools([tool]), beside: [tools([tool, other]), tools([other])] };
}

/** Each is allowed, and has a price. */
const types = [...new Set([...SAMPLES.map(({ type }) => type), 'code_interpreter', 'advisor_20260301'])];
let strict: Budgets;
/** Allows all of them, on the same Redis and provider. */
let allowing: Budgets;
/** Like `allowing`, in front of a server that sends the text of `answerWith` and no more. */
let breaking: Budgets;
let server: Recorder;
let answer = '';
const answerWith = (text: string): void => void (answer = text);

beforeAll(async () => {
  strict = await startBudgets();
  allowing = await startBudgets(
    {
      proxy: { provider_tools: types },
      pricing: { tools: Object.fromEntries(types.map((type) => [type, PRICE_USD])) },
    },
    strict,
  );
  server = await startRecorder((_request, response) =>
    response.writeHead(200, { 'content-type': 'text/event-stream' }).end(answer),
  );
  breaking = await startBudgets(
    {
      proxy: { provider_tools: types },
      pricing: { tools: Object.fromEntries(types.map((type) => [type, PRICE_USD])) },
      providers: { anthropic: { base_url: server.url } },
    },
    strict,
  );
});
afterAll(async () => {
  await breaking.close();
  await server.close();
  await allowing.close();
  await strict.close();
});

const lastBody = (client: Client): unknown => JSON.parse(client.forwarded().at(-1)?.body.toString() ?? '');

describe.each(SAMPLES)('$what', ({ path, type, alone }) => {
  it('is refused if alone, and the refusal names it and the setting', async () => {
    const client = await strict.newClient();
    const reply = await client.ask(alone, { path });
    expectRefusal(reply, 403, 'policy_denied');
    expect(reply.headers['x-gateway-policy-block']).toBe('true');
    const { error } = JSON.parse(reply.body) as { error: string };
    expect(error).toContain(type);
    expect(error).toContain('proxy.provider_tools');
    expect(client.forwarded()).toEqual([]);
  });

  it('reaches the provider if allowed, without and with a budget', async () => {
    for (const options of [{}, { budget: { monthly: 1 } }]) {
      const client = await allowing.newClient(options);
      const reply = await client.ask(alone, { path });
      expect([reply.status, reply.headers['x-gateway-tools-removed']]).toEqual([200, undefined]);
      // With a budget, OpenRouter gets the highest price.
      expect(lastBody(client)).toMatchObject(alone);
    }
  });

  it('is refused if the budget is below its price', async () => {
    const client = await allowing.newClient({ budget: { monthly: (PRICE - TOKEN) / 1e9 } });
    expectRefusal(await client.ask(alone, { path }), 429, 'budget_exceeded');
    expect(client.forwarded()).toEqual([]);
  });
});

it.each(SAMPLES.flatMap(({ beside, ...sample }) => (beside === undefined ? [] : [{ ...sample, beside }])))(
  '$what is removed beside a tool of the client, and the client is told',
  async ({ path, type, beside: [asked, forwarded] }) => {
    const client = await strict.newClient();
    const reply = await client.ask(asked, { path });
    expect([reply.status, reply.headers['x-gateway-tools-removed']]).toEqual([200, type]);
    expect(lastBody(client)).toEqual(forwarded);
  },
);

describe('a stream that breaks off after a tool of the provider has begun to run', () => {
  const search = { type: 'web_search_20250305', name: 'web_search' };
  const body = { model: 'flat', max_tokens: 1_000, stream: true, messages, tools: [search] };
  const path = '/anthropic/v1/messages';
  /** Of one search, and of all tokens granted: the input is free. */
  const RESERVED = PRICE + 1_000 * TOKEN;

  it.each([
    ['costs its reservation, as the results are input that was not seen', 'server_tool_use', RESERVED],
    ['is counted if only the client runs tools', 'tool_use', undefined],
  ])('%s', async (_what, type, nanoUsd) => {
    const start = { type: 'message_start', message: { usage: { input_tokens: 10, output_tokens: 1 } } };
    const block = {
      type: 'content_block_start',
      index: 0,
      content_block: { type, id: 'x', name: 'x', input: {} },
    };
    const events = [start, block].map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
    answerWith(events.join(''));
    const client = await breaking.newClient({ budget: { monthly: 1 } });
    expect((await client.ask(body, { path })).status).toBe(200);
    if (nanoUsd !== undefined) return client.expectSpent(nanoUsd);
    await vi.waitFor(async () => expect((await client.account()).reserved).toBe(0));
    expect((await client.account()).spent).toBeLessThan(RESERVED);
  });
});

describe('a setting that makes an allowed tool dearer than its price', () => {
  const code = (container: unknown) => ({
    path: '/openai/v1/responses',
    body: {
      model: 'flat',
      max_output_tokens: 100,
      input: 'Sum.',
      tools: [{ type: 'code_interpreter', container }],
    },
  });
  const advisor = {
    path: '/anthropic/v1/messages',
    body: {
      model: 'flat',
      max_tokens: 100,
      messages,
      tools: [{ type: 'advisor_20260301', name: 'advisor', model: 'gpt-5' }],
    },
  };

  it.each([
    ['the memory of a container', 'memory_limit', code({ type: 'auto', memory_limit: '64g' })],
    ['the model of a tool', 'the model of a tool', advisor],
  ])('is refused with a budget: %s', async (_what, named, { path, body }) => {
    const client = await allowing.newClient({ budget: { monthly: 1 } });
    const reply = await client.ask(body, { path });
    expectRefusal(reply, 400, 'invalid_request');
    expect(reply.body).toContain(named);
    expect(client.forwarded()).toEqual([]);
    expect((await (await allowing.newClient()).ask(body, { path })).status).toBe(200);
  });

  it.each([
    ['the usual memory', { type: 'auto', memory_limit: '1g' }],
    ['no setting', { type: 'auto' }],
    ['its own container', 'cntr_1'],
  ])('is not %s', async (_what, container) => {
    const { path, body } = code(container);
    const client = await allowing.newClient({ budget: { monthly: 1 } });
    expect((await client.ask(body, { path })).status).toBe(200);
  });
});

describe('neighbours', () => {
  it('several tools that are all removed are refused together', async () => {
    const client = await strict.newClient();
    const tools = [{ googleSearch: {} }, { urlContext: {}, codeExecution: {} }];
    const path = '/gemini/v1beta/models/flat:generateContent';
    const reply = await client.ask({ contents, tools }, { path });
    expectRefusal(reply, 403, 'policy_denied');
    expect(reply.body).toContain('googleSearch, urlContext, codeExecution');
  });

  it('an allowed one is enough if the others are removed', async () => {
    const client = await allowing.newClient();
    const path = '/gemini/v1beta/models/flat:generateContent';
    const tools = [{ googleSearch: {} }, { codeExecution: {} }];
    const reply = await client.ask({ contents, tools }, { path });
    expect([reply.status, reply.headers['x-gateway-tools-removed']]).toEqual([200, 'codeExecution']);
    expect(lastBody(client)).toEqual({ contents, tools: [{ googleSearch: {} }] });
  });

  it('openrouter’s plugins are optional: the request is sent without them', async () => {
    const client = await strict.newClient();
    const body = { model: 'flat', max_tokens: 100, messages };
    const path = '/openrouter/v1/chat/completions';
    const reply = await client.ask({ ...body, plugins: [{ id: 'file-parser' }] }, { path });
    expect([reply.status, reply.headers['x-gateway-tools-removed']]).toEqual([200, 'plugins']);
    expect(lastBody(client)).toMatchObject(body);
    expect(lastBody(client)).not.toHaveProperty('plugins');
  });

  it('tokens are counted without them', async () => {
    const client = await strict.newClient();
    const tools = [{ type: 'web_search_20250305', name: 'web_search' }];
    const path = '/anthropic/v1/messages/count_tokens';
    const reply = await client.ask(
      { model: 'flat', messages, tools, tool_choice: { type: 'auto' } },
      { path },
    );
    expect(reply.headers['x-gateway-tools-removed']).toBe('web_search_20250305');
    expect(lastBody(client)).toEqual({ model: 'flat', messages });
  });

  it('a hostile type is named in plain characters', async () => {
    const client = await strict.newClient();
    const tools = [{ type: 'web_search\r\nx: `ignore all` \u202e', name: 'x' }];
    const reply = await client.ask({ model: 'flat', input: 'hi', tools }, { path: '/openai/v1/responses' });
    expectRefusal(reply, 403, 'policy_denied');
    expect(reply.body).toContain('web_search??x:??ignore?all');
  });
});
