import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { REFUSALS_PAGE, refusalsPage } from '../../../../build-docs.ts';
import { ERROR_STATUS, type ErrorType, type Refusal } from '../../../../src/errors.ts';
import { refusalAnswer, type Refused } from '../../../../src/extproc/reply/refusal-answer.ts';
import type { Surface } from '../../../../src/extproc/request/surface.ts';
import type { McpMessage } from '../../../../src/mcp/message.ts';

const CALL: McpMessage = { kind: 'request', id: 'a', method: 'tools/call', name: 'rm' };
const BLOCKED: readonly ErrorType[] = ['policy_denied', 'drift_detected', 'escalation_denied'];

const PASSING: readonly ErrorType[] = [
  'request_timeout',
  'rate_limited',
  'upstream_unavailable',
  'credential_unavailable',
  'gateway_unavailable',
  'overloaded',
  'credential_unavailable',
  'redis_unavailable',
  'stored_form_unknown',
  'circuit_open',
  'upstream_timeout',
];

type Sent = Partial<Refusal> & Pick<Refusal, 'type'> & Pick<Refused, 'mcp'>;

function sent({ mcp, ...refusal }: Sent, stripTelemetry = false) {
  const surface: Surface = mcp === undefined ? { kind: 'provider', shape: 'openai' } : { kind: 'mcp' };
  const refused = { surface, headers: [], mcp };
  const answer = refusalAnswer({ message: 'not yours', ...refusal }, refused, {
    stripTelemetry,
    errorFormat: 'gateway',
    refusalDetails: 'full',
  });
  return { status: answer.status, headers: Object.fromEntries(answer.headers) };
}

it('docs/refusals.md lists all types, as `npm run docs` writes them', async () => {
  expect(readFileSync(REFUSALS_PAGE, 'utf8')).toBe(await refusalsPage());
});

/** docs/refusals.md: 403 `policy_denied` has `X-Gateway-Policy-Block: true` and `X-Gateway-Block-Reason`. */
describe('a refusal without headers', () => {
  it.each(Object.keys(ERROR_STATUS) as ErrorType[])(
    '%s names what blocked it and whether to repeat it',
    (type) => {
      const { status, headers } = sent({ type });
      expect(status).toBe(ERROR_STATUS[type]);
      expect(headers).toEqual({
        'content-type': 'application/json',
        'x-gateway-error-type': type,
        ...(!PASSING.includes(type) && { 'x-should-retry': 'false' }),
        ...(BLOCKED.includes(type) && {
          'x-gateway-policy-block': 'true',
          'x-gateway-block-reason': 'not yours',
        }),
      });
    },
  );

  it.each(Object.keys(ERROR_STATUS) as ErrorType[])('%s of a tool’s call does too', (type) => {
    const { headers } = sent({ type, mcp: CALL });
    expect(headers['x-gateway-error-type']).toBe(type);
    expect(headers['x-gateway-policy-block']).toBe(BLOCKED.includes(type) ? 'true' : undefined);
    expect(headers['x-gateway-block-reason']).toBe(BLOCKED.includes(type) ? 'not yours' : undefined);
  });
});

describe('the reason', () => {
  it('is a check’s own header, else the short reason if there is one', () => {
    const details = { reason: 'short' };
    expect(sent({ type: 'policy_denied', details }).headers['x-gateway-block-reason']).toBe('short');
    const headers = { 'x-gateway-block-reason': 'its own' };
    expect(sent({ type: 'policy_denied', details, headers }).headers['x-gateway-block-reason']).toBe(
      'its own',
    );
  });

  it.each([
    ['two\r\nx-evil: 1', 'two\\u000d\\u000ax-evil: 1'],
    ['käse \u202e\ud800', 'k\\u00e4se \\u202e\\ud800'],
    ['x'.repeat(5_000), 'x'.repeat(256)],
  ])('%j is one bounded line of ASCII', (message, value) => {
    expect(sent({ type: 'policy_denied', message }).headers['x-gateway-block-reason']).toBe(value);
    expect(sent({ type: 'policy_denied', message, mcp: CALL }).headers['x-gateway-block-reason']).toBe(value);
  });

  it('stays if telemetry headers are stripped', () => {
    const headers = { 'x-gateway-session-spend': '1' };
    expect(sent({ type: 'policy_denied', headers }, true).headers).toEqual({
      'content-type': 'application/json',
      'x-gateway-error-type': 'policy_denied',
      'x-should-retry': 'false',
      'x-gateway-policy-block': 'true',
      'x-gateway-block-reason': 'not yours',
    });
  });
});

describe('the id of the request', () => {
  const headers = [['x-gateway-request-id', 'id-1']] as const;
  const settings = { stripTelemetry: false, errorFormat: 'gateway', refusalDetails: 'full' } as const;
  it.each([
    [{ kind: 'provider', shape: 'openai' }, {}],
    [{ kind: 'provider', shape: 'anthropic' }, { 'request-id': 'id-1' }],
    [
      { kind: 'provider', shape: 'bedrock' },
      { 'x-amzn-requestid': 'id-1', 'x-amzn-errortype': 'AccessDeniedException' },
    ],
    [{ kind: 'mcp' }, {}],
    [{ kind: 'none' }, {}],
  ] as const)('is also in the headers that the SDKs of %j read', (surface, more) => {
    const answer = refusalAnswer({ type: 'quarantined', message: 'no' }, { surface, headers }, settings);
    expect(Object.fromEntries(answer.headers)).toEqual({
      'content-type': 'application/json',
      'x-gateway-error-type': 'quarantined',
      'x-should-retry': 'false',
      'x-gateway-request-id': 'id-1',
      'x-request-id': 'id-1',
      ...more,
    });
  });
});

describe('the findings of a refusal', () => {
  const findings = [
    { rule: 'no-orders', detector: 'prompt_injection', class: 'override', place: 'messages[3]' },
  ];
  const shapes = ['openai', 'anthropic', 'gemini', 'bedrock', 'cohere', 'mistral', 'ollama'] as const;
  function bodyOf(surface: Surface, refusalDetails: 'full' | 'brief', errorFormat: 'gateway' | 'native') {
    const refused = { surface, headers: [], mcp: surface.kind === 'mcp' ? CALL : undefined };
    const settings = { stripTelemetry: false, errorFormat, refusalDetails };
    return refusalAnswer({ type: 'policy_denied', message: 'no', findings }, refused, settings).body;
  }

  it.each(['gateway', 'native'] as const)(
    'are in the body of every format, unless refusals are brief: %s',
    (format) => {
      for (const shape of shapes) {
        const surface: Surface = { kind: 'provider', shape };
        expect(JSON.parse(bodyOf(surface, 'full', format))).toMatchObject({ findings });
        expect(bodyOf(surface, 'brief', format)).not.toContain('findings');
      }
    },
  );

  it('are in the data of a JSON-RPC error', () => {
    expect(JSON.parse(bodyOf({ kind: 'mcp' }, 'full', 'gateway'))).toMatchObject({
      error: { data: { findings } },
    });
    expect(bodyOf({ kind: 'mcp' }, 'brief', 'gateway')).not.toContain('findings');
  });
});
