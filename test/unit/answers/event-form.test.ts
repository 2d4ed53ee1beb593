import { EventStreamCodec } from '@smithy/eventstream-codec';
import { describe, expect, it } from 'vitest';
import { opaque } from '../../../src/providers/dialects/opaque.ts';
import type { Endpoint } from '../../../src/providers/dialect.ts';
import { awsEventStream } from '../../../src/streams/aws-event-stream.ts';
import { jsonArray } from '../../../src/streams/json-array.ts';
import { ndjson } from '../../../src/streams/ndjson.ts';
import { sse } from '../../../src/streams/sse.ts';
import { DIALECT_STREAMS } from '../../support/dialect-streams.ts';
import { eventFrame } from '../../support/fake-provider/bedrock.ts';
import { endpointOf, sentOf, type JudgedStream } from '../../support/judged-stream.ts';

/** A secret of letters only, whose halves may be names. */
const [FIRST, SECOND] = ['AKIAQWERTY', 'UIOPASDFGH'] as const;
const CHAT = endpointOf('openai', '/v1/chat/completions');
const UNKNOWN: Endpoint = { operation: 'unknown', dialect: opaque };

const event = (data: string): Buffer => Buffer.from(`data: ${data}\n\n`);
const chat = (content: string): string => JSON.stringify({ choices: [{ index: 0, delta: { content } }] });
const broken = (content: string): string =>
  `{"choices":[{"index":0,"delta":{"content":"${content}"},"finish_reason":nu3ll}]}`;

type Frames = Readonly<Record<string, (text: string) => Buffer>>;

/** SSE frames with text in a place where the dialect has none. */
const SSE_INTRUDERS: Frames = {
  'JSON with a broken word': (text) => event(broken(text)),
  'JSON cut short': (text) => event(chat(text).slice(0, -2)),
  'JSON with a comma too many': (text) => event(chat(text).replace('}]', '},]')),
  'JSON in single quotes': (text) => event(`{'choices':[{'delta':{'content':'${text}'}}]}`),
  'JSON with a comment': (text) => event(`/* ${text} */ ${chat('')}`),
  'JSON with words behind it': (text) => event(`${chat('')} ${text}`),
  'two documents': (text) => event(`${chat('')}${chat(text)}`),
  'two documents in lines': (text) => Buffer.from(`data: ${chat('')}\ndata: ${chat(text)}\n\n`),
  'plain text': (text) => event(text),
  'plain text in several lines': (text) => Buffer.from(`data: a\ndata: ${text}\ndata: b\n\n`),
  'a marker with words': (text) => event(`[DONE] ${text}`),
  'a JSON string': (text) => event(`"${text}"`),
  'a list': (text) => event(`["${text}"]`),
  'a list of events': (text) => event(`[${chat(text)}]`),
  'a comment': (text) => Buffer.from(`: ${text}\n\n`),
  'a comment in an event': (text) => Buffer.from(`: ${text}\ndata: ${chat('')}\n\n`),
  'an id': (text) => Buffer.from(`id: ${text}\ndata: ${chat('')}\n\n`),
  'an id alone': (text) => Buffer.from(`id: ${text}\n\n`),
  'a name': (text) => Buffer.from(`event: ${text}\ndata: ${chat('')}\n\n`),
  'a name alone': (text) => Buffer.from(`event: ${text}\n\n`),
  'an earlier name': (text) => Buffer.from(`event: ${text}\nevent: message\ndata: ${chat('')}\n\n`),
  'a later name': (text) => Buffer.from(`data: ${chat('')}\nevent: ${text}\n\n`),
  'a time to wait': (text) => Buffer.from(`retry: ${text}\ndata: ${chat('')}\n\n`),
  'an unknown field': (text) => Buffer.from(`words: ${text}\ndata: ${chat('')}\n\n`),
  'a line without a field': (text) => Buffer.from(`${text}\n\n`),
  'a line of JSON': (text) => Buffer.from(`{"text":"${text}"}\n\n`),
  'a field with a blank before its colon': (text) => Buffer.from(`data : ${text}\n\n`),
  'an event that is left open': (text) => Buffer.from(`data: ${broken(text)}`),
};

