import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';

import type { ConfigInput } from '../../../../src/config/schema.ts';
import { createFakeProvider, type FakeProvider } from '../../fake-provider/index.ts';
import { startGateway, type TestGateway } from '../../gateway.ts';
import { startMcpServer, type McpTestServer } from '../../mcp-server.ts';
import type { InstalledClient } from '../install.ts';
import { allProcesses, isAlive } from '../../processes.ts';
import { inTemporaryFolder, runProgram, type ProgramResult } from '../run-program.ts';
import { clientProgram } from '../run-script.ts';
import type { Agent } from './agent.ts';
import { readAgentPage, writeFiles, type PagePart, type Reader } from './page.ts';
import { startWireTap, type WireTap } from './wire-tap.ts';

/** The file in every agent's folder, and its content. */
export const NOTES = 'notes.txt';
export const NOTES_TEXT = 'the launch is on the ninth of May';

/** A gateway with DLP and an MCP server, one fake provider behind it, and a tap between. */
export interface AgentsRig {
  readonly gateway: TestGateway;
  readonly provider: FakeProvider;
  readonly mcp: McpTestServer;
  readonly tap: WireTap;
  /** The agents' working folder, which contains `NOTES`. */
  readonly project: string;
  /** Readers of a page: without the gateway, or through it with their own key. */
  direct(): Reader;
  through(agent: Agent, budgetUsd?: number): Promise<Reader & { readonly keyHash: string }>;
  close(): Promise<void>;
}

export const PROVIDER_KEY = 'sk-provider-0123456789';

export async function startAgentsRig(config: ConfigInput = {}): Promise<AgentsRig> {
  const provider = await createFakeProvider();
  const mcp = await startMcpServer({ era: 'sessions' });
  const gateway = await startGateway({
    config: {
      ...config,
      server: { dlp: { enabled: true }, ...config.server },
      mcp: { enabled: true, servers: [{ name: 'demo', url: mcp.url }] },
      providers: {
        openai: { base_url: provider.url },
        anthropic: { base_url: provider.url },
        gemini: { base_url: provider.url },
      },
    },
  });
  const tap = await startWireTap(gateway.baseUrl);
  const project = await mkdtemp(join(tmpdir(), 'gw-project-'));
  return {
    gateway,
    provider,
    mcp,
    tap,
    project,
    direct: () => ({ gatewayUrl: provider.url, proxyKey: PROVIDER_KEY, providerKey: PROVIDER_KEY }),
    through: async (agent, budgetUsd = 50) => {
      const key = await gateway.createKey({ provider: agent.provider }, { daily: budgetUsd });
      return {
        gatewayUrl: tap.url,
        proxyKey: key.rawKey,
        providerKey: PROVIDER_KEY,
        keyHash: key.keyHash,
      };
    },
    close: async () => {
      await tap.close();
      await gateway.stop();
      await provider.close();
      await mcp.close();
      endLeftBehind(project);
      await rm(project, { recursive: true, force: true });
    },
  };
}

/** Some agents leave a daemon running; its arguments contain the project's folder. */
function endLeftBehind(project: string): void {
  for (const { pid, command } of allProcesses()) {
    if (command.includes(project) && isAlive(pid)) process.kill(pid, 'SIGKILL');
  }
}

/** The longest time in which an agent may report an error. */
export const AGENT_WITHIN_MS = 180_000;

export interface Run extends ProgramResult {
  /** All text that its user reads. */
  readonly said: string;
}

/**
 * Follows the agent's page from top to bottom in an empty home and pastes its command, in a folder with a file to read.
 * `part` names the section.
 */
export function followPage(
  agent: Agent,
  client: InstalledClient,
  reader: Reader,
  { project, part = 'tryIt' }: { readonly project: string; readonly part?: PagePart },
): Promise<Run> {
  return inTemporaryFolder(async (home) => {
    const page = await readAgentPage(agent.page, reader);
    await writeFiles(home, page, part === 'mcp');
    await writeFile(join(project, NOTES), `${NOTES_TEXT}\n`);
    const programs = dirname(clientProgram(client, 'any'));
    const path = [programs, dirname(process.execPath), process.env['PATH'] ?? ''].join(delimiter);
    const script = `set -e\ncd ${project}\n${page.setUp}\n${page.commands[part]}\n`;
    const env = { ...agent.quiet, PATH: path, TERM: 'xterm-256color' };
    const result = await runProgram('bash', ['-c', script], {
      cwd: home,
      env,
      timeoutMs: AGENT_WITHIN_MS,
    });
    return { ...result, said: `${result.stdout}\n${result.stderr}` };
  });
}
