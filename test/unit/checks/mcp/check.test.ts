import { describe, expect, it } from 'vitest';
import { createMcpCheck, type McpState } from '../../../../src/checks/mcp/check.ts';
import { createSessionBinding } from '../../../../src/checks/mcp/session-binding/binding.ts';
import { createTaskBinding } from '../../../../src/checks/mcp/task-binding.ts';
import { createMemoryMcpSessionStore } from '../../../../src/checks/mcp/session-binding/memory-store.ts';
import type { KeyRecord } from '../../../../src/auth/key-record.ts';
import { GatewayError } from '../../../../src/errors.ts';
import type { Denial } from '../../../../src/pipeline/check.ts';
import type { Answered, Parsed } from '../../../../src/pipeline/exchange.ts';
import { findingId } from '../../../../src/checks/finding-id.ts';
import type { JsonObject } from '../../../../src/json/is-object.ts';
import { answered, parsed } from '../../../support/exchange.ts';
import { mcpExchange, toolCall, type McpRequestOptions } from '../../../support/mcp-exchange.ts';

const REASON = "this key's allowed_tools do not include it";

function rig(unknownMethods: 'deny' | 'allow' = 'deny') {
  const scored: unknown[] = [];
  const store = createMemoryMcpSessionStore({ ttlMs: 60_000 });
  const check = createMcpCheck({
    binding: createSessionBinding(store),
    tasks: createTaskBinding({ bind: store.bind, use: store.bind }),
    scorePolicyBlock: (...block) => Promise.resolve(void scored.push(block)),
    authenticateAgain: () => Promise.resolve(),
    unknownMethods,
  });
  async function judge(exchange: Parsed) {
    const state = check.begin?.() as McpState;
    check.prepare?.(exchange, state);
    return check.requestBody?.(exchange, state);
  }
  const answer = (exchange: Parsed, more: Partial<Answered> = {}) =>
    check.response?.({ ...answered(exchange), ...more }, {});
  return { scored, check, judge, answer };
}

type Allowed = readonly string[] | undefined;

function call(tool: string, allowedTools: Allowed, more: Partial<McpRequestOptions> = {}): Parsed {
  const key: Partial<KeyRecord> = { keyHash: 'sha256:one', ...(allowedTools && { allowedTools }) };
  return mcpExchange({ body: toolCall(tool), key, ...more });
}

describe('allowed_tools', () => {
  it.each<[string, string, Allowed, 'pass' | 'deny']>([
    ['a key without a list may call any tool', 'run_command', undefined, 'pass'],
    ['a key with a list may call the tools in it', 'read_file', ['search', 'read_file'], 'pass'],
    ['a key with a list may call no other tool', 'run_command', ['search', 'read_file'], 'deny'],
    ['an empty list allows no tool', 'read_file', [], 'deny'],
    ['names are case-sensitive', 'Read_File', ['read_file'], 'deny'],
    ['blanks count', ' read_file', ['read_file'], 'deny'],
    ['a longer name does not match', 'read_file_and_run', ['read_file'], 'deny'],
    ['letters of another script do not match', 'rеad_file', ['read_file'], 'deny'],
    ['another normalization form does not match', 'cafe\u0301', ['caf\u00e9'], 'deny'],
    ['a star has no special meaning', 'read_file', ['*'], 'deny'],
    ['names of object members do not match', 'constructor', ['read_file'], 'deny'],
    ['lone surrogates do not match', 'read\ud800', ['read_file'], 'deny'],
  ])('%s', async (_what, tool, allowed, kind) => {
    for (const form of ['tools_call', 'streamable_http'] as const) {
      expect((await rig().judge(call(tool, allowed, { form })))?.kind).toBe(kind);
    }
  });

  it('deny with a reason that an agent can act on, and score once for each tool', async () => {
    const { judge, scored } = rig();
    const denial = (await judge(call('rm -rf\n/', ['read_file']))) as Denial;
    expect({ ...denial, enforce: undefined }).toEqual({
      kind: 'deny',
      type: 'policy_denied',
      message: REASON,
      details: { reason: REASON, toolName: 'rm -rf\n/', rule: 'allowed_tools' },
      findings: [{ rule: 'allowed_tools', detector: 'mcp', place: 'params.name' }],
      enforce: undefined,
    });
    expect(scored).toEqual([]);
    await denial.enforce?.();
    expect(scored).toEqual([['sha256:one', [findingId('allowed_tools', 'rm -rf\n/')]]]);
  });

  it('do not affect other methods, or models', async () => {
    const { judge } = rig();
    const bodies: (JsonObject | undefined)[] = [
      { jsonrpc: '2.0', id: 1, method: 'tools/list' },
      { jsonrpc: '2.0', id: 1, method: 'ping' },
      { jsonrpc: '2.0', id: 1, method: 'resources/list', params: { cursor: 'next' } },
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      { jsonrpc: '2.0', id: 1, result: { method: 'tools/call' } },
      undefined,
    ];
    for (const body of bodies) expect(await judge(call('', [], { body }))).toEqual({ kind: 'pass' });
    const chat = parsed({ body: { model: 'm', messages: [] } });
    expect(await judge({ ...chat, key: { ...chat.key, allowedTools: [] } })).toEqual({ kind: 'pass' });
  });

  it('apply in shadow mode too', () => {
    expect(rig().check.shadowable).toBe(false);
  });
});

