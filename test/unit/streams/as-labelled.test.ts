import { describe, expect, it } from 'vitest';
import { asLabelled } from '../../../src/streams/format.ts';
import type { StreamFormat } from '../../../src/streams/frame.ts';
import { jsonArray } from '../../../src/streams/json-array.ts';
import { ndjson } from '../../../src/streams/ndjson.ts';
import { sse } from '../../../src/streams/sse.ts';
import { decodeStream } from '../../support/decode-stream.ts';

/** Reads a stream in chunks of seven bytes. */
function read(format: StreamFormat, text: string): string {
  const bytes = Buffer.from(text);
  const chunks = Array.from({ length: Math.ceil(bytes.length / 7) }, (_, at) =>
    bytes.subarray(at * 7, at * 7 + 7),
  );
  const labelled = asLabelled(format);
  const frames = decodeStream(labelled, chunks).map((frame) => labelled.readable(frame));
  return Buffer.concat(frames.map(({ raw }) => raw)).toString();
}

const OTHER = "the provider's stream does not match its Content-Type";

describe('a stream that some clients read as another', () => {
  it.each([
    ['events labelled as lines', ndjson, 'data: {"a":1}\n\ndata: {"a":2}\n\n'],
    ['events labelled as lines, after one of these', ndjson, '{"a":0}\nevent: x\ndata: {"a":1}\n\n'],
    ['events labelled as lines, after a byte order mark', ndjson, '\uFEFFdata: {"a":1}\n\n'],
    ['events that end with CR, labelled as lines', ndjson, ': hi\rdata: {"a":1}\r\rdata: {"a":2}\r\r'],
    ['lines labelled as events', sse, '{"a":1}\n{"a":2}\n'],
    ['lines with blank lines between them, labelled as events', sse, '{"a":1}\n\n{"a":2}\n\n'],
    ['lines labelled as events, after one of these', sse, 'data: {"a":0}\n\n{"a":1}\n\n {"a":2}\r\n\r\n'],
    ['lines that end with CR, labelled as events', sse, '{\r"a":1}\n{\r"a":2}\n'],
    ['an array labelled as events', sse, '[{"a":1},\n{"a":2}]'],
    ['an array in pieces, labelled as events', sse, '[{"a":1}\n\n,{"a":2}\n\n]'],
  ])('is refused: %s', (_what, format, text) => {
    expect(() => read(format, text)).toThrow(OTHER);
  });

  it.each([
    ['events', sse, ': hi\n\nevent: e\nid: 7\ndata: {"a":1}\n\ndata: [1,\ndata: 2]\n\ndata: [DONE]\n\n'],
    ['one document labelled as events', sse, '{"error":{"message":"no"}}\n\ndata: {"a":1}\n\n'],
    ['one document over several lines', sse, '{\n  "error": {\n    "message": "no"\n  }\n}\n'],
    ['lines', ndjson, '{"a":"\\rdata: 1"}\n[1]\n\n{"data:":2}\n'],
    ['a line that is not JSON among lines', ndjson, 'oh no\n{"a":1}\n'],
    ['elements', jsonArray, '[{"a":1},\n{"a":2}]'],
  ])('is written unchanged if it is not one: %s', (_what, format, text) => {
    expect(read(format, text)).toBe(text);
  });

  it('is judged independently of earlier streams', () => {
    const document = '{"error":"no"}\n\n';
    expect([read(sse, document), read(sse, document)]).toEqual([document, document]);
  });
});
