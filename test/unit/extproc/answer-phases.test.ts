import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { createContext, outcomeNow, type StreamContext } from '../../../src/extproc/context.ts';
import { handle } from '../../../src/extproc/handle.ts';
import { isDenial, type PhaseReply } from '../../../src/extproc/reply/respond.ts';
import type { EdgeServices } from '../../../src/extproc/services.ts';
import { processingRequest, type ProcessingResponse } from '../../../src/extproc/wire/messages.ts';
import { PASS, PASS_EVENT } from '../../../src/pipeline/check.ts';
import type { Check, Denial, StreamRewriter } from '../../../src/pipeline/check.ts';
import type { Answered } from '../../../src/pipeline/exchange.ts';
import { createRunner } from '../../../src/pipeline/run.ts';
import type { ProviderName } from '../../../src/providers/provider.ts';
import type { Target } from '../../../src/routing/target.ts';
import { READABLE_PARAMETERS, UNREADABLE_PARAMETERS } from '../../support/charsets.ts';
import { parsed } from '../../support/exchange.ts';

/** What Envoy is told of an answer, phase by phase. */

const DENIAL: Denial = { kind: 'deny', type: 'dlp_quarantine', message: 'no' };
const nothing = (): void => undefined;

interface Answering {
  readonly context: StreamContext;
  /** What the checks saw at `response`. */
  readonly seen: Answered[];
  headers(headers: Record<string, string>, endOfStream?: boolean): Promise<ProcessingResponse>;
  body(body: Buffer | string): Promise<ProcessingResponse>;
  chunk(body: string, endOfStream?: boolean): Promise<ProcessingResponse>;
  trailers(): Promise<ProcessingResponse[]>;
}

interface AnsweringOptions {
  readonly response?: (exchange: Answered) => void;
  readonly rewriter?: StreamRewriter;
  readonly provider?: ProviderName;
  readonly path?: string;
  readonly status?: number;
}

function answering(options: AnsweringOptions = {}): Answering {
  const seen: Answered[] = [];
  const { rewriter, provider = 'openai', path = '/v1/chat/completions', status = 200 } = options;
  const check: Check = {
    name: 'dlp',
    shadowable: true,
    response(exchange) {
      seen.push(exchange);
      options.response?.(exchange);
      return PASS;
    },
    stream: () => rewriter,
  };
  const observer = { verdict: nothing, enforceFailed: nothing, endFailed: nothing };
  const context = createContext({
    settings: { upstreamTimeoutMs: 1_000, stripTelemetry: false, errorFormat: 'gateway', allowedOrigins: [] },
  } as unknown as EdgeServices);
  const exchange = parsed({ provider, path, body: { model: 'm', messages: [], contents: [] } });
  const run = createRunner({ checks: [check], shadowMode: false, observer })();
  context.state = { at: 'forwarded', exchange, run, target: {} as Target };
  const attributes = new Map([['response.code_details', 'via_upstream']]);
  async function told(...message: Parameters<typeof processingRequest>): Promise<ProcessingResponse[]> {
    return repliesOf(await handle(context, processingRequest(...message)));
  }
  async function toldOnce(...message: Parameters<typeof processingRequest>): Promise<ProcessingResponse> {
    const [reply = {}] = await told(...message);
    return reply;
  }
  return {
    context,
    seen,
    headers(headers, endOfStream = false) {
      const list = Object.entries({ ':status': String(status), ...headers });
      return toldOnce('response_headers', { headers: list, endOfStream, attributes });
    },
    body: (body) => toldOnce('response_body', { body: Buffer.from(body), endOfStream: true }),
    chunk: (body, endOfStream = false) => toldOnce('response_body', { body: Buffer.from(body), endOfStream }),
    trailers: () => told('response_trailers', { headers: [['x-t', '']] }),
  };
}

function repliesOf(reply: PhaseReply): ProcessingResponse[] {
  if (isDenial(reply)) throw new Error('an answer was denied');
  return [reply].flat();
}

interface Sent {
  readonly body: string | undefined;
  readonly set: Record<string, string>;
  readonly removed: readonly string[];
}

/** What the reply to a whole body makes of it. */
function sent({ response_body: reply }: ProcessingResponse): Sent {
  const { set_headers: set = [], remove_headers: removed = [] } = reply?.response.header_mutation ?? {};
  return {
    body: reply?.response?.body_mutation?.body?.toString(),
    set: Object.fromEntries(set),
    removed,
  };
}

