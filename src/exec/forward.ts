import type {
  Agent,
  IncomingMessage,
  OutgoingHttpHeaders,
  ServerResponse,
  IncomingHttpHeaders,
} from 'node:http';
import { request as sendHttps } from 'node:https';
import { pipeline } from 'node:stream/promises';
import { GatewayError } from '../errors.ts';
import { request as sendHttp } from '../node-http.ts';
import type { GatewayAddress } from './gateway-address.ts';
import { bodyWithModel, changesModels, unreadableModel, type ModelChoice } from './model-choice.ts';
import { HEADER, HEADER_PREFIX } from '../headers.ts';

export interface ForwardTarget {
  /** Path and query, as sent to the gateway. */
  readonly path: string;
  readonly kind: 'model' | 'mcp';
  /** Whether the path contains the model, which may then be absent from the body. */
  readonly namesModel: boolean;
}

interface ForwardOptions extends PresentedIdentity {
  readonly gateway: GatewayAddress;
  readonly agent: Agent;
  readonly target: ForwardTarget;
  readonly models: ModelChoice;
}

/** Maximum size of a body that is buffered to replace its model. The gateway's own limit is at most 15 MiB. */
const MAX_HELD_BYTES = 16 * 1_048_576;

/**
 * Streams one exchange. Buffers the body only if models are to be replaced.
 * @throws GatewayError for a refusal, or if the gateway cannot be reached
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
    // Sockets take IPv6 addresses without URL brackets.
    host: gateway.url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: gateway.url.port === '' ? undefined : gateway.url.port,
    method: incoming.method,
    path: target.path,
    headers: body === undefined ? headers : withLength(headers, body),
    agent,
  });
  const answered = awaitAnswer(outgoing, gateway);
  // If the client disconnects, the provider must stop generating.
  response.once('close', () => outgoing.destroy());
  if (body === undefined) incoming.pipe(outgoing);
  else outgoing.end(body);
  incoming.once('error', () => outgoing.destroy());
  const answer = await answered;
  response.writeHead(answer.statusCode ?? 502, endToEnd(answer.headers));
  response.flushHeaders();
  // If the gateway cuts off the answer, the program's answer is cut off, too.
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
    // Stays attached, because an upload that the gateway stops reading fails after the answer.
    outgoing.on('error', (cause: NodeJS.ErrnoException) => {
      const why = cause.code ?? cause.message;
      reject(new GatewayError('gateway_unavailable', `the gateway at ${url.origin}: ${why}`, { cause }));
    });
  });
}

/** Returns the body with the chosen model, or undefined to stream the body unchanged. */
async function editedBody(
  incoming: IncomingMessage,
  { models, target }: ForwardOptions,
): Promise<Buffer | undefined> {
  if (target.kind === 'mcp' || !changesModels(models) || !hasBody(incoming)) return undefined;
  const { 'content-type': type = '', 'content-encoding': encoding = 'identity' } = incoming.headers;
  if (encoding.toLowerCase() !== 'identity') throw unreadableModel(`the body is compressed (${encoding})`);
  if (!/^application\/([a-z0-9.+-]+\+)?json\b/i.test(type)) throw unreadableModel('the body is not JSON');
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
      throw new GatewayError('payload_too_large', 'the body is over 16 MiB, more than any gateway accepts');
    }
    chunks.push(bytes);
  }
  return Buffer.concat(chunks);
}

export const CREDENTIAL_HEADERS = ['authorization', 'x-api-key', 'x-goog-api-key', 'api-key'] as const;

const HOP_BY_HOP = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'proxy-authenticate',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

const ALLOWED_GATEWAY_HEADERS: ReadonlySet<string> = new Set([HEADER.sessionBudget, HEADER.sessionMaxSteps]);

/** Sent to the gateway instead of the program's own credentials. */
interface PresentedIdentity {
  readonly proxyKey: string;
  /** Undefined for a provider without keys, and for MCP servers. */
  readonly providerKey: string | undefined;
  readonly sessionId: string;
}

function requestHeaders(headers: IncomingHttpHeaders, identity: PresentedIdentity): OutgoingHttpHeaders {
  const dropped: ReadonlySet<string> = new Set([...CREDENTIAL_HEADERS, 'host', 'expect', 'cookie']);
  const kept = Object.entries(endToEnd(headers)).filter(
    ([name]) => !dropped.has(name) && (!name.startsWith(HEADER_PREFIX) || ALLOWED_GATEWAY_HEADERS.has(name)),
  );
  return {
    ...Object.fromEntries(kept),
    authorization: `Bearer ${identity.proxyKey}`,
    [HEADER.sessionId]: identity.sessionId,
    ...(identity.providerKey !== undefined && { [HEADER.providerKey]: identity.providerKey }),
  };
}

/** Drops hop-by-hop headers, including those listed in `Connection`. */
function endToEnd(headers: IncomingHttpHeaders): OutgoingHttpHeaders {
  const named = new Set((headers.connection ?? '').split(',').map((name) => name.trim().toLowerCase()));
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => !HOP_BY_HOP.has(name) && !named.has(name)),
  );
}