describe('a key that may call no tool', () => {
  it.each<[string, object]>([
    ['resources/read', { uri: 'memo://a' }],
    ['resources/subscribe', { uri: 'memo://a' }],
    ['prompts/get', { name: 'run_command' }],
    ['completion/complete', { ref: { type: 'ref/prompt', name: 'p' }, argument: { name: 'a', value: 'b' } }],
    ['tasks/result', { taskId: 't' }],
    ['tools/list', { name: 'run', arguments: {} }],
  ])('may not send %s, which a key with other tools or no list may', async (method, params) => {
    const body: JsonObject = { jsonrpc: '2.0', id: 1, method, params };
    const { judge } = rig();
    expect(await judge(call('', [], { body }))).toMatchObject({
      kind: 'deny',
      type: 'policy_denied',
      details: { rule: 'allowed_tools' },
    });
    expect(await judge(call('', undefined, { body }))).toEqual({ kind: 'pass' });
    const withTools = await judge(call('', ['run'], { body }));
    expect(withTools?.kind).toBe(method === 'tools/list' ? 'deny' : 'pass');
  });

  it('answers a server', async () => {
    const body = { jsonrpc: '2.0', id: 1, result: { action: 'accept', content: { a: 'b' } } };
    expect(await rig().judge(call('', [], { body }))).toEqual({ kind: 'pass' });
  });
});

describe('a method', () => {
  const stateless = { headers: { 'mcp-protocol-version': '2026-07-28' } };
  const message = (method: string, more: object = { id: 1 }): JsonObject => ({
    jsonrpc: '2.0',
    method,
    ...more,
  });

  it.each<[string, JsonObject, Partial<McpRequestOptions>]>([
    ['tools/run', message('tools/run'), {}],
    ['call_tool', message('call_tool'), {}],
    ['tasks/create', message('tasks/create', { id: 1, params: { method: 'tools/call' } }), {}],
    ['constructor', message('constructor'), {}],
    ['an unknown notification', message('notifications/run', {}), {}],
    ['a subscription method of the newer era in the older one', message('subscriptions/listen'), {}],
    ['a subscription method of the older era in the newer one', message('resources/subscribe'), stateless],
    ['a handshake of the newer era', message('initialize'), stateless],
  ])('that MCP does not define is refused unless an operator allows it: %s', async (_what, body, more) => {
    expect(await rig().judge(call('', undefined, { body, ...more }))).toMatchObject({
      kind: 'deny',
      type: 'policy_denied',
      details: { rule: 'unknown_methods' },
    });
    expect(await rig('allow').judge(call('', undefined, { body, ...more }))).toEqual({ kind: 'pass' });
  });

  it('that MCP does not define is always refused to a key with allowed_tools', async () => {
    for (const allowed of [[], ['run']]) {
      const verdict = await rig('allow').judge(call('', allowed, { body: message('tools/run') }));
      expect(verdict).toMatchObject({ kind: 'deny', details: { rule: 'allowed_tools' } });
    }
  });

  it.each([
    'tools//call',
    'Tools/Call',
    'tools/call/',
    'tools.call',
    'TOOLSCALL',
    'resources_read',
    'prompts/Get',
  ])('with a spelling that MCP does not have is always refused: %s', async (method) => {
    for (const config of ['deny', 'allow'] as const) {
      const verdict = await rig(config).judge(call('', undefined, { body: message(method) }));
      expect(verdict).toMatchObject({ kind: 'deny', type: 'invalid_request' });
    }
  });

  it('must be a request or a notification, as MCP defines it', async () => {
    for (const body of [
      message('resources/read', { params: { uri: 'memo://a' } }),
      message('notifications/initialized'),
    ]) {
      const verdict = await rig('allow').judge(call('', undefined, { body }));
      expect(verdict).toMatchObject({ kind: 'deny', type: 'invalid_request' });
    }
  });
});

