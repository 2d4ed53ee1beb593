import type { KeyRecord } from '../auth/key-record.ts';
import { HEADER } from '../headers.ts';
import { mcpMessages } from '../mcp/dialect.ts';
import type { Identified } from '../pipeline/exchange.ts';
import { newFacts, type AgentRisk } from '../pipeline/facts.ts';
import { type Provider, type ProviderName, providers } from '../providers/registry.ts';
import { isObject, type JsonObject } from '../json/is-object.ts';
import type { TracedStep, StepAgent } from './step.ts';
import type { TraceFields } from './formats/fields.ts';
import { callsIn, resultsIn } from './formats/messages.ts';

export interface TracedCall {
  readonly exchange: Identified;
  readonly body: Buffer;
}

/** Server name for tools whose server is not in the trace. */
export const UNNAMED_SERVER = 'tools';
const UNNAMED_MODEL = 'unknown';
const MAX_SERVER_CHARS = 64;
/** Providers' chat paths, most common first. */
const CHAT_PATHS = [
  '/v1/chat/completions',
  '/openai/v1/chat/completions',
  '/v1beta/openai/chat/completions',
  '/compatibility/v1/chat/completions',
  '/v1/messages',
] as const;

export function gatewayCall(step: TracedStep, requestId: string, agentRisk: AgentRisk): TracedCall {
  const headers = new Map<string, string>([['content-type', 'application/json']]);
  if (step.sessionId !== '') headers.set(HEADER.sessionId, step.sessionId);
  const key = keyOf(step.agent, step.provider);
  const { target, body } = step.type === 'llm_call' ? modelTarget(step) : mcpTarget(step, key.provider);
  const exchange: Identified = {
    requestId,
    startedAt: performance.now(),
    method: 'POST',
    query: '',
    clientAddress: '127.0.0.1',
    headers,
    key,
    rawKeyHash: key.keyHash,
    providerKey: undefined,
    budget: { limits: {} },
    facts: newFacts(agentRisk),
    responseHeaders: new Map(),
    ...target,
  };
  return { exchange, body: Buffer.from(JSON.stringify(body)) };
}

function keyOf(agent: StepAgent, provider: ProviderName = 'openai'): KeyRecord {
  const { id, name, owner, allowedTools, allowedModels, allowedProviders, tags } = agent;
  return {
    keyHash: agent.keyHash,
    name: name === '' ? id : name,
    agentName: name,
    provider: agent.provider ?? provider,
    tags,
    createdAt: 0,
    ...(owner !== undefined && { owner }),
    ...(allowedTools !== undefined && { allowedTools }),
    ...(allowedModels !== undefined && { allowedModels }),
    ...(allowedProviders !== undefined && { allowedProviders }),
  };
}

interface Sent {
  readonly target: Pick<Identified, 'provider' | 'endpoint' | 'path' | 'mcp'>;
  readonly body: JsonObject;
}

function mcpTarget(step: TracedStep, keyProvider: ProviderName): Sent {
  const { server, tool, arguments: written } = step;
  const name = server === '' ? UNNAMED_SERVER : server.slice(0, MAX_SERVER_CHARS);
  return {
    target: {
      provider: providers[keyProvider],
      endpoint: { operation: 'mcp', dialect: mcpMessages },
      path: `/mcp/${name}`,
      mcp: { server: name, form: 'streamable_http' },
    },
    body: {
      jsonrpc: '2.0',
      id: 1,
      ...(step.message ?? {
        method: 'tools/call',
        params: { name: tool, ...(written !== undefined && { arguments: written }) },
      }),
    },
  };
}

function modelTarget({ provider: name = 'openai', model, content }: TracedStep): Sent {
  const provider = providers[name];
  if (isObject(content)) {
    const own = ownTarget(provider, model, content);
    if (own !== undefined) return own;
  }
  const body = { model: model ?? UNNAMED_MODEL, messages: messagesOf(content) };
  const found = targetAt(provider, CHAT_PATHS);
  if (found === undefined) throw new Error(`${name} has no chat endpoint`);
  return { target: found, body: found.path === '/v1/messages' ? anthropicBody(body) : body };
}

