import { describe, expect, it } from 'vitest';
import { createSessionBinding } from '../../../../src/checks/mcp/session-binding/binding.ts';
import { createMemoryMcpSessionStore } from '../../../../src/checks/mcp/session-binding/memory-store.ts';
import type { Answered, Parsed } from '../../../../src/pipeline/exchange.ts';
import { mcpSessionOf } from '../../../../src/conversation/session-name.ts';
import { answered, parsed } from '../../../support/exchange.ts';
import { mcpExchange, toolCall } from '../../../support/mcp-exchange.ts';

const ALICE = { keyHash: 'sha256:a' };
const BOB = { keyHash: 'sha256:b' };
const INITIALIZE = { jsonrpc: '2.0', id: 0, method: 'initialize', params: {} };

function initialize(key: { readonly keyHash: string }): Parsed {
  return mcpExchange({ body: INITIALIZE, key });
}

function call(key: { readonly keyHash: string }, sessionId: string, server = 'files'): Parsed {
  return mcpExchange({ body: toolCall('echo'), key, server, headers: { 'mcp-session-id': sessionId } });
}

function answerOf(exchange: Parsed, sessionId: string | undefined, more: Partial<Answered> = {}): Answered {
  const answerHeaders = new Map(sessionId === undefined ? [] : [['mcp-session-id', sessionId]]);
  return { ...answered(exchange), answerHeaders, ...more };
}

const GONE = { kind: 'deny', type: 'not_found' };
const PASSED = { kind: 'pass' };

describe('an MCP session', () => {
  const rig = () => createSessionBinding(createMemoryMcpSessionStore({ ttlMs: 60_000 }));

  it('can be used only by the key that received it', async () => {
    const binding = rig();
    expect(await binding.keep(answerOf(initialize(ALICE), 's-1'))).toEqual(PASSED);
    expect(await binding.judge(call(ALICE, 's-1'))).toEqual(PASSED);
    expect(await binding.judge(call(BOB, 's-1'))).toMatchObject(GONE);
    expect(await binding.judge(call(ALICE, 's-1', 'mail'))).toMatchObject(GONE);
  });

  it('that no server created is refused with the same message as another key’s', async () => {
    const binding = rig();
    await binding.keep(answerOf(initialize(ALICE), 's-1'));
    expect(await binding.judge(call(BOB, 's-2'))).toEqual(await binding.judge(call(BOB, 's-1')));
  });

  it('is not looked up if a request names none', async () => {
    expect(await rig().judge(initialize(ALICE))).toEqual(PASSED);
  });

  it('is required to resume a stream: events without a known owner are never sent', async () => {
    const binding = rig();
    await binding.keep(answerOf(initialize(ALICE), 's-1'));
    const resume = { 'last-event-id': '0' };
    const own = { ...resume, 'mcp-session-id': 's-1' };
    expect(await binding.judge(mcpExchange({ headers: resume, key: BOB }))).toMatchObject({
      kind: 'deny',
      type: 'invalid_request',
    });
    expect(await binding.judge(mcpExchange({ headers: own, key: BOB }))).toMatchObject(GONE);
    expect(await binding.judge(mcpExchange({ headers: own, key: ALICE }))).toEqual(PASSED);
    expect(await binding.judge(mcpExchange({ key: ALICE }))).toEqual(PASSED);
    expect(await binding.judge(mcpExchange({ headers: resume, body: INITIALIZE, key: ALICE }))).toEqual(
      PASSED,
    );
  });

  it('that a server gives to a second key is withheld from it', async () => {
    const binding = rig();
    await binding.keep(answerOf(initialize(ALICE), 'fixed'));
    expect(await binding.keep(answerOf(initialize(BOB), 'fixed'))).toMatchObject({
      kind: 'deny',
      type: 'upstream_unavailable',
    });
  });

  it.each([
    ['Envoy answered instead of the server', { origin: 'lost' }],
    ['the server was not reached', { origin: 'not_connected' }],
  ] as const)('is not bound if %s', async (_why, more) => {
    const binding = rig();
    expect(await binding.keep(answerOf(initialize(ALICE), 's-1', more))).toEqual(PASSED);
    expect(await binding.judge(call(ALICE, 's-1'))).toMatchObject(GONE);
  });

  it.each([
    [200, GONE],
    [204, GONE],
    [405, PASSED],
    [500, PASSED],
  ])('after a DELETE that the server answers with %i', async (status, after) => {
    const binding = rig();
    await binding.keep(answerOf(initialize(ALICE), 's-1'));
    const end = mcpExchange({ method: 'DELETE', key: ALICE, headers: { 'mcp-session-id': 's-1' } });
    await binding.keep(answerOf(end, 's-1', { status }));
    expect(await binding.judge(call(ALICE, 's-1'))).toMatchObject(after);
  });
});

describe('the gateway’s session of an MCP call', () => {
  const sessionOf = (headers: Record<string, string>) => mcpSessionOf(mcpExchange({ headers }))?.sessionId;

  it.each([
    [
      'the one in the gateway’s header',
      { 'x-gateway-session-id': 'mine', 'mcp-session-id': 'theirs' },
      'mine',
    ],
    ['the MCP session', { 'mcp-session-id': '0f1e-2d3c' }, '0f1e-2d3c'],
    [
      'a digest if the MCP session id is not a valid name',
      { 'mcp-session-id': 'a/b|c' },
      'nouCG_nBLm5QrXfxoxN5Zf3OwktfQzn4f3urR47sBhI',
    ],
    ['missing if no header names one', {}, undefined],
    [
      'missing if the gateway’s header is invalid, since that request is refused',
      { 'x-gateway-session-id': 'a b' },
      undefined,
    ],
  ])('is %s', (_what, headers, session) => {
    expect(sessionOf(headers)).toBe(session);
  });

  it('does not exist for requests to providers', () => {
    const exchange = parsed({ body: { model: 'm', messages: [] } });
    expect(mcpSessionOf({ ...exchange, headers: new Map([['mcp-session-id', 's-1']]) })).toBeUndefined();
  });
});
