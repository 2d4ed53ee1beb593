import { EventStreamCodec } from '@smithy/eventstream-codec';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { awsEventStream } from '../../../src/streams/aws-event-stream.ts';
import type { Frame, StreamFormat } from '../../../src/streams/frame.ts';
import { streamFormatFor } from '../../../src/streams/format.ts';
import { jsonArray } from '../../../src/streams/json-array.ts';
import { ndjson } from '../../../src/streams/ndjson.ts';
import { sse } from '../../../src/streams/sse.ts';
import { decodeStream } from '../../support/decode-stream.ts';

const codec = new EventStreamCodec(
  (bytes) => Buffer.from(bytes as Uint8Array).toString(),
  (text) => Buffer.from(text),
);

function awsMessage(event: string, payload: string): Buffer {
  return Buffer.from(
    codec.encode({
      headers: {
        ':event-type': { type: 'string', value: event },
        ':content-type': { type: 'string', value: 'application/json' },
        ':message-type': { type: 'string', value: 'event' },
        at: { type: 'timestamp', value: new Date(0) },
        flag: { type: 'boolean', value: true },
        blob: { type: 'binary', value: Buffer.from('abc') },
      },
      body: Buffer.from(payload),
    }),
  );
}

/** Returns the data of a stream's frames at any cut, without blanks and comments. */
interface Fixture {
  readonly name: string;
  readonly format: StreamFormat;
  readonly bytes: Buffer;
  readonly data: readonly string[];
  readonly events?: readonly string[];
}

const FIXTURES: readonly Fixture[] = [
  { name: 'SSE with LF', format: sse, bytes: Buffer.from('data: a\n\ndata: b\n\n'), data: ['a', 'b'] },
  {
    name: 'SSE with CRLF',
    format: sse,
    bytes: Buffer.from('data: a\r\n\r\ndata: b\r\n\r\n'),
    data: ['a', 'b'],
  },
  { name: 'SSE with CR', format: sse, bytes: Buffer.from('data: a\r\rdata: b\r\r'), data: ['a', 'b'] },
  {
    name: 'SSE with mixed line endings',
    format: sse,
    bytes: Buffer.from('data: a\r\n\ndata: b\n\r\n\r\ndata:c\r\rdata:  d\r\n\r'),
    data: ['a', 'b', 'c', ' d'],
  },
  {
    name: 'SSE with a BOM, comments, ids, names and data over several lines',
    format: sse,
    bytes: Buffer.from(
      '\uFEFFdata: first\n\n: ping\n\n\nid: 7\nevent: delta\ndata: {"a":\ndata: "ü€😀"}\nretry: 5\n\ndata\n\ndatax: no\n\n',
    ),
    data: ['first', '{"a":\n"ü€😀"}', ''],
    events: ['delta'],
  },
  {
    name: 'SSE whose last event is unterminated',
    format: sse,
    bytes: Buffer.from('data: a\n\nevent: x\ndata: b'),
    data: ['a', 'b'],
  },
  { name: 'SSE whose last blank line is missing', format: sse, bytes: Buffer.from('data: b\n'), data: ['b'] },
  {
    name: 'AWS event stream',
    format: awsEventStream,
    bytes: Buffer.concat([
      awsMessage('messageStart', '{"ü":1}'),
      awsMessage('end', ''),
      awsMessage('x', '{}'),
    ]),
    data: ['{"ü":1}', '', '{}'],
    events: ['messageStart', 'end', 'x'],
  },
  {
    name: 'NDJSON',
    format: ndjson,
    bytes: Buffer.from('{"a":1}\n\n{"b":"ü"}\r\n{"c":3}'),
    data: ['{"a":1}', '{"b":"ü"}', '{"c":3}'],
  },
  {
    name: 'a JSON array',
    format: jsonArray,
    bytes: Buffer.from('[{"a":"]},{\\"[ü"}\n,\r\n{"b":[{"c":[]}]},{}\n]\n'),
    data: ['{"a":"]},{\\"[ü"}', '{"b":[{"c":[]}]}', '{}'],
  },
  { name: 'an empty JSON array', format: jsonArray, bytes: Buffer.from(' [ ] '), data: [] },
  {
    name: 'a truncated JSON array',
    format: jsonArray,
    bytes: Buffer.from('[{"a":1},{"b'),
    data: ['{"a":1}'],
  },
];

function written(format: StreamFormat, frames: readonly Frame[]): Buffer {
  const writer = format.createWriter();
  return Buffer.concat([...frames.map((frame) => writer.write(frame)), writer.end()]);
}

const dataOf = (frames: readonly Frame[]): string[] => frames.flatMap((frame) => frame.data ?? []);

