import { describe, expect, it } from 'vitest';
import { spanFacts, type TracedFinish } from '../../../src/tracing/attributes.ts';
import { parsed } from '../../support/exchange.ts';

function finish(over: Partial<TracedFinish>): TracedFinish {
  return {
    requestId: 'r-1',
    exchange: undefined,
    refusal: undefined,
    status: 200,
    outcome: { kind: 'complete' },
    usage: undefined,
    firstChunkMs: undefined,
    ...over,
  };
}

const same = (text: string): string => text;

describe('the span of a request', () => {
  it('has the names of the GenAI conventions', () => {
    const exchange = parsed({
      provider: 'gemini',
      path: '/v1beta/models/gemini-2.5-flash:streamGenerateContent',
      body: { contents: [] },
    });
    const usage = { inputTokens: 3, outputTokens: 4, cacheReadTokens: 1, reasoningTokens: 2 };
    const facts = spanFacts(finish({ exchange, usage, firstChunkMs: 250 }), same);
    expect(facts).toMatchObject({ name: 'chat gemini-2.5-flash', isError: false });
    expect(facts.attributes).toEqual({
      'http.request.method': 'POST',
      'http.response.status_code': 200,
      'gateway.key.hash': exchange.key.keyHash,
      'gateway.request.id': 'r-1',
      'gateway.outcome': 'complete',
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'gcp.gemini',
      'gen_ai.request.model': 'gemini-2.5-flash',
      'gen_ai.request.stream': true,
      'gen_ai.response.time_to_first_chunk': 0.25,
      'gen_ai.usage.input_tokens': 3,
      'gen_ai.usage.output_tokens': 4,
      'gen_ai.usage.cache_read.input_tokens': 1,
      'gen_ai.usage.reasoning.output_tokens': 2,
    });
  });

  it('of a tool call has the names of MCP', () => {
    const exchange = {
      ...parsed({ body: { model: 'm', messages: [] } }),
      mcp: { server: 'files' },
      headers: new Map([['mcp-protocol-version', '2025-11-25']]),
      request: { model: undefined, mcp: { kind: 'request', method: 'tools/call', name: 'read' } },
    };
    const { name, attributes } = spanFacts(finish({ exchange }), same);
    expect(name).toBe('tools/call read');
    expect(attributes).toMatchObject({
      'mcp.method.name': 'tools/call',
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'read',
      'mcp.protocol.version': '2025-11-25',
      'gateway.mcp.server': 'files',
    });
    expect(attributes).not.toHaveProperty('gen_ai.provider.name');
  });

  it('has tokens written to a cache under the current and the older name', () => {
    const exchange = parsed({ body: { model: 'm', messages: [] } });
    const { attributes } = spanFacts(
      finish({ exchange, usage: { inputTokens: 9, outputTokens: 1, cacheWriteTokens: 7 } }),
      same,
    );
    expect(attributes).toMatchObject({
      'gen_ai.usage.cache_write.input_tokens': 7,
      'gen_ai.usage.cache_creation.input_tokens': 7,
    });
  });

  it('of a locked key names the key', () => {
    const refusal = { type: 'quarantined' as const, key: { keyHash: 'sha256:abc' } };
    expect(spanFacts(finish({ status: 403, refusal }), same)).toMatchObject({
      name: 'refused',
      attributes: { 'gateway.key.hash': 'sha256:abc', 'gateway.refusal.type': 'quarantined' },
    });
  });

  it('of a refused client is not an error, and has the reason', () => {
    const refused = spanFacts(finish({ status: 401, refusal: { type: 'invalid_key' } }), same);
    expect(refused).toMatchObject({
      name: 'refused',
      isError: false,
      attributes: { 'gateway.refusal.type': 'invalid_key', 'http.response.status_code': 401 },
    });
    expect(refused.attributes).not.toHaveProperty('error.type');
    expect(spanFacts(finish({ status: 404 }), same)).toMatchObject({ isError: false });
  });

  it('of a failed request has the cause', () => {
    const failed = spanFacts(finish({ status: 500 }), same);
    expect(failed).toMatchObject({ isError: true, attributes: { 'error.type': '500' } });
    // A stream that was cut, or an MCP refusal, has status 200.
    const cut = spanFacts(finish({ status: 200, refusal: { type: 'upstream_timeout' } }), same);
    expect(cut).toMatchObject({ isError: true, attributes: { 'error.type': 'upstream_timeout' } });
  });
});
