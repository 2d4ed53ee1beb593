import type { Agent, IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { request as sendHttps } from 'node:https';
import { pipeline } from 'node:stream/promises';

import { GatewayError } from '../errors.ts';
import { request as sendHttp } from '../node-http.ts';
import type { GatewayAddress } from './gateway-address.ts';
import { endToEnd, requestHeaders, type PresentedIdentity } from './headers.ts';
import { bodyWithModel, changesModels, unreadableModel, type ModelChoice } from './model-choice.ts';

export interface ForwardTarget {
  /** With its query, as the gateway gets it. */
  readonly path: string;
  readonly kind: 'model' | 'mcp';
  /** The path names the model, and the body need not. */
  readonly namesModel: boolean;
}

export interface ForwardOptions extends PresentedIdentity {
  readonly gateway: GatewayAddress;
  readonly agent: Agent;
  readonly target: ForwardTarget;
  readonly models: ModelChoice;
}

/** A body in which a model is to be put is held whole; the gateway's own limit is at most 15 MiB. */
const MAX_HELD_BYTES = 16 * 1_048_576;

/**
 * One exchange, both ways as it comes: nothing is held but a body in which the model changes.
 * @throws GatewayError for what is refused here; Error where the gateway cannot be reached
 */
export async function forwardToGateway(
  incoming: IncomingMessage,
  response: ServerResponse,
  options: ForwardOptions,
): Promise<void> {
  const { gateway, target, agent } = options;
  const identity = target.kind === 'mcp' ? { ...options, providerKey: undefined } : options;
  const headers = requestHeaders(incoming.headers, identity);
  const body = await editedBody(incoming, options);
  const send = gateway.url.protocol === 'https:' ? sendHttps : sendHttp;
  const outgoing = send({
    // An IPv6 address stands in brackets in a URL, and nowhere else.
    host: gateway.url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: gateway.url.port === '' ? undefined : gateway.url.port,
    method: incoming.method,
    path: target.path,
    headers: body === undefined ? headers : withLength(headers, body),
    agent,
  });
  const answered = awaitAnswer(outgoing, gateway);
  // Whoever has asked is gone: nobody reads the rest, and the provider should not write it.
  response.once('close', () => outgoing.destroy());
  if (body === undefined) incoming.pipe(outgoing);
  else outgoing.end(body);
  incoming.once('error', () => outgoing.destroy());
  const answer = await answered;
  response.writeHead(answer.statusCode ?? 502, endToEnd(answer.headers));
  response.flushHeaders();
  // A cut of the gateway's is passed on as one.
  await pipeline(answer, response).catch(() => response.destroy());
}

function withLength(headers: OutgoingHttpHeaders, body: Buffer): OutgoingHttpHeaders {
  return { ...headers, 'content-length': String(body.length) };
}

function awaitAnswer(
  outgoing: ReturnType<typeof sendHttp>,
  { url }: GatewayAddress,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    outgoing.once('response', resolve);
    // It stays: an upload that the gateway stops reading fails after the answer.
    outgoing.on('error', (cause: NodeJS.ErrnoException) => {
      const why = cause.code ?? cause.message;
      reject(new GatewayError('gateway_unavailable', `the gateway at ${url.origin}: ${why}`, { cause }));
    });
  });
}

/** Undefined where it goes on as it comes. */
async function editedBody(
  incoming: IncomingMessage,
  { models, target }: ForwardOptions,
): Promise<Buffer | undefined> {
  if (target.kind === 'mcp' || !changesModels(models) || !hasBody(incoming)) return undefined;
  const { 'content-type': type = '', 'content-encoding': encoding = 'identity' } = incoming.headers;
  if (encoding.toLowerCase() !== 'identity') throw unreadableModel(`the body is compressed (${encoding})`);
  if (!/^application\/([a-z0-9.+-]+\+)?json\b/i.test(type)) throw unreadableModel('the body is no JSON');
  return bodyWithModel(await readWhole(incoming), models, target.namesModel);
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? '0') > 0;
}

async function readWhole(incoming: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of incoming.iterator({ destroyOnReturn: false })) {
    const bytes = chunk as Buffer;
    size += bytes.length;
    if (size > MAX_HELD_BYTES) {
      throw new GatewayError('payload_too_large', 'the body is over 16 MiB, which no gateway takes');
    }
    chunks.push(bytes);
  }
  return Buffer.concat(chunks);
}