function ownTarget(provider: Provider, model: string | undefined, content: JsonObject): Sent | undefined {
  const found = targetAt(provider, pathsFor(content, encodeURIComponent(model ?? UNNAMED_MODEL)));
  if (found === undefined) return undefined;
  const isNamed = Object.hasOwn(content, 'model') || found.endpoint.model !== undefined;
  return { target: found, body: isNamed ? content : { model: model ?? UNNAMED_MODEL, ...content } };
}

function pathsFor(content: JsonObject, model: string): readonly string[] {
  if (Object.hasOwn(content, 'contents')) return [`/v1beta/models/${model}:generateContent`];
  if (Object.hasOwn(content, 'messages')) {
    return [
      '/v1/messages',
      ...(isOfBlocks(content) ? [`/model/${model}/converse`] : []),
      '/v2/chat',
      ...CHAT_PATHS,
    ];
  }
  if (Object.hasOwn(content, 'input')) return ['/v1/responses'];
  if (Object.hasOwn(content, 'prompt')) return ['/v1/completions'];
  return Object.hasOwn(content, 'message') ? ['/v1/chat'] : [];
}

/** Recognizes Bedrock, where all content is in blocks without a type. */
function isOfBlocks({ messages }: JsonObject): boolean {
  const [first] = Array.isArray(messages) ? (messages as readonly unknown[]) : [];
  const [block] =
    isObject(first) && Array.isArray(first['content']) ? (first['content'] as readonly unknown[]) : [];
  return isObject(block) && !Object.hasOwn(block, 'type');
}

function targetAt(provider: Provider, paths: readonly string[]): Sent['target'] | undefined {
  for (const path of paths) {
    const endpoint = provider.endpoint('POST', path);
    if (endpoint !== undefined && endpoint.operation !== 'unknown') return { provider, endpoint, path };
  }
  return undefined;
}

function messagesOf(content: unknown): readonly unknown[] {
  if (typeof content === 'string') return [{ role: 'user', content }];
  if (!Array.isArray(content))
    return [
      isObject(content) && 'role' in content ? content : { role: 'user', content: JSON.stringify(content) },
    ];
  const parts: readonly unknown[] = content;
  const areMessages = parts.every((part) => isObject(part) && Object.hasOwn(part, 'role'));
  return areMessages ? parts : [{ role: 'user', content: parts }];
}

const MAX_TOKENS = 1_024;
const SYSTEM_ROLES: ReadonlySet<unknown> = new Set(['system', 'developer']);

/** Converts chat messages for Anthropic's API, which has no system or tool roles. */
function anthropicBody({ messages, ...rest }: JsonObject): JsonObject {
  const written = (Array.isArray(messages) ? messages : []).filter(isObject);
  const system = written.filter(({ role }) => SYSTEM_ROLES.has(role)).map(({ content }) => content);
  return {
    ...rest,
    max_tokens: MAX_TOKENS,
    ...(system.length > 0 && { system: system.map(contentText).join('\n') }),
    messages: written.filter(({ role }) => !SYSTEM_ROLES.has(role)).map(anthropicMessage),
  };
}

function anthropicMessage(message: TraceFields): JsonObject {
  const { role, content } = message;
  if (role === 'tool' || role === 'function')
    return { role: 'user', content: resultsIn(message).map(resultBlock) };
  const calls = Array.isArray(message['tool_calls']) ? callsIn({ tool_calls: message['tool_calls'] }) : [];
  if (calls.length === 0) return { role, content: content ?? '' };
  const blocks = calls.map((call) => ({
    type: 'tool_use',
    id: call.id ?? '',
    name: call.tool,
    input: isObject(call.arguments) ? call.arguments : { text: call.arguments },
  }));
  return { role, content: [{ type: 'text', text: contentText(content) }, ...blocks] };
}

function resultBlock({ id, result }: ReturnType<typeof resultsIn>[number]): JsonObject {
  return { type: 'tool_result', tool_use_id: id ?? '', content: contentText(result) };
}

function contentText(content: unknown): string {
  return typeof content === 'string' ? content : JSON.stringify(content ?? '');
}
