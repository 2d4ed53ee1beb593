import { GatewayError } from '../errors.ts';
import { HEADER } from '../headers.ts';
import { GRPC_STATUS, type Call, type CallListener } from './transport/call.ts';
import {
  createContext,
  isLogged,
  outcomeOf,
  type EdgeServices,
  type FinishedExchange,
  type StreamContext,
} from './context.ts';
import { onRequestBody } from './phases/request-body.ts';
import { onRequestHeaders } from './phases/request-headers.ts';
import { onResponseBody } from './phases/response-body.ts';
import { onResponseHeaders } from './phases/response-headers.ts';
import { onResponseTrailers, onStreamChunk } from './phases/response-stream.ts';
import type { ProcessingRequest, ProcessingResponse } from './wire/messages.ts';
import { createPatience } from './patience.ts';
import { withReceipt } from './reply/receipt.ts';
import { refusalAnswer, type Refusal } from './reply/refusal-answer.ts';
import { bePatient, dropTrailers, refuse } from './reply/respond.ts';

/** Messages that wait for the one before; more stay with Envoy, which stops reading from the provider. */
const MAX_QUEUED = 16;

/**
 * Serves one ext_proc stream, that is one request: messages in order, one at a time, each answered by its phase.
 *
 * ```
 * request_headers -> request_body -> response_headers -> response_body            a whole answer
 *                                                     -> response_body*, trailers  a streamed one
 * ```
 *
 * It fails closed everywhere: a refusal becomes an ImmediateResponse while headers can still change, anything
 * else a gRPC error. The stream is ended only after Envoy ended it; a clean end before that would let the rest of
 * the request through uninspected (docs/architecture.md#failing-closed).
 */
export function serveStream(call: Call, services: EdgeServices, onClosed: () => void): CallListener {
  const context = createContext(services);
  if (services.settings.patience !== undefined) {
    context.patience = createPatience(services.settings.patience, (ms) => send(bePatient(ms)));
  }
  const queue: ProcessingRequest[] = [];
  let working = false;
  let closed = false;
  let failed = false;
  let isFull = false;
  let isPaused = false;
  let answerTimer: NodeJS.Timeout | undefined;
  let finishing: Promise<void> | undefined;

  async function work(): Promise<void> {
    working = true;
    for (let message = queue.shift(); message !== undefined; message = queue.shift()) {
      const before = context.progress;
      try {
        const answered = traced(context, message);
        const replies = answered instanceof Promise ? await answered : answered;
        if (closed || failed) {
          // Envoy never got the verdict: what was to be forwarded was not, and costs nothing.
          if (before === 'receiving') context.progress = before;
          break;
        }
        for (const reply of Array.isArray(replies) ? replies : [replies]) send(reply);
        watchAnswer();
        readOn();
      } catch (cause) {
        fail(cause);
      }
    }
    working = false;
    readOn();
    if (closed) await leave();
    else if (context.progress === 'done') await finishOnce();
  }

  /** Once per exchange, whatever ended it. */
  function finishOnce(): Promise<void> {
    return (finishing ??=
      context.trace === undefined ? finish(context) : context.trace.run(() => finish(context)));
  }

  /** Counts as open until it is settled: a drain that let Redis go before would lose the settlement. */
  async function leave(): Promise<void> {
    await finishOnce().finally(onClosed);
  }

  function send(reply: ProcessingResponse): void {
    if (call.write(reply)) return;
    isFull = true;
    pause();
  }

  function pause(): void {
    isPaused = true;
    call.pause();
  }

  /** Once Envoy takes replies, and there is room for what it sends. */
  function readOn(): void {
    if (!isPaused || isFull || queue.length >= MAX_QUEUED) return;
    isPaused = false;
    call.resume();
  }

  /** Bounds the whole of an unstreamed answer; Envoy's own timeouts bound only the silence in it. */
  function watchAnswer(): void {
    const waiting = context.progress === 'forwarded' || context.progress === 'answering';
    if (!waiting) clearTimeout(answerTimer);
    else {
      answerTimer ??= setTimeout(() => {
        fail(new GatewayError('upstream_timeout', 'the provider did not answer in time'));
      }, services.settings.upstreamTimeoutMs);
    }
  }

  function fail(cause: unknown): void {
    if (closed || failed) return;
    failed = true;
    clearTimeout(answerTimer);
    queue.length = 0;
    const refusal = cause instanceof GatewayError ? cause : undefined;
    if (refusal === undefined) services.observer.failed(context.requestId, cause);
    else context.refusal = refusal;
    if (refusal !== undefined && context.stream === undefined) {
      const answer = refusalAnswer(toRefusal(context, refusal), context.surface, services.settings);
      context.status = answer.status;
      send(refuse(answer, withReceipt(context, answer.status, answer.headers), isLogged(context)));
    } else {
      call.fail(GRPC_STATUS.internal, 'failed closed');
    }
    void finishOnce();
  }

  function close(): void {
    if (closed) return;
    closed = true;
    clearTimeout(answerTimer);
    queue.length = 0;
    context.patience?.leave();
    if (!working) void leave();
  }

  return {
    message(message) {
      if (closed || failed) return;
      queue.push(message);
      if (queue.length >= MAX_QUEUED) pause();
      if (!working) void work();
    },
    ended() {
      close();
      call.end();
    },
    drained() {
      isFull = false;
      readOn();
    },
    closed: close,
  };
}

