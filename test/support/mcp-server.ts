import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { randomUUID } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { toNodeHandler } from '@modelcontextprotocol/node';
import {
  McpServer as StatelessMcpServer,
  createMcpHandler,
  inputRequired,
  type CallToolResult as StatelessToolResult,
} from '@modelcontextprotocol/server';
import { InMemoryEventStore } from '@modelcontextprotocol/sdk/examples/shared/inMemoryEventStore.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { ElicitResultSchema, type CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import * as z from 'zod';
import { onLoopback } from './loopback.ts';

/** One request as received by the server. */
export interface McpRecorded {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  /** Parsed; undefined without a body. */
  readonly body: unknown;
}

export interface McpServerOptions {
  /**
   * `sessions`: the official server of 2025-03-26 to 2025-11-25, with session ids, the GET stream and resumption.
   * `stateless`: that of 2026-07-28.
   */
  readonly era: 'sessions' | 'stateless';
  /** Answers calls with one JSON document instead of events. */
  readonly json?: boolean;
  /** Gives every session this id; a random one unless set. */
  readonly sessionId?: string;
  /** More tools, resources and prompts; called for each session or request. */
  readonly register?: (server: Pick<McpServer, 'registerTool'>) => void;
  /** Answers instead of the server. */
  readonly intercept?: (request: McpRecorded, response: ServerResponse) => boolean;
}

/**
 * A real MCP server on a local port. Its tools: `echo` (text), `say` (answers `answer`), `count` (steps with
 * progress), `wait` (until cancelled), `ask` (a person: elicitation), `think` (a model: sampling), `announce`
 * (tells all clients that its tools have changed) and, in the stateless era, `locate` (its region is repeated in a header).
 */
export interface McpTestServer {
  readonly url: string;
  readonly requests: McpRecorded[];
  /** The answer of `say`; replaced by tests. */
  answer: CallToolResult;
  /** Calls of `wait` that were cancelled. */
  readonly cancelled: number;
  /** Cuts every open connection, so that streams break off. */
  cut(): void;
  /** Sends `notifications/tools/list_changed` to all listeners. */
  announce(): Promise<void>;
  close(): Promise<void>;
}

interface Shared {
  answer: CallToolResult;
  cancelled: number;
}

/** Headers with which a server could lead its client elsewhere, track it, or leak information. */
const HOSTILE_HEADERS: Readonly<Record<string, string | string[]>> = {
  'www-authenticate': 'Bearer resource_metadata="https://evil.example/.well-known/oauth-protected-resource"',
  'proxy-authenticate': 'Basic realm="evil.example"',
  location: 'https://evil.example/mcp',
  'content-location': 'https://evil.example/mcp',
  link: '<https://evil.example/>; rel="preload", <https://evil.example/mcp>; rel="canonical"',
  refresh: '0; url=https://evil.example/',
  'alt-svc': 'h3="evil.example:443"; ma=86400',
  'set-cookie': ['session=evil.example; Path=/', 'other=evil.example'],
  'strict-transport-security': 'max-age=31536000; includeSubDomains',
  'clear-site-data': '"*"',
  'content-security-policy': 'connect-src https://evil.example',
  'report-to': '{"endpoints":[{"url":"https://evil.example/"}]}',
  nel: '{"report_to":"evil.example"}',
  'reporting-endpoints': 'default="https://evil.example/"',
  sourcemap: 'https://evil.example/map',
  'access-control-allow-origin': 'https://evil.example',
  'access-control-expose-headers': '*',
  'x-accel-redirect': '/evil.example',
  'x-amzn-remapped-authorization': 'Bearer of-evil.example',
  'x-api-key': 'sk-of-evil.example',
  'x-gateway-policy-block': 'evil.example',
  'x-envoy-upstream-service-time': '7',
  'x-gw-origin': 'evil.example',
  'dpop-nonce': 'evil.example',
  server: 'evil.example/1.0',
  via: '1.1 evil.example',
  ratelimit: '"evil.example";r=0;t=1',
  mcp_session_id: 'evil.example',
  'mcp-evil': 'evil.example',
};

/** An `intercept` that adds them to every answer. */
export function withHostileHeaders(_request: McpRecorded, response: ServerResponse): boolean {
  for (const [name, value] of Object.entries(HOSTILE_HEADERS)) response.setHeader(name, value);
  return false;
}

const INFO = { name: 'test-server', version: '1.0.0' };
const STEP_MS = 30;