describe.each(FIXTURES)('$name', ({ format, bytes, data, events }) => {
  it('is read the same at any cut, without losing a byte', () => {
    for (let at = 0; at <= bytes.length; at += 1) {
      const frames = decodeStream(format, [bytes.subarray(0, at), bytes.subarray(at)]);
      expect(Buffer.concat(frames.map((frame) => frame.raw)).equals(bytes)).toBe(true);
      expect(dataOf(frames)).toEqual(data);
      if (events !== undefined) expect(frames.flatMap((frame) => frame.event ?? [])).toEqual(events);
    }
  });

  it('is read the same byte by byte', () => {
    const frames = decodeStream(
      format,
      Array.from(bytes, (byte) => Buffer.from([byte])),
    );
    expect(Buffer.concat(frames.map((frame) => frame.raw)).equals(bytes)).toBe(true);
    expect(dataOf(frames)).toEqual(data);
  });

  it('writes new data that reads back the same, and leaves the rest unchanged', () => {
    const frames = decodeStream(format, [bytes]);
    const rewritten = frames.map((frame) =>
      frame.data === undefined ? frame.raw : format.withData(frame, '{"new":\n"ü"}'),
    );
    const expected = format.name === 'ndjson' ? '{"new": "ü"}' : '{"new":\n"ü"}';
    const again = decodeStream(format, [Buffer.concat(rewritten)]);
    expect(dataOf(again)).toEqual(data.map(() => expected));
    expect(again.map((frame) => frame.event)).toEqual(frames.map((frame) => frame.event));
  });

  it('writes the same data as the same bytes if it is on one line', () => {
    for (const frame of decodeStream(format, [bytes])) {
      if (frame.data === undefined || frame.data.includes('\n') || !/\{/.test(frame.data)) continue;
      expect(format.withData(frame, frame.data).equals(frame.raw)).toBe(true);
    }
  });

  it('is written unchanged, and stays readable without any single frame', () => {
    const frames = decodeStream(format, [bytes]);
    expect(written(format, frames).equals(bytes)).toBe(true);
    for (const victim of frames.filter((frame) => frame.data !== undefined)) {
      const left = written(
        format,
        frames.filter((frame) => frame !== victim),
      );
      expect(dataOf(decodeStream(format, [left]))).toHaveLength(data.length - 1);
    }
  });
});

describe('frame bounds', () => {
  it.each([
    ['sse', sse, 'data: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'],
    ['ndjson', ndjson, '{"a":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaa'],
    ['json-array', jsonArray, '[{"a":"aaaaaaaaaaaaaaaaaaaaaaaaaaaa'],
    ['aws', awsEventStream, awsMessage('x', 'aaaaaaaaaaaaaaaaaaaaa').toString('latin1')],
  ])('stop an endless %s frame', (_, format, text) => {
    const decoder = format.createDecoder({ maxFrameBytes: 32 });
    expect(() => {
      for (const byte of Buffer.from(text, 'latin1')) decoder.push(Buffer.from([byte]));
    }).toThrow(/more than 32 bytes/);
  });
});

describe('the AWS event stream', () => {
  it('is read after a rewrite by the codec that AWS clients use', () => {
    const [frame] = decodeStream(awsEventStream, [awsMessage('chunk', '{"a":1}')]);
    const message = codec.decode(
      awsEventStream.withData(frame ?? { raw: Buffer.alloc(0) }, '{"longer":"ü"}'),
    );
    expect(Buffer.from(message.body).toString()).toBe('{"longer":"ü"}');
    expect(message.headers[':event-type']).toEqual({ type: 'string', value: 'chunk' });
    expect(message.headers['at']).toEqual({ type: 'timestamp', value: new Date(0) });
  });

  it('refuses any flipped byte', () => {
    const message = awsMessage('chunk', '{"a":1}');
    for (let at = 0; at < message.length; at += 1) {
      const flipped = Buffer.from(message);
      flipped[at] = (flipped[at] ?? 0) ^ 0x10;
      expect(() => decodeStream(awsEventStream, [flipped])).toThrow(/broken|over/);
    }
  });

  it('names exceptions', () => {
    const bytes = Buffer.from(
      codec.encode({
        headers: {
          ':message-type': { type: 'string', value: 'exception' },
          ':exception-type': { type: 'string', value: 'throttlingException' },
        },
        body: Buffer.from('{}'),
      }),
    );
    expect(decodeStream(awsEventStream, [bytes])[0]?.event).toBe('throttlingException');
  });
});

describe('a JSON array', () => {
  it('stays valid JSON when elements are dropped', () => {
    const frames = decodeStream(jsonArray, [Buffer.from('[{"a":1},\n{"b":2},\n{"c":3}\n]')]);
    const elements = frames.filter((frame) => frame.data !== undefined);
    for (const victim of elements) {
      const left = written(
        jsonArray,
        frames.filter((frame) => frame !== victim),
      );
      expect(JSON.parse(left.toString())).toHaveLength(2);
    }
  });
});

describe('an SSE comment', () => {
  it('is skipped by readers and ends an unterminated event', () => {
    const comment = sse.comment?.('cost=0.1\ndata: forged') ?? Buffer.alloc(0);
    const frames = decodeStream(sse, [Buffer.from('data: a'), comment, Buffer.from('data: b\n\n')]);
    expect(dataOf(frames)).toEqual(['a', 'b']);
  });
});

describe('lines added to SSE', () => {
  const frame = (lineEnd: string): Frame => ({
    raw: Buffer.from(`data: {}${lineEnd}${lineEnd}`),
    data: '{}',
  });

  it.each(['\n', '\r\n', '\r'])('end like the provider’s lines: %j', (lineEnd) => {
    const ended = (...lines: string[]): string => lines.map((line) => line + lineEnd).join('');
    expect(sse.copy(frame(lineEnd), '{"a":1}').toString()).toBe(ended('data: {"a":1}', ''));
    const writer = sse.createWriter();
    writer.write(frame(lineEnd));
    const cut = writer
      .cut([
        { event: 'error', data: 'x' },
        { data: 'y', line: 'a\r\nb' },
      ])
      .toString();
    // A CR that may be half of a line end is completed first.
    expect(cut.replace(/^\n(?=e)/, '')).toBe(ended('event: error', 'data: x', '', 'data: y', '', 'a b'));
  });

  it('end with LF if there was no line before', () => {
    expect(
      sse
        .createWriter()
        .cut([{ data: 'x' }])
        .toString(),
    ).toBe('data: x\n\n');
  });
});

describe('any SSE bytes', () => {
  it('are written unchanged, in any chunks', () => {
    const piece = fc.constantFrom('data: x', 'event: y', '\n', '\r', '\r\n', ':', '\n\n', 'ü');
    fc.assert(
      fc.property(fc.array(fc.array(piece, { maxLength: 4 }), { maxLength: 12 }), (chunks) => {
        const buffers = chunks.map((pieces) => Buffer.from(pieces.join('')));
        const whole = decodeStream(sse, [Buffer.concat(buffers)]);
        const cut = decodeStream(sse, buffers);
        expect(Buffer.concat(cut.map((frame) => frame.raw))).toEqual(Buffer.concat(buffers));
        expect(dataOf(cut)).toEqual(dataOf(whole));
      }),
      { numRuns: 1000 },
    );
  });
});

describe('streamFormatFor', () => {
  it.each([
    ['text/event-stream', {}, 'sse'],
    ['Text/Event-Stream; charset=utf-8', {}, 'sse'],
    ['application/vnd.amazon.eventstream', {}, 'aws-event-stream'],
    ['application/x-ndjson', {}, 'ndjson'],
    ['application/jsonl', {}, 'ndjson'],
    ['application/stream+json', {}, 'ndjson'],
    ['application/json', {}, undefined],
    ['application/json; charset=UTF-8', { streamFormat: 'json-array' }, 'json-array'],
    ['text/event-stream', { streamFormat: 'json-array' }, 'sse'],
    [undefined, { streamFormat: 'json-array' }, 'json-array'],
    ['application/x-ndjson', { streamFormat: 'json-array' }, 'json-array'],
    ['application/octet-stream', { streamFormat: 'json-array' }, 'json-array'],
    ['text/html', { streamFormat: 'json-array' }, undefined],
    [undefined, {}, undefined],
  ] as const)('reads %s %j as %s', (contentType, endpoint, name) => {
    expect(streamFormatFor(contentType, endpoint)?.name).toBe(name);
  });
});

describe('ndjson', () => {
  it.each(['', '\n', '\r\n', ' \t\n', '\u00a0\n'])('keeps the end of a changed line: %j', (end) => {
    const raw = Buffer.from(`{"a": 1 }${end}`);
    expect(ndjson.withData({ raw, data: '{"a": 1 }' }, '{"a":2}').toString()).toBe(`{"a":2}${end}`);
  });

  it('changes a line of many blanks in linear time', () => {
    const data = `{"a":1${' '.repeat(60_000)}}`;
    const before = process.cpuUsage();
    const changed = ndjson.withData({ raw: Buffer.from(`${data}\n`), data }, data);
    expect(changed.toString()).toBe(`${data}\n`);
    expect(process.cpuUsage(before).user / 1000).toBeLessThan(500);
  });
});
