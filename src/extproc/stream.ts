import { GatewayError, type Refusal } from '../errors.ts';
import { HEADER } from '../headers.ts';
import type { Answer } from '../pipeline/exchange.ts';
import { createContext, exchangeOf, isLogged, outcomeNow, type StreamContext } from './context.ts';
import { handle } from './handle.ts';
import { createPatience } from './patience.ts';
import { withReceipt } from './reply/answer-headers.ts';
import { refusalAnswer, type Refused } from './reply/refusal-answer.ts';
import { bePatient, isDenial, refuse, type PhaseReply } from './reply/respond.ts';
import type { EdgeServices, FinishedExchange, SelfDescription } from './services.ts';
import { undone, wasSent, type State } from './state.ts';
import { GRPC_STATUS, type RpcCall, type CallListener } from './transport/transport.ts';
import type { ProcessingRequest, ProcessingResponse } from './wire/messages.ts';

/** Maximum number of queued messages. Envoy buffers further messages and stops reading from the provider. */
const MAX_QUEUED = 16;

/**
 * Serves one ext_proc stream, which carries one request. Handles messages in order, one at a time.
 *
 * ```
 * request_headers -> request_body -> response_headers -> response_body            a whole answer
 *                                                     -> response_body*, trailers  a streamed one
 * ```
 *
 * Fails closed: a refusal becomes an ImmediateResponse while headers can still change, anything else a gRPC error. Ends
 * the stream cleanly only after Envoy has ended it; otherwise the rest of the request would pass uninspected
 * (docs/architecture.md#failing-closed).
 */
export function serveStream(call: RpcCall, services: EdgeServices, onClosed: () => void): CallListener {
  const context = createContext(services);
  if (services.settings.patience !== undefined) {
    context.patience = createPatience(services.settings.patience, (ms) => {
      if (current !== undefined) services.admission.answered(current);
      send(bePatient(ms));
    });
  }
  const queue: ProcessingRequest[] = [];
  let current: ProcessingRequest | undefined;
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
      const before = context.state.at;
      current = message;
      services.admission.began(message);
      try {
        const answered = traced(context, message);
        const reply = answered instanceof Promise ? await answered : answered;
        if (closed || failed) {
          const { state } = context;
          if (state.at === 'forwarded' && before !== 'forwarded') context.state = undone(state);
          break;
        }
        answer(reply);
      } catch (cause) {
        fail(cause);
      } finally {
        services.admission.answered(message);
      }
    }
    current = undefined;
    working = false;
    resumeReading();
    if (closed) await leave();
    else if (isOver(context)) await finishOnce();
  }

  function answer(reply: PhaseReply): void {
    if (isDenial(reply)) return refuseWith(reply);
    if (Array.isArray(reply)) for (const each of reply as readonly ProcessingResponse[]) send(each);
    else send(reply as ProcessingResponse);
    watchAnswer();
    if (context.state.at === 'identified') context.place?.awaitBody(refuseWith);
    resumeReading();
  }

  function finishOnce(): Promise<void> {
    return (finishing ??=
      context.trace === undefined
        ? finishExchange(context)
        : context.trace.run(() => finishExchange(context)));
  }

  /** The exchange counts as open until it is settled, because a drain must not disconnect Redis earlier. */
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

  function resumeReading(): void {
    if (!isPaused || isFull || queue.length >= MAX_QUEUED) return;
    isPaused = false;
    call.resume();
  }

  /** Limits the time for an unstreamed answer. Envoy's own timeouts limit only silence. */
  function watchAnswer(): void {
    const { at } = context.state;
    if (at !== 'forwarded' && at !== 'answering') clearTimeout(answerTimer);
    else {
      answerTimer ??= setTimeout(
        () => {
          refuseWith(new GatewayError('upstream_timeout', 'the provider did not answer in time'));
        },
        services.settings.upstreamTimeoutMs * attemptsOf(context.state),
      );
    }
  }

  /** Handles thrown errors: refusals as refusals, everything else as an internal failure. */
  function fail(cause: unknown): void {
    if (cause instanceof GatewayError) return refuseWith(cause);
    if (!stopServing()) return;
    services.observer.failed(context.requestId, cause);
    call.fail(GRPC_STATUS.internal, 'failed closed');
    void finishOnce();
  }

  function refuseWith(refusal: Refusal): void {
    if (!stopServing()) return;
    context.refusal = refusal;
    if ('stream' in context.state) call.fail(GRPC_STATUS.internal, 'failed closed');
    else {
      const answered = refusalAnswer(refusal, refusedOf(context), services.settings);
      context.status = answered.status;
      send(refuse(answered, withReceipt(context, answered.status, answered.headers), isLogged(context)));
    }
    void finishOnce();
  }

  /** Returns false if already stopped. */
  function stopServing(): boolean {
    if (closed || failed) return false;
    failed = true;
    clearTimeout(answerTimer);
    queue.length = 0;
    // A refused request frees its place before Envoy ends the stream.
    context.place?.leave();
    return true;
  }

  function close(): void {
    if (closed) return;
    closed = true;
    clearTimeout(answerTimer);
    queue.length = 0;
    context.place?.leave();
    context.patience?.leave();
    if (!working) void leave();
  }

  return {
    message(message) {
      if (closed || failed) return;
      if (message.phase === 'request_body') context.place?.bodyCame();
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
      resumeReading();
    },
    closed: close,
  };
}