export async function startMcpServer(options: McpServerOptions): Promise<McpTestServer> {
  const requests: McpRecorded[] = [];
  const shared: Shared = { answer: { content: [{ type: 'text', text: 'said' }] }, cancelled: 0 };
  const serving =
    options.era === 'sessions' ? serveSessions(options, shared) : serveStateless(options, shared);
  const http = createServer((request, response) => {
    void record(request).then(async (recorded) => {
      requests.push(recorded);
      if (options.intercept?.(recorded, response) === true) return;
      await serving.handle(request, response, recorded.body);
    });
  });
  const loopback = await onLoopback(http);
  return {
    url: `${loopback.url}/mcp`,
    requests,
    get answer() {
      return shared.answer;
    },
    set answer(answer) {
      shared.answer = answer;
    },
    get cancelled() {
      return shared.cancelled;
    },
    cut: () => http.closeAllConnections(),
    announce: serving.announce,
    async close() {
      await serving.close();
      await loopback.close();
    },
  };
}

async function record(request: IncomingMessage): Promise<McpRecorded> {
  const { method = '', url = '', headers } = request;
  const text = (await buffer(request)).toString();
  return { method, url, headers, body: text === '' ? undefined : JSON.parse(text) };
}

interface Serving {
  handle(request: IncomingMessage, response: ServerResponse, body: unknown): Promise<void>;
  announce(): Promise<void>;
  close(): Promise<void>;
}

/** Keeps sessions like the SDK's own example: one transport each, by its issued id. */
function serveSessions(options: McpServerOptions, shared: Shared): Serving {
  const sessions = new Map<string, { transport: StreamableHTTPServerTransport; server: McpServer }>();

  async function open(): Promise<StreamableHTTPServerTransport> {
    const server = new McpServer(INFO, { capabilities: { logging: {}, tools: { listChanged: true } } });
    registerAll(server, shared);
    options.register?.(server);
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => options.sessionId ?? randomUUID(),
      eventStore: new InMemoryEventStore(),
      enableJsonResponse: options.json === true,
      onsessioninitialized: (id) => void sessions.set(id, { transport, server }),
      onsessionclosed: (id) => void sessions.delete(id),
    });
    await server.connect(transport as Parameters<McpServer['connect']>[0]);
    return transport;
  }

  return {
    async handle(request, response, body) {
      const id = request.headers['mcp-session-id'];
      const known = typeof id === 'string' ? sessions.get(id) : undefined;
      if (known === undefined && id !== undefined) {
        response.writeHead(404, { 'content-type': 'application/json' });
        response.end('{"jsonrpc":"2.0","error":{"code":-32000,"message":"Session not found"}}');
        return;
      }
      await (known?.transport ?? (await open())).handleRequest(request, response, body);
    },
    async announce() {
      for (const { server } of sessions.values()) server.sendToolListChanged();
      await delay(0);
    },
    async close() {
      await Promise.all([...sessions.values()].map(({ server }) => server.close()));
    },
  };
}

function registerAll(server: McpServer, shared: Shared): void {
  server.registerTool(
    'echo',
    { description: 'Says what it is told.', inputSchema: { text: z.string() } },
    ({ text }) => ({ content: [{ type: 'text', text }] }),
  );
  server.registerTool('say', { description: 'Says what the test wants.' }, () => shared.answer);
  server.registerTool(
    'count',
    { description: 'Counts, and tells how far it is.', inputSchema: { steps: z.number() } },
    async ({ steps }, { sendNotification, _meta }) => {
      for (let progress = 1; progress <= steps; progress += 1) {
        const progressToken = _meta?.progressToken;
        if (progressToken !== undefined) {
          const params = { progressToken, progress, total: steps, message: `step ${progress}` };
          await sendNotification({ method: 'notifications/progress', params });
        }
        await delay(STEP_MS);
      }
      return { content: [{ type: 'text', text: `counted to ${steps}` }] };
    },
  );
  server.registerTool('wait', { description: 'Waits until it is cancelled.' }, async ({ signal }) => {
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    shared.cancelled += 1;
    return { content: [] };
  });
  server.registerTool(
    'think',
    { description: 'Asks the model of its client.', inputSchema: { question: z.string() } },
    async ({ question }) => {
      const { content } = await server.server.createMessage({
        messages: [{ role: 'user', content: { type: 'text', text: question } }],
        maxTokens: 100,
      });
      return { content: [{ type: 'text', text: JSON.stringify(content) }] };
    },
  );
  server.registerTool(
    'ask',
    { description: 'Asks the person at its client.', inputSchema: { question: z.string() } },
    async ({ question }, { sendRequest }) => {
      const requestedSchema = { type: 'object' as const, properties: { reply: { type: 'string' as const } } };
      // On the stream of this call, while `think` uses the server's own.
      const { action, content } = await sendRequest(
        { method: 'elicitation/create', params: { mode: 'form', message: question, requestedSchema } },
        ElicitResultSchema,
      );
      return { content: [{ type: 'text', text: `${action}: ${JSON.stringify(content)}` }] };
    },
  );
  server.registerResource('memo', 'memo://greeting', { description: 'A greeting.' }, ({ href }) => ({
    contents: [{ uri: href, mimeType: 'text/plain', text: 'hello from a resource' }],
  }));
  server.registerPrompt(
    'greet',
    { description: 'Greets somebody.', argsSchema: { who: z.string() } },
    ({ who }) => ({ messages: [{ role: 'user', content: { type: 'text', text: `greet ${who}` } }] }),
  );
}

