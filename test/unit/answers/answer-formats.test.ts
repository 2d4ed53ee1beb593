import { EventStreamCodec } from '@smithy/eventstream-codec';
import { describe, expect, it } from 'vitest';
import { createAnswerStream } from '../../../src/answers/answer-stream.ts';
import { PASS_EVENT, type Denial, type StreamRewriter } from '../../../src/pipeline/check.ts';
import { newAnswer } from '../../../src/answers/new-answer.ts';
import { createAnyJsonReader } from '../../../src/providers/dialects/any-json.ts';
import type { StreamEvent } from '../../../src/providers/dialect.ts';
import { awsEventStream } from '../../../src/streams/aws-event-stream.ts';
import type { StreamFormat } from '../../../src/streams/frame.ts';
import { jsonArray } from '../../../src/streams/json-array.ts';
import { ndjson } from '../../../src/streams/ndjson.ts';
import { sse } from '../../../src/streams/sse.ts';
import { decodeStream } from '../../support/decode-stream.ts';

/** What clients read in each format after rewriters change, add or drop frames, or cut the answer. */

const codec = new EventStreamCodec(
  (bytes) => Buffer.from(bytes as Uint8Array).toString(),
  (text) => Buffer.from(text),
);

function awsMessage(payload: string): Buffer {
  const headers = {
    ':event-type': { type: 'string', value: 'chunk' },
    ':message-type': { type: 'string', value: 'event' },
    ':content-type': { type: 'string', value: 'application/json' },
  } as const;
  return Buffer.from(codec.encode({ headers, body: Buffer.from(payload) }));
}

const EVENTS = ['{"t":"one"}', '{"t":"zwei 🙂"}', '{"t":"three"}'] as const;

interface FormatRow {
  readonly name: string;
  readonly format: StreamFormat;
  readonly bytes: Buffer;
  /** Returns the payloads that a client of this format reads; throws for an invalid stream. */
  readonly read: (bytes: Buffer) => string[];
}

const payloadsOf =
  (format: StreamFormat) =>
  (bytes: Buffer): string[] =>
    decodeStream(format, [bytes]).flatMap(({ data, open }) => {
      expect(open).toBeUndefined();
      return data ?? [];
    });

const FORMATS: readonly FormatRow[] = [
  {
    name: 'SSE',
    format: sse,
    bytes: Buffer.from(EVENTS.map((data) => `event: e\ndata: ${data}\n\n`).join('')),
    read: payloadsOf(sse),
  },
  {
    name: 'SSE with CRLF',
    format: sse,
    bytes: Buffer.from(EVENTS.map((data) => `data: ${data}\r\n\r\n`).join('')),
    read: payloadsOf(sse),
  },
  {
    name: 'SSE whose last event is unterminated',
    format: sse,
    bytes: Buffer.from(EVENTS.map((data) => `data: ${data}`).join('\n\n')),
    read: (bytes) => decodeStream(sse, [bytes]).flatMap(({ data }) => data ?? []),
  },
  {
    name: 'NDJSON',
    format: ndjson,
    bytes: Buffer.from(EVENTS.map((data) => `${data}\r\n`).join('')),
    read: payloadsOf(ndjson),
  },
  {
    name: 'NDJSON whose last line is unterminated',
    format: ndjson,
    bytes: Buffer.from(EVENTS.join('\n')),
    read: (bytes) => decodeStream(ndjson, [bytes]).flatMap(({ data }) => data ?? []),
  },
  {
    name: 'a JSON array',
    format: jsonArray,
    bytes: Buffer.from(`[${EVENTS.join(',\r\n')}\n]\n`),
    read: (bytes) => (JSON.parse(bytes.toString()) as unknown[]).map((element) => JSON.stringify(element)),
  },
  {
    name: 'AWS event stream',
    format: awsEventStream,
    bytes: Buffer.concat(EVENTS.map(awsMessage)),
    read: payloadsOf(awsEventStream),
  },
];

async function through(
  format: StreamFormat,
  rewriter: StreamRewriter,
  chunks: readonly Buffer[],
): Promise<Buffer> {
  const stream = createAnswerStream({
    answer: newAnswer(),
    format,
    reader: createAnyJsonReader(),
    rewriters: [rewriter],
  });
  const out: Buffer[] = [];
  for (const chunk of chunks) out.push((await stream.push(chunk)).bytes);
  return Buffer.concat([...out, (await stream.end()).bytes]);
}

