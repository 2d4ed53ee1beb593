import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import {
  createServer as createH2cServer,
  createSecureServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
} from 'node:http2';
import { createServer as createHttpsServer } from 'node:https';
import type { Server, Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { findHandler } from './find-handler.ts';
import type { FakeReply, FakeRequest } from './handler.ts';
import { planAnswer, type Script } from './script.ts';
import { onLoopback } from '../loopback.ts';

export type { FakeRequest } from './handler.ts';
export type { Script } from './script.ts';

/** Longer than any test leaves a connection idle: a request on a closing connection is lost. */
const KEEP_ALIVE = { keepAliveTimeout: 120_000 };

/** A provider continues to generate this many tokens after its client is gone, and bills them. */
export const TOKENS_AFTER_ABORT = 100;

/** A received request and its outcome; updated until `ended`. */
export interface RecordedRequest extends FakeRequest {
  readonly httpVersion: string;
  /** Output tokens that this provider would bill. */
  billedOutputTokens: number;
  clientGone: boolean;
  ended: boolean;
}

export interface FakeProviderOptions {
  readonly tls?: { readonly cert: string; readonly key: string };
  /** HTTP/2: beside HTTP/1.1 under TLS, alone without it. */
  readonly http2?: boolean;
}

export interface FakeProvider {
  readonly url: string;
  readonly port: number;
  readonly requests: readonly RecordedRequest[];
  /** Sets the behaviour for later requests: the same for all, or computed for each. */
  behave(script: Script | ((request: FakeRequest) => Script)): void;
  /** Output tokens billed over all requests. */
  billedOutputTokens(): number;
  /** Settles when this many requests have arrived. */
  received(count: number): Promise<void>;
  close(): Promise<void>;
}

/** A real HTTP(S) server on a free port that answers like every provider, chosen by path. */
export async function createFakeProvider(options: FakeProviderOptions = {}): Promise<FakeProvider> {
  const requests: RecordedRequest[] = [];
  let script: Script | ((request: FakeRequest) => Script) = {};
  let wake = (): void => undefined;
  let arrival = new Promise<void>((resolve) => (wake = resolve));
  const server = listen(options, async (incoming, outgoing) => {
    const request = await receive(incoming);
    const record: RecordedRequest = {
      ...request,
      httpVersion: incoming.httpVersion,
      billedOutputTokens: 0,
      clientGone: false,
      ended: false,
    };
    requests.push(record);
    wake();
    arrival = new Promise((resolve) => (wake = resolve));
    await answer(record, typeof script === 'function' ? script(request) : script, outgoing);
    record.ended = true;
  });
  server.on('secureConnection', (socket: Socket) => socket.on('error', () => socket.destroy()));
  const { url, port, close } = await onLoopback(server);
  return {
    url: url.replace('127.0.0.1', 'localhost'),
    port,
    requests,
    behave: (next) => (script = next),
    billedOutputTokens: () => requests.reduce((sum, request) => sum + request.billedOutputTokens, 0),
    received: async (count) => {
      while (requests.length < count) await arrival;
    },
    close,
  };
}

type Incoming = IncomingMessage | Http2ServerRequest;
type Outgoing = ServerResponse | Http2ServerResponse;

function listen(
  options: FakeProviderOptions,
  serve: (incoming: Incoming, outgoing: Outgoing) => Promise<void>,
): Server {
  function handle(incoming: Incoming, outgoing: Outgoing): void {
    outgoing.on('error', () => undefined);
    serve(incoming, outgoing).catch(() => reset(outgoing));
  }
  if (options.tls === undefined)
    return options.http2 === true
      ? createH2cServer(handle)
      : createHttpServer({ ...KEEP_ALIVE, maxHeaderSize: 65_536 }, handle);
  return options.http2 === true
    ? createSecureServer({ ...options.tls, allowHTTP1: true }, handle)
    : createHttpsServer({ ...options.tls, ...KEEP_ALIVE }, handle);
}

async function receive(incoming: Incoming): Promise<FakeRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks);
  const url = incoming.url ?? '/';
  const queryAt = url.indexOf('?');
  const headers = Object.entries(incoming.headers).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.join(', ') : (value ?? ''),
  ]);
  return {
    method: incoming.method ?? 'GET',
    path: queryAt < 0 ? url : url.slice(0, queryAt),
    query: queryAt < 0 ? '' : url.slice(queryAt),
    headers: Object.fromEntries(headers) as Record<string, string>,
    body,
    json: parse(body),
  };
}

function parse(body: Buffer): Record<string, unknown> {
  try {
    return Object(JSON.parse(body.toString())) as Record<string, unknown>;
  } catch {
    return {};
  }
}

