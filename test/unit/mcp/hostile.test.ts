import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GatewayError } from '../../../src/errors.ts';
import { assertMirrored } from '../../../src/mcp/mirrored.ts';
import { parseRequest } from '../../../src/pipeline/parse.ts';
import { mcpExchange, toolCall } from '../../support/mcp-exchange.ts';
import { quickestCpuMs } from '../../support/cpu-time.ts';

const exchange = mcpExchange();

/** Reads a body as the edge does. */
function receive(body: Buffer, headers: ReadonlyMap<string, string> = new Map()): string | undefined {
  try {
    const parsed = parseRequest({ ...exchange, headers }, body);
    assertMirrored(parsed);
    return parsed.request.mcp?.kind;
  } catch (failure) {
    if (failure instanceof GatewayError) return failure.type;
    throw failure;
  }
}

describe('a hostile client’s message', () => {
  it('is refused at any cut', () => {
    const whole = Buffer.from(JSON.stringify(toolCall('echo', { text: 'Grüße 🙂', list: [1, true, null] })));
    expect(receive(whole)).toBe('request');
    for (let length = 0; length < whole.length; length++) {
      expect(receive(whole.subarray(0, length))).toBe('invalid_request');
    }
  });

  it('is read or refused, for any JSON', () => {
    const members = fc.record(
      {
        jsonrpc: fc.constantFrom('2.0', '1.0', 2),
        id: fc.oneof(fc.integer(), fc.string(), fc.jsonValue()),
        method: fc.oneof(fc.constantFrom('tools/call', 'resources/read', 'ping'), fc.jsonValue()),
        params: fc.oneof(
          fc.record(
            { name: fc.jsonValue(), arguments: fc.jsonValue(), _meta: fc.jsonValue() },
            { requiredKeys: [] },
          ),
          fc.jsonValue(),
        ),
        result: fc.jsonValue(),
        error: fc.jsonValue(),
      },
      { requiredKeys: [] },
    );
    const headers = fc.record(
      {
        'mcp-method': fc.string(),
        'mcp-name': fc.string(),
        'mcp-param-a': fc.string(),
        'mcp-protocol-version': fc.string(),
      },
      { requiredKeys: [] },
    );
    const kinds = ['request', 'notification', 'response', 'invalid_request', 'header_mismatch'];
    fc.assert(
      fc.property(fc.oneof(members, fc.jsonValue()), headers, (body, sent) => {
        expect(kinds).toContain(receive(Buffer.from(JSON.stringify(body)), new Map(Object.entries(sent))));
      }),
      { numRuns: 1_000 },
    );
  });

  it.each([
    ['many small values', Array.from({ length: 49_000 }, (_, index) => ({ a: index }))],
    ['one long text', 'x'.repeat(2_000_000)],
    ['many texts', Array.from({ length: 100_000 }, () => 'some words')],
    ['lone surrogates', '\ud800'.repeat(100_000)],
  ])('does not block the event loop: %s', (_what, value) => {
    const body = Buffer.from(JSON.stringify(toolCall('echo', { value })));
    expect(['request', 'invalid_request']).toContain(receive(body));
    expect(quickestCpuMs(() => receive(body))).toBeLessThan(50);
  });
});