const codec = new EventStreamCodec(
  (bytes) => Buffer.from(bytes as Uint8Array).toString(),
  (text) => Buffer.from(text),
);
const text = (value: string) => ({ type: 'string', value }) as const;
const plainHeaders = (name: string) => ({
  ':message-type': text('event'),
  ':event-type': text(name),
  ':content-type': text('application/json'),
});
const delta = (words: string): object => ({ contentBlockIndex: 0, delta: { text: words } });

function awsFrame(headers: Parameters<typeof codec.encode>[0]['headers'], body: string): Buffer {
  return Buffer.from(codec.encode({ headers, body: Buffer.from(body) }));
}

const AWS_INTRUDERS: Frames = {
  'a broken payload': (words) =>
    awsFrame(plainHeaders('contentBlockDelta'), `${JSON.stringify(delta(words)).slice(0, -1)},x}`),
  'a payload of text': (words) => awsFrame(plainHeaders('contentBlockDelta'), words),
  'a JSON string': (words) => eventFrame('contentBlockDelta', words),
  'an unknown header': (words) =>
    awsFrame({ ...plainHeaders('messageStart'), note: text(words) }, '{"role":"assistant"}'),
  'the name of a header': (words) =>
    awsFrame({ ...plainHeaders('messageStart'), [words]: { type: 'boolean', value: true } }, '{}'),
  'the type of an event': (words) => awsFrame(plainHeaders(words), '{}'),
  'a second type': (words) =>
    awsFrame({ ...plainHeaders('messageStart'), ':exception-type': text(words) }, '{}'),
  'a type as bytes': (words) =>
    awsFrame(
      { ':message-type': text('event'), ':event-type': { type: 'binary', value: Buffer.from(words) } },
      '{}',
    ),
  'the kind of a message': (words) =>
    awsFrame({ ...plainHeaders('messageStart'), ':message-type': text(words) }, '{}'),
  'a content type': (words) =>
    awsFrame({ ...plainHeaders('messageStart'), ':content-type': text(`text/${words}`) }, '{}'),
  'a message cut short': (words) =>
    awsFrame(plainHeaders('contentBlockDelta'), JSON.stringify(delta(words))).subarray(0, -3),
};

const inner = (json: string): Buffer => eventFrame('chunk', { bytes: Buffer.from(json).toString('base64') });
const innerDelta = (words: string): string =>
  JSON.stringify({ contentBlockDelta: { contentBlockIndex: 0, delta: { text: words } } });

interface FormRow {
  readonly name: string;
  readonly rig: JudgedStream;
  readonly said: (text: string) => Buffer;
  readonly intruders: Frames;
  readonly encode?: (text: string) => string;
  readonly begin?: string;
}

const GENERATE = '/v1beta/models/gemini-2.0-flash:streamGenerateContent';
const part = (words: string): string =>
  JSON.stringify({ candidates: [{ index: 0, content: { parts: [{ text: words }] } }] });

