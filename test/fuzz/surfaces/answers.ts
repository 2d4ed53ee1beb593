import {
  brotliCompressSync,
  brotliDecompressSync,
  constants,
  deflateSync,
  gunzipSync,
  gzipSync,
  inflateSync,
} from 'node:zlib';
import fc from 'fast-check';
import { READABLE_PARAMETERS, UNREADABLE_PARAMETERS } from '../../support/charsets.ts';
import { filled, leavesOf, type SweptRow } from '../../support/turn-sweep/places.ts';
import { SWEPT_ROWS } from '../../support/turn-sweep/rows.ts';
import { disguised, disguises } from '../disguises.ts';
import { openEdge } from '../edge.ts';
import { mutated, mutations } from '../mutations.ts';
import { leakIn, PLANTED } from '../planted.ts';
import type { Surface } from '../surface.ts';
import { around, leafOf, nearby } from '../words.ts';

const TYPES = [
  'application/json',
  'text/plain',
  'text/html',
  'text/event-stream',
  'application/x-ndjson',
  '',
];

const QUICK = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } };
const CODINGS = {
  gzip: { write: gzipSync, read: gunzipSync },
  deflate: { write: deflateSync, read: inflateSync },
  br: { write: (body: Buffer) => brotliCompressSync(body, QUICK), read: brotliDecompressSync },
} as const;

/** Whole answers of every endpoint with a planted value, disguised, mutated and compressed. */
const cases = fc.record({
  row: fc.constantFrom(...SWEPT_ROWS.keys()),
  leaf: fc.nat(999),
  planted: fc.constantFrom(...PLANTED.keys()),
  before: nearby,
  after: nearby,
  disguise: disguises,
  changes: mutations(3),
  status: fc.oneof(fc.constant(200), fc.constantFrom(201, 204, 301, 400, 401, 404, 429, 500, 503)),
  type: fc.oneof(fc.constant('application/json'), fc.constantFrom(...TYPES)),
  parameters: fc.oneof(fc.constant(''), fc.constantFrom(...READABLE_PARAMETERS, ...UNREADABLE_PARAMETERS)),
  coding: fc.oneof(
    { weight: 4, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary: fc.constantFrom(...(Object.keys(CODINGS) as (keyof typeof CODINGS)[])) },
  ),
  coded: mutations(1),
});

export const answers: Surface<FuzzedAnswer> = {
  cases,
  async open() {
    const edge = await openEdge();
    return {
      async run(answer) {
        const row = SWEPT_ROWS[answer.row] as SweptRow;
        const planted = PLANTED[answer.planted] ?? '';
        const { received } = await edge.exchange({
          path: `/${row.provider}${row.path}${row.query === undefined ? '' : `?${row.query}`}`,
          body: Buffer.from(JSON.stringify(row.body)),
          answer: {
            status: answer.status,
            contentType: `${answer.type}${answer.parameters}`,
            headers: answer.coding === undefined ? {} : { 'content-encoding': answer.coding },
            body: bodyOf(row, answer, planted),
          },
        });
        return () => {
          edge.assertSound();
          const leak = received && leakIn(decoded(received, answer.coding), planted);
          if (leak !== undefined)
            throw new Error(`the client reads what was planted: ${JSON.stringify(leak)}`);
        };
      },
      close: () => edge.close(),
    };
  },
};

function bodyOf(row: SweptRow, answer: FuzzedAnswer, planted: string): Buffer {
  const text = JSON.stringify(around(answer.before, planted, answer.after));
  const json = filled(row.answer, leafOf(leavesOf(row.answer), answer.leaf), text).toString();
  const body = mutated(disguised(json, answer.disguise), answer.changes);
  return answer.coding === undefined ? body : mutated(CODINGS[answer.coding].write(body), answer.coded);
}

/** A changed answer is not compressed. */
function decoded(body: Buffer, coding: FuzzedAnswer['coding']): Buffer {
  if (coding === undefined) return body;
  try {
    return CODINGS[coding].read(body);
  } catch {
    return body;
  }
}

type FuzzedAnswer = typeof cases extends fc.Arbitrary<infer Case> ? Case : never;
