import { describe, expect, it } from 'vitest';
import { ERROR_STATUS, mayRetry, type ErrorType } from '../../../src/errors.ts';
import type { ErrorShape } from '../../../src/providers/descriptor.ts';
import { errorShapeOf } from '../../../src/providers/error-shapes.ts';
import { gatewayBody, nativeBody, nativeHeaders } from '../../../src/providers/native-errors.ts';
import { PROVIDER_NAMES } from '../../../src/providers/registry.ts';

const SHAPES: readonly ErrorShape[] = [
  'openai',
  'anthropic',
  'gemini',
  'bedrock',
  'cohere',
  'mistral',
  'ollama',
];
const TYPES = Object.keys(ERROR_STATUS) as ErrorType[];

const factsOf = (type: ErrorType) => ({ type, message: 'no', status: ERROR_STATUS[type], requestId: 'id-1' });

/** The place in which the shape's SDKs read the message. */
function messageOf(shape: ErrorShape, body: Readonly<Record<string, unknown>>): unknown {
  if (shape === 'ollama') return body['error'];
  const holder = shape === 'openai' || shape === 'anthropic' || shape === 'gemini' ? body['error'] : body;
  return (holder as { message?: unknown }).message;
}

describe.each(SHAPES)('the error object of %s', (shape) => {
  it.each(TYPES)(
    'has the message where SDKs read it, the gateway’s type at the top, and the id: %s',
    (type) => {
      const body = nativeBody(shape, factsOf(type));
      expect(messageOf(shape, body)).toBe('no');
      expect(body).toMatchObject({ type, request_id: 'id-1' });
      expect(JSON.parse(JSON.stringify(body))).toEqual(body);
    },
  );

  it.each(TYPES)('contains the gateway’s {error, type}: %s', (type) => {
    const body = gatewayBody(shape, factsOf(type));
    expect(body).toEqual({ error: 'no', type, ...(shape === 'bedrock' && { message: 'no' }) });
  });
});

describe('the provider’s own error object', () => {
  it.each([
    [
      'openai',
      'budget_exceeded',
      { error: { type: 'insufficient_quota', code: 'insufficient_quota', param: null } },
    ],
    ['openai', 'session_budget_exceeded', { error: { code: 'insufficient_quota' } }],
    ['openai', 'rate_limited', { error: { type: 'rate_limit_error', code: 'rate_limit_exceeded' } }],
    ['openai', 'invalid_key', { error: { type: 'invalid_request_error', code: 'invalid_api_key' } }],
    ['openai', 'redis_unavailable', { error: { type: 'server_error', code: 'redis_unavailable' } }],
    ['anthropic', 'payload_too_large', { error: { type: 'request_too_large' } }],
    ['anthropic', 'quarantined', { error: { type: 'permission_error' } }],
    ['anthropic', 'upstream_unavailable', { error: { type: 'api_error' } }],
    ['gemini', 'policy_denied', { error: { code: 403, status: 'PERMISSION_DENIED' } }],
    ['gemini', 'invalid_request', { error: { code: 400, status: 'INVALID_ARGUMENT' } }],
    ['gemini', 'upstream_timeout', { error: { code: 504, status: 'DEADLINE_EXCEEDED' } }],
    ['mistral', 'rate_limited', { object: 'error', param: null, code: 'rate_limit_exceeded' }],
    ['cohere', 'invalid_key', { id: 'id-1', error: 'no' }],
  ] as const)('%s: %s', (shape, type, expected) => {
    expect(nativeBody(shape, factsOf(type))).toMatchObject(expected);
  });

  it.each([
    ['invalid_request', 'ValidationException'],
    ['invalid_key', 'UnrecognizedClientException'],
    ['quarantined', 'AccessDeniedException'],
    ['unknown_provider', 'ResourceNotFoundException'],
    ['rate_limited', 'ThrottlingException'],
    ['budget_exceeded', 'ServiceQuotaExceededException'],
    ['gateway_unavailable', 'ServiceUnavailableException'],
    ['upstream_timeout', 'ModelTimeoutException'],
  ] as const)('bedrock names %s %s in its header', (type, name) => {
    expect(nativeHeaders('bedrock', { type, status: ERROR_STATUS[type] })).toEqual([
      ['x-amzn-errortype', name],
    ]);
  });

  it('Gemini’s has the delay of Retry-After, or a delay longer than clients wait', () => {
    function delay(type: ErrorType, retryAfter?: string): unknown {
      const { error } = nativeBody('gemini', { ...factsOf(type), retryAfter }) as {
        error: { details: { '@type': string; retryDelay?: string }[] };
      };
      return error.details.find((detail) => detail['@type'].endsWith('RetryInfo'))?.retryDelay;
    }
    expect(delay('budget_exceeded', '40')).toBe('40s');
    expect(delay('rate_limited', '7')).toBe('7s');
    for (const type of TYPES) {
      const isFinal = ERROR_STATUS[type] === 429 && !mayRetry(type);
      expect(delay(type)).toBe(isFinal ? '3600s' : undefined);
    }
  });
});

describe('the shape of a path', () => {
  it.each([
    ['/openai/v1/chat/completions', 'openai'],
    ['/groq/openai/v1/chat/completions', 'openai'],
    ['/azure/openai/deployments/d/chat/completions', 'openai'],
    ['/azure/anthropic/v1/messages', 'anthropic'],
    ['/gemini/v1beta/models/m:generateContent', 'gemini'],
    ['/gemini/v1beta/openai/chat/completions', 'openai'],
    ['/bedrock/model/m/converse', 'bedrock'],
    ['/bedrock/openai/v1/chat/completions', 'openai'],
    ['/cohere/v2/chat', 'cohere'],
    ['/cohere/compatibility/v1/chat/completions', 'openai'],
    ['/mistral/v1/chat/completions', 'mistral'],
    ['/deepseek/anthropic/v1/messages', 'anthropic'],
    ['/deepseek/chat/completions', 'openai'],
    ['/ollama/api/chat', 'ollama'],
    ['/ollama/v1/chat/completions', 'openai'],
    ['/ollama/v1/messages', 'anthropic'],
    ['/vllm/v1/messages', 'anthropic'],
    ['/openrouter/api/v1/messages', 'anthropic'],
    ['/openrouter/api/v1/chat/completions', 'openai'],
    ['/anthropic', 'anthropic'],
    ['/anthropics/v1', undefined],
    ['/mcp/files', undefined],
    ['', undefined],
  ])('%s: %s', (path, shape) => {
    expect(errorShapeOf(path)).toBe(shape);
  });

  it.each(PROVIDER_NAMES)('%s has one, with any path after it', (name) => {
    for (const rest of ['', '/', '/v1/x', '/%2e']) expect(errorShapeOf(`/${name}${rest}`)).toBeDefined();
  });
});
