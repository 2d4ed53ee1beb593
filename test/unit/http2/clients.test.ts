import { connect, constants, type ClientHttp2Session, type ClientHttp2Stream } from 'node:http2';
import { connect as connectSocket } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { encodeHeaders } from '../../../src/http2/hpack-encoder.ts';
import { headerOf, type Http2RequestHead } from '../../../src/http2/request-head.ts';
import type { Http2Stream, StreamEvents } from '../../../src/http2/stream.ts';
import { startTestServer, type TestServer } from '../../support/http2-peer.ts';

/** Node's own HTTP/2 (nghttp2) as the client of our server. */

const RESPONSE = encodeHeaders([[':status', '200']]);
const TRAILERS = encodeHeaders([['x-end', 'yes']]);

let server: TestServer;
let session: ClientHttp2Session;
let heads: Http2RequestHead[];
let closed: number;
let waits: number;

/** Sends back what it reads, and reads only as fast as the client accepts it. */
function echo(stream: Http2Stream, head: Http2RequestHead): StreamEvents {
  heads.push(head);
  stream.respond(RESPONSE);
  return {
    data(bytes, from, to) {
      if (stream.send('', bytes.subarray(from, to))) return;
      waits++;
      stream.pause();
    },
    ended: () => stream.end(TRAILERS),
    drained: () => stream.resume(),
    closed: () => closed++,
  };
}

beforeEach(async () => {
  heads = [];
  closed = 0;
  waits = 0;
  server = await startTestServer(echo);
  session = connect('http://test', {
    createConnection: () => connectSocket(server.path),
    maxSessionMemory: 100, // megabytes; the default is less than one body here
  });
  session.on('error', () => undefined);
});
afterEach(() => {
  session.destroy();
  server.close();
});

function post(headers: Record<string, string> = {}): ClientHttp2Stream {
  return session.request({ ':method': 'POST', ':path': '/echo', ...headers });
}

/** Body and trailers of the answer. */
async function answer(stream: ClientHttp2Stream): Promise<{ body: Buffer; end: unknown }> {
  const chunks: Buffer[] = [];
  let end: unknown;
  stream.on('trailers', (trailers) => (end = trailers['x-end']));
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return { body: Buffer.concat(chunks), end };
}

it('decodes every octet of its Huffman code, and entries of its dynamic table', async () => {
  const octets = Array.from({ length: 256 }, (_, octet) => octet).filter(
    (octet) => octet >= 32 && octet !== 127,
  );
  const value = `a${String.fromCharCode(...octets)}a`;
  for (let time = 0; time < 3; time++) {
    const stream = post({ 'x-octets': value, 'x-long': 'e'.repeat(3_000), [`x-${String(time)}`]: 'new' });
    stream.end('hi');
    expect(await answer(stream)).toEqual({ body: Buffer.from('hi'), end: 'yes' });
  }
  expect(heads.map((head) => headerOf(head, 'x-octets'))).toEqual([value, value, value]);
  expect(heads.map((head) => headerOf(head, 'x-long')?.length)).toEqual([3_000, 3_000, 3_000]);
  expect(heads.map((head) => head.path)).toEqual(['/echo', '/echo', '/echo']);
});

it('reads headers that need CONTINUATION, and are evicted from the table repeatedly', async () => {
  for (let time = 0; time < 20; time++) {
    const long = String(time).repeat(20_000 + time);
    const stream = post({ 'x-long': long, 'x-short': `s${String(time)}`.repeat(100) });
    stream.end();
    await answer(stream);
    const head = heads.at(-1);
    expect(head && [headerOf(head, 'x-long'), headerOf(head, 'x-short')]).toEqual([
      long,
      `s${String(time)}`.repeat(100),
    ]);
  }
});

it('serves 200 simultaneous streams, octet for octet', async () => {
  const bodies = Array.from({ length: 200 }, (_, nth) => Buffer.alloc(1_000 * (nth % 80), `${String(nth)},`));
  const answers = bodies.map((body) => {
    const stream = post();
    stream.end(body);
    return answer(stream);
  });
  for (const [nth, { body, end }] of (await Promise.all(answers)).entries()) {
    expect(end).toBe('yes');
    expect(body.equals(bodies[nth] ?? Buffer.alloc(1))).toBe(true);
  }
  await expect.poll(() => closed).toBe(200);
});

it('receives and sends 16 MiB, more than either window allows', async () => {
  const body = Buffer.alloc(16_777_216);
  for (let at = 0; at < body.length; at += 4) body.writeUInt32LE(at, at);
  const stream = post();
  stream.end(body);
  const { body: back, end } = await answer(stream);
  expect([back.equals(body), end]).toEqual([true, 'yes']);
  expect(waits).toBeGreaterThan(0);
});

it('stops reading from a client that does not read, and continues when it does', async () => {
  const stream = post();
  stream.pause();
  const body = Buffer.alloc(4_194_304, 'x');
  stream.write(body);
  await expect.poll(() => waits).toBeGreaterThan(0);
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(session.socket.bytesWritten).toBeLessThan(1_048_576);
  // Others are served meanwhile.
  const other = post();
  other.end('other');
  expect((await answer(other)).body.toString()).toBe('other');
  stream.end();
  expect((await answer(stream)).body.length).toBe(body.length);
});

it('survives a storm of resets', async () => {
  for (let round = 0; round < 10; round++) {
    const storm = Array.from({ length: 500 }, () => {
      const stream = post();
      stream.on('error', () => undefined);
      stream.write('x');
      return stream;
    });
    await new Promise((resolve) => setImmediate(resolve));
    for (const stream of storm) stream.close(constants.NGHTTP2_CANCEL);
  }
  const stream = post();
  stream.end('after');
  expect((await answer(stream)).body.toString()).toBe('after');
  await expect.poll(() => closed).toBe(heads.length);
});
