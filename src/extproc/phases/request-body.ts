import { assertMirrored } from '../../mcp/mirrored.ts';
import { messageId } from '../../mcp/read-message.ts';
import { encodesProxyKey, parseBytes } from '../../pipeline/bytes-body.ts';
import type { Parsed } from '../../pipeline/exchange.ts';
import {
  isLarge,
  parseInTurns,
  parseRequest,
  spellsProxyKey,
  withoutProxyKey,
} from '../../pipeline/parse.ts';
import { nextTurn } from '../../turns.ts';
import type { StreamContext } from '../context.ts';
import type { PhaseReply } from '../reply/respond.ts';
import { proxyKeyCarried } from '../../auth/credentials.ts';
import { forward } from '../request/forward.ts';
import { bodyForm, tooLarge } from '../request/request-form.ts';
import type { At } from '../state.ts';
import type { ProcessingRequest } from '../wire/messages.ts';

export async function onRequestBody(
  context: StreamContext,
  state: At<'identified'>,
  { body: received }: ProcessingRequest,
): Promise<PhaseReply> {
  const { exchange, run, rawKey, ownRefusal } = state;
  if (received.length > state.target.maxRequestBytes) throw tooLarge(state.target.maxRequestBytes);
  const { signer, admission, aliases } = context.services;
  // Many bodies may arrive together, so the worker may have become overloaded since the headers.
  admission.admit(context.caller);
  if (context.caller !== undefined) admission.served(context.caller, received.length);
  if (signer !== undefined) context.signed = { requestDigest: signer.digest(received) };
  // The raw key is empty if a JWT identified the key.
  const body = rawKey === '' ? received : withoutProxyKey(received, rawKey);
  const isBytes = bodyForm(exchange.headers.get('content-type'), exchange.endpoint) === 'bytes';
  const reading = isBytes ? readBytes(state, body) : readJson(context, state, body);
  const read = reading instanceof Promise ? await reading : reading;
  const resolving = aliases?.resolve(read, ownRefusal);
  const routed = resolving instanceof Promise ? await resolving : resolving;
  context.watch = routed?.watch;
  if (routed === undefined && ownRefusal !== undefined) throw ownRefusal;
  const { exchange: parsed, target, fallbacks = [] } = routed ?? { exchange: read, target: state.target };
  const judged = { at: 'parsed', exchange: parsed, run, target, fallbacks } as const;
  context.state = judged;
  assertMirrored(parsed);
  const denial = await run.requestBody(parsed);
  return denial ?? forward(context, judged, 'request_body', body === received ? undefined : body);
}

function readJson(context: StreamContext, state: At<'identified'>, body: Buffer): Parsed | Promise<Parsed> {
  if (isLarge(body)) return readLargeJson(context, state, body);
  try {
    return withoutSpelledKey(parseRequest(state.exchange, body), state);
  } catch (failure) {
    throw unread(failure, context, state, body);
  }
}

async function readLargeJson(context: StreamContext, state: At<'identified'>, body: Buffer): Promise<Parsed> {
  try {
    const parsed = await parseInTurns(state.exchange, body);
    await nextTurn();
    return withoutSpelledKey(parsed, state);
  } catch (failure) {
    throw unread(failure, context, state, body);
  }
}

/** Refuses a body that spells the proxy key with escapes, which cannot be overwritten. */
function withoutSpelledKey(parsed: Parsed, { rawKey }: At<'identified'>): Parsed {
  if (rawKey !== '' && spellsProxyKey(parsed.body, parsed.json, rawKey)) throw proxyKeyCarried();
  return parsed;
}

/** Stores the id of an invalid JSON-RPC message for the refusal. */
function unread(failure: unknown, context: StreamContext, state: At<'identified'>, body: Buffer): unknown {
  if (state.exchange.mcp !== undefined) context.state = { ...state, unreadId: messageId(body) };
  return failure;
}

async function readBytes({ exchange, rawKey }: At<'identified'>, body: Buffer): Promise<Parsed> {
  if (rawKey !== '') {
    if (encodesProxyKey(body, rawKey)) throw proxyKeyCarried();
    await nextTurn();
  }
  return parseBytes(exchange, body);
}
