import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { localReplies } from '../../../src/envoy/local-replies.ts';

const FILTER = z.looseObject({});
const MAPPERS = z.object({
  mappers: z.array(
    z.object({
      filter: FILTER,
      status_code: z.number().optional(),
      headers_to_add: z
        .array(z.object({ header: z.object({ key: z.string(), value: z.string() }) }).loose())
        .default([]),
      body_format_override: z.object({
        text_format_source: z.object({ inline_string: z.string() }),
        content_type: z.string(),
      }),
    }),
  ),
});
type Mapper = z.infer<typeof MAPPERS>['mappers'][number];

function mappersOf(format: 'gateway' | 'native'): readonly Mapper[] {
  return MAPPERS.parse(JSON.parse(JSON.stringify(localReplies(format)))).mappers;
}

interface Failed {
  readonly status: number;
  readonly details?: string;
  readonly path?: string;
  readonly cluster?: string;
}

const EXPRESSION = z.object({
  extension_filter: z.object({ typed_config: z.object({ expression: z.string() }).loose() }).loose(),
});
const STATUS = z.object({
  status_code_filter: z.object({
    comparison: z.object({
      op: z.enum(['EQ', 'GE']),
      value: z.object({ default_value: z.number() }).loose(),
    }),
  }),
});
const ALL_OF = z.object({ and_filter: z.object({ filters: z.array(FILTER) }) });
const PATH = z.object({
  header_filter: z.object({
    header: z.object({
      name: z.literal(':path'),
      string_match: z.object({ safe_regex: z.object({ regex: z.string() }) }),
    }),
  }),
});

/** Reports whether a filter matches this reply. */
function isMatch(filter: unknown, failed: Failed): boolean {
  const all = ALL_OF.safeParse(filter);
  if (all.success) return all.data.and_filter.filters.every((one) => isMatch(one, failed));
  const status = STATUS.safeParse(filter);
  if (status.success) {
    const { op, value } = status.data.status_code_filter.comparison;
    return op === 'EQ' ? failed.status === value.default_value : failed.status >= value.default_value;
  }
  const path = PATH.safeParse(filter);
  if (path.success) {
    const { regex } = path.data.header_filter.header.string_match.safe_regex;
    return new RegExp(`^(?:${regex})$`).test(failed.path ?? '/');
  }
  const { expression } = EXPRESSION.parse(filter).extension_filter.typed_config;
  return expression.split(' || ').some((one) => isTrue(one, failed));
}

/** The few forms of CEL in the filters. */
function isTrue(expression: string, { details = '', path = '/', cluster = '' }: Failed): boolean {
  const [, is] = /^response\.code_details == '(\w+)'$/.exec(expression) ?? [];
  if (is !== undefined) return details === is;
  const [, list] = /^response\.code_details in \[(.*)\]$/.exec(expression) ?? [];
  if (list !== undefined) return list.split(', ').includes(`'${details}'`);
  const [, of, beginning = ''] =
    /^(response\.code_details|xds\.cluster_name)\.startsWith\('(\w+)'\)$/.exec(expression) ?? [];
  if (of !== undefined) return (of === 'xds.cluster_name' ? cluster : details).startsWith(beginning);
  const [, pattern] = /^request\.path\.matches\('(.*)'\)$/.exec(expression) ?? [];
  if (pattern !== undefined) return new RegExp(pattern).test(path);
  throw new Error(`no such expression is expected: ${expression}`);
}

/** Returns Envoy's own reply to a client. */
function replyTo(failed: Failed, format: 'gateway' | 'native' = 'gateway') {
  const mapper = mappersOf(format).find(({ filter }) => isMatch(filter, failed));
  if (mapper === undefined) return undefined;
  const body = mapper.body_format_override.text_format_source.inline_string;
  const headers = new Map(mapper.headers_to_add.map(({ header }) => [header.key, header.value]));
  return {
    status: mapper.status_code ?? failed.status,
    type: /"type":"(\w+)"/.exec(body)?.[1],
    body,
    headers,
    mayBeRepeated: headers.get('x-should-retry') !== 'false',
  };
}

const KEY = `gw-${'a'.repeat(43)}`;
const CHAT = '/openai/v1/chat/completions';

