import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { McpError } from '@modelcontextprotocol/sdk/types.js';
import { connectClient } from './mcp-rig.ts';
import type { TestGateway, TestKey } from './gateway.ts';

/** A holder of a key: the key, and the gateway's address. */
export interface Agent {
  readonly gateway: TestGateway;
  readonly key: TestKey;
  readonly sessionId?: string;
}

/** A client's view of an answer: its text, or its refusal. */
export type Outcome =
  | { readonly text: string }
  | {
      /** On the wire. */
      readonly status: number;
      readonly body: unknown;
      readonly policyBlock: string | null;
      readonly blockReason: string | null;
      /** The class of the client's exception. */
      readonly thrown: string;
    };

export interface ModelClient {
  readonly name: string;
  ask(agent: Agent, prompt: string, model?: string): Promise<Outcome>;
}

const PROVIDER_KEY = 'sk-provider-0123456789';

function openai(agent: Agent, fetch: typeof globalThis.fetch): OpenAI {
  return new OpenAI({
    apiKey: agent.key.rawKey,
    baseURL: `${agent.gateway.baseUrl}/openai/v1`,
    defaultHeaders: { 'x-gateway-provider-key': PROVIDER_KEY, ...sessionOf(agent) },
    maxRetries: 0,
    fetch,
  });
}

function anthropic(agent: Agent, fetch: typeof globalThis.fetch): Anthropic {
  return new Anthropic({
    apiKey: agent.key.rawKey,
    authToken: null,
    baseURL: `${agent.gateway.baseUrl}/anthropic`,
    defaultHeaders: { 'x-gateway-provider-key': PROVIDER_KEY, ...sessionOf(agent) },
    maxRetries: 0,
    fetch,
  });
}

const sessionOf = ({ sessionId }: Agent): Record<string, string> =>
  sessionId === undefined ? {} : { 'x-gateway-session-id': sessionId };

const said = (content: string) => [{ role: 'user' as const, content }];

/** OpenAI's and Anthropic's own clients, each with a whole and with a streamed answer. */
export const MODEL_CLIENTS: readonly ModelClient[] = [
  {
    name: 'OpenAI',
    ask: (agent, prompt, model = 'gpt-4o') =>
      outcomeOf(async (fetch) => {
        const { choices } = await openai(agent, fetch).chat.completions.create({
          model,
          messages: said(prompt),
        });
        return choices[0]?.message.content ?? '';
      }),
  },
  {
    name: 'OpenAI, streamed',
    ask: (agent, prompt, model = 'gpt-4o') =>
      outcomeOf(async (fetch) => {
        const request = { model, messages: said(prompt), stream: true } as const;
        let text = '';
        for await (const { choices } of await openai(agent, fetch).chat.completions.create(request))
          text += choices[0]?.delta.content ?? '';
        return text;
      }),
  },
  {
    name: 'Anthropic',
    ask: (agent, prompt, model = 'claude-3-5-haiku-20241022') =>
      outcomeOf(async (fetch) => {
        const request = { model, max_tokens: 100, messages: said(prompt) };
        const { content } = await anthropic(agent, fetch).messages.create(request);
        return content.map((block) => (block.type === 'text' ? block.text : '')).join('');
      }),
  },
  {
    name: 'Anthropic, streamed',
    ask: (agent, prompt, model = 'claude-3-5-haiku-20241022') =>
      outcomeOf((fetch) => {
        const request = { model, max_tokens: 100, messages: said(prompt) };
        return anthropic(agent, fetch).messages.stream(request).finalText();
      }),
  },
];

async function outcomeOf(work: (fetch: typeof globalThis.fetch) => Promise<string>): Promise<Outcome> {
  let refusal: Response | undefined;
  try {
    const text = await work(async (input, init) => {
      const response = await fetch(input, init);
      if (!response.ok) refusal = response.clone();
      return response;
    });
    return { text };
  } catch (failure) {
    if (refusal === undefined || !(failure instanceof Error)) throw failure;
    return {
      ...denialOf(refusal),
      body: JSON.parse(await refusal.text()),
      thrown: failure.constructor.name,
    };
  }
}

function denialOf({ status, headers }: Response) {
  return {
    status,
    policyBlock: headers.get('x-gateway-policy-block'),
    blockReason: headers.get('x-gateway-block-reason'),
  };
}

/** A client's view of a tool's answer: its text, or the JSON-RPC error; `id` tells whether it was the request's. */
export type ToolOutcome =
  | { readonly text: string }
  | {
      readonly status: number;
      readonly policyBlock: string | null;
      readonly blockReason: string | null;
      readonly code: number;
      readonly message: string;
      readonly data: unknown;
      readonly isOwnId: boolean;
    };

export type ToolArguments = Readonly<Record<string, unknown>>;

interface Connection {
  readonly client: Client;
  /** The id of the last tool call, and its answer if that was JSON. */
  readonly wire: { asked: unknown; answer: Response | undefined };
}

const connections = new Map<string, Promise<Connection>>();

/** The connections of `callTool`; to be closed after each test. */
export async function closeConnections(): Promise<void> {
  for (const connection of connections.values()) await (await connection).client.close();
  connections.clear();
}

/** One tool call through the official client, which an agent keeps for its whole session. */
export async function callTool(
  agent: Agent,
  name: string,
  args: ToolArguments = {},
  server: 'tools' | 'whole' = 'tools',
): Promise<ToolOutcome> {
  const id = [agent.gateway.baseUrl, agent.key.keyHash, agent.sessionId, server].join(' ');
  const connection = connections.get(id) ?? connected(agent, server);
  connections.set(id, connection);
  const { client, wire } = await connection;
  try {
    const { content } = await client.callTool({ name, arguments: args });
    return { text: (content as { text?: string }[]).map(({ text = '' }) => text).join('') };
  } catch (failure) {
    if (!(failure instanceof McpError) || wire.answer === undefined) throw failure;
    const body = (await wire.answer.json()) as { id: unknown };
    const { code, message, data } = failure;
    return { ...denialOf(wire.answer), code, message, data, isOwnId: body.id === wire.asked };
  }
}

async function connected(agent: Agent, server: 'tools' | 'whole'): Promise<Connection> {
  const wire: Connection['wire'] = { asked: undefined, answer: undefined };
  const { client } = await connectClient({
    url: new URL(`${agent.gateway.baseUrl}/mcp/${server}`),
    headers: { authorization: `Bearer ${agent.key.rawKey}`, ...sessionOf(agent) },
    fetch: async (input, init) => {
      const response = await fetch(input, init);
      if (typeof init?.body !== 'string' || !init.body.includes('"tools/call"')) return response;
      wire.asked = (JSON.parse(init.body) as { id: unknown }).id;
      const isJson = response.headers.get('content-type') === 'application/json';
      wire.answer = isJson ? response.clone() : undefined;
      return response;
    },
  });
  return { client, wire };
}
