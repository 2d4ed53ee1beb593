import { describe, expect, it } from 'vitest';
import { outcomeNow } from '../../../../src/extproc/context.ts';
import { HEADER } from '../../../../src/headers.ts';
import { PASS_EVENT, type Denial, type StreamRewriter } from '../../../../src/pipeline/check.ts';
import { opaque } from '../../../../src/providers/dialects/opaque.ts';
import { answering } from './rig.ts';

const JSON_TYPE = { 'content-type': 'application/json' };
const SSE = { 'content-type': 'text/event-stream' };
const UNKNOWN = { operation: 'unknown', dialect: opaque } as const;
const DENIAL: Denial = { kind: 'deny', type: 'dlp_quarantine', message: 'no' };
const passing: StreamRewriter = { event: () => PASS_EVENT };
const event = (content: string): string =>
  `data: {"choices":[{"index":0,"delta":{"content":"${content}"}}]}\n\n`;

describe('an answer that a check denies', () => {
  const verdict = (): Denial => DENIAL;

  it('is not sent if it is whole', async () => {
    const answer = answering({ response: verdict });
    await answer.headers(JSON_TYPE);
    await expect(answer.body('{}')).rejects.toThrow('was denied');
    expect(answer.context.state.at).toBe('answering');
    expect(outcomeNow(answer.context)).toEqual({ kind: 'complete' });
  });

  it('is not sent if it has no body', async () => {
    const answer = answering({ response: verdict, status: 204 });
    await expect(answer.headers({}, true)).rejects.toThrow('was denied');
    expect(answer.context.state.at).toBe('answering');
  });

  it('is not started if it is a stream', async () => {
    const answer = answering({ response: verdict, rewriter: passing });
    await expect(answer.headers(SSE)).rejects.toThrow('was denied');
    expect(answer.context.state.at).toBe('opening');
    expect(outcomeNow(answer.context)).toEqual({ kind: 'broken_off' });
  });
});

describe('a stream', () => {
  it.each(['gzip', 'x-new', 'gzip, identity', 'br'])('is refused if it is compressed: %s', async (coding) => {
    const headers = answering().headers({ ...SSE, 'content-encoding': coding });
    await expect(headers).rejects.toMatchObject({ type: 'upstream_unavailable' });
  });

  it.each(['identity', ' Identity '])('is accepted if its encoding is identity: %s', async (coding) => {
    expect(await answering().headers({ ...SSE, 'content-encoding': coding })).toHaveProperty('mode_override');
  });

  it('begins without its length, and with no bytes emitted', async () => {
    const reply = await answering().headers({ ...SSE, 'content-length': '7' });
    expect(reply.response_headers?.response.header_mutation?.remove_headers).toContain('content-length');
    expect(reply.verdict).toEqual({ resp: 'stream', out: 0 });
  });

  it('ends without any of its trailers', async () => {
    const answer = answering();
    await answer.headers(SSE);
    const replies = await answer.trailers(['x-a', 'set-cookie', 'x-b']);
    const mutation = replies.at(-1)?.response_trailers?.header_mutation;
    expect(mutation).toEqual({ set_headers: [], remove_headers: ['x-a', 'set-cookie', 'x-b'] });
  });

  it('reports its failure, and ends with an error', async () => {
    const fault = new Error('a fault');
    const rewriter: StreamRewriter = {
      event() {
        throw fault;
      },
    };
    const answer = answering({ rewriter });
    await answer.headers(SSE);
    await answer.chunk(event('a'));
    expect(answer.failures).toEqual([fault]);
    expect(answer.context.refusal?.type).toBe('gateway_unavailable');
  });

  it('emits nothing after a cut', async () => {
    const rewriter: StreamRewriter = { event: () => ({ kind: 'cut', denial: DENIAL }) };
    const answer = answering({ rewriter });
    await answer.headers(SSE);
    const first = await answer.chunk(event('a'));
    const late = await answer.chunk(event('late'), true);
    expect(first.response_body?.response.body_mutation?.streamed_response?.body.toString()).toContain(
      'dlp_quarantine',
    );
    expect(late.response_body?.response.body_mutation?.streamed_response?.body.length).toBe(0);
    expect(late.verdict).toEqual(first.verdict);
  });

  it('of an unknown endpoint is refused in an unknown charset, if it is judged', async () => {
    const type = { 'content-type': 'text/event-stream; charset=utf-16' };
    const judged = answering({ endpoint: UNKNOWN, rewriter: passing });
    await expect(judged.headers(type)).rejects.toMatchObject({ type: 'upstream_unavailable' });
    const blind: StreamRewriter = { ...passing, readsText: false };
    const unjudged = answering({ endpoint: UNKNOWN, rewriter: blind });
    expect(await unjudged.headers(type)).toHaveProperty('mode_override');
  });

  it('of an unknown endpoint is refused if it is not the kind of stream that it names', async () => {
    const answer = answering({ endpoint: UNKNOWN, rewriter: passing });
    await answer.headers({ 'content-type': 'application/x-ndjson' });
    await answer.chunk('data: {"a":1}\n\n');
    expect(answer.context.refusal?.message).toContain('does not match its Content-Type');
  });
});

describe('headers of an answer', () => {
  async function removedOf(
    options: Parameters<typeof answering>[0],
    headers: Record<string, string>,
  ): Promise<readonly string[] | undefined> {
    const answer = answering(options);
    await answer.headers({ ...JSON_TYPE, ...headers });
    const reply = await answer.body('{}');
    return reply.response_body?.response.header_mutation?.remove_headers;
  }
  const HEADERS = {
    'x-gw-origin': 'provider',
    'request-id': '1',
    'mcp-session-id': '2',
    'set-cookie': 'a=b',
    'content-encoding': 'identity',
    etag: '"a"',
    'content-md5': 'x',
    digest: 'x',
  };
  const NEVER = ['set-cookie', 'content-encoding', 'etag', 'content-md5', 'digest'];

  it('are the provider’s that its SDKs read', async () => {
    expect(await removedOf({}, HEADERS)).toEqual(['mcp-session-id', ...NEVER]);
  });

  it('are the MCP server’s that its clients need', async () => {
    expect(await removedOf({ mcp: { server: 'files' } }, HEADERS)).toEqual(['request-id', ...NEVER]);
  });

  it('are removed if they are telemetry and the operator strips it', async () => {
    for (const stripTelemetry of [true, false]) {
      const answer = answering({
        stripTelemetry,
        response: ({ responseHeaders }) =>
          void responseHeaders.set(HEADER.requestCost, '1').set(HEADER.dlpRedacted, 'true'),
      });
      await answer.headers(JSON_TYPE);
      const reply = await answer.body('{}');
      const set = new Map(reply.response_body?.response.header_mutation?.set_headers);
      expect([set.has(HEADER.requestCost), set.has(HEADER.dlpRedacted)]).toEqual([!stripTelemetry, true]);
    }
  });
});

describe('a stream of an MCP server', () => {
  it('keeps the text beside its messages, which the inspector judges', async () => {
    const seen: unknown[] = [];
    const rewriter: StreamRewriter = {
      event({ json }) {
        seen.push(json);
        return PASS_EVENT;
      },
    };
    const answer = answering({ rewriter, mcp: { server: 'files' } });
    await answer.headers(SSE);
    await answer.chunk('id: 7-words\ndata: {"jsonrpc":"2.0","method":"x"}\n\n');
    expect(seen).toContain('id: 7-words\n');
  });
});
