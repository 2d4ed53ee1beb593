import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

import { isObject } from '../json/is-object.ts';
import { createServer, listenOn } from '../node-http.ts';
import { anthropicError, anthropicReply } from './anthropic.ts';
import { mcpReply } from './mcp.ts';
import { openaiErrorBody, openaiReply, responsesReply } from './openai.ts';

/** A local stand-in for providers. */
export interface DemoProvider {
  /** For `providers.<name>.base_url`, without `/v1`. */
  readonly baseUrl: string;
  close(): Promise<void>;
}

/** Longer than Envoy's idle timeout (one hour), so that no request is lost on a closing connection. */
const KEEP_ALIVE_MS = 2 * 3_600_000;
const MAX_BODY_BYTES = 16 * 1_048_576;

/** @param pieceDelayMs pause between the events of a stream */
export async function startDemoProvider(pieceDelayMs = 40): Promise<DemoProvider> {
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (request, response) => {
    answerDemo(request, response, pieceDelayMs).catch(() => response.destroy());
  });
  const { port, close } = await listenOn(server, { host: '127.0.0.1', port: 0 }, 'the local provider');
  return { baseUrl: `http://127.0.0.1:${String(port)}`, close };
}

async function answerDemo(
  request: IncomingMessage,
  response: ServerResponse,
  pieceDelayMs: number,
): Promise<void> {
  const path = (request.url ?? '/').split('?', 1)[0] ?? '/';
  // Both dialects have /v1/models, but only Anthropic clients send a version.
  const isAnthropic = request.headers['anthropic-version'] !== undefined || path.startsWith('/v1/messages');
  const received = { method: request.method ?? 'GET', path, body: await readDemoBody(request) };
  const reply = isAnthropic
    ? anthropicReply(received)
    : (openaiReply(received) ?? responsesReply(received) ?? mcpReply(received));
  if (reply === undefined) {
    const message = `the demo provider does not serve ${received.method} ${path}`;
    sendJson(response, 404, isAnthropic ? anthropicError(message) : openaiErrorBody(message));
  } else if (reply.kind === 'whole') {
    sendJson(response, 200, reply.body);
  } else {
    await sendStream(response, reply.events, pieceDelayMs);
  }
}

async function readDemoBody(request: IncomingMessage): Promise<Readonly<Record<string, unknown>>> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) throw new Error('the body is too large');
    chunks.push(chunk);
  }
  try {
    const parsed: unknown = JSON.parse(Buffer.concat(chunks).toString());
    return isObject(parsed) ? parsed : {};
  } catch {
    return {};
  }
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

async function sendStream(
  response: ServerResponse,
  events: readonly string[],
  pieceDelayMs: number,
): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  for (const event of events) {
    if (response.destroyed) return;
    response.write(event);
    if (pieceDelayMs > 0) await delay(pieceDelayMs);
  }
  response.end();
}
