import { randomUUID } from 'node:crypto';
import { it, expect } from 'vitest';
import { MAX_NOTES } from '../../../../../src/checks/session/store.ts';
import { mcpExchange, toolCall } from '../../../../support/mcp-exchange.ts';
import { answered } from '../../../../support/exchange.ts';
import { rig, tool, SESSION, type Sent, MCP_SESSION, redis } from './rig.ts';

export function fullHistories(): void {
  it('refuses the call before it is made, and passes known tools', async () => {
    const { begin, send, own, keyHash, stored } = rig();
    await send(tool('tool-0'));
    const createdAt = (await stored())?.createdAt ?? 0;
    for (let nth = 1; nth < MAX_NOTES.tool; nth++) {
      const step = { keyHash, sessionId: 'one', operationId: randomUUID() };
      await own.keep(step, createdAt, `tool-${String(nth)}`, true);
    }
    const reason = 'this session has called 256 different tools, the maximum: start a new session';
    const headers = { [SESSION]: 'one' };
    const more = mcpExchange({ ...tool('one-more'), headers, key: { keyHash } });
    expect((await begin(more)).verdict).toEqual({
      kind: 'deny',
      type: 'policy_denied',
      message: reason,
      details: { reason, toolName: 'one-more', rule: 'session_history' },
      findings: [{ rule: 'session_history' }],
    });
    expect((await send(tool('tool-7'))).verdict).toEqual({ kind: 'pass' });
  });

  it('withholds the answer of a call made beside the last one that fitted', async () => {
    const { begin, check, own, send, keyHash, stored } = rig();
    await send(tool('tool-0'));
    const createdAt = (await stored())?.createdAt ?? 0;
    const exchange = mcpExchange({ body: toolCall('late'), headers: { [SESSION]: 'one' }, key: { keyHash } });
    const { state } = await begin(exchange);
    for (let nth = 1; nth < MAX_NOTES.tool; nth++) {
      const step = { keyHash, sessionId: 'one', operationId: randomUUID() };
      await own.keep(step, createdAt, `tool-${String(nth)}`, true);
    }
    expect(await check.response?.(answered(exchange), state)).toMatchObject({ type: 'policy_denied' });
  });

  it('refuses a tool whose name is too long for it', async () => {
    const { send, trips } = rig();
    expect((await send(tool('x'.repeat(128)))).verdict).toEqual({ kind: 'pass' });
    expect((await send(tool('x'.repeat(129)))).verdict).toMatchObject({
      type: 'policy_denied',
      message: 'a session can store only tool names of at most 128 characters',
    });
    expect((await send({ headers: {}, ...tool('x'.repeat(129)) })).verdict).toEqual({ kind: 'pass' });
    expect(trips).toEqual(['peek', 'open', 'keep', 'finish', 'peek']);
  });
}

export function otherMessages(): void {
  it.each(['resources/read', 'prompts/get', 'tasks/result'])(
    '%s brings in content: it has a session, and is not a tool',
    async (method) => {
      const { send, stored } = rig();
      const body = { jsonrpc: '2.0', id: 1, method, params: { name: 'a', uri: 'memo://a' } };
      const { exchange } = await send({ body });
      expect(exchange.facts.session).toMatchObject({ id: 'one' });
      expect(await stored()).toMatchObject({ kept: true, toolsCalled: [] });
    },
  );

  it.each<[string, Sent]>([
    ['initialize', { body: { jsonrpc: '2.0', id: 1, method: 'initialize', params: {} } }],
    ['tools/list', { body: { jsonrpc: '2.0', id: 1, method: 'tools/list' } }],
    ['a notification', { body: { jsonrpc: '2.0', method: 'notifications/initialized' } }],
    ['an answer to the server', { body: { jsonrpc: '2.0', id: 1, result: {} } }],
    ['a GET', { body: undefined }],
  ])('%s does not take part in a session', async (_what, sent) => {
    const { send, trips } = rig({ required: true });
    const { exchange, verdict } = await send(sent);
    expect([verdict, exchange.facts.session, trips]).toEqual([{ kind: 'pass' }, null, []]);
  });

  it('DELETE ends the MCP session once the server has, and no other', async () => {
    const { send, stored } = rig();
    const own = { [MCP_SESSION]: 'mcp-1' };
    const named = { [MCP_SESSION]: 'mcp-1', [SESSION]: 'one' };
    await send({ headers: own });
    await send({ headers: named });
    const end: Sent = { body: undefined, method: 'DELETE' };
    await send({ ...end, headers: named });
    await send({ ...end, headers: own, status: 405 });
    expect(await stored('mcp-1')).toBeDefined();
    await send({ ...end, headers: own });
    expect([await stored('mcp-1'), await stored('one')]).toEqual([undefined, expect.anything()]);
  });
}

export function sessionHeaders(): void {
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
  it.each<[string, Sent, string]>([
    ['an id with a slash', { headers: { [SESSION]: 'a/b' }, body: call }, 'X-Gateway-Session-ID'],
    [
      'a bad limit in a session of MCP',
      { headers: { [MCP_SESSION]: 'a', 'x-gateway-session-max-steps': 'x' }, body: call },
      'X-Gateway-Session-Max-Steps',
    ],
    [
      'a limit of a call that has no session',
      { headers: { 'x-gateway-session-budget': '1' } },
      'X-Gateway-Session-Budget',
    ],
  ])('%s is a 400 that names the header', async (_what, sent, named) => {
    const { verdict } = await rig().send(sent);
    expect(verdict).toMatchObject({ kind: 'deny', type: 'invalid_request' });
    expect((verdict as { message: string }).message).toContain(named);
  });

  it('limits without a session are accepted on an initialize, which cannot have one', async () => {
    const body = { jsonrpc: '2.0', id: 1, method: 'initialize', params: {} };
    const { verdict } = await rig().send({ headers: { 'x-gateway-session-budget': '1' }, body });
    expect(verdict).toEqual({ kind: 'pass' });
  });

  it('session.required refuses a call without a session, of either kind', async () => {
    const { send } = rig({ required: true });
    expect((await send({ headers: {} })).verdict).toMatchObject({ type: 'invalid_request' });
    expect((await send({ headers: { [MCP_SESSION]: 'a' } })).verdict).toEqual({ kind: 'pass' });
    expect((await send({})).verdict).toEqual({ kind: 'pass' });
  });
}

export function redisFailures(): void {
  it('the call is refused, and writes lost at the end are dropped', async () => {
    const { begin, check, keyHash } = rig();
    const exchange = mcpExchange({ body: toolCall('a'), headers: { [SESSION]: 'one' }, key: { keyHash } });
    const before = await begin(exchange);
    await redis.pause();
    try {
      await expect(begin(exchange)).rejects.toMatchObject({ type: 'redis_unavailable' });
      await expect(check.response?.(answered(exchange), before.state)).rejects.toMatchObject({
        type: 'redis_unavailable',
      });
      await check.end?.(exchange, { kind: 'lost' }, before.state);
    } finally {
      await redis.resume();
    }
  });
}