async function answer(record: RecordedRequest, script: Script, outgoing: Outgoing): Promise<void> {
  // An HTTP/2 answer that its client reset reports that it finished, though it was never ended.
  outgoing.on('close', () => (record.clientGone ||= !(outgoing.writableEnded && outgoing.writableFinished)));
  const found = findHandler(record);
  if (found === undefined)
    return sendWhole(record, script, outgoing, 404, { error: `no handler for ${record.path}` });
  const { handler, seen } = found;
  const reply = handler.reply(seen, planAnswer(script, handler, seen));
  await script.hold;
  if (script.headersDelayMs !== undefined) await sleep(script.headersDelayMs);
  if (script.breakOff?.at === 'before_headers') return breakOff(script, outgoing);
  if (script.status !== undefined) {
    const body = handler.error(script.status, 'the fake provider was told to fail');
    return sendWhole(record, script, outgoing, script.status, body);
  }
  if (reply.kind === 'error') {
    return sendWhole(record, script, outgoing, reply.status, handler.error(reply.status, reply.message));
  }
  if (reply.kind === 'stream') return sendStream(record, script, outgoing, reply);
  const goneBefore = record.clientGone;
  record.billedOutputTokens += goneBefore
    ? Math.min(reply.outputTokens, TOKENS_AFTER_ABORT)
    : reply.outputTokens;
  return sendWhole(record, script, outgoing, 200, reply.body);
}

async function sendWhole(
  record: RecordedRequest,
  script: Script,
  outgoing: Outgoing,
  status: number,
  body: unknown,
): Promise<void> {
  if (record.clientGone) return;
  const plain = Buffer.from(JSON.stringify(body));
  const bytes = script.gzip === true ? gzipSync(plain) : plain;
  writeHead(script, outgoing, status, {
    'content-type': 'application/json',
    ...(script.trailers === undefined && { 'content-length': String(bytes.length) }),
  });
  if (script.breakOff?.at === 'after_headers') return breakOff(script, outgoing);
  if (script.bodyDelayMs !== undefined) await sleep(script.bodyDelayMs);
  if (script.breakOff !== undefined) {
    await write(outgoing, bytes.subarray(0, bytes.length >> 1));
    return breakOff(script, outgoing);
  }
  await write(outgoing, bytes);
  finish(script, outgoing);
}

async function sendStream(
  record: RecordedRequest,
  script: Script,
  outgoing: Outgoing,
  reply: FakeReply & { kind: 'stream' },
): Promise<void> {
  writeHead(script, outgoing, 200, { 'content-type': reply.contentType, 'cache-control': 'no-cache' });
  if (script.breakOff?.at === 'after_headers') return breakOff(script, outgoing);
  let tokensAfterAbort = 0;
  for (const [index, piece] of reply.pieces.entries()) {
    if (index === script.holdStream?.afterPieces)
      await Promise.race([script.holdStream.until, closed(outgoing)]);
    if (index === script.breakOff?.at) return breakOff(script, outgoing);
    const delayMs = index === 0 ? (script.bodyDelayMs ?? script.pieceDelayMs) : script.pieceDelayMs;
    if (delayMs !== undefined && !record.clientGone) await sleep(delayMs);
    if (record.clientGone) {
      tokensAfterAbort += piece.outputTokens;
      if (tokensAfterAbort > TOKENS_AFTER_ABORT) return;
    }
    record.billedOutputTokens += piece.outputTokens;
    const bytes = Buffer.from(piece.bytes);
    if (!record.clientGone) await write(outgoing, script.gzip === true ? gzipSync(bytes) : bytes);
  }
  finish(script, outgoing);
}

function writeHead(
  script: Script,
  outgoing: Outgoing,
  status: number,
  headers: Record<string, string>,
): void {
  const all = {
    ...headers,
    ...(script.gzip === true && { 'content-encoding': 'gzip' }),
    ...(script.trailers !== undefined && { trailer: Object.keys(script.trailers).join(', ') }),
    ...script.headers,
  };
  for (const [name, value] of Object.entries(all)) outgoing.setHeader(name, value);
  outgoing.statusCode = status;
  // Sends headers now, whenever the body follows; HTTP/2's class can do that too, only its type does not say so.
  (outgoing as ServerResponse).flushHeaders();
}

/** Waits while the client reads slowly; returns at once if it has disconnected. */
async function write(outgoing: Outgoing, bytes: Buffer): Promise<void> {
  if (outgoing.destroyed || outgoing.writableEnded) return;
  // The two classes' overloads differ, their meaning does not.
  const keepsUp = (outgoing as ServerResponse).write(bytes);
  if (!keepsUp)
    await Promise.race([new Promise((resolve) => outgoing.once('drain', resolve)), closed(outgoing)]);
}

function closed(outgoing: Outgoing): Promise<unknown> {
  return new Promise((resolve) => outgoing.once('close', resolve));
}

function finish(script: Script, outgoing: Outgoing): void {
  if (outgoing.destroyed) return;
  if (script.trailers !== undefined) outgoing.addTrailers(script.trailers);
  outgoing.end();
}

async function breakOff(script: Script, outgoing: Outgoing): Promise<void> {
  if (script.breakOff?.how === 'reset') reset(outgoing);
  else if (script.breakOff?.how === 'end') outgoing.end();
  else await closed(outgoing);
}

function reset(outgoing: Outgoing): void {
  if ('stream' in outgoing) return outgoing.stream.close(2);
  const { socket } = outgoing;
  // Only a plain socket can be reset; under TLS an end without a close message has the same effect.
  if (socket instanceof TLSSocket) socket.destroy();
  else socket?.resetAndDestroy();
}