function streamed({
  response_body: reply,
}: ProcessingResponse): { text: string; isEnd: boolean } | undefined {
  const part = reply?.response?.body_mutation?.streamed_response;
  return part && { text: String(part.body), isEnd: part.end_of_stream };
}

const CHAT =
  '{"id":"c", "choices":[{"index":0,"message":{"content":"hello"}}], "usage":{"prompt_tokens":5,"completion_tokens":7}}';
const JSON_TYPE = { 'content-type': 'application/json' };

describe('an answer whose status ends nothing', () => {
  it.each([0, 99, 101, 199, 600, 999])(
    'is refused, and may have cost what was reserved: %i',
    async (status) => {
      for (const endOfStream of [true, false]) {
        const answer = answering({ status });
        const refused = answer.headers({ 'content-type': 'text/event-stream' }, endOfStream);
        await expect(refused).rejects.toMatchObject({ type: 'upstream_unavailable' });
        expect(answer.seen).toEqual([]);
        expect(outcomeNow(answer.context)).toEqual({ kind: 'lost', upstreamFailed: true });
      }
    },
  );
});

describe('a whole answer', () => {
  it('is shown to the checks with its bytes, its type and its JSON', async () => {
    const answer = answering();
    await answer.headers(JSON_TYPE);
    const reply = sent(await answer.body(CHAT));
    expect(reply).toMatchObject({ body: undefined, removed: [] });
    expect(answer.seen[0]?.answer.whole).toEqual({
      body: Buffer.from(CHAT),
      contentType: 'application/json',
      json: JSON.parse(CHAT),
      edits: [],
      replacement: undefined,
    });
    expect(answer.seen[0]?.answer.usage).toMatchObject({ inputTokens: 5, outputTokens: 7 });
    expect(outcomeNow(answer.context)).toEqual({ kind: 'complete' });
  });

  it('is edited by byte spans, with the length that it then has', async () => {
    const path = ['choices', 0, 'message', 'content'];
    const answer = answering({
      response: ({ answer: { whole } }) => whole?.edits.push({ kind: 'set', path, value: '***' }),
    });
    await answer.headers({ ...JSON_TYPE, 'content-length': String(CHAT.length), etag: '"a"' });
    const { body, set, removed } = sent(await answer.body(CHAT));
    expect(body).toBe(CHAT.replace('hello', '***'));
    expect(set['content-length']).toBe(String(CHAT.length - 2));
    expect(removed).toEqual(expect.arrayContaining(['content-encoding', 'etag']));
  });

  it('is decoded before it is judged, and sent so', async () => {
    const answer = answering();
    await answer.headers({ ...JSON_TYPE, 'content-encoding': 'gzip' });
    const { body, set, removed } = sent(await answer.body(gzipSync(CHAT)));
    expect(body).toBe(CHAT);
    expect(set['content-length']).toBe(String(CHAT.length));
    expect(removed).toContain('content-encoding');
    expect(answer.seen[0]?.answer.whole?.body.toString()).toBe(CHAT);
  });

  it('gives way to what a check puts in its place', async () => {
    const answer = answering({
      response: ({ answer: { whole } }) => {
        if (whole !== undefined) whole.replacement = Buffer.from('ü');
      },
    });
    await answer.headers({ 'content-type': 'text/plain' });
    expect(sent(await answer.body('whatever'))).toMatchObject({ body: 'ü', set: { 'content-length': '2' } });
  });

  it.each([
    ['a name that stands twice', '{"usage":{"prompt_tokens":1,"completion_tokens":2},"a":1,"a":2}', true],
    [
      'bytes that are no UTF-8',
      Buffer.concat([
        Buffer.from('{"usage":{"prompt_tokens":1,"completion_tokens":2},"a":"'),
        Buffer.from([0xff]),
        Buffer.from('"}'),
      ]),
      true,
    ],
    ['text', 'an error', false],
    ['nothing', '', false],
    ['a list with a million parts', `[${'{},'.repeat(1_000_000)}1]`, false],
  ])(
    'has no JSON where parsers may differ, and is accounted all the same: %s',
    async (_, body, isAccounted) => {
      const answer = answering();
      await answer.headers(JSON_TYPE);
      await answer.body(body);
      expect(answer.seen[0]?.answer.whole?.json).toBeUndefined();
      expect(answer.seen[0]?.answer.usage?.outputTokens).toBe(isAccounted ? 2 : undefined);
    },
  );

  it('is refused where it nests too deep, and an edit of what is no JSON fails', async () => {
    const deep = answering();
    await deep.headers(JSON_TYPE);
    await expect(deep.body('['.repeat(300))).rejects.toMatchObject({ type: 'upstream_unavailable' });
    const edited = answering({
      response: ({ answer: { whole } }) => whole?.edits.push({ kind: 'remove', path: ['a'] }),
    });
    await edited.headers(JSON_TYPE);
    await expect(edited.body('{"a":1,"a":2}')).rejects.toThrow('no JSON');
  });

  it('of an error is shown too, without facts', async () => {
    const answer = answering({ status: 400 });
    await answer.headers(JSON_TYPE);
    await answer.body(CHAT);
    expect(answer.seen[0]).toMatchObject({ status: 400, answer: { facts: undefined } });
    expect(answer.seen[0]?.answer.whole?.json).toEqual(JSON.parse(CHAT));
  });
});