describe('a call in disguise', () => {
  it.each<[string, JsonObject]>([
    ['as a notification', { jsonrpc: '2.0', method: 'tools/call', params: { name: 'run', arguments: {} } }],
    ['in capitals', { jsonrpc: '2.0', id: 1, method: 'Tools/Call', params: { name: 'run' } }],
  ])('is refused for every key: %s', async (_what, body) => {
    for (const allowed of [undefined, ['run']] as const) {
      expect(await rig().judge(call('', allowed, { body }))).toMatchObject({
        kind: 'deny',
        type: 'invalid_request',
      });
    }
  });
});

describe('a session of MCP', () => {
  const session = { headers: { 'mcp-session-id': 's1' } };
  const given = { answerHeaders: new Map([['mcp-session-id', 's1']]) };
  const other = { key: { keyHash: 'sha256:other' } };

  it('belongs to its key from the answer that creates it until it ends', async () => {
    const { judge, answer } = rig();
    expect(await judge(call('a', undefined, session))).toMatchObject({ type: 'not_found' });
    expect(await answer(call('a', undefined), given)).toEqual({ kind: 'pass' });
    expect(await judge(call('a', undefined, session))).toEqual({ kind: 'pass' });
    expect(await judge(call('a', undefined, { ...session, ...other }))).toMatchObject({ type: 'not_found' });
    expect(await judge(call('a', undefined, { ...session, server: 'mail' }))).toMatchObject({
      type: 'not_found',
    });
    await answer(call('a', undefined, { ...session, body: undefined, method: 'DELETE' }));
    expect(await judge(call('a', undefined, session))).toMatchObject({ type: 'not_found' });
  });

  it('of another key does not allow a tool that is not in the list', async () => {
    const { judge, answer, scored } = rig();
    await answer(call('a', undefined), given);
    expect(await judge(call('b', ['a'], session))).toMatchObject({ type: 'policy_denied' });
    expect(scored).toEqual([]);
  });

  it('is unknown without Redis, and then nothing passes', async () => {
    const gone = () => Promise.reject(new GatewayError('redis_unavailable', 'Redis is gone'));
    const store = { use: gone, bind: gone, end: gone };
    const check = createMcpCheck({
      binding: createSessionBinding(store),
      tasks: createTaskBinding(store),
      scorePolicyBlock: () => Promise.resolve(),
      authenticateAgain: gone,
      unknownMethods: 'deny',
    });
    const exchange = call('a', undefined, session);
    const state = check.begin?.() as McpState;
    check.prepare?.(exchange, state);
    await expect(check.requestBody?.(exchange, state)).rejects.toMatchObject({ type: 'redis_unavailable' });
    // If an earlier check denies, the read is not awaited.
    check.prepare?.(exchange, check.begin?.() as McpState);
    await new Promise((resolve) => setTimeout(resolve, 5));
  });
});
