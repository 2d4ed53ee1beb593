import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ToolListChangedNotificationSchema,
  type CallToolResult,
  type Progress,
} from '@modelcontextprotocol/sdk/types.js';
import {
  connectClient,
  connectStateless,
  SERVER_CREDENTIAL,
  SERVER_QUERY,
  startMcpRig,
  type McpRig,
} from '../../support/mcp-rig.ts';
import { withHostileHeaders, type McpRecorded } from '../../support/mcp-server.ts';

type Name = 'events' | 'documents';

let rig: McpRig<Name>;
beforeAll(async () => {
  rig = await startMcpRig({
    events: { era: 'sessions', intercept: withHostileHeaders },
    documents: { era: 'sessions', json: true, intercept: withHostileHeaders },
  });
});
afterAll(() => rig.close());

const text = (said: string): CallToolResult => ({ content: [{ type: 'text', text: said }] });

/** Messages that the server received in one session. */
function requestsOf(name: Name, sessionId: string | undefined): McpRecorded[] {
  return rig.servers[name].requests.filter(({ headers }) => headers['mcp-session-id'] === sessionId);
}

/** Waits until the client has opened its stream for the server's own messages. */
function listening(name: Name, sessionId: string | undefined): Promise<void> {
  return vi.waitFor(() => {
    expect(requestsOf(name, sessionId).map(({ method }) => method)).toContain('GET');
  });
}

