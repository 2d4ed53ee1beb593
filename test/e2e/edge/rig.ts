import { connect as connectHttp2 } from 'node:http2';
import { once } from 'node:events';
import type { IncomingHttpHeaders } from 'node:http';
import { expect, beforeAll, afterAll, beforeEach } from 'vitest';
import { type TestGateway, type TestKey, startGateway } from '../../support/gateway.ts';
import {
  type FakeProvider,
  type RecordedRequest,
  createFakeProvider,
} from '../../support/fake-provider/index.ts';
import { type WireProvider, createWireProvider } from '../../support/wire-provider.ts';
import { type SendOptions, type Reply, send } from '../../support/http.ts';
import { frameBytes, RawPeer } from '../../support/http2-peer.ts';
import { FRAME } from '../../../src/http2/frame.ts';
import { HpackDecoder } from '../../../src/http2/hpack-decoder.ts';
import { encodeHeaders } from '../../../src/http2/hpack-encoder.ts';

/** docs/refusals.md and docs/routing.md: requests that are refused, and parts that are never forwarded. */
export const CHAT = '/openai/v1/chat/completions';
export const PROVIDER_KEY = 'sk-provider-0123456789';
export const BODY = JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content: 'hi' }] });

export let gateway: TestGateway;
export let provider: FakeProvider;
/** The upstream of `mistral`. */
export let wire: WireProvider;
export let key: TestKey;
export let auth: Record<string, string>;

export function chat(options: SendOptions = {}): Promise<Reply> {
  return send(gateway.baseUrl, {
    path: CHAT,
    body: BODY,
    method: 'POST',
    ...options,
    headers: options.headers ?? auth,
  });
}

/** Returns the answer to one POST over HTTP/2 without TLS. */
export async function answerOverHttp2(request: {
  readonly body: string;
  readonly unended?: boolean;
  readonly host?: string;
}): Promise<Pick<Reply, 'status' | 'headers' | 'body'>> {
  const session = connectHttp2(gateway.baseUrl);
  const stream = session.request({
    ':method': 'POST',
    ':path': CHAT,
    ...auth,
    ...(request.host !== undefined && { host: request.host }),
  });
  if (request.unended === true) stream.write(request.body);
  else stream.end(request.body);
  const [head] = (await once(stream, 'response')) as [IncomingHttpHeaders & { ':status'?: number }];
  let body = '';
  for await (const chunk of stream.setEncoding('utf8')) body += String(chunk);
  session.close();
  return { status: head[':status'] ?? 0, headers: head, body };
}

export async function forwarded(options: SendOptions): Promise<RecordedRequest> {
  const before = provider.requests.length;
  const reply = await chat(options);
  expect([reply.status, reply.body]).toEqual([200, expect.anything()]);
  const request = provider.requests[before];
  if (request === undefined) throw new Error('nothing was forwarded');
  return request;
}
export function useRig(): void {
  beforeAll(async () => {
    provider = await createFakeProvider();
    wire = await createWireProvider();
    gateway = await startGateway({
      config: {
        server: { max_payload_bytes: 100_000, read_timeout: '2s' },
        providers: { openai: { base_url: provider.url }, mistral: { base_url: wire.url } },
        pricing: { overrides: { 'gpt-4o': { input: 1, output: 10, max_output_tokens: 1_000 } } },
      },
    });
    key = await gateway.createKey({ allowedProviders: ['mistral'] });
    auth = {
      authorization: `Bearer ${key.rawKey}`,
      'x-gateway-provider-key': PROVIDER_KEY,
      'content-type': 'application/json',
    };
  });
  afterAll(async () => {
    await gateway.stop();
    await provider.close();
    await wire.close();
  });
  beforeEach(() => {
    provider.behave({});
  });
}

/** Returns the answer to one HTTP/2 request with these DATA frames, none of which ends it, followed by trailers. */
export async function overFrames(
  path: string,
  data: readonly string[],
): Promise<{ readonly status: string; readonly body: string }> {
  const peer = new RawPeer(gateway.port);
  const head = encodeHeaders([
    [':method', path === CHAT ? 'POST' : 'GET'],
    [':scheme', 'http'],
    [':path', path],
    [':authority', 'gateway.example'],
    ...Object.entries(auth).filter(([name]) => path === CHAT || name !== 'content-type'),
  ]);
  const trailers = encodeHeaders([['x-api-key', 'sk-late']]);
  peer.greet(
    frameBytes(FRAME.headers, END_HEADERS, 1, head),
    ...data.map((piece) => frameBytes(FRAME.data, 0, 1, piece)),
    frameBytes(FRAME.headers, END_HEADERS | END_STREAM, 1, trailers),
  );
  await peer.until(() => peer.frames.some(({ id, flags }) => id === 1 && (flags & END_STREAM) !== 0));
  const block = (await peer.frame(FRAME.headers, 1)).payload;
  const fields = new HpackDecoder(16_384).decode(block, 0, block.length);
  peer.socket.destroy();
  return {
    status: fields.find(({ name }) => name === ':status')?.value ?? '',
    body: peer.body(1).toString(),
  };
}

const END_STREAM = 0x1;
const END_HEADERS = 0x4;