/** Returns the output, which must read the same at any cut. */
async function everyCut(
  { format, bytes, read }: FormatRow,
  createRewriter: () => StreamRewriter,
  stream: Buffer = bytes,
): Promise<Buffer> {
  const whole = await through(format, createRewriter(), [stream]);
  for (let at = 0; at <= stream.length; at += 1) {
    const chunks = [stream.subarray(0, at), stream.subarray(at)];
    const cut = await through(format, createRewriter(), chunks);
    if (!cut.equals(whole)) expect(read(cut)).toEqual(read(whole));
  }
  return whole;
}

const textOf = ({ deltas }: StreamEvent): string => deltas.map(({ text }) => text).join('');
const set = (value: string) => [{ kind: 'set', path: ['t'], value } as const];
const DENIAL: Denial = { kind: 'deny', type: 'dlp_quarantine', message: 'no' };
const CUT = '{"error":"no","type":"dlp_quarantine"}';

/** Puts a copy with its number before each event, and one after the last. */
function copying(): StreamRewriter {
  let last: StreamEvent | undefined;
  let count = 0;
  const copy = () =>
    last === undefined ? [] : [{ event: last, edits: set(`c${(count += 1)}`), copy: true as const }];
  return {
    event(event) {
      const before = copy();
      if (textOf(event) !== '') last = event;
      return { kind: 'rewrite', before };
    },
    end: () => ({ before: copy() }),
  };
}

const dropping = (text: string) => (): StreamRewriter => ({
  event: (event) => (textOf(event) === text ? { kind: 'drop' } : PASS_EVENT),
});

const cutting = (text: string) => (): StreamRewriter => ({
  event: (event) => (textOf(event) === text ? { kind: 'cut', denial: DENIAL } : PASS_EVENT),
});

describe.each(FORMATS)('$name', (row) => {
  const { bytes, read } = row;

  it('is sent byte for byte', async () => {
    for (let at = 0; at <= bytes.length; at += 1) {
      const chunks = [bytes.subarray(0, at), bytes.subarray(at)];
      const out = await through(row.format, { event: () => PASS_EVENT }, chunks);
      expect(out.equals(bytes)).toBe(true);
    }
  });

  it('is edited', async () => {
    const editing = (): StreamRewriter => ({
      event: (event) => ({
        kind: 'rewrite',
        edits: textOf(event) === '' ? [] : set(`"${textOf(event)}\n`),
      }),
    });
    expect(read(await everyCut(row, editing))).toEqual([
      '{"t":"\\"one\\n"}',
      '{"t":"\\"zwei 🙂\\n"}',
      '{"t":"\\"three\\n"}',
    ]);
  });

  it('accepts copies between its frames and after them', async () => {
    const [one, two, three] = EVENTS;
    expect(read(await everyCut(row, copying))).toEqual([
      one,
      '{"t":"c1"}',
      two,
      '{"t":"c2"}',
      three,
      '{"t":"c3"}',
    ]);
  });

  it.each(['one', 'zwei 🙂', 'three'])('is sent without the frame %s', async (text) => {
    expect(read(await everyCut(row, dropping(text)))).toEqual(
      EVENTS.filter((event) => !event.includes(text)),
    );
  });

  it('is sent without any frame', async () => {
    expect(read(await everyCut(row, () => ({ event: () => ({ kind: 'drop' }) })))).toEqual([]);
  });

  it.each([0, 1, 2])('is cut instead of frame %i', async (at) => {
    const text = ['one', 'zwei 🙂', 'three'][at] ?? '';
    expect(read(await everyCut(row, cutting(text)))).toEqual([...EVENTS.slice(0, at), CUT]);
  });

  it('is cut at its end', async () => {
    const cut = (): StreamRewriter => ({ event: () => PASS_EVENT, end: () => ({ cut: DENIAL }) });
    expect(read(await everyCut(row, cut))).toEqual([...EVENTS, CUT]);
  });

  it('is cut while the first frame is held', async () => {
    const holding = (): StreamRewriter => ({
      event: (event) =>
        textOf(event) === 'one' ? { kind: 'rewrite', held: true } : { kind: 'cut', denial: DENIAL },
    });
    expect(read(await everyCut(row, holding))).toEqual([CUT]);
  });
});

