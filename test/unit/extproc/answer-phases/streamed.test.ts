import { describe, expect, it } from 'vitest';
import { outcomeNow } from '../../../../src/extproc/context.ts';
import type { ProcessingResponse } from '../../../../src/extproc/wire/messages.ts';
import { PASS_EVENT, type Denial, type StreamRewriter } from '../../../../src/pipeline/check.ts';
import { READABLE_PARAMETERS, UNREADABLE_PARAMETERS } from '../../../support/charsets.ts';
import { answering } from './rig.ts';

/** Replies to Envoy's messages about an answer, phase by phase. */

const DENIAL: Denial = { kind: 'deny', type: 'dlp_quarantine', message: 'no' };

function streamed({
  response_body: reply,
}: ProcessingResponse): { text: string; isEnd: boolean } | undefined {
  const part = reply?.response?.body_mutation?.streamed_response;
  return part && { text: String(part.body), isEnd: part.end_of_stream };
}

const SSE = { 'content-type': 'text/event-stream' };

const event = (content: string): string =>
  `data: {"choices":[{"index":0,"delta":{"content":"${content}"}}]}\n\n`;

const cutting = (): StreamRewriter => ({
  event: ({ deltas }) =>
    deltas.some(({ text }) => text === 'bad') ? { kind: 'cut', denial: DENIAL } : PASS_EVENT,
});

describe('a streamed answer that is cut', () => {
  it('ends at once with its error frame', async () => {
    const answer = answering({ rewriter: cutting() });
    await answer.headers(SSE);
    expect(streamed(await answer.chunk(event('good')))).toEqual({ text: event('good'), isEnd: false });
    const cut = streamed(await answer.chunk(event('good') + event('bad') + event('more')));
    expect(cut?.isEnd).toBe(true);
    expect(cut?.text).toMatch(
      /^data: .*"good".*\n\ndata: \{"error":.*"type":"dlp_quarantine".*\n\ndata: .*"finish_reason":"content_filter".*\n\n$/,
    );
    expect(streamed(await answer.chunk(event('late')))).toEqual({ text: '', isEnd: false });
    expect(streamed(await answer.chunk('data: [DONE]\n\n', true))).toEqual({ text: '', isEnd: false });
    expect(outcomeNow(answer.context)).toEqual({ kind: 'broken_off' });
    expect(answer.context.refusal?.type).toBe('dlp_quarantine');
  });

  it('at its last chunk or its trailers ends likewise', async () => {
    const last = answering({ rewriter: cutting() });
    await last.headers(SSE);
    expect(streamed(await last.chunk(event('bad'), true))).toMatchObject({ isEnd: true });
    const atEnd: StreamRewriter = { event: () => PASS_EVENT, end: () => ({ cut: DENIAL }) };
    const ended = answering({ rewriter: atEnd });
    await ended.headers(SSE);
    const tail = streamed(await ended.chunk(event('good'), true));
    expect(tail).toMatchObject({ isEnd: true });
    expect(tail?.text).toContain('"type":"dlp_quarantine"');
    const trailed = answering({ rewriter: atEnd });
    await trailed.headers(SSE);
    await trailed.chunk(event('good'));
    const [frame, trailers] = await trailed.trailers();
    expect(streamed(frame ?? {})?.text).toContain('"type":"dlp_quarantine"');
    expect(trailers).toHaveProperty('response_trailers');
    expect(trailed.context.refusal?.type).toBe('dlp_quarantine');
  });

  it('is refused if clients would read another kind of stream, unless it is an error', async () => {
    const lines = '{"a":1}\n\n{"a":2}\n\n';
    const rewriter = { event: () => PASS_EVENT };
    const answer = answering({ rewriter });
    await answer.headers({ 'content-type': 'text/event-stream' });
    const refused = streamed(await answer.chunk(lines));
    expect(refused).toMatchObject({ isEnd: true });
    expect(refused?.text).toMatch(/^data: \{"error":\{"message":"the provider[^"]*/);
    expect(refused?.text).not.toContain('"a":');
    expect(answer.context.refusal?.type).toBe('upstream_unavailable');
    const error = answering({ rewriter, status: 429 });
    await error.headers({ 'content-type': 'text/event-stream' });
    expect(streamed(await error.chunk(lines))).toEqual({ text: lines, isEnd: false });
  });

  it('counts the emitted bytes, as the gate does', async () => {
    const answer = answering({ rewriter: cutting() });
    await answer.headers(SSE);
    const one = streamed(await answer.chunk(event('good')))?.text ?? '';
    const two = streamed(await answer.chunk(event('bad')))?.text ?? '';
    await answer.chunk(event('late'));
    expect(answer.context.emittedBytes).toBe(Buffer.byteLength(one + two));
  });
});

describe('a stream of an unknown kind', () => {
  const shown: string[] = [];
  const seeing: StreamRewriter = {
    event({ deltas }) {
      shown.push(...deltas.map(({ channel, text }) => `${channel}: ${text}`));
      return PASS_EVENT;
    },
  };

  it.each([
    ['an error', { status: 500 }],
    ['an error of an endpoint that never streams', { status: 500, path: '/v1/embeddings' }],
  ])('is read nevertheless: %s', async (_, options) => {
    shown.length = 0;
    const answer = answering({ rewriter: seeing, ...options });
    await answer.headers(SSE);
    await answer.chunk('data: {"error":{"message":"m"}}\n\n', true);
    expect(shown).toEqual(['any/error.message: m']);
    expect(answer.context.state).toMatchObject({
      at: 'streamed',
      exchange: { answer: { written: { text: '' } } },
    });
  });

  it.each([
    ...READABLE_PARAMETERS.map((parameters) => [`text/event-stream${parameters}`, true] as const),
    ...UNREADABLE_PARAMETERS.map((parameters) => [`text/event-stream${parameters}`, false] as const),
  ])('is refused if its charset cannot be read: %s', async (contentType, isRead) => {
    const headers = answering({ rewriter: seeing }).headers({ 'content-type': contentType });
    if (isRead) expect(await headers).toHaveProperty('mode_override');
    else await expect(headers).rejects.toMatchObject({ type: 'upstream_unavailable' });
    const blind: StreamRewriter = { readsText: false, event: () => PASS_EVENT };
    const unjudged = answering({ rewriter: blind }).headers({ 'content-type': contentType });
    if (isRead) expect(await unjudged).toHaveProperty('mode_override');
    else await expect(unjudged).rejects.toMatchObject({ type: 'upstream_unavailable' });
  });

  it('is refused for an endpoint that never streams', async () => {
    const headers = answering({ path: '/v1/embeddings' }).headers(SSE);
    await expect(headers).rejects.toMatchObject({ type: 'upstream_unavailable' });
  });
});
