import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { send, type Reply } from '../../support/http.ts';
import { startMcpRig, type McpAccess, type McpRig } from '../../support/mcp-rig.ts';
import type { McpRecorded } from '../../support/mcp-server.ts';

type Name = 'events' | 'documents';
type Era = 'up to 2025-11-25' | '2026-07-28';

interface Message {
  readonly id: number;
  readonly method: string;
  readonly params: { readonly taskId?: string; readonly arguments?: { readonly secret?: string } };
}

let rig: McpRig<Name>;
beforeAll(async () => {
  rig = await startMcpRig({
    events: { era: 'sessions', intercept: createTaskServer('events') },
    documents: { era: 'sessions', intercept: createTaskServer('documents') },
  });
});
afterAll(() => rig.close());

/** Serves tasks without sessions: it cannot distinguish keys. */
function createTaskServer(name: Name) {
  const tasks = new Map<string, string>();
  const written = (taskId: string): object => ({ taskId, status: 'completed', ttl: null });
  function resultOf({ method, params }: Message, isStateless: boolean): object {
    const { taskId = '' } = params;
    switch (method) {
      case 'tools/call': {
        const id = `task-${String(tasks.size)}`;
        tasks.set(id, params.arguments?.secret ?? '');
        return isStateless ? { resultType: 'task', ...written(id) } : { task: written(id) };
      }
      case 'tasks/list':
        return { tasks: [...tasks.keys()].map(written) };
      case 'tasks/result':
        return { content: [{ type: 'text', text: tasks.get(taskId) ?? '' }] };
      default:
        return { ...written(taskId), result: { content: [{ type: 'text', text: tasks.get(taskId) ?? '' }] } };
    }
  }
  return ({ method, body, headers }: McpRecorded, response: ServerResponse): boolean => {
    if (method === 'GET') {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(broadcasts([...tasks.keys()]));
      return true;
    }
    const message = body as Message;
    const isStateless = headers['mcp-protocol-version'] === '2026-07-28';
    const answer = { jsonrpc: '2.0', id: message.id, result: resultOf(message, isStateless) };
    const type = name === 'events' ? 'text/event-stream' : 'application/json';
    response.writeHead(200, { 'content-type': type });
    response.end(
      name === 'events' ? `event: message\ndata: ${JSON.stringify(answer)}\n\n` : JSON.stringify(answer),
    );
    return true;
  };
}

/** Messages about all tasks, and one about none, as a server without sessions sends them to every client. */
function broadcasts(taskIds: readonly string[]): string {
  const status = { status: 'working', statusMessage: 'reads the ledger' };
  const related = (taskId: string): object => ({ 'io.modelcontextprotocol/related-task': { taskId } });
  const messages = [
    ...taskIds.flatMap((taskId) => [
      { method: 'notifications/tasks/status', params: { taskId, ...status } },
      { method: 'notifications/progress', params: { progressToken: 1, progress: 1, _meta: related(taskId) } },
      { id: 1, method: 'elicitation/create', params: { message: 'Which ledger?', _meta: related(taskId) } },
    ]),
    { method: 'notifications/tasks/status', params: { task: 'unnamed', ...status } },
    { method: 'notifications/message', params: { level: 'info', data: 'for all' } },
  ];
  return messages.map((message) => `data: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`).join('');
}

let nextId = 0;

async function ask(
  { url, headers }: McpAccess,
  era: Era,
  method: string,
  params: object = {},
): Promise<Reply> {
  const version = era === '2026-07-28' ? '2026-07-28' : '2025-11-25';
  const isStateless = version === '2026-07-28';
  const meta = {
    'io.modelcontextprotocol/protocolVersion': version,
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const { name, taskId } = params as { readonly name?: string; readonly taskId?: string };
  const named = name ?? taskId;
  const own = {
    'mcp-protocol-version': version,
    ...(isStateless && { 'mcp-method': method, ...(named !== undefined && { 'mcp-name': named }) }),
  };
  const said = isStateless ? { ...params, _meta: meta } : params;
  return send(url.origin, {
    path: url.pathname,
    body: JSON.stringify({ jsonrpc: '2.0', id: (nextId += 1), method, params: said }),
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...own,
      ...headers,
    },
  });
}

async function begin(access: McpAccess, era: Era, secret: string): Promise<string> {
  const { body } = await ask(access, era, 'tools/call', { name: 'run', arguments: { secret } });
  return /"taskId":"([^"]+)"/.exec(body)?.[1] ?? `no task in ${body}`;
}

async function listed(access: McpAccess): Promise<string[]> {
  const { body } = await ask(access, 'up to 2025-11-25', 'tasks/list');
  return [...body.matchAll(/"taskId":"([^"]+)"/g)].map(([, id = '']) => id);
}

const READS: readonly (readonly [Era, string])[] = [
  ['up to 2025-11-25', 'tasks/get'],
  ['up to 2025-11-25', 'tasks/result'],
  ['up to 2025-11-25', 'tasks/cancel'],
  ['2026-07-28', 'tasks/get'],
  ['2026-07-28', 'tasks/cancel'],
  ['2026-07-28', 'tasks/update'],
];

describe.each<Name>(['events', 'documents'])('a task of a server without sessions that sends %s', (name) => {
  it.each(READS)('(%s) is only for its key: %s', async (era, method) => {
    const [alice, bob] = await Promise.all([rig.access(name), rig.access(name)]);
    const taskId = await begin(alice, era, 'what Alice knows');
    expect((await ask(alice, era, method, { taskId })).body).toContain('what Alice knows');
    const asked = rig.servers[name].requests.length;

    const foreign = await ask(bob, era, method, { taskId });
    const unknown = await ask(bob, era, method, { taskId: 'task-unknown' });
    expect([foreign.status, unknown.status]).toEqual([400, 400]);
    expect(foreign.body).toContain('"code":-32602');
    expect(foreign.body.replace(/"id":\d+/, '')).toBe(unknown.body.replace(/"id":\d+/, ''));
    expect(rig.servers[name].requests.length).toBe(asked);
  });

  it('is only in the list of its key', async () => {
    const [alice, bob] = await Promise.all([rig.access(name), rig.access(name)]);
    const hers = [await begin(alice, 'up to 2025-11-25', 'a'), await begin(alice, 'up to 2025-11-25', 'b')];
    const his = await begin(bob, 'up to 2025-11-25', 'c');
    expect([await listed(alice), await listed(bob)]).toEqual([hers, [his]]);
  });

  it('cannot be requested except by its name', async () => {
    const alice = await rig.access(name);
    for (const params of [{}, { taskId: 7 }, { taskId: null }, { taskId: ['task-0'] }]) {
      expect((await ask(alice, 'up to 2025-11-25', 'tasks/result', params)).status).toBe(400);
    }
  });
});

describe('a server without sessions that tells every client about every task', () => {
  it('is heard by each key about its own tasks only', async () => {
    const [alice, bob] = await Promise.all([rig.access('events'), rig.access('events')]);
    const hers = await begin(alice, 'up to 2025-11-25', 'a');
    const his = await begin(bob, 'up to 2025-11-25', 'b');
    for (const [access, own] of [
      [alice, hers],
      [bob, his],
    ] as const) {
      const { body } = await send(access.url.origin, {
        path: access.url.pathname,
        headers: { accept: 'text/event-stream', 'mcp-protocol-version': '2025-11-25', ...access.headers },
      });
      const told = [...body.matchAll(/"taskId":"([^"]+)"/g)].map(([, id]) => id);
      expect(told).toEqual([own, own, own]);
      expect(body).toContain('for all');
      expect(body).not.toContain('unnamed');
    }
  });
});
