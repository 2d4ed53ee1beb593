import { describe, expect, it } from 'vitest';
import { createKeyGuard } from '../../../../src/checks/mcp/check.ts';
import { GatewayError } from '../../../../src/errors.ts';
import { PASS_EVENT, type StreamAction } from '../../../../src/pipeline/check.ts';
import type { StreamEvent } from '../../../../src/providers/dialect.ts';
import { answered, parsed } from '../../../support/exchange.ts';
import { mcpExchange, toolCall, type McpRequestOptions } from '../../../support/mcp-exchange.ts';

const EVENT: StreamEvent = { frame: { raw: Buffer.from('data: {}\n\n'), data: '{}' }, deltas: [], json: {} };
const OWN_STREAM = { body: undefined };
const SUBSCRIPTION = { body: { jsonrpc: '2.0', id: 1, method: 'subscriptions/listen', params: {} } };

function guard(
  asked: McpRequestOptions,
  { ageMs = 5_000, refusal }: { ageMs?: number; refusal?: Error } = {},
) {
  const questions: (string | undefined)[] = [];
  const exchange = { ...mcpExchange(asked), startedAt: performance.now() - ageMs };
  const rewriter = createKeyGuard({ ...answered(exchange), form: 'stream' }, ({ rawKeyHash }) => {
    questions.push(rawKeyHash);
    return refusal === undefined ? Promise.resolve() : Promise.reject(refusal);
  });
  const event = async (): Promise<StreamAction | undefined> => rewriter?.event?.(EVENT);
  return { rewriter, questions, event };
}

describe.each([
  ["the server's own stream", OWN_STREAM],
  ['a subscription', SUBSCRIPTION],
])('%s', (_what, asked) => {
  it('continues while its key is valid, which is checked at most once per second', async () => {
    const { event, questions } = guard(asked);
    for (let nth = 0; nth < 20; nth += 1) expect(await event()).toBe(PASS_EVENT);
    expect(questions).toEqual(['sha256:raw']);
  });

  it('is not checked right after its request was judged', async () => {
    const { event, questions } = guard(asked, { ageMs: 0 });
    expect(await event()).toBe(PASS_EVENT);
    expect(questions).toEqual([]);
  });

  it.each(['quarantined', 'invalid_key', 'agent_risk_blocked', 'redis_unavailable'] as const)(
    'is cut before its next event if its key would be refused: %s',
    async (type) => {
      const { event } = guard(asked, { refusal: new GatewayError(type, 'not now') });
      expect(await event()).toEqual({ kind: 'cut', denial: { kind: 'deny', type, message: 'not now' } });
    },
  );

  it('fails closed on any other error', async () => {
    await expect(guard(asked, { refusal: new Error('broken') }).event()).rejects.toThrow('broken');
  });
});

it.each([
  ['the answer to a call', mcpExchange({ body: toolCall('read') })],
  ["a provider's answer", parsed({ body: { model: 'm', messages: [] } })],
])('%s continues to its end', (_what, exchange) => {
  const asked = { ...answered(exchange), form: 'stream' as const };
  expect(createKeyGuard(asked, () => Promise.reject(new Error('nobody asks')))).toBeUndefined();
});
