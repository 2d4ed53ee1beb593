import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ConfigInput } from '../../src/config/schema.ts';
import { createFakeProvider, type FakeProvider } from './fake-provider/index.ts';
import { startGateway, type TestGateway } from './gateway.ts';
import { startMcpServer, type McpServerOptions, type McpTestServer } from './mcp-server.ts';
import { startTestRedis, type TestRedis } from './redis.ts';

export interface PolicyRigOptions {
  /** Policies by their file's name. */
  readonly files?: Readonly<Record<string, string>>;
  /** More tools of both servers. */
  readonly register?: McpServerOptions['register'];
}

/** Gateways with policies in front of one fake provider and two real MCP servers. */
export interface PolicyRig {
  /** `policy.policy_dir`, unless a gateway has another one. */
  readonly folder: string;
  readonly redis: TestRedis;
  readonly provider: FakeProvider;
  /** `/mcp/tools`, which answers with events. */
  readonly server: McpTestServer;
  /** `/mcp/whole`, which answers with JSON. */
  readonly wholeServer: McpTestServer;
  /** Starts a gateway on the shared Redis. The rig closes it, if it is still running. */
  start(
    policy?: ConfigInput['policy'],
    more?: ConfigInput,
    env?: Readonly<Record<string, string>>,
  ): Promise<TestGateway>;
  /** By rename, as editors write. */
  put(name: string, text: string): Promise<void>;
  close(): Promise<void>;
}

export async function startPolicyRig({ files = {}, register }: PolicyRigOptions = {}): Promise<PolicyRig> {
  const folder = await mkdtemp(join(tmpdir(), 'gw-test-policies-'));
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  const redis = await startTestRedis();
  const provider = await createFakeProvider();
  const tools = { era: 'sessions', ...(register !== undefined && { register }) } as const;
  const server = await startMcpServer(tools);
  const wholeServer = await startMcpServer({ ...tools, json: true });
  const gateways: TestGateway[] = [];
  return {
    folder,
    redis,
    provider,
    server,
    wholeServer,
    async start(policy = {}, more = {}, env = {}) {
      const gateway = await startGateway({
        redis,
        env,
        config: {
          ...more,
          providers: {
            openai: { base_url: provider.url },
            anthropic: { base_url: provider.url },
            ...more.providers,
          },
          policy: { enabled: true, policy_dir: folder, ...policy },
          mcp: {
            enabled: true,
            servers: [
              { name: 'tools', url: server.url },
              { name: 'whole', url: wholeServer.url },
            ],
            ...more.mcp,
          },
        },
      });
      gateways.push(gateway);
      return gateway;
    },
    async put(name, text) {
      await writeFile(join(folder, '.new'), text);
      await rename(join(folder, '.new'), join(folder, name));
    },
    async close() {
      for (const gateway of gateways) await gateway.stop();
      await Promise.all([server.close(), wholeServer.close(), provider.close()]);
      await redis.close();
      await rm(folder, { recursive: true });
    },
  };
}
