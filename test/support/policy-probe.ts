import { expect } from 'vitest';
import type { FakeProvider } from './fake-provider/index.ts';
import type { McpRecorded, McpTestServer } from './mcp-server.ts';
import { callTool, MODEL_CLIENTS, type Agent } from './policy-clients.ts';
import type { PolicyRig } from './policy-rig.ts';

/** Both official servers' forms of answers. */
export const SERVERS = ['tools', 'whole'] as const;
export type ServerName = (typeof SERVERS)[number];

/** A refused model call, as its client sees it. */
export function refusedModel(reason: string) {
  return {
    status: 403,
    body: { error: reason, type: 'policy_denied', findings: expect.any(Array) as unknown[] },
    policyBlock: 'true',
    blockReason: reason,
    thrown: 'PermissionDeniedError',
  };
}

/** A refused tool call, as its client sees it. */
export function refusedTool(tool: string, reason: string, rule: string) {
  return {
    status: 200,
    policyBlock: 'true',
    blockReason: reason,
    code: -32001,
    message: `MCP error -32001: Error: tool [${tool}] blocked. Reason: ${reason}`,
    data: { type: 'policy_denied', reason, tool_name: tool, rule, findings: expect.any(Array) as unknown[] },
    isOwnId: true,
  };
}

/** The text that is sent and the text that arrives, in both directions. */
export type Carried = Readonly<Record<'asks' | 'sent' | 'says' | 'gets', string>>;

export const untouched = (text: string): Carried => ({ asks: text, sent: text, says: text, gets: text });

/** Model and tool calls that were forwarded. */
export function forwarded({ provider, server, wholeServer }: PolicyRig): number {
  const calls = [server, wholeServer].flatMap(({ requests }) => requests).filter(isToolCall);
  return provider.requests.length + calls.length;
}

/** Fails if a model's client or the provider has another text, with any of the clients. */
export async function expectChat(
  provider: FakeProvider,
  agent: Agent,
  { asks, sent, says, gets }: Carried,
  model?: string,
): Promise<void> {
  provider.behave({ text: says });
  for (const { name, ask } of MODEL_CLIENTS) {
    expect({ name, ...(await ask(agent, asks, model)) }).toEqual({ name, text: gets });
    expect(provider.requests.at(-1)?.body.toString()).toContain(JSON.stringify(sent));
  }
}

/** The same for tools: one that repeats its argument, and one with its own text. */
export async function expectToolCalls(
  rig: PolicyRig,
  agent: Agent,
  { asks, sent, says, gets }: Carried,
  tools: { readonly echo: string; readonly say: string } = { echo: 'echo', say: 'say' },
): Promise<void> {
  for (const name of SERVERS) {
    const server = serverOf(rig, name);
    expect(await callTool(agent, tools.echo, { text: asks }, name)).toEqual({ text: sent });
    expect(lastArguments(server)).toEqual({ text: sent });
    server.answer = { content: [{ type: 'text', text: says }] };
    expect(await callTool(agent, tools.say, {}, name)).toEqual({ text: gets });
  }
}

function serverOf({ server, wholeServer }: PolicyRig, name: ServerName): McpTestServer {
  return name === 'tools' ? server : wholeServer;
}

interface ToolCall {
  readonly method?: string;
  readonly params?: { readonly arguments?: unknown };
}

const isToolCall = ({ body }: McpRecorded): boolean =>
  (body as ToolCall | undefined)?.method === 'tools/call';

/** For the last call that arrived at a server. */
function lastArguments({ requests }: McpTestServer): unknown {
  return (requests.findLast(isToolCall)?.body as ToolCall | undefined)?.params?.arguments;
}