/** As part of the request's trace, where there is one: it begins with the request's headers. */
function traced(context: StreamContext, message: ProcessingRequest): ReturnType<typeof handle> {
  const { tracing } = context.services;
  if (tracing === undefined) return handle(context, message);
  if (message.phase === 'request_headers') context.trace ??= tracing.begin(message.headers);
  return context.trace === undefined
    ? handle(context, message)
    : context.trace.run(() => handle(context, message));
}

function handle(
  context: StreamContext,
  message: ProcessingRequest,
): Promise<ProcessingResponse | ProcessingResponse[]> | ProcessingResponse | ProcessingResponse[] {
  switch (message.phase) {
    case 'request_headers':
      return onRequestHeaders(context, message);
    case 'request_body':
      return onRequestBody(context, message);
    case 'request_trailers':
      return dropTrailers(
        'request_trailers',
        message.headers.map(([name]) => name),
      );
    case 'response_headers':
      return onResponseHeaders(context, message);
    case 'response_body':
      return context.stream === undefined
        ? onResponseBody(context, message)
        : onStreamChunk(context, message);
    case 'response_trailers':
      return onResponseTrailers(context, message);
    default:
      throw new Error('Envoy sent a message of an unknown kind');
  }
}

function toRefusal(context: StreamContext, error: GatewayError): Refusal {
  const headers = new Map(
    context.admitted?.responseHeaders ?? [[HEADER.requestId, context.requestId], ...context.crossOrigin],
  );
  for (const [name, value] of Object.entries(error.headers)) headers.set(name, value);
  const { type, message, details } = error;
  const mcp = context.parsed?.request.mcp;
  const mcpId = mcp?.kind === 'request' ? mcp.id : context.unreadId;
  return { type, message, headers, details, mcp, mcpId };
}

/** The checks' `end` hooks, then log and metrics. */
async function finish(context: StreamContext): Promise<void> {
  const outcome = outcomeOf(context);
  if (context.exchange !== undefined)
    await context.run?.end(context.answered ?? context.parsed ?? context.exchange, outcome);
  if (context.requestId === '') {
    context.trace?.end(undefined);
    return; // nothing was asked of us
  }
  const finished: FinishedExchange = {
    requestId: context.requestId,
    clientAddress: context.clientAddress,
    exchange: context.parsed ?? context.exchange ?? context.admitted,
    refusal: context.refusal,
    status: context.status,
    outcome,
    usage: context.answered?.answer.usage,
    durationMs: performance.now() - context.startedAt,
    firstChunkMs: context.firstChunkAt === 0 ? undefined : context.firstChunkAt - context.startedAt,
    isLogged: isLogged(context),
  };
  context.services.observer.finished(finished);
  context.trace?.end(finished);
}
