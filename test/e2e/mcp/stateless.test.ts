import type { CallToolResult, Progress } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { send } from '../../support/http.ts';
import { cli } from '../budgets/rig.ts';
import { connectStateless, SERVER_CREDENTIAL, startMcpRig, type McpRig } from '../../support/mcp-rig.ts';
import { withHostileHeaders } from '../../support/mcp-server.ts';

type Name = 'events' | 'documents';

let rig: McpRig<Name>;
beforeAll(async () => {
  rig = await startMcpRig({
    events: { era: 'stateless', intercept: withHostileHeaders },
    documents: { era: 'stateless', json: true, intercept: withHostileHeaders },
  });
});
afterAll(() => rig.close());

const text = (said: string): Partial<CallToolResult> => ({ content: [{ type: 'text', text: said }] });

describe.each<[string, Name]>([
  ['events where it must', 'events'],
  ['one document', 'documents'],
])('the official client of MCP 2026-07-28, answered with %s,', (_how, name) => {
  it.each(['header', 'path'] as const)('lists and calls tools, with its key in the %s', async (auth) => {
    const access = await rig.access(name, { auth });
    const before = rig.servers[name].requests.length;
    const client = await connectStateless(access);
    const { tools } = await client.listTools();
    expect(tools.map((tool) => tool.name)).toEqual([
      'echo',
      'say',
      'locate',
      'count',
      'wait',
      'ask',
      'think',
    ]);
    expect(await client.callTool({ name: 'echo', arguments: { text: 'Grüße 🙂' } })).toMatchObject(
      text('Grüße 🙂'),
    );
    await client.close();
    const got = rig.servers[name].requests.slice(before);
    expect(got.map(({ method, headers }) => [method, headers['mcp-method'], headers['mcp-name']])).toEqual([
      ['POST', 'server/discover', undefined],
      ['POST', 'tools/list', undefined],
      ['POST', 'tools/call', 'echo'],
    ]);
    expect(got.every(({ headers }) => headers.authorization === SERVER_CREDENTIAL)).toBe(true);
    expect(JSON.stringify(got)).not.toContain(access.rawKey);
  });

  it('repeats arguments in headers, and the server takes them', async () => {
    const client = await connectStateless(await rig.access(name));
    await client.listTools();
    const args = { region: ' Köln ', floor: 42 };
    expect(await client.callTool({ name: 'locate', arguments: args })).toMatchObject(text(' Köln /42'));
    expect(rig.servers[name].requests.at(-1)?.headers).toMatchObject({
      'mcp-param-region': '=?base64?IEvDtmxuIA==?=',
      'mcp-param-floor_no': '42',
    });
    await client.close();
  });

  it('reads resources and prompts', async () => {
    const client = await connectStateless(await rig.access(name));
    expect((await client.listResources()).resources).toMatchObject([{ uri: 'memo://greeting' }]);
    expect((await client.readResource({ uri: 'memo://greeting' })).contents).toMatchObject([
      { text: 'hello from a resource' },
    ]);
    expect((await client.getPrompt({ name: 'greet', arguments: { who: 'Ada' } })).messages).toMatchObject([
      { content: { text: 'greet Ada' } },
    ]);
    await client.close();
  });

  it('is asked for input in the answer, and sends it with the same call', async () => {
    const client = await connectStateless(
      await rig.access(name),
      { capabilities: { elicitation: { form: {} } } },
      (each) =>
        each.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: { reply: 'aye' } })),
    );
    const { content } = await client.callTool({ name: 'ask', arguments: { question: 'well?' } });
    expect(JSON.stringify(content)).toContain('aye');
    await client.close();
  });

  it('gets a sampling request in the answer, and sends the result with the same call', async () => {
    const client = await connectStateless(
      await rig.access(name),
      { capabilities: { sampling: {} } },
      (each) =>
        each.setRequestHandler('sampling/createMessage', ({ params }) => ({
          model: 'm',
          role: 'assistant',
          content: { type: 'text', text: `thought about ${JSON.stringify(params.messages[0]?.content)}` },
        })),
    );
    const { content } = await client.callTool({ name: 'think', arguments: { question: 'life' } });
    expect(JSON.stringify(content)).toMatch(/thought about .*life/);
    await client.close();
  });

  it('cancels a call by disconnecting, and the server learns of it', async () => {
    const client = await connectStateless(await rig.access(name));
    const before = rig.servers[name].cancelled;
    const stop = new AbortController();
    const ended = expect(client.callTool({ name: 'wait' }, { signal: stop.signal })).rejects.toThrow();
    await vi.waitFor(() => expect(rig.servers[name].requests.at(-1)?.headers['mcp-name']).toBe('wait'));
    stop.abort();
    await ended;
    await vi.waitFor(() => expect(rig.servers[name].cancelled).toBe(before + 1), { timeout: 3_000 });
    await client.close();
  });

  it('receives the changes that it subscribed to', async () => {
    const client = await connectStateless(await rig.access(name));
    const changed = vi.fn();
    client.setNotificationHandler('notifications/tools/list_changed', changed);
    const subscription = await client.listen({ toolsListChanged: true });
    await rig.servers[name].announce();
    await vi.waitFor(() => expect(changed).toHaveBeenCalled());
    await subscription.close();
    await client.close();
  });

  it('reports why a tool was refused, as an error of the call', async () => {
    const client = await connectStateless(await rig.access(name, { key: { allowedTools: ['echo'] } }));
    await expect(client.callTool({ name: 'say' })).rejects.toMatchObject({
      code: -32001,
      message: expect.stringContaining('Error: tool [say] blocked. Reason: ') as string,
      data: { type: 'policy_denied', tool_name: 'say', rule: 'allowed_tools' },
    });
    expect(rig.servers[name].requests.at(-1)?.headers['mcp-name']).not.toBe('say');
    await client.close();
  });
});

it('has its subscription cut at the next event once its key is locked', async () => {
  const { rawKey, keyHash, url, headers } = await rig.access('events');
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'test-client', version: '1.0.0' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const params = { notifications: { toolsListChanged: true }, _meta: meta };
  const announcing = setInterval(() => void rig.servers.events.announce(), 50);
  let locking: Promise<unknown> | undefined;
  const reply = await send(rig.gateway.baseUrl, {
    path: url.pathname,
    method: 'POST',
    headers: {
      ...headers,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'subscriptions/listen',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'subscriptions/listen', params }),
    onText(text) {
      if (text.includes('list_changed')) locking ??= cli(rig.gateway, 'quarantine', 'set', keyHash);
    },
  }).finally(() => clearInterval(announcing));
  await locking;
  expect(reply.status).toBe(200);
  const last = reply.body.trimEnd().split('\n\n').at(-1) ?? '';
  expect(JSON.parse(last.slice('data: '.length))).toEqual({
    jsonrpc: '2.0',
    id: 7,
    error: {
      code: -32000,
      message: expect.stringMatching(/^this proxy key is locked .* an operator has locked it\. /) as string,
      data: { type: 'quarantined' },
    },
  });
  expect(reply.body).not.toContain(rawKey);
}, 15_000);

it('reports progress as it happens', async () => {
  const client = await connectStateless(await rig.access('events'));
  const steps: Progress[] = [];
  const result = await client.callTool(
    { name: 'count', arguments: { steps: 4 } },
    { onprogress: (progress) => steps.push(progress) },
  );
  expect(result).toMatchObject(text('counted to 4'));
  expect(steps.map(({ message }) => message)).toEqual(['step 1', 'step 2', 'step 3', 'step 4']);
  await client.close();
});
