import { nextTurn } from '../../turns.ts';
import { encodesProxyKey, parseBytes } from '../../pipeline/bytes-body.ts';
import type { Identified, Parsed } from '../../pipeline/exchange.ts';
import { parseRequest, spellsProxyKey, withoutProxyKey } from '../../pipeline/parse.ts';
import { assertMirrored } from '../../mcp/mirrored.ts';
import { messageId } from '../../mcp/read-message.ts';
import type { StreamContext } from '../context.ts';
import { forward } from '../forward.ts';
import type { ProcessingRequest, ProcessingResponse } from '../messages.ts';
import { bodyForm, tooLarge } from '../request-form.ts';
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
  const body = withoutProxyKey(received, context.rawKey);
  const isBytes = bodyForm(exchange.headers.get('content-type'), exchange.endpoint) === 'bytes';
  const parsed = isBytes
    ? await readBytes(exchange, body, context.rawKey)
    : readJson(context, exchange, body);
  context.parsed = parsed;
  context.rawKey = '';
  assertMirrored(parsed);
  throwDenial(await run.requestBody(parsed));
  return forward(context, parsed, 'request_body', body === received ? undefined : body);
}

/** A proxy key that is written in a way which nothing overwrote is refused. */
function readJson(context: StreamContext, exchange: Identified, body: Buffer): Parsed {
  try {
    const parsed = parseRequest(exchange, body);
    if (spellsProxyKey(body, parsed.json, context.rawKey)) throw proxyKeyCarried();
    return parsed;
  } catch (failure) {
    // A message that is refused unread is answered under its id, where it has one.
    if (exchange.mcp !== undefined) context.unreadId = messageId(body);
    throw failure;
  }
}

/** Searched for the key in one turn, and for text in another. */
async function readBytes(exchange: Identified, body: Buffer, rawKey: string): Promise<Parsed> {
  if (encodesProxyKey(body, rawKey)) throw proxyKeyCarried();
  await nextTurn();
  return parseBytes(exchange, body);
}
