import { isSuccess, type Answered } from '../pipeline/exchange.ts';
import { GatewayError } from '../errors.ts';
import { readMediaType } from '../media-type.ts';
import type { StreamRewriter } from '../pipeline/check.ts';
import { createAnyJsonReader } from '../providers/dialects/any-json.ts';
import type { StreamReader } from '../providers/dialect.ts';
import { asLabelled } from '../streams/format.ts';
import type { StreamFormat } from '../streams/frame.ts';
import { createEventForm, type EventForm } from './event-form.ts';
import { isOfKnownEndpoint } from './expected-form.ts';
import { createAnswerStream, type AnswerStream } from './answer-stream.ts';

export interface StreamTerms {
  readonly format: StreamFormat;
  readonly rewriters: readonly StreamRewriter[];
  readonly stripComments: boolean;
}

/** @throws GatewayError upstream_unavailable if text that must be judged is in an unsupported character set */
export function openStream(
  exchange: Answered,
  { format, rewriters, stripComments }: StreamTerms,
): AnswerStream {
  const { answer, answerHeaders, endpoint } = exchange;
  const isJudged = rewriters.some(({ readsText }) => readsText !== false);
  if (isJudged && readMediaType(answerHeaders.get('content-type')).charset === 'other')
    throw new GatewayError(
      'upstream_unavailable',
      'the provider sent a stream in a character set that cannot be inspected',
    );
  const acceptsComments = endpoint.dialect.acceptsComments !== false;
  return createAnswerStream({
    answer,
    format: isSuccess(exchange) ? asLabelled(format) : format,
    form: eventForm(exchange, format, acceptsComments),
    reader: streamReader(exchange),
    rewriters,
    stripComments: stripComments || !acceptsComments,
  });
}

/** Returns undefined for MCP servers, whose streams the inspector checks. */
function eventForm(exchange: Answered, format: StreamFormat, keepsComments: boolean): EventForm | undefined {
  if (exchange.mcp !== undefined) return undefined;
  const isKnown = isSuccess(exchange) && isOfKnownEndpoint(exchange);
  return createEventForm({ format, isKnown, keepsComments });
}

/** Errors do not use the endpoint's dialect. */
function streamReader(exchange: Answered): StreamReader {
  const { endpoint, request } = exchange;
  return (isSuccess(exchange) ? endpoint.dialect.stream(request) : undefined) ?? createAnyJsonReader();
}