const ROWS: readonly FormRow[] = [
  {
    name: 'OpenAI chat',
    rig: { format: sse, endpoint: CHAT },
    said: (words) => event(chat(words)),
    intruders: SSE_INTRUDERS,
  },
  {
    name: 'OpenAI responses',
    rig: { format: sse, endpoint: endpointOf('openai', '/v1/responses') },
    said: (words) =>
      event(JSON.stringify({ type: 'response.output_text.delta', output_index: 0, delta: words })),
    intruders: SSE_INTRUDERS,
  },
  {
    name: 'Anthropic',
    rig: { format: sse, endpoint: endpointOf('anthropic', '/v1/messages') },
    said: (words) =>
      Buffer.from(
        `event: content_block_delta\ndata: ${JSON.stringify({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: words } })}\n\n`,
      ),
    intruders: SSE_INTRUDERS,
  },
  {
    name: 'Gemini',
    rig: { format: sse, endpoint: endpointOf('gemini', GENERATE, 'alt=sse') },
    said: (words) => event(part(words)),
    intruders: SSE_INTRUDERS,
  },
  {
    name: 'Cohere',
    rig: { format: sse, endpoint: endpointOf('cohere', '/v2/chat') },
    said: (words) =>
      event(
        JSON.stringify({ type: 'content-delta', index: 0, delta: { message: { content: { text: words } } } }),
      ),
    intruders: SSE_INTRUDERS,
  },
  {
    name: 'Ollama',
    rig: { format: ndjson, endpoint: endpointOf('ollama', '/api/chat') },
    said: (words) => Buffer.from(`{"message":{"content":"${words}"}}\n`),
    intruders: {
      'a broken line': (words) => Buffer.from(`{"message":{"content":"${words}"},"done":nu3ll}\n`),
      'a line of text': (words) => Buffer.from(`${words}\n`),
      'two documents in a line': (words) => Buffer.from(`{}{"message":{"content":"${words}"}}\n`),
      'a string': (words) => Buffer.from(`"${words}"\n`),
      'a list': (words) => Buffer.from(`["${words}"]\n`),
      'an unterminated line': (words) => Buffer.from(`{"message":{"content":"${words}`),
    },
  },
  {
    name: 'Gemini, a JSON array',
    rig: { format: jsonArray, endpoint: endpointOf('gemini', GENERATE) },
    said: (words) => Buffer.from(`,${part(words)}`),
    begin: '[{}',
    intruders: {
      'a broken element': (words) =>
        Buffer.from(`,{"candidates":[{"content":{"parts":[{"text":"${words}"}]},"x":nu3ll}]}`),
      'a string between elements': (words) => Buffer.from(`,"${words}"`),
      'text between elements': (words) => Buffer.from(`,${words},${part('')}`),
      'a list between elements': (words) => Buffer.from(`,["${words}"]`),
      'an unterminated element': (words) => Buffer.from(`,{"text":"${words}`),
    },
  },
  {
    name: 'Bedrock converse',
    rig: {
      format: awsEventStream,
      endpoint: endpointOf('bedrock', '/model/amazon.nova-lite-v1:0/converse-stream'),
    },
    said: (words) => eventFrame('contentBlockDelta', delta(words)),
    intruders: AWS_INTRUDERS,
  },
  {
    name: 'Bedrock invoke',
    rig: {
      format: awsEventStream,
      endpoint: endpointOf('bedrock', '/model/amazon.nova-lite-v1:0/invoke-with-response-stream'),
    },
    said: (words) => inner(innerDelta(words)),
    intruders: {
      'a broken document': (words) => inner(`${innerDelta(words).slice(0, -1)},"x":nu3ll}`),
      'a document that is a string': (words) => inner(words),
      'a document that is a list': (words) => inner(`["${words}"]`),
    },
  },
];

/** Returns everything that a reader could decode from the sent bytes. */
function readable(bytes: Buffer): string {
  const plain = bytes.toString('latin1');
  const packed = [...plain.matchAll(/[A-Za-z0-9+/]{12,}={0,2}/g)].map(([run]) =>
    Buffer.from(run, 'base64').toString('latin1'),
  );
  return [plain, ...packed].join('\n');
}

describe.each(ROWS)('a stream of $name', ({ rig, said, intruders, begin = '' }) => {
  const stream = (...frames: Buffer[]): Buffer => Buffer.concat([Buffer.from(begin), ...frames]);

  it('is cut at a secret that spans two events', async () => {
    expect(readable(await sentOf(rig, stream(said(FIRST), said(SECOND))))).not.toContain(SECOND);
  });

  it.each(Object.keys(intruders))('does not leak half of a secret on either side of %s', async (name) => {
    const intruder = intruders[name];
    if (intruder === undefined) throw new Error(`no frame ${name}`);
    for (const bytes of [
      stream(said(FIRST), intruder(SECOND)),
      stream(intruder(FIRST), said(SECOND)),
      stream(said(FIRST), intruder(SECOND), said(' and on')),
    ]) {
      const left = readable(await sentOf(rig, bytes));
      expect([left.includes(FIRST), left.includes(SECOND)]).not.toEqual([true, true]);
    }
    // Unjudged streams pass unchanged.
    const bytes = stream(said(FIRST), intruder(SECOND));
    const whole = await sentOf({ ...rig, judged: 'blind' }, bytes);
    expect(readable(whole)).toContain(readable(bytes).slice(0, 40));
  });
});

const ANTHROPIC = ROWS.find(({ name }) => name === 'Anthropic')?.rig ?? { format: sse, endpoint: CHAT };

