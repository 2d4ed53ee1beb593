import { describe, expect, it } from 'vitest';
import { ERROR_STATUS, type ErrorType, type Refusal } from '../../../src/errors.ts';
import { blockReason, mcpAnswer, type RefusedMessage } from '../../../src/mcp/refusal.ts';
import type { McpMessage } from '../../../src/mcp/message.ts';

const CALL: McpMessage = { kind: 'request', id: 'a', method: 'tools/call', name: 'rm' };
const LIST: McpMessage = { kind: 'request', id: 0, method: 'tools/list' };

function answer(refusal: Refusal & RefusedMessage) {
  const { status, body } = mcpAnswer(refusal, refusal);
  return { status, json: JSON.parse(body) as unknown };
}

describe('a refusal that an agent can act on', () => {
  it('is an answer with an error that gives the reason', () => {
    expect(answer({ type: 'policy_denied', message: 'not yours', mcp: CALL })).toEqual({
      status: 200,
      json: {
        jsonrpc: '2.0',
        id: 'a',
        error: {
          code: -32001,
          message: 'Error: tool [rm] blocked. Reason: not yours',
          data: { type: 'policy_denied', reason: 'not yours', tool_name: 'rm' },
        },
      },
    });
  });

  it('has the rule and the masked result', () => {
    const details = {
      reason: 'a secret',
      rule: 'aws_access_key_id',
      toolName: 'cat',
      maskedResult: { content: [] },
    };
    expect(answer({ type: 'escalation_denied', message: 'long', details, mcp: CALL })).toMatchObject({
      status: 200,
      json: {
        error: {
          code: -32001,
          message: 'Error: tool [cat] blocked. Reason: a secret',
          data: {
            type: 'escalation_denied',
            reason: 'a secret',
            tool_name: 'cat',
            rule: 'aws_access_key_id',
            result: { content: [] },
          },
        },
      },
    });
  });

  it('names the rule of the first finding if the details have no rule', () => {
    const findings = [{ rule: 'no-card' }, { rule: 'other' }];
    const { json } = answer({ type: 'policy_denied', message: 'no', findings, mcp: LIST });
    expect(json).toMatchObject({ error: { data: { rule: 'no-card', reason: 'no' } } });
  });

  it('names the method if no tool is called', () => {
    const { json } = answer({ type: 'policy_denied', message: 'no', mcp: LIST });
    expect(json).toMatchObject({
      id: 0,
      error: { message: 'Error: method [tools/list] blocked. Reason: no' },
    });
  });

  it('shortens a hostile name to one visible line', () => {
    const name = `a\n"]\u2028\u202e${'x'.repeat(500)}`;
    const seen = `a?"]??${'x'.repeat(122)}`;
    const { json } = answer({ type: 'policy_denied', message: 'no', mcp: { ...CALL, name } });
    expect(json).toMatchObject({
      error: { message: `Error: tool [${seen}] blocked. Reason: no`, data: { tool_name: seen } },
    });
  });
});

describe('every other refusal', () => {
  it('because of a failing server is JSON-RPC too, with HTTP 200', () => {
    expect(answer({ type: 'circuit_open', message: 'later', mcp: LIST })).toEqual({
      status: 200,
      json: {
        jsonrpc: '2.0',
        id: 0,
        error: { code: -32000, message: 'later', data: { type: 'circuit_open' } },
      },
    });
  });

  it('of contradicting headers is MCP’s own error, with HTTP 400', () => {
    expect(answer({ type: 'header_mismatch', message: 'Header mismatch: x', mcp: CALL })).toEqual({
      status: 400,
      json: {
        jsonrpc: '2.0',
        id: 'a',
        error: { code: -32020, message: 'Header mismatch: x', data: { type: 'header_mismatch' } },
      },
    });
  });

  it('of a request without its version is JSON-RPC’s own error, with HTTP 400', () => {
    expect(answer({ type: 'invalid_params', message: 'Invalid params: x', mcp: CALL })).toEqual({
      status: 400,
      json: {
        jsonrpc: '2.0',
        id: 'a',
        error: { code: -32602, message: 'Invalid params: x', data: { type: 'invalid_params' } },
      },
    });
  });

  it('is an answer if a call was not approved in time, so that the agent can continue', () => {
    const { status, json } = answer({ type: 'escalation_timeout', message: 'nobody', mcp: CALL });
    expect([status, json]).toMatchObject([
      200,
      { error: { code: -32001, data: { type: 'escalation_timeout' } } },
    ]);
  });

  const answers = [
    'policy_denied',
    'escalation_denied',
    'escalation_timeout',
    'circuit_open',
    'header_mismatch',
    'invalid_params',
  ];
  it.each((Object.keys(ERROR_STATUS) as ErrorType[]).filter((type) => !answers.includes(type)))(
    '%s keeps its HTTP status, and has its type at the top level too',
    (type) => {
      const { status, json } = answer({ type, message: 'no', mcp: CALL, mcpId: 'a' });
      expect(status).toBe(ERROR_STATUS[type]);
      expect(json).toEqual({
        jsonrpc: '2.0',
        id: 'a',
        error: { code: expect.toBeOneOf([-32000, -32600]) as number, message: 'no', data: { type } },
        type,
      });
    },
  );

  it('names the MCP server in messages about providers', () => {
    const message = 'the provider sent what the provider sends';
    expect(answer({ type: 'upstream_unavailable', message }).json).toMatchObject({
      id: null,
      error: { message: 'the MCP server sent what the provider sends' },
    });
  });

  it.each([
    ['a notification', { kind: 'notification', method: 'notifications/x' }],
    ['an answer', { kind: 'response', id: 1 }],
    ['no message', undefined],
  ] as const)('of %s keeps its HTTP status', (_what, mcp) => {
    expect(answer({ type: 'policy_denied', message: 'no', mcp })).toMatchObject({
      status: 403,
      json: { id: null, error: { code: -32001 }, type: 'policy_denied' },
    });
  });
});

describe('a reason in a header', () => {
  it.each([
    ['plain words', 'plain words'],
    ['two\r\nx-evil: 1', 'two\\u000d\\u000ax-evil: 1'],
    ['käse \u202e', 'k\\u00e4se \\u202e'],
    ['x'.repeat(300), 'x'.repeat(256)],
    ['é'.repeat(100), '\\u00e9'.repeat(42)],
    ['\ud800', '\\ud800'],
    ['', ''],
  ])('%j is %j', (reason, value) => {
    expect(blockReason(reason)).toBe(value);
  });
});