describe.each<[string, Name]>([
  ['events', 'events'],
  ['one document', 'documents'],
])('the official client of MCP up to 2025-11-25, answered with %s,', (_how, name) => {
  it.each(['header', 'path'] as const)('lists and calls tools, with its key in the %s', async (auth) => {
    const access = await rig.access(name, { auth });
    const { client, transport } = await connectClient(access);
    const { tools } = await client.listTools();
    expect(tools.map((tool) => tool.name)).toEqual(['echo', 'say', 'count', 'wait', 'think', 'ask']);
    expect(await client.callTool({ name: 'echo', arguments: { text: 'Grüße 🙂' } })).toEqual(
      text('Grüße 🙂'),
    );
    const got = requestsOf(name, transport.sessionId);
    await client.close();

    expect(got.length).toBeGreaterThan(0);
    expect(
      got.every(
        ({ url, headers }) => url === `/mcp${SERVER_QUERY}` && headers.authorization === SERVER_CREDENTIAL,
      ),
    ).toBe(true);
    expect(JSON.stringify(rig.servers[name].requests)).not.toContain(access.rawKey);
    expect(JSON.stringify(got)).not.toContain('x-gateway');
  });

  it('reads resources and prompts', async () => {
    const { client } = await connectClient(await rig.access(name));
    expect((await client.listResources()).resources).toMatchObject([{ uri: 'memo://greeting' }]);
    expect((await client.readResource({ uri: 'memo://greeting' })).contents).toEqual([
      { uri: 'memo://greeting', mimeType: 'text/plain', text: 'hello from a resource' },
    ]);
    expect((await client.listPrompts()).prompts).toMatchObject([{ name: 'greet' }]);
    expect((await client.getPrompt({ name: 'greet', arguments: { who: 'Ada' } })).messages).toEqual([
      { role: 'user', content: { type: 'text', text: 'greet Ada' } },
    ]);
    await client.close();
  });

  it('cancels a call, and the server learns of it', async () => {
    const { client } = await connectClient(await rig.access(name));
    const before = rig.servers[name].cancelled;
    const stop = new AbortController();
    const call = client.callTool({ name: 'wait' }, undefined, { signal: stop.signal });
    const ended = expect(call).rejects.toThrow('enough');
    await vi.waitFor(() => expect(JSON.stringify(rig.servers[name].requests.at(-1)?.body)).toContain('wait'));
    stop.abort('enough');
    await ended;
    await vi.waitFor(() => expect(rig.servers[name].cancelled).toBe(before + 1));
    await client.close();
  });

  it('receives changes on the server’s own stream', async () => {
    const { client, transport } = await connectClient(await rig.access(name));
    const changed = vi.fn();
    client.setNotificationHandler(ToolListChangedNotificationSchema, changed);
    await listening(name, transport.sessionId);
    await rig.servers[name].announce();
    await vi.waitFor(() => expect(changed).toHaveBeenCalled());
    await client.close();
  });

  it('gets the server’s sampling request', async () => {
    const { client, transport } = await connectClient(
      await rig.access(name),
      { capabilities: { sampling: {} } },
      (each) =>
        each.setRequestHandler(CreateMessageRequestSchema, ({ params }) => ({
          model: 'm',
          role: 'assistant',
          content: { type: 'text', text: `thought about ${JSON.stringify(params.messages[0]?.content)}` },
        })),
    );
    await listening(name, transport.sessionId);
    const { content } = await client.callTool({ name: 'think', arguments: { question: 'life' } });
    expect(JSON.stringify(content)).toContain('thought about');
    expect(JSON.stringify(content)).toContain('life');
    await client.close();
  });

  it('ends its session, which cannot be used afterwards', async () => {
    const access = await rig.access(name);
    const { client, transport } = await connectClient(access);
    const { sessionId } = transport;
    await listening(name, sessionId);
    await transport.terminateSession();
    expect(requestsOf(name, sessionId).at(-1)?.method).toBe('DELETE');
    await client.close();
    const count = rig.servers[name].requests.length;
    const after = await fetch(access.url, {
      method: 'POST',
      headers: {
        ...access.headers,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-session-id': sessionId ?? '',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
    });
    expect(after.status).toBe(404);
    expect(await after.json()).toEqual({
      jsonrpc: '2.0',
      id: 1,
      error: {
        code: -32600,
        message: 'this MCP session does not exist: start a new one with initialize',
        data: { type: 'not_found' },
      },
      type: 'not_found',
    });
    expect(rig.servers[name].requests).toHaveLength(count);
  });

  it('reports why a tool was refused, as an error of the call', async () => {
    const { client } = await connectClient(await rig.access(name, { key: { allowedTools: ['echo'] } }));
    const sent = rig.servers[name].requests.length;
    await expect(client.callTool({ name: 'say' })).rejects.toMatchObject({
      code: -32001,
      message: expect.stringContaining('Error: tool [say] blocked. Reason: ') as string,
      data: { type: 'policy_denied', tool_name: 'say', rule: 'allowed_tools' },
    });
    const calls = rig.servers[name].requests.slice(sent).filter(({ method }) => method === 'POST');
    expect(calls).toEqual([]);
    expect(await client.callTool({ name: 'echo', arguments: { text: 'still here' } })).toEqual(
      text('still here'),
    );
    await client.close();
  });
});

/** Call options that record progress, and break the server's streams off once, at the third step. */
function cutAtThird(steps: string[]) {
  let cut = false;
  return {
    onprogress({ message = '' }: { message?: string | undefined }) {
      steps.push(message);
      if (steps.length < 3 || cut) return;
      cut = true;
      rig.servers.events.cut();
    },
    resetTimeoutOnProgress: true,
  };
}

describe('a call answered with events', () => {
  it('reports its progress as it happens', async () => {
    const { client } = await connectClient(await rig.access('events'));
    const steps: Progress[] = [];
    const result = await client.callTool({ name: 'count', arguments: { steps: 4 } }, undefined, {
      onprogress: (progress) => steps.push(progress),
    });
    expect(result).toEqual(text('counted to 4'));
    expect(steps.map(({ message }) => message)).toEqual(['step 1', 'step 2', 'step 3', 'step 4']);
    await client.close();
  });

  it('is resumed where it broke off, and completes', async () => {
    const { client, transport } = await connectClient(await rig.access('events'));
    const steps: string[] = [];
    const result = await client.callTool(
      { name: 'count', arguments: { steps: 20 } },
      undefined,
      cutAtThird(steps),
    );
    expect(result).toEqual(text('counted to 20'));
    expect(steps).toEqual(Array.from({ length: 20 }, (_, index) => `step ${index + 1}`));
    const resumed = requestsOf('events', transport.sessionId).filter(
      ({ headers }) => headers['last-event-id'],
    );
    expect(resumed.length).toBeGreaterThan(0);
    expect(resumed[0]?.method).toBe('GET');
    await client.close();
  });

  it('may ask the client’s user in the middle', async () => {
    const { client } = await connectClient(
      await rig.access('events'),
      { capabilities: { elicitation: {} } },
      (each) =>
        each.setRequestHandler(ElicitRequestSchema, () => ({ action: 'accept', content: { reply: 'aye' } })),
    );
    expect(await client.callTool({ name: 'ask', arguments: { question: 'well?' } })).toEqual(
      text('accept: {"reply":"aye"}'),
    );
    await client.close();
  });
});

describe.each(['auto', 'legacy'] as const)('the official client of both eras, in mode %s,', (mode) => {
  const connect = async (
    options: Parameters<typeof connectStateless>[1] = {},
    prepare?: Parameters<typeof connectStateless>[2],
  ) => connectStateless(await rig.access('events'), { versionNegotiation: { mode }, ...options }, prepare);

  it('finds the older era, and lists, calls and reads there', async () => {
    const client = await connect();
    expect((await client.listTools()).tools.map((tool) => tool.name)).toContain('think');
    expect(await client.callTool({ name: 'echo', arguments: { text: 'Grüße 🙂' } })).toEqual(
      text('Grüße 🙂'),
    );
    expect((await client.readResource({ uri: 'memo://greeting' })).contents).toMatchObject([
      { text: 'hello from a resource' },
    ]);
    expect(rig.servers.events.requests.at(-1)?.headers['mcp-session-id']).toEqual(expect.any(String));
    await client.close();
  });

  it('receives progress, and resumes a call that breaks off', async () => {
    const client = await connect();
    const steps: string[] = [];
    const result = await client.callTool({ name: 'count', arguments: { steps: 20 } }, cutAtThird(steps));
    expect(result).toEqual(text('counted to 20'));
    expect(steps).toEqual(Array.from({ length: 20 }, (_, index) => `step ${index + 1}`));
    await client.close();
  });

  it('cancels a call, receives changes, and gets a sampling request', async () => {
    const changed = vi.fn();
    const client = await connect({ capabilities: { sampling: {} } }, (each) => {
      each.setNotificationHandler('notifications/tools/list_changed', changed);
      each.setRequestHandler('sampling/createMessage', () => ({
        model: 'm',
        role: 'assistant',
        content: { type: 'text', text: 'a thought' },
      }));
    });
    const sessionId = rig.servers.events.requests.findLast(({ headers }) => headers['mcp-session-id'])
      ?.headers['mcp-session-id'];
    await listening('events', String(sessionId));
    await rig.servers.events.announce();
    await vi.waitFor(() => expect(changed).toHaveBeenCalled());
    const { content } = await client.callTool({ name: 'think', arguments: { question: 'life' } });
    expect(JSON.stringify(content)).toContain('a thought');

    const before = rig.servers.events.cancelled;
    const stop = new AbortController();
    const ended = expect(client.callTool({ name: 'wait' }, { signal: stop.signal })).rejects.toThrow();
    await vi.waitFor(() =>
      expect(JSON.stringify(rig.servers.events.requests.at(-1)?.body)).toContain('"wait"'),
    );
    stop.abort();
    await ended;
    await vi.waitFor(() => expect(rig.servers.events.cancelled).toBe(before + 1));
    await client.close();
  });
});

describe('a session', () => {
  it('cannot be used by another key in any way', async () => {
    const mine = await rig.access('events');
    const { client, transport } = await connectClient(mine);
    await listening('events', transport.sessionId);
    const count = rig.servers.events.requests.length;
    const theirs = await rig.access('events');
    for (const method of ['POST', 'GET', 'DELETE']) {
      const response = await fetch(theirs.url, {
        method,
        headers: {
          ...theirs.headers,
          ...(method === 'POST' && { 'content-type': 'application/json' }),
          accept: 'application/json, text/event-stream',
          'mcp-session-id': transport.sessionId ?? '',
          'mcp-protocol-version': '2025-11-25',
        },
        ...(method === 'POST' && { body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }) }),
      });
      expect([response.status, ((await response.json()) as { type: string }).type]).toEqual([
        404,
        'not_found',
      ]);
    }
    expect(rig.servers.events.requests).toHaveLength(count);
    expect((await client.listTools()).tools.length).toBeGreaterThan(0);
    await client.close();
  });
});
