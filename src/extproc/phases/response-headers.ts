import { GatewayError } from '../../errors.ts';
import { HEADER_PREFIX, TELEMETRY_HEADERS } from '../../headers.ts';
import { isShownToClients } from '../../mcp/answer-headers.ts';
import { createAnswerStream } from '../../answers/answer-stream.ts';
import { readMediaType } from '../../media-type.ts';
import type { Answered, Parsed } from '../../pipeline/exchange.ts';
import type { Run } from '../../pipeline/run.ts';
import { createWrittenText } from '../../answers/written-text.ts';
import { createAnyJsonReader } from '../../providers/dialects/any-json.ts';
import type { StreamReader } from '../../providers/provider.ts';
import { asLabelled } from '../../streams/as-labelled.ts';
import { streamFormatFor } from '../../streams/format.ts';
import type { StreamFormat } from '../../streams/frame.ts';
import { outcomeOf, type StreamContext } from '../context.ts';
import type { ProcessingRequest, ProcessingResponse } from '../wire/messages.ts';
import { withReceipt } from '../reply/receipt.ts';
import { readResponseHead } from '../request/request-head.ts';
import { awaitResponseBody, passWhole, startStream, type HeaderChanges } from '../reply/respond.ts';
import { throwDenial } from './denial.ts';

/** Envoy never had a connection, so the provider cannot have seen (or billed) anything. */
const NOT_CONNECTED =
  /connection_failure|connection_timeout|no_healthy_upstream|cluster_not_found|no_cluster_found/;

/** Envoy's own replies in an upstream's place (envoy/local-replies), which know no JSON-RPC id. */
const UNANSWERED: Readonly<Record<number, 'upstream_unavailable' | 'upstream_timeout'>> = {
  502: 'upstream_unavailable',
  504: 'upstream_timeout',
};

/** Whose answer it is, and whether it comes whole or as a stream (Envoy buffers the one and hands on the other). */
export function onResponseHeaders(
  context: StreamContext,
  message: ProcessingRequest,
): ProcessingResponse | Promise<ProcessingResponse> {
  const { status, headers } = readResponseHead(message.headers);
  context.status = status;
  const details = message.attributes.get('response.code_details') ?? '';
  const { parsed, run } = context;
  if (parsed === undefined || run === undefined || context.progress === 'receiving') {
    return awaitResponseBody(); // Envoy's own early reply: nothing was forwarded, and its gate lets it out
  }
  const isProviders = details === 'via_upstream';
  if (!isProviders || !isFinal(status)) {
    const origin = NOT_CONNECTED.test(details) ? 'not_connected' : 'lost';
    context.answered = answered(parsed, { origin, status, answerHeaders: headers, form: 'whole' });
    context.progress = 'done';
    if (isProviders) throw noAnswer(status);
    return endUnanswered(context, parsed, run);
  }
  const format = streamFormatFor(headers.get('content-type'), parsed.endpoint);
  const whole = format === undefined || message.endOfStream;
  const form = whole ? 'whole' : 'stream';
  context.answered = answered(parsed, { origin: 'provider', status, answerHeaders: headers, form });
  if (!whole) return beginStream(context, context.answered, format, headers);
  context.progress = 'answering';
  if (message.endOfStream) return passWithoutBody(context, context.answered, run);
  context.responseHeaders = headers;
  return awaitResponseBody();
}

/** Envoy's own reply in the upstream's place. */
async function endUnanswered(context: StreamContext, parsed: Parsed, run: Run): Promise<ProcessingResponse> {
  await run.end(parsed, outcomeOf(context));
  const type = context.surface.kind === 'mcp' ? UNANSWERED[context.status] : undefined;
  if (type !== undefined) throw unanswered(type);
  return awaitResponseBody();
}

