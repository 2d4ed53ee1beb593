import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import {
  createServer as createH2cServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
} from 'node:http2';
import { createAnswerStream } from '../../src/answers/answer-stream.ts';
import type { StreamRewriter } from '../../src/pipeline/check.ts';
import { newAnswer } from '../../src/answers/new-answer.ts';
import type { JsonObject } from '../../src/json/is-object.ts';
import { type Provider, type ProviderName, providers } from '../../src/providers/registry.ts';
import { streamFormatFor } from '../../src/streams/format.ts';
import { onLoopback } from './loopback.ts';

/** The engine of streamed answers as a small HTTP server, in front of a provider. */
export interface RewritingProxy {
  /** Requests go to `<url>/<provider>/<the provider's own path>`. */
  readonly url: string;
  close(): Promise<void>;
}

export interface RewritingProxyOptions {
  readonly upstreamUrl: string;
  readonly createRewriter: () => StreamRewriter;
  /** Without TLS, as the AWS SDK connects to Bedrock here. */
  readonly http2?: boolean;
}

type Incoming = IncomingMessage | Http2ServerRequest;
type Outgoing = ServerResponse | Http2ServerResponse;

export async function startRewritingProxy(options: RewritingProxyOptions): Promise<RewritingProxy> {
  function onRequest(incoming: Incoming, outgoing: Outgoing): void {
    answer(options, incoming, outgoing).catch((cause: unknown) => {
      (outgoing as ServerResponse).destroy();
      throw cause;
    });
  }
  const server = options.http2 === true ? createH2cServer(onRequest) : createHttpServer(onRequest);
  return onLoopback(server);
}

async function answer(options: RewritingProxyOptions, incoming: Incoming, outgoing: Outgoing): Promise<void> {
  const pieces: Buffer[] = [];
  for await (const piece of incoming as AsyncIterable<Buffer>) pieces.push(piece);
  const body = Buffer.concat(pieces);
  const url = new URL(incoming.url ?? '/', 'http://any');
  const [, name = '', ...rest] = url.pathname.split('/');
  const path = `/${rest.join('/')}`;
  const reply = await fetch(`${options.upstreamUrl}${path}${url.search}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: 'Bearer key',
      accept: incoming.headers.accept ?? '',
    },
    body,
  });
  const contentType = reply.headers.get('content-type') ?? '';
  const stream = engineFor(
    providers[name as ProviderName],
    path,
    url.search.slice(1),
    contentType,
    body,
    options,
  );
  const sink = outgoing as ServerResponse;
  sink.writeHead(reply.status, { 'content-type': contentType });
  for await (const chunk of reply.body ?? []) {
    const { bytes, cut } = await stream.push(Buffer.from(chunk));
    sink.write(bytes);
    if (cut !== undefined) break;
  }
  sink.end((await stream.end()).bytes);
}

function engineFor(
  provider: Provider,
  path: string,
  query: string,
  contentType: string,
  body: Buffer,
  { createRewriter }: RewritingProxyOptions,
) {
  const endpoint = provider.endpoint('POST', path, query);
  const format = endpoint && streamFormatFor(contentType, endpoint);
  const request = endpoint?.dialect.request(JSON.parse(body.toString()) as JsonObject, endpoint);
  const reader = endpoint?.dialect.stream(request);
  if (format === undefined || reader === undefined) throw new Error(`no stream at ${path}`);
  return createAnswerStream({ answer: newAnswer(), format, reader, rewriters: [createRewriter()] });
}
