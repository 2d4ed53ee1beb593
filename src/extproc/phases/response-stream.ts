import type { Emission } from '../../answers/answer-stream.ts';
import type { StreamContext } from '../context.ts';
import { dropTrailers, streamChunk, type PhaseReply } from '../reply/respond.ts';
import type { At } from '../state.ts';
import type { ProcessingRequest, ProcessingResponse } from '../wire/messages.ts';

/** Replies to every chunk, even an empty one. The last reply contains buffered bytes, closing comments and the end. */
export function onStreamChunk(
  context: StreamContext,
  state: At<'streaming' | 'streamed'>,
  message: ProcessingRequest,
): PhaseReply | Promise<PhaseReply> {
  const { body: chunk, endOfStream: isLast } = message;
  const sent = state.stream.push(chunk);
  return sent instanceof Promise
    ? sent.then((emission) => reply(context, state, emission, isLast))
    : reply(context, state, sent, isLast);
}

function reply(
  context: StreamContext,
  state: At<'streaming' | 'streamed'>,
  emission: Emission,
  isLast: boolean,
): ProcessingResponse | Promise<ProcessingResponse> {
  const { bytes, cut } = emission;
  if (cut !== undefined) return cutOff(context, state, emission);
  return isLast ? lastChunk(context, state, bytes) : emit(context, bytes, false);
}

async function lastChunk(
  context: StreamContext,
  state: At<'streaming' | 'streamed'>,
  before: Buffer,
): Promise<ProcessingResponse> {
  const last = await end(context, state);
  return emit(context, Buffer.concat([before, last.bytes]), true);
}

/** Ends the stream before the provider does. Envoy resets it, and may still deliver the bytes already sent. */
function cutOff(
  context: StreamContext,
  state: At<'streaming' | 'streamed'>,
  emission: Emission,
): ProcessingResponse {
  const isFirst = state.at === 'streaming';
  finishStream(context, state, emission);
  return emit(context, emission.bytes, isFirst);
}

/** Sends buffered bytes and drops the trailers, which end an HTTP/2 stream without a last chunk. */
export async function onResponseTrailers(
  context: StreamContext,
  message: ProcessingRequest,
): Promise<ProcessingResponse[]> {
  const names = message.headers.map(([name]) => name);
  const trailers = dropTrailers('response_trailers', names);
  const { state } = context;
  if (state.at !== 'streaming') return [trailers];
  const last = await end(context, state);
  return last.bytes.length === 0 ? [trailers] : [emit(context, last.bytes, false), trailers];
}

async function end(context: StreamContext, state: At<'streaming' | 'streamed'>): Promise<Emission> {
  const last = await state.stream.end();
  finishStream(context, state, last);
  return last;
}

/** The headers have already been sent, so only log and metrics can report a cut as a refusal. */
function finishStream(context: StreamContext, state: At<'streaming' | 'streamed'>, last: Emission): void {
  if (last.failure !== undefined) context.services.observer.failed(context.requestId, last.failure);
  context.refusal ??= last.cut;
  context.state = { ...state, at: 'streamed' };
}

function emit(context: StreamContext, out: Buffer, endOfStream: boolean): ProcessingResponse {
  if (context.firstChunkAt === 0 && out.length > 0) context.firstChunkAt = performance.now();
  context.emittedBytes += out.length;
  return streamChunk(out, endOfStream, context.emittedBytes);
}