describe('a reply of Envoy itself', () => {
  it.each<[string, Failed, number, string, boolean]>([
    ['overload', { status: 503, details: 'overload' }, 503, 'gateway_unavailable', true],
    [
      'a request without a host',
      { status: 400, details: 'missing_host_header' },
      400,
      'invalid_request',
      false,
    ],
    [
      'a request without a path',
      { status: 404, details: 'missing_path_rejected' },
      400,
      'invalid_request',
      false,
    ],
    ['an absolute URL', { status: 404, details: 'absolute_path_rejected' }, 400, 'invalid_request', false],
    [
      'a path with escapes',
      { status: 400, details: 'path_normalization_failed' },
      400,
      'invalid_request',
      false,
    ],
    ['an upgrade', { status: 403, details: 'upgrade_failed' }, 426, 'upgrade_not_supported', false],
    [
      'a large request',
      { status: 413, details: 'request_payload_too_large' },
      413,
      'payload_too_large',
      false,
    ],
    ['a slow request', { status: 408, details: 'request_overall_timeout' }, 408, 'request_timeout', true],
    ['a silent stream', { status: 504, details: 'stream_idle_timeout' }, 504, 'upstream_timeout', true],
    [
      'a silent provider',
      { status: 504, details: 'upstream_response_timeout' },
      504,
      'upstream_timeout',
      true,
    ],
    ['a slow attempt', { status: 504, details: 'upstream_per_try_timeout' }, 504, 'upstream_timeout', true],
    [
      'a silent attempt',
      { status: 504, details: 'upstream_per_try_idle_timeout' },
      504,
      'upstream_timeout',
      true,
    ],
    ['a long request', { status: 504, details: 'duration_timeout' }, 504, 'upstream_timeout', true],
    [
      'a large answer',
      { status: 500, details: 'response_payload_too_large' },
      502,
      'upstream_unavailable',
      true,
    ],
    [
      'an unreachable provider',
      { status: 503, details: 'no_healthy_upstream' },
      502,
      'upstream_unavailable',
      true,
    ],
    [
      'a broken provider',
      { status: 503, details: 'upstream_reset_before_response_started' },
      502,
      'upstream_unavailable',
      true,
    ],
    [
      'an unreachable sidecar',
      { status: 503, details: 'ext_proc_error_gRPC_error_14' },
      503,
      'gateway_unavailable',
      true,
    ],
    [
      'the route without the sidecar',
      { status: 503, details: 'direct_response' },
      503,
      'gateway_unavailable',
      true,
    ],
    ['a missing route', { status: 404, details: 'route_not_found' }, 404, 'not_found', false],
    ['another client error', { status: 431, details: 'headers_too_large' }, 431, 'invalid_request', false],
  ])('%s', (_, failed, status, type, mayBeRepeated) => {
    expect(replyTo({ ...failed, path: CHAT })).toMatchObject({ status, type, mayBeRepeated });
  });

  it.each(['gw', 'gw_unlogged'])('passes the sidecar’s answer (%s) unchanged', (details) => {
    for (const path of [CHAT, '/mcp/files', '/bedrock/model/m/converse']) {
      for (const format of ['gateway', 'native'] as const) {
        const reply = replyTo({ status: 403, details, path }, format);
        expect(reply).toMatchObject({ status: 403, body: '%LOCAL_REPLY_BODY%' });
        expect([...(reply?.headers ?? [])]).toEqual([]);
      }
    }
  });

  it.each([CHAT, '/mcp/files', '/bedrock/model/m/converse'])('names its type in a header: %s', (path) => {
    for (const details of ['overload', 'upgrade_failed', 'no_healthy_upstream', 'stream_idle_timeout']) {
      const failed: Failed = { status: 503, details, path };
      const type = replyTo(failed)?.type;
      for (const format of ['gateway', 'native'] as const)
        expect(replyTo(failed, format)?.headers.get('x-gateway-error-type')).toBe(type);
    }
  });

  it('has the request id in every header that SDKs read, if there is one', () => {
    const failed: Failed = { status: 503, details: 'no_healthy_upstream' };
    const idsOf = (of: Failed, format?: 'native') => Object.fromEntries(replyTo(of, format)?.headers ?? []);
    const id = '%STREAM_ID%';
    expect(idsOf({ ...failed, path: CHAT })).toEqual({
      'x-gateway-request-id': id,
      'x-gateway-error-type': 'upstream_unavailable',
      'x-request-id': id,
    });
    expect(idsOf({ ...failed, path: '/anthropic/v1/messages' }, 'native')).toMatchObject({
      'request-id': id,
    });
    expect(idsOf({ ...failed, path: '/bedrock/model/m/converse' })).toMatchObject({
      'x-amzn-requestid': id,
      'x-amzn-errortype': expect.any(String) as string,
    });
    const early = { status: 400, details: 'missing_host_header', path: CHAT };
    expect(idsOf(early)).toEqual({
      'x-gateway-request-id': '%UNIQUE_ID%',
      'x-gateway-error-type': 'invalid_request',
      'x-should-retry': 'false',
    });
    expect(replyTo(early)?.body).not.toContain(id);
  });
});

describe('the shape of a reply of Envoy itself', () => {
  const failed: Failed = { status: 503, details: 'no_healthy_upstream' };
  const OURS = /^\{"error":"the provider cannot be reached","type":"upstream_unavailable"\}$/;
  const MCP = /"jsonrpc":"2\.0".*"code":-32/;
  const BEDROCK = /"message":"the provider cannot be reached/;

  it.each<[string, Failed, 'gateway' | 'native', RegExp]>([
    ['has the gateway’s format', { ...failed, path: CHAT }, 'gateway', OURS],
    [
      'has Bedrock’s format too, where Bedrock’s clients expect it',
      { ...failed, path: '/bedrock/model/m/converse' },
      'gateway',
      BEDROCK,
    ],
    [
      'has Bedrock’s format after a key in the path',
      { ...failed, path: `/${KEY}/bedrock/model/m/converse?a` },
      'gateway',
      BEDROCK,
    ],
    ['has MCP’s format because of its path', { ...failed, path: '/mcp/files' }, 'gateway', MCP],
    ['has MCP’s format after a key in the path', { ...failed, path: `/${KEY}/mcp/files` }, 'native', MCP],
    [
      'has MCP’s format because of its cluster',
      { ...failed, path: '/anything', cluster: 'mcp_files' },
      'gateway',
      MCP,
    ],
    [
      'has OpenAI’s format if configured',
      { ...failed, path: CHAT },
      'native',
      /"error":\{"message":"the provider cannot/,
    ],
    [
      'has Anthropic’s format if configured',
      { ...failed, path: '/anthropic/v1/messages' },
      'native',
      /"error":\{"type":"api_error"/,
    ],
    ['has the gateway’s format for an unknown path', { ...failed, path: '/mcpx' }, 'native', OURS],
  ])('%s', (_, of, format, shape) => {
    expect(replyTo(of, format)?.body).toMatch(shape);
  });
});
