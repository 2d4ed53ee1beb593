import {
  Client as StatelessClient,
  StreamableHTTPClientTransport as StatelessTransport,
  type ClientOptions as StatelessOptions,
} from '@modelcontextprotocol/client';
import { Client, type ClientOptions } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { FetchLike } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { NewKey } from '../../src/auth/key-fields.ts';
import type { ConfigInput } from '../../src/config/schema.ts';
import { startGateway, type TestGateway } from './gateway.ts';
import { startMcpServer, type McpServerOptions, type McpTestServer } from './mcp-server.ts';

/** A gateway in front of real MCP servers, for unmodified official clients. */
export interface McpRig<Name extends string> {
  readonly gateway: TestGateway;
  readonly servers: Readonly<Record<Name, McpTestServer>>;
  /** A key, and a client's configuration for it: address and headers, nothing else. */
  access(server: Name, options?: AccessOptions): Promise<McpAccess>;
  close(): Promise<void>;
}

export interface AccessOptions {
  readonly key?: Partial<NewKey>;
  readonly auth?: 'header' | 'path';
  readonly headers?: Readonly<Record<string, string>>;
}

export interface McpAccess {
  readonly rawKey: string;
  readonly keyHash: string;
  readonly url: URL;
  readonly headers: Record<string, string>;
}

/** An operator's values for a server's headers and address; neither client nor log may contain them. */
export const SERVER_CREDENTIAL = 'Bearer of-the-server-alone';
export const SERVER_QUERY = '?tenant=of-the-server-alone';

export async function startMcpRig<Name extends string>(
  wanted: Readonly<Record<Name, McpServerOptions>>,
  config: ConfigInput = {},
): Promise<McpRig<Name>> {
  const started: [string, McpTestServer][] = [];
  for (const [name, options] of Object.entries<McpServerOptions>(wanted)) {
    started.push([name, await startMcpServer(options)]);
  }
  const servers = Object.fromEntries(started) as Record<Name, McpTestServer>;
  const gateway = await startGateway({
    config: {
      ...config,
      mcp: {
        enabled: true,
        ...config.mcp,
        servers: started.map(([name, { url }]) => ({
          name,
          url: url + SERVER_QUERY,
          headers: { Authorization: SERVER_CREDENTIAL },
        })),
      },
    },
  });
  return {
    gateway,
    servers,
    async access(server, { key = {}, auth = 'header', headers = {} } = {}) {
      const { rawKey, keyHash } = await gateway.createKey(key);
      const base = auth === 'header' ? gateway.baseUrl : `${gateway.baseUrl}/${rawKey}`;
      const credential: Record<string, string> =
        auth === 'header' ? { authorization: `Bearer ${rawKey}` } : {};
      return {
        rawKey,
        keyHash,
        url: new URL(`${base}/mcp/${server}`),
        headers: { ...credential, ...headers },
      };
    },
    async close() {
      await gateway.stop();
      for (const [, server] of started) await server.close();
    },
  };
}

export interface Connected {
  readonly client: Client;
  readonly transport: StreamableHTTPClientTransport;
}

/** The official client of 2025-03-26 to 2025-11-25. */
export async function connectClient(
  { url, headers, fetch }: Pick<McpAccess, 'url' | 'headers'> & { readonly fetch?: FetchLike },
  options: ClientOptions = {},
  prepare: (client: Client) => void = () => undefined,
): Promise<Connected> {
  const client = new Client({ name: 'test-client', version: '1.0.0' }, options);
  prepare(client);
  const transport = new StreamableHTTPClientTransport(url, {
    requestInit: { headers },
    ...(fetch !== undefined && { fetch }),
    reconnectionOptions: {
      initialReconnectionDelay: 20,
      maxReconnectionDelay: 200,
      reconnectionDelayGrowFactor: 1.5,
      maxRetries: 5,
    },
  });
  await client.connect(transport as Parameters<Client['connect']>[0]);
  return { client, transport };
}

/** The official client of 2026-07-28, which speaks only that version here. */
export async function connectStateless(
  { url, headers }: Pick<McpAccess, 'url' | 'headers'>,
  options: StatelessOptions = {},
  prepare: (client: StatelessClient) => void = () => undefined,
): Promise<StatelessClient> {
  const client = new StatelessClient(
    { name: 'test-client', version: '1.0.0' },
    { versionNegotiation: { mode: { pin: '2026-07-28' } }, ...options },
  );
  prepare(client);
  await client.connect(new StatelessTransport(url, { requestInit: { headers } }));
  return client;
}
