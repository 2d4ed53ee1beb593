import { newAnswer } from '../../answers/new-answer.ts';
import { openStream } from '../../answers/open-stream.ts';
import { assertMediaType } from '../../answers/expected-form.ts';
import { refusedRedirect } from '../../answers/refused-redirect.ts';
import { GatewayError } from '../../errors.ts';
import type { Answered, Parsed } from '../../pipeline/exchange.ts';
import { streamFormatFor } from '../../streams/format.ts';
import type { StreamFormat } from '../../streams/frame.ts';
import { outcomeNow, type StreamContext } from '../context.ts';
import { headerChanges } from '../reply/answer-headers.ts';
import { awaitResponseBody, passWhole, startStream, type PhaseReply } from '../reply/respond.ts';
import { reachedBy, type Reached } from '../reply/reached.ts';
import { assertCredential, isDecidedByBody } from '../reply/refused-credential.ts';
import { noteServed } from '../request/sent-headers.ts';
import { readResponseHead } from '../request/request-head.ts';
import { wasSent, type At } from '../state.ts';
import type { ProcessingRequest } from '../wire/messages.ts';

/** Envoy's local replies in place of an upstream's answer (envoy/local-replies), which lack the JSON-RPC id. */
const UNANSWERED: Readonly<Record<number, 'upstream_unavailable' | 'upstream_timeout'>> = {
  502: 'upstream_unavailable',
  504: 'upstream_timeout',
};

export function onResponseHeaders(
  context: StreamContext,
  message: ProcessingRequest,
): PhaseReply | Promise<PhaseReply> {
  const { status, headers } = readResponseHead(message.headers);
  context.status = status;
  const { state } = context;
  // Envoy replied early: nothing was forwarded, and the response gate passes the reply.
  if (!wasSent(state)) return awaitResponseBody();
  const { run } = state;
  const isTraced = context.trace?.isRecorded === true;
  const details = message.attributes.get('response.code_details') ?? '';
  const reached = reachedBy(state, details, headers);
  const { parsed } = reached;
  if (state.at === 'forwarded') context.watch?.tried(reached.tried);
  noteAttempt(context, reached);
  if (reached.origin !== 'provider' || !isFinal(status)) {
    const origin = reached.origin === 'not_connected' ? 'not_connected' : 'lost';
    const exchange = answered(parsed, { origin, status, answerHeaders: headers, form: 'whole' }, isTraced);
    context.state = { at: 'answered', exchange, parsed, run };
    if (reached.failure !== undefined) throw unanswered(reached.failure, 'provider');
    if (reached.origin === 'provider') throw noAnswer(status);
    return endUnanswered(context, context.state);
  }
  const format = streamFormatFor(headers.get('content-type'), parsed.endpoint);
  const whole = format === undefined || message.endOfStream || isDecidedByBody({ ...parsed, status });
  const form = whole ? 'whole' : 'stream';
  const exchange = answered(parsed, { origin: 'provider', status, answerHeaders: headers, form }, isTraced);
  const answering = { at: 'answering', exchange, parsed, run } as const;
  context.state = answering;
  assertNotMoved(exchange);
  assertCredential(context.services, exchange);
  if (!message.endOfStream) assertMediaType(exchange, format);
  if (!whole) return beginStream(context, answering, format);
  return message.endOfStream ? passWithoutBody(context, answering) : awaitResponseBody();
}

/** Records the last target tried, for the response headers and the receipt. */
function noteAttempt(context: StreamContext, { parsed, attempt }: Reached): void {
  if (attempt === undefined) return;
  noteServed(parsed);
  if (context.signed !== undefined && attempt.upstreamDigest !== undefined) {
    context.signed = { ...context.signed, upstreamDigest: attempt.upstreamDigest };
  }
}

async function endUnanswered(context: StreamContext, { run, parsed }: At<'answered'>): Promise<PhaseReply> {
  await run.end(parsed, outcomeNow(context));
  const type = context.surface.kind === 'mcp' ? UNANSWERED[context.status] : undefined;
  if (type !== undefined) throw unanswered(type, 'MCP server');
  return awaitResponseBody();
}

/** Refuses redirects, because clients that follow them would bypass the gateway. */
function assertNotMoved(exchange: Answered): void {
  const redirect = refusedRedirect(exchange);
  if (redirect === undefined) return;
  exchange.answer.complete = redirect.isUnprocessed || exchange.mcp !== undefined;
  throw redirect.refusal;
}

async function passWithoutBody(context: StreamContext, state: At<'answering'>): Promise<PhaseReply> {
  const { exchange, run } = state;
  exchange.answer.complete = true;
  const denial = await run.response(exchange);
  if (denial !== undefined) return denial;
  const { audited } = context.services;
  if (audited !== undefined) await audited.answer(context.knownLosses);
  context.state = { ...state, at: 'answered' };
  return passWhole('response_headers', headerChanges(context, exchange));
}

async function beginStream(
  context: StreamContext,
  state: At<'answering'>,
  format: StreamFormat,
): Promise<PhaseReply> {
  const { exchange, run } = state;
  const coding = exchange.answerHeaders.get('content-encoding')?.trim().toLowerCase() ?? 'identity';
  if (coding !== 'identity') {
    throw new GatewayError('upstream_unavailable', 'the provider compressed a stream that must be inspected');
  }
  context.state = { ...state, at: 'opening' };
  const denial = await run.response(exchange);
  if (denial !== undefined) return denial;
  const { audited, settings } = context.services;
  if (audited !== undefined) await audited.answer(context.knownLosses);
  const stream = openStream(exchange, {
    format,
    rewriters: run.rewriters(exchange),
    stripComments: settings.stripTelemetry,
  });
  context.state = { ...state, at: 'streaming', stream };
  return startStream(headerChanges(context, exchange));
}

/** Reports whether a status can end an exchange (RFC 9110 section 15). 101 would switch to an unrequested protocol. */
function isFinal(status: number): boolean {
  return status >= 200 && status < 600;
}

function unanswered(
  type: 'upstream_unavailable' | 'upstream_timeout',
  who: 'provider' | 'MCP server',
): GatewayError {
  const what = type === 'upstream_timeout' ? 'did not answer in time' : 'cannot be reached';
  return new GatewayError(type, `the ${who} ${what}`);
}

function noAnswer(status: number): GatewayError {
  return new GatewayError(
    'upstream_unavailable',
    `the provider sent status ${String(status)}, which the gateway cannot forward. The request may have been processed: retry only if that is safe`,
  );
}

type Head = Pick<Answered, 'origin' | 'status' | 'answerHeaders' | 'form'>;

function answered(parsed: Parsed, head: Head, isTraced: boolean): Answered {
  return { ...parsed, ...head, answer: newAnswer(isTraced) };
}