/** Handles a message within the request's trace, which begins with the request headers. */
function traced(context: StreamContext, message: ProcessingRequest): ReturnType<typeof handle> {
  const { tracing } = context.services;
  if (tracing === undefined) return handle(context, message);
  if (message.phase === 'request_headers') context.trace ??= tracing.begin(message.headers);
  else noteAnswer(context, message);
  return context.trace === undefined
    ? handle(context, message)
    : context.trace.run(() => handle(context, message));
}

/** Records when the upstream's answer begins and ends, before the gateway processes it. */
function noteAnswer({ trace }: StreamContext, { phase, headers, endOfStream }: ProcessingRequest): void {
  if (phase === 'response_headers')
    trace?.answering(Number(headers.find(([name]) => name === ':status')?.[1]));
  if (endOfStream && (phase === 'response_headers' || phase === 'response_body')) trace?.answered();
}

/** Returns the number of targets that may be tried. Each has its own time limit. */
function attemptsOf(state: State): number {
  return state.at === 'forwarded' ? (state.attempts?.length ?? 1) : 1;
}

function isOver({ state: { at } }: StreamContext): boolean {
  return at === 'answered' || at === 'streamed' || at === 'replied' || at === 'listed';
}

function refusedOf({ state, surface, requestId, crossOrigin }: StreamContext): Refused {
  const exchange = 'exchange' in state ? state.exchange : undefined;
  const headers = exchange?.responseHeaders ?? [[HEADER.requestId, requestId], ...crossOrigin];
  const mcp = state.at === 'parsed' || wasSent(state) ? state.exchange.request.mcp : undefined;
  const unreadId = state.at === 'identified' ? state.unreadId : null;
  return { surface, headers, mcp, mcpId: mcp?.kind === 'request' ? mcp.id : unreadId };
}

async function finishExchange(context: StreamContext): Promise<void> {
  const outcome = outcomeNow(context);
  context.watch?.end();
  if ('run' in context.state) await context.state.run.end(context.state.exchange, outcome);
  if (context.requestId === '') {
    context.trace?.end(undefined);
    return; // no request arrived
  }
  const finished: FinishedExchange = {
    requestId: context.requestId,
    clientAddress: context.clientAddress,
    exchange: exchangeOf(context),
    refusal: context.refusal,
    status: context.status,
    outcome,
    usage: answerOf(context.state)?.usage,
    identity: describeAnswer(answerOf(context.state)),
    durationMs: performance.now() - context.startedAt,
    firstChunkMs: context.firstChunkAt === 0 ? undefined : context.firstChunkAt - context.startedAt,
    isLogged: isLogged(context),
    traceId: context.trace?.traceId,
  };
  context.services.observer.finished(finished);
  context.trace?.end(finished);
}

function answerOf(state: State): Answer | undefined {
  return wasSent(state) && state.at !== 'forwarded' ? state.exchange.answer : undefined;
}

function describeAnswer(answer: Answer | undefined): SelfDescription | undefined {
  if (answer?.identity === undefined) return undefined;
  return { model: answer.billing.bill.models[0], ...answer.identity.identity };
}
