import { GatewayError } from '../../errors.ts';
import type { Emission } from '../../answers/answer-stream.ts';
import type { StreamContext } from '../context.ts';
import type { ProcessingRequest, ProcessingResponse } from '../wire/messages.ts';
import { dropTrailers, streamChunk } from '../reply/respond.ts';

/**
 * One chunk of a streamed answer. Every chunk gets a reply, an empty one too; the last reply carries what was
 * held, the closing comments and the end.
 */
export function onStreamChunk(
  context: StreamContext,
  message: ProcessingRequest,
): ProcessingResponse | Promise<ProcessingResponse> {
  const { body: chunk, endOfStream: isLast } = message;
  const sent = streamOf(context).push(chunk);
  return sent instanceof Promise
    ? sent.then((emission) => reply(context, emission, isLast))
    : reply(context, sent, isLast);
}

function reply(
  context: StreamContext,
  emission: Emission,
  isLast: boolean,
): ProcessingResponse | Promise<ProcessingResponse> {
  const { bytes, cut } = emission;
  if (cut !== undefined) return cutOff(context, emission);
  return isLast ? lastChunk(context, bytes) : emit(context, bytes, false);
}

async function lastChunk(context: StreamContext, before: Buffer): Promise<ProcessingResponse> {
  const last = await streamOf(context).end();
  noteCut(context, last);
  context.progress = 'done';
  return emit(context, Buffer.concat([before, last.bytes]), true);
}

/** The end comes before the provider's: Envoy resets it, and may still hand on what it had sent. */
function cutOff(context: StreamContext, emission: Emission): ProcessingResponse {
  const isFirst = context.progress === 'streaming';
  noteCut(context, emission);
  context.progress = 'done';
  return emit(context, emission.bytes, isFirst);
}

/** The headers were sent, so that only log and metrics show it as a refusal. */
function noteCut(context: StreamContext, { cut, failure }: Emission): void {
  if (failure !== undefined) context.services.observer.failed(context.requestId, failure);
  if (cut !== undefined) context.refusal ??= new GatewayError(cut.type, cut.message);
}

/** Trailers end a stream in place of a last chunk (HTTP/2): what was held goes out first, then nothing of them. */
export async function onResponseTrailers(
  context: StreamContext,
  message: ProcessingRequest,
): Promise<ProcessingResponse[]> {
  const names = message.headers.map(([name]) => name);
  const trailers = dropTrailers('response_trailers', names);
  if (context.stream === undefined || context.progress !== 'streaming') return [trailers];
  const last = await context.stream.end();
  noteCut(context, last);
  context.progress = 'done';
  return last.bytes.length === 0 ? [trailers] : [emit(context, last.bytes, false), trailers];
}

function emit(context: StreamContext, out: Buffer, endOfStream: boolean): ProcessingResponse {
  if (context.firstChunkAt === 0 && out.length > 0) context.firstChunkAt = performance.now();
  context.emittedBytes += out.length;
  return streamChunk(out, endOfStream, context.emittedBytes);
}

function streamOf(context: StreamContext): NonNullable<StreamContext['stream']> {
  if (context.stream === undefined) throw new Error('a chunk came before its stream was begun');
  return context.stream;
}