function serveStateless(options: McpServerOptions, shared: Shared): Serving {
  const handler = createMcpHandler(
    () => {
      const server = new StatelessMcpServer(INFO, { capabilities: { tools: { listChanged: true } } });
      registerStateless(server, shared);
      options.register?.(server as unknown as McpServer);
      return server;
    },
    { legacy: 'reject', responseMode: options.json === true ? 'json' : 'auto' },
  );
  const handle = toNodeHandler(handler);
  return {
    handle: async (request, response, body) => {
      await handle(request as Parameters<typeof handle>[0], response, body);
    },
    async announce() {
      handler.notify.toolsChanged();
      await delay(0);
    },
    close: () => handler.close(),
  };
}

function registerStateless(server: StatelessMcpServer, shared: Shared): void {
  const text = (said: string): StatelessToolResult => ({ content: [{ type: 'text', text: said }] });
  server.registerTool(
    'echo',
    { description: 'Says what it is told.', inputSchema: z.object({ text: z.string() }) },
    ({ text: said }) => text(said),
  );
  server.registerTool(
    'say',
    { description: 'Says what the test wants.' },
    () => shared.answer as StatelessToolResult,
  );
  server.registerTool(
    'locate',
    {
      description: 'Says where it was asked to look.',
      inputSchema: z.object({
        region: z.string().meta({ 'x-mcp-header': 'Region' }),
        floor: z.int().optional().meta({ 'x-mcp-header': 'Floor_No' }),
      }),
    },
    ({ region, floor }) => text(`${region}/${String(floor)}`),
  );
  server.registerTool(
    'count',
    { description: 'Counts, and tells how far it is.', inputSchema: z.object({ steps: z.number() }) },
    async ({ steps }, { mcpReq }) => {
      for (let progress = 1; progress <= steps; progress += 1) {
        const progressToken = mcpReq._meta?.progressToken;
        if (progressToken !== undefined) {
          const params = { progressToken, progress, total: steps, message: `step ${progress}` };
          await mcpReq.notify({ method: 'notifications/progress', params });
        }
        await delay(STEP_MS);
      }
      return text(`counted to ${steps}`);
    },
  );
  server.registerTool(
    'wait',
    { description: 'Waits until it is cancelled.' },
    async ({ mcpReq: { signal } }) => {
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      shared.cancelled += 1;
      return text('');
    },
  );
  server.registerTool(
    'ask',
    { description: 'Asks the person at its client.', inputSchema: z.object({ question: z.string() }) },
    ({ question }, { mcpReq: { inputResponses } }) => {
      if (inputResponses !== undefined) return text(JSON.stringify(inputResponses));
      const requestedSchema = { type: 'object' as const, properties: { reply: { type: 'string' as const } } };
      return inputRequired({
        inputRequests: { reply: inputRequired.elicit({ message: question, requestedSchema }) },
      });
    },
  );
  server.registerTool(
    'think',
    { description: 'Asks the model of its client.', inputSchema: z.object({ question: z.string() }) },
    ({ question }, { mcpReq: { inputResponses } }) => {
      if (inputResponses !== undefined) return text(JSON.stringify(inputResponses));
      const messages = [{ role: 'user' as const, content: { type: 'text' as const, text: question } }];
      return inputRequired({
        inputRequests: { thought: inputRequired.createMessage({ messages, maxTokens: 100 }) },
      });
    },
  );
  server.registerResource('memo', 'memo://greeting', { description: 'A greeting.' }, ({ href }) => ({
    contents: [{ uri: href, mimeType: 'text/plain', text: 'hello from a resource' }],
  }));
  server.registerPrompt(
    'greet',
    { description: 'Greets somebody.', argsSchema: z.object({ who: z.string() }) },
    ({ who }) => ({ messages: [{ role: 'user', content: { type: 'text', text: `greet ${who}` } }] }),
  );
}
