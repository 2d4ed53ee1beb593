import { crc32 } from 'node:zlib';
import { createAnswerStream } from '../../answers/answer-stream.ts';
import type { Denial, StreamRewriter } from '../../pipeline/check.ts';
import type { Answered } from '../../pipeline/exchange.ts';
import { isTurnOver, nextTurn } from '../../turns.ts';
import { createEventForm } from '../../answers/event-form.ts';
import { newAnswer } from '../../answers/new-answer.ts';
import type { StreamReader } from '../../providers/dialect.ts';
import { awsEventStream } from '../../streams/aws-event-stream.ts';
import type { StreamFormat } from '../../streams/frame.ts';
import { ndjson } from '../../streams/ndjson.ts';
import { sse } from '../../streams/sse.ts';

export interface SniffedStream {
  readonly format: StreamFormat;
  readonly reader: StreamReader;
}

/** Detects a stream by its bytes, because clients that requested a stream parse any body as one. */
export function sniffedStream({ answer, endpoint, request }: Answered): SniffedStream | undefined {
  const { whole } = answer;
  const format = whole === undefined || whole.json !== undefined ? undefined : formatOf(whole.body);
  const reader = format === undefined ? undefined : endpoint.dialect.stream(request);
  return format === undefined || reader === undefined ? undefined : { format, reader };
}

const HEAD_BYTES = 4096;
/** SSE fields up to the first `data` field with JSON. */
const SSE = /^\uFEFF?[\r\n]*(?:(?:data|event|id|retry)?:[^\r\n]*[\r\n]+){0,64}data: ?[[{]/;
const NDJSON = /^\s*\{[^\n]*\}[^\S\n]*\n\s*\{/;
/** Total length, headers length, and the checksum of both. */
const AWS_PRELUDE_BYTES = 12;

function formatOf(body: Buffer): StreamFormat | undefined {
  const head = body.toString('utf8', 0, HEAD_BYTES);
  if (SSE.test(head)) return sse;
  if (body.length > AWS_PRELUDE_BYTES && crc32(body.subarray(0, 8)) === body.readUInt32BE(8)) {
    return awsEventStream;
  }
  const secondLine = body.indexOf('\n') + 1;
  const isLines = NDJSON.test(body.toString('utf8', 0, secondLine + HEAD_BYTES));
  return isLines ? ndjson : undefined;
}

export type Rewritten = { readonly bytes: Buffer } | { readonly denial: Denial };

const CHUNK_BYTES = 65_536;

export async function rewriteWhole(
  body: Buffer,
  { format, reader }: SniffedStream,
  rewriter: StreamRewriter,
): Promise<Rewritten> {
  const stream = createAnswerStream({
    answer: newAnswer(),
    format,
    form: createEventForm({ format, isKnown: false, keepsComments: true }),
    reader,
    rewriters: [rewriter],
    stripComments: true,
  });
  const parts: Buffer[] = [];
  for (let from = 0; from < body.length; from += CHUNK_BYTES) {
    const { bytes, cut } = await stream.push(body.subarray(from, from + CHUNK_BYTES));
    if (cut !== undefined) return { denial: cut };
    parts.push(bytes);
    if (isTurnOver()) await nextTurn();
  }
  const { bytes, cut } = await stream.end();
  return cut === undefined ? { bytes: Buffer.concat([...parts, bytes]) } : { denial: cut };
}
