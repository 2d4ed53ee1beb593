import { nextTurn } from '../../turns.ts';
import { encodesProxyKey, parseBytes } from '../../pipeline/bytes-body.ts';
import type { Identified, Parsed } from '../../pipeline/exchange.ts';
import {
  isLarge,
  parseInTurns,
  parseRequest,
  spellsProxyKey,
  withoutProxyKey,
} from '../../pipeline/parse.ts';
import { assertMirrored } from '../../mcp/mirrored.ts';
import { messageId } from '../../mcp/read-message.ts';
import type { StreamContext } from '../context.ts';
import { forward } from '../request/forward.ts';
import type { ProcessingRequest, ProcessingResponse } from '../wire/messages.ts';
import { bodyForm, tooLarge } from '../request/request-form.ts';
import { throwDenial } from './denial.ts';
import { proxyKeyCarried } from './request-headers.ts';

/** The whole body: parsed once, judged by the checks, edited by spans, and sent to the one configured upstream. */
export async function onRequestBody(
  context: StreamContext,
  message: ProcessingRequest,
): Promise<ProcessingResponse> {
  const { exchange, run, target } = context;
  if (exchange === undefined || run === undefined || target === undefined) {
    throw new Error('a body came before its headers');
  }
  const { body: received } = message;
  if (received.length > target.maxRequestBytes) throw tooLarge(target.maxRequestBytes);
  const { signer } = context.services;
  if (signer !== undefined) context.signed = { requestDigest: signer.digest(received) };
  // A JWT may have named the key, and then there is none to look for.
  const body = context.rawKey === '' ? received : withoutProxyKey(received, context.rawKey);
  const isBytes = bodyForm(exchange.headers.get('content-type'), exchange.endpoint) === 'bytes';
  const reading = isBytes ? readBytes(exchange, body, context.rawKey) : readJson(context, exchange, body);
  const parsed = reading instanceof Promise ? await reading : reading;
  context.parsed = parsed;
  context.rawKey = '';
  assertMirrored(parsed);
  throwDenial(await run.requestBody(parsed));
  return forward(context, parsed, 'request_body', body === received ? undefined : body);
}

function readJson(context: StreamContext, exchange: Identified, body: Buffer): Parsed | Promise<Parsed> {
  if (isLarge(body)) return readLargeJson(context, exchange, body);
  try {
    return withoutSpelledKey(parseRequest(exchange, body), context);
  } catch (failure) {
    throw unread(failure, context, exchange, body);
  }
}

/** Parsed in one turn, read in another, and searched for the key in a third. */
async function readLargeJson(context: StreamContext, exchange: Identified, body: Buffer): Promise<Parsed> {
  try {
    const parsed = await parseInTurns(exchange, body);
    await nextTurn();
    return withoutSpelledKey(parsed, context);
  } catch (failure) {
    throw unread(failure, context, exchange, body);
  }
}

/** A proxy key that is written in a way which nothing overwrote is refused. */
function withoutSpelledKey(parsed: Parsed, { rawKey }: StreamContext): Parsed {
  if (rawKey !== '' && spellsProxyKey(parsed.body, parsed.json, rawKey)) throw proxyKeyCarried();
  return parsed;
}

/** A message that is refused unread is answered under its id, where it has one. */
function unread(failure: unknown, context: StreamContext, exchange: Identified, body: Buffer): unknown {
  if (exchange.mcp !== undefined) context.unreadId = messageId(body);
  return failure;
}

/** Searched for the key in one turn, and for text in another. */
async function readBytes(exchange: Identified, body: Buffer, rawKey: string): Promise<Parsed> {
  if (rawKey !== '') {
    if (encodesProxyKey(body, rawKey)) throw proxyKeyCarried();
    await nextTurn();
  }
  return parseBytes(exchange, body);
}
