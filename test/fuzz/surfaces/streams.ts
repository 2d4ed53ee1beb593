import fc from 'fast-check';
import { providers } from '../../../src/providers/registry.ts';
import type { StreamFormat } from '../../../src/streams/frame.ts';
import { decodeStream } from '../../support/decode-stream.ts';
import { filled, jsonOf, leavesOf, STREAM_TYPES, type SweptRow } from '../../support/turn-sweep/places.ts';
import { SWEPT_ROWS } from '../../support/turn-sweep/rows.ts';
import { openEdge } from '../edge.ts';
import { mutated, mutations, pieces, someCuts } from '../mutations.ts';
import { leakIn, PLANTED } from '../planted.ts';
import { readStream } from '../../support/read-stream.ts';
import { joinedTexts } from '../stream-reading.ts';
import type { Surface } from '../surface.ts';
import { leafOf, nearby } from '../words.ts';

const ROWS = SWEPT_ROWS.filter(({ stream }) => stream !== undefined);

/** Streams of every endpoint with a planted value in one event or split over several, mutated and in odd chunks. */
const cases = fc.record({
  row: fc.constantFrom(...ROWS.keys()),
  event: fc.nat(99),
  leaf: fc.nat(99),
  planted: fc.constantFrom(...PLANTED.keys()),
  before: nearby,
  after: nearby,
  cuts: someCuts,
  changes: mutations(2),
  lineEnds: fc.constantFrom('as they are', '\r\n', '\r'),
  chunks: someCuts,
});

export const streams: Surface<FuzzedStream> = {
  cases,
  async open() {
    const edge = await openEdge();
    return {
      async run(stream) {
        const row = ROWS[stream.row] as SweptRow;
        const planted = PLANTED[stream.planted] ?? '';
        const { bytes, format, isPiece } = streamOf(row, stream, planted);
        const { received } = await edge.exchange({
          path: `/${row.provider}${row.path}${row.query === undefined ? '' : `?${row.query}`}`,
          body: Buffer.from(JSON.stringify({ ...row.body, stream: true })),
          answer: {
            contentType: STREAM_TYPES[format.name],
            body: bytes,
            chunks: pieces(bytes, stream.chunks),
          },
        });
        return () => {
          edge.assertSound();
          if (received === undefined) return;
          const joined = joinedTexts(received, format.name);
          const leak = leakIn(isPiece ? joined : Buffer.concat([received, joined]), planted);
          // The detector finds it alone, but not after the channel's earlier text.
          if (isPiece && saysUnfound(row, received, planted)) return;
          if (leak !== undefined)
            throw new Error(`the client reads what was planted: ${JSON.stringify(leak)}`);
        };
      },
      close: () => edge.close(),
    };
  },
};

interface Streamed {
  readonly bytes: Buffer;
  readonly format: StreamFormat;
  /** Its context in other events is part of it. */
  readonly isPiece: boolean;
}

/** The endpoint's stream with the planted value in one event, or in parts in several that clients join. */
function streamOf(row: SweptRow, stream: FuzzedStream, planted: string): Streamed {
  if (row.stream === undefined) throw new Error(`${row.path} does not stream`);
  const { format, bytes } = row.stream;
  const frames = decodeStream(format, [bytes]);
  const events = frames.filter(({ data }) => jsonOf(data) !== undefined);
  const event = events[stream.event % events.length];
  const json = jsonOf(event?.data);
  if (event === undefined || json === undefined) throw new Error(`${row.path}: a stream without events`);
  const leaf = leafOf(leavesOf(json), stream.leaf);
  const withText = (text: string): Buffer =>
    format.withData(event, filled(json, leaf, JSON.stringify(text)).toString());
  const text = `${stream.before}${planted}${stream.after}`;
  const isPiece = isJoined(row, format, withText(MARK));
  const parts = isPiece ? cutText(text, stream.cuts) : [text];
  const written = Buffer.concat(
    frames.flatMap((frame) => (frame === event ? parts.map(withText) : [frame.raw])),
  );
  const ended =
    format.name === 'sse' && stream.lineEnds !== 'as they are'
      ? Buffer.from(written.toString().replaceAll('\n', stream.lineEnds))
      : written;
  return { bytes: mutated(ended, stream.changes), format, isPiece };
}

const MARK = 'MARK-of-a-piece';

/** Whether clients join the text there with that of the next event. */
function isJoined({ provider, path, query = '' }: SweptRow, format: StreamFormat, frame: Buffer): boolean {
  const reader = providers[provider].endpoint('POST', path, query)?.dialect.stream();
  const [read] = decodeStream(format, [frame]);
  return read !== undefined && reader?.read(read).deltas.some(({ text }) => text.includes(MARK)) === true;
}

/** Whether the planted value is in a channel's whole text, where the detector does not find it. */
function saysUnfound(
  { provider, path, query = '', stream }: SweptRow,
  received: Buffer,
  planted: string,
): boolean {
  const reader = providers[provider].endpoint('POST', path, query)?.dialect.stream();
  if (reader === undefined || stream === undefined) return false;
  const { texts } = readStream(stream.format, reader, [received]);
  const said = Object.values(texts).filter((text) => text.includes(planted));
  return said.length > 0 && leakIn(Buffer.from(JSON.stringify(said)), planted) === undefined;
}

function cutText(text: string, cuts: readonly number[]): string[] {
  const places = [...new Set(cuts.map((cut) => Math.floor(cut * text.length)))].sort((a, b) => a - b);
  return [0, ...places].map((from, index) => text.slice(from, places[index] ?? text.length));
}

type FuzzedStream = typeof cases extends fc.Arbitrary<infer Case> ? Case : never;