describe('the sideband of payloads', () => {
  const seeing = (seen: string[]) => (): StreamRewriter => ({
    event({ sideband, json, frame }) {
      if (sideband === true) seen.push(String(json));
      return sideband === true && frame.data?.includes('SECRET') === true ? { kind: 'drop' } : PASS_EVENT;
    },
  });
  function rowOf(name: string): FormatRow {
    const row = FORMATS.find((one) => one.name === name);
    if (row === undefined) throw new Error(`no format ${name}`);
    return row;
  }

  it('of an array is shown, and dropping it leaves valid JSON', async () => {
    const row = rowOf('a JSON array');
    const seen: string[] = [];
    const out = await everyCut(row, seeing(seen), Buffer.from('["SECRET {",{"t":"one"}, 17, {"t":"two"}]'));
    expect(row.read(out)).toEqual(['{"t":"one"}', '17', '{"t":"two"}']);
    expect(seen).toContain('["SECRET {",');
    const rest = await everyCut(row, seeing(seen), Buffer.from('[{"t":"one"},{"t":"SECRET'));
    expect(rest.toString()).toBe('[{"t":"one"}');
  });

  it('of AWS headers is shown, and they are dropped with it', async () => {
    const row = rowOf('AWS event stream');
    const headers = {
      ':message-type': { type: 'string', value: 'error' },
      ':error-code': { type: 'string', value: 'Fault' },
      ':error-message': { type: 'string', value: 'SECRET' },
    } as const;
    const message = Buffer.from(codec.encode({ headers, body: Buffer.from('{"t":"x"}') }));
    const seen: string[] = [];
    const out = await everyCut(row, seeing(seen), message);
    expect(seen[0]).toContain(':error-message: SECRET');
    expect(codec.decode(out)).toEqual({
      headers: { ':message-type': { type: 'string', value: 'error' } },
      body: new Uint8Array(Buffer.from('{"t":"x"}')),
    });
    const broken = await everyCut(
      row,
      seeing(seen),
      Buffer.concat([awsMessage('{}'), message.subarray(0, -10)]),
    );
    expect(broken.equals(awsMessage('{}'))).toBe(true);
  });

  it('is not searched if an error is one object instead of an array', async () => {
    const row = rowOf('a JSON array');
    const error = Buffer.from(' {"error":{"message":"no"}}\n');
    expect((await everyCut(row, () => ({ event: () => PASS_EVENT }), error)).equals(error)).toBe(true);
  });
});

describe('a frame that is added to SSE with CRLF', () => {
  it('does not split the line end before it, even if its second half comes late or never', async () => {
    const chunks = ['data: {"t":"one"}\r\n\r', '\ndata: {"t":"two"}\r\n\r'].map((text) => Buffer.from(text));
    const out = await through(sse, copying(), chunks);
    // Splits as Google's SDK does.
    const events = out.toString().split(/\n\n|\r\r|\r\n\r\n/);
    expect(events.map((event) => event.trim()).filter((event) => event !== '')).toEqual([
      'data: {"t":"one"}',
      'data: {"t":"c1"}',
      'data: {"t":"two"}',
      'data: {"t":"c2"}',
    ]);
  });
});

describe('bytes that are not UTF-8', () => {
  it.each([
    ['SSE', sse, 'data: {"t":"a"}\n\n'],
    ['NDJSON', ndjson, '{"t":"a"}\n'],
    ['a JSON array', jsonArray, '[{"t":"a"}]'],
  ] as const)('are refused in %s as UTF-16 if text is judged', async (_, format, text) => {
    const bytes = Buffer.from(text, 'utf16le');
    const refused = await through(format, { event: () => PASS_EVENT }, [bytes]);
    expect(refused.toString()).toContain('"type":"upstream_unavailable"');
    expect(refused.includes(0)).toBe(false);
    const blind: StreamRewriter = { readsText: false, event: () => PASS_EVENT };
    expect((await through(format, blind, [bytes])).equals(bytes)).toBe(true);
  });

  const broken = Buffer.concat([Buffer.from('{"t":"a'), Buffer.from([0xff]), Buffer.from('b"}')]);
  it.each([
    ['SSE', sse, Buffer.concat([Buffer.from('data: '), broken, Buffer.from('\n\n')])],
    ['NDJSON', ndjson, Buffer.concat([broken, Buffer.from('\n')])],
    ['a JSON array', jsonArray, Buffer.concat([Buffer.from('['), broken, Buffer.from(',{"t":"c"}]')])],
    ['AWS event stream', awsEventStream, Buffer.from(codec.encode({ headers: {}, body: broken }))],
  ] as const)('are replaced in %s only if text is judged', async (_, format, bytes) => {
    const blind: StreamRewriter = { readsText: false, event: () => PASS_EVENT };
    expect((await through(format, blind, [bytes])).equals(bytes)).toBe(true);
    const out = await through(format, { event: () => PASS_EVENT }, [bytes]);
    expect(decodeStream(format, [out])[0]?.data).toBe('{"t":"a\uFFFDb"}');
    const text = format === awsEventStream ? Buffer.from(codec.decode(out).body) : out;
    expect(text.toString()).toContain('a\uFFFDb');
    expect(text.includes(0xff)).toBe(false);
  });
});