async function passWithoutBody(
  context: StreamContext,
  exchange: Answered,
  run: Run,
): Promise<ProcessingResponse> {
  exchange.answer.complete = true;
  throwDenial(await run.response(exchange));
  const { audited } = context.services;
  if (audited !== undefined) await audited.answer(context.knownLosses);
  context.progress = 'done';
  return passWhole('response_headers', headerChanges(context, exchange.answerHeaders));
}

async function beginStream(
  context: StreamContext,
  exchange: Answered,
  format: StreamFormat,
  headers: ReadonlyMap<string, string>,
): Promise<ProcessingResponse> {
  const coding = headers.get('content-encoding')?.trim().toLowerCase() ?? 'identity';
  if (coding !== 'identity') {
    throw new GatewayError('upstream_unavailable', 'the provider compressed a stream that must be inspected');
  }
  context.progress = 'streaming';
  throwDenial(await context.run?.response(exchange));
  const { audited } = context.services;
  if (audited !== undefined) await audited.answer(context.knownLosses);
  const rewriters = context.run?.rewriters(exchange) ?? [];
  const isJudged = rewriters.some(({ readsText }) => readsText !== false);
  if (isJudged && readMediaType(headers.get('content-type')).charset === 'other') throw unreadable();
  const { answer } = exchange;
  context.stream = createAnswerStream({
    answer,
    format: isAnswer(exchange) ? asLabelled(format) : format,
    reader: readerOf(exchange),
    rewriters,
    stripComments:
      context.services.settings.stripTelemetry || exchange.endpoint.dialect.bearsComments === false,
  });
  return startStream(headerChanges(context, headers));
}

/** An error says what it says in a form of its own. */
function readerOf(exchange: Answered): StreamReader {
  const { endpoint, request } = exchange;
  return (isAnswer(exchange) ? endpoint.dialect.stream(request) : undefined) ?? createAnyJsonReader();
}

function isAnswer({ status }: Answered): boolean {
  return status >= 200 && status < 300;
}

/** A status that can end an exchange (RFC 9110 section 15). 101 hands the connection to a protocol that nobody asked for. */
function isFinal(status: number): boolean {
  return status >= 200 && status < 600;
}

function unanswered(type: 'upstream_unavailable' | 'upstream_timeout'): GatewayError {
  const what = type === 'upstream_timeout' ? 'did not answer in time' : 'cannot be reached';
  return new GatewayError(type, `the MCP server ${what}`);
}

function noAnswer(status: number): GatewayError {
  return new GatewayError(
    'upstream_unavailable',
    `the provider sent status ${String(status)}, which is no answer; what it did with the request is not known`,
  );
}

function unreadable(): GatewayError {
  return new GatewayError(
    'upstream_unavailable',
    'the provider sent a stream in a character set that cannot be inspected',
  );
}

type Head = Pick<Answered, 'origin' | 'status' | 'answerHeaders' | 'form'>;

function answered(parsed: Parsed, head: Head): Answered {
  const answer = {
    whole: undefined,
    facts: undefined,
    usage: undefined,
    written: createWrittenText(),
    complete: false,
  };
  return { ...parsed, ...head, answer };
}

/** The checks' headers in; a provider's copies of ours out, and of an MCP server's all that its clients do not need. */
export function headerChanges(context: StreamContext, headers: ReadonlyMap<string, string>): HeaderChanges {
  const strip = context.services.settings.stripTelemetry;
  const set = [...(context.exchange?.responseHeaders ?? [])];
  const isShown = context.exchange?.mcp === undefined ? isNoneOfOurs : isShownToClients;
  const remove: string[] = [];
  for (const name of headers.keys()) if (!isShown(name)) remove.push(name);
  const told = strip ? set.filter(([name]) => !TELEMETRY_HEADERS.has(name)) : set;
  return { set: withReceipt(context, context.status, told), remove };
}

function isNoneOfOurs(name: string): boolean {
  return !name.startsWith(HEADER_PREFIX) && name !== 'trailer';
}