const SSE = { 'content-type': 'text/event-stream' };
const event = (content: string): string =>
  `data: {"choices":[{"index":0,"delta":{"content":"${content}"}}]}\n\n`;
const cutting = (): StreamRewriter => ({
  event: ({ deltas }) =>
    deltas.some(({ text }) => text === 'bad') ? { kind: 'cut', denial: DENIAL } : PASS_EVENT,
});

describe('a streamed answer that is cut', () => {
  it('ends with its error frame at once, and nothing comes after', async () => {
    const answer = answering({ rewriter: cutting() });
    await answer.headers(SSE);
    expect(streamed(await answer.chunk(event('good')))).toEqual({ text: event('good'), isEnd: false });
    const cut = streamed(await answer.chunk(event('good') + event('bad') + event('more')));
    expect(cut?.isEnd).toBe(true);
    expect(cut?.text).toMatch(/^data: .*"good".*\n\ndata: \{"error":.*"type":"dlp_quarantine".*\n\n$/);
    expect(streamed(await answer.chunk(event('late')))).toEqual({ text: '', isEnd: false });
    expect(streamed(await answer.chunk('data: [DONE]\n\n', true))).toEqual({ text: '', isEnd: false });
    expect(outcomeNow(answer.context)).toEqual({ kind: 'broken_off' });
    expect(answer.context.refusal?.type).toBe('dlp_quarantine');
  });

  it('on its last chunk, or at its trailers, ends likewise', async () => {
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

  it('is refused where clients would read another kind of stream in it, unless it is an error', async () => {
    const lines = '{"a":1}\n\n{"a":2}\n\n';
    const rewriter = { event: () => PASS_EVENT };
    const answer = answering({ rewriter });
    await answer.headers({ 'content-type': 'text/event-stream' });
    const refused = streamed(await answer.chunk(lines));
    expect(refused).toMatchObject({ isEnd: true });
    expect(refused?.text).toMatch(/^\{"a":1\}\n\ndata: \{"error":\{"message":"[^"]*another kind of stream/);
    expect(refused?.text).not.toContain('"a":2');
    expect(answer.context.refusal?.type).toBe('upstream_unavailable');
    const error = answering({ rewriter, status: 429 });
    await error.headers({ 'content-type': 'text/event-stream' });
    expect(streamed(await error.chunk(lines))).toEqual({ text: lines, isEnd: false });
  });

  it('counts what it emits, as the gate does', async () => {
    const answer = answering({ rewriter: cutting() });
    await answer.headers(SSE);
    const one = streamed(await answer.chunk(event('good')))?.text ?? '';
    const two = streamed(await answer.chunk(event('bad')))?.text ?? '';
    await answer.chunk(event('late'));
    expect(answer.context.emittedBytes).toBe(Buffer.byteLength(one + two));
  });
});

describe('a stream that nobody knows', () => {
  const shown: string[] = [];
  const seeing: StreamRewriter = {
    event({ deltas }) {
      shown.push(...deltas.map(({ channel, text }) => `${channel}: ${text}`));
      return PASS_EVENT;
    },
  };

  it.each([
    ['an error', { status: 500 }],
    ['an endpoint that never streams', { path: '/v1/embeddings' }],
  ])('is read all the same: %s', async (_, options) => {
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
  ])('is refused where its letters cannot be read: %s', async (contentType, isRead) => {
    const headers = answering({ rewriter: seeing }).headers({ 'content-type': contentType });
    if (isRead) expect(await headers).toHaveProperty('mode_override');
    else await expect(headers).rejects.toMatchObject({ type: 'upstream_unavailable' });
    const blind: StreamRewriter = { readsText: false, event: () => PASS_EVENT };
    expect(await answering({ rewriter: blind }).headers({ 'content-type': contentType })).toHaveProperty(
      'mode_override',
    );
  });
});