describe('a stream with an event of another form', () => {
  it('ends with an error that its clients know, and nothing after it', async () => {
    const out = (
      await sentOf(
        { format: sse, endpoint: CHAT },
        Buffer.concat([event(chat('Hello. ')), event(broken('x')), event(chat('late'))]),
      )
    ).toString();
    expect(out).toContain('"type":"upstream_unavailable"');
    expect(out).toContain('an unreadable event');
    expect(out.startsWith(`data: ${chat('Hello. ')}\n\n`)).toBe(true);
    expect(out).not.toMatch(/late|nu3ll|\[DONE\]/);
  });

  it.each([
    ['[DONE]', event('[DONE]')],
    ['nothing', Buffer.from('data:\n\n')],
    ['null', event('null')],
    ['NaN in an event', event('{"choices":[],"p":NaN}')],
  ])('does not have another form because of %s', async (_what, frame) => {
    const out = (
      await sentOf(
        { format: sse, endpoint: CHAT },
        Buffer.concat([event(chat('a. ')), frame, event(chat('b. '))]),
      )
    ).toString();
    expect(out).toContain('"b. "');
    expect(out).not.toContain('error');
  });

  it('keeps its connection open with empty comments, except for clients that cannot read them', async () => {
    const stream = Buffer.concat([Buffer.from(': PROCESSING\n\n: x\r\n\r\n'), event('{}')]);
    expect((await sentOf({ format: sse, endpoint: CHAT }, stream)).toString()).toBe(
      ':\n\n:\r\n\r\ndata: {}\n\n',
    );
    const mistral = endpointOf('mistral', '/v1/chat/completions');
    expect((await sentOf({ format: sse, endpoint: mistral }, stream)).toString()).toMatch(
      /^\n?data: \{\}\n\n$/,
    );
  });

  it('keeps event names that equal the types in their payloads', async () => {
    const named = (name: string, type: string): Buffer =>
      Buffer.from(`event: ${name}\ndata: {"type":"${type}"}\n\n`);
    const known = Buffer.concat([
      named('message_start', 'message_start'),
      named('ping', 'x'),
      named('error', 'x'),
    ]);
    expect((await sentOf(ANTHROPIC, known)).toString()).toBe(known.toString());
    expect((await sentOf(ANTHROPIC, named('message_stop', 'other'))).toString()).toBe(
      'data: {"type":"other"}\n\n',
    );
  });
});

describe('a stream of an unknown dialect', () => {
  const rig: JudgedStream = { format: sse, endpoint: UNKNOWN };

  it('may be text or JSON, but not both', async () => {
    const words = Buffer.concat([event('one'), event('two'), event('[DONE]')]);
    expect((await sentOf(rig, words)).equals(words)).toBe(true);
    for (const stream of [
      Buffer.concat([event(`{"a":"${FIRST}"}`), event(SECOND)]),
      Buffer.concat([event(FIRST), event(`{"a":"${SECOND}"}`)]),
    ]) {
      const out = (await sentOf(rig, stream)).toString();
      expect([out.includes(FIRST), out.includes(SECOND)]).not.toEqual([true, true]);
      expect(out).toContain('upstream_unavailable');
    }
  });

  it('may not be both for errors of a known dialect', async () => {
    const error = { ...rig, endpoint: CHAT, status: 500 };
    const text = Buffer.concat([event('overloaded'), event('try later')]);
    expect((await sentOf(error, text)).equals(text)).toBe(true);
    const json = Buffer.from('{"error":{"message":"overloaded"}}\n\n');
    expect((await sentOf(error, json)).equals(json)).toBe(true);
    expect((await sentOf(error, Buffer.concat([event('{}'), event('x')]))).toString()).not.toContain(
      'data: x',
    );
  });
});

it.each(DIALECT_STREAMS)(
  'a stream without findings passes byte for byte: $name',
  async ({ format, createReader, wrap, write }) => {
    const pieces = ([0, 1] as const).flatMap((of) =>
      [wrap('plain words of an answer.')].flatMap((whole) => [
        { of, text: whole.slice(0, 9) },
        { of, text: whole.slice(9) },
      ]),
    );
    const bytes = write(pieces);
    const endpoint: Endpoint = { ...CHAT, dialect: { ...CHAT.dialect, stream: createReader } };
    expect((await sentOf({ format, endpoint, judged: 'passing' }, bytes)).toString('latin1')).toBe(
      bytes.toString('latin1'),
    );
  },
);
