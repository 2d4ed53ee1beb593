import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CODE, FRAME, MAX_WINDOW, PREFACE } from '../../../src/http2/frame.ts';
import { encodeHeaders } from '../../../src/http2/hpack-encoder.ts';
import { LIMITS } from '../../../src/http2/limits.ts';
import type { Http2Stream } from '../../../src/http2/stream.ts';
import {
  frameBytes,
  number32,
  openStream,
  REQUEST,
  SETTINGS,
  startTestServer,
  type RawPeer,
  type TestServer,
} from '../../support/http2-peer.ts';

/** What RFC 9113 says of each frame, one at a time, octet for octet. */

const RESPONSE = encodeHeaders([[':status', '200']]);
const TRAILERS = encodeHeaders([['grpc-status', '0']]);

interface Seen {
  readonly stream: Http2Stream;
  readonly path: string;
  body: string;
  hasEnded: boolean;
  closed: number;
  drained: number;
}

let server: TestServer;
let seen: Seen[];

beforeEach(async () => {
  seen = [];
  server = await startTestServer((stream, head) => {
    const one: Seen = { stream, path: head.path, body: '', hasEnded: false, closed: 0, drained: 0 };
    seen.push(one);
    return {
      data(bytes, from, to) {
        one.body += bytes.toString('latin1', from, to);
        if (one.body === 'throw') throw new Error('broken on purpose');
      },
      ended: () => (one.hasEnded = true),
      drained: () => one.drained++,
      closed: () => one.closed++,
    };
  });
});
afterEach(() => {
  server.close();
});

const data = (id: number, text: string, flags = 0): Buffer => frameBytes(FRAME.data, flags, id, text);
function setting(id: number, value: number): Buffer {
  const payload = Buffer.alloc(6);
  payload.writeUInt16BE(id);
  payload.writeUInt32BE(value, 2);
  return frameBytes(FRAME.settings, 0, 0, payload);
}
const grow = (id: number, by: number): Buffer => frameBytes(FRAME.windowUpdate, 0, id, number32(by));

async function greeted(...more: Buffer[]): Promise<RawPeer> {
  const peer = server.peer().greet(...more);
  await peer.settled();
  return peer;
}

function first(): Seen {
  const [one] = seen;
  if (one === undefined) throw new Error('no stream was opened');
  return one;
}

describe('a connection', () => {
  it('begins with its settings and a large window, and acknowledges the peer’s', async () => {
    const peer = await greeted();
    const [settings, window, ack] = peer.frames;
    expect([settings?.type, settings?.flags, settings?.payload.length]).toEqual([FRAME.settings, 0, 18]);
    expect([window?.type, window?.id]).toEqual([FRAME.windowUpdate, 0]);
    expect(window?.payload.readUInt32BE(0)).toBe(LIMITS.connectionWindowBytes - 65_535);
    expect([ack?.type, ack?.flags, ack?.payload.length]).toEqual([FRAME.settings, 1, 0]);
  });

  it('takes what comes octet by octet', async () => {
    const peer = server.peer();
    const bytes = Buffer.concat([Buffer.from(PREFACE), SETTINGS, openStream(1), data(1, 'hello', 1)]);
    for (const octet of bytes) {
      peer.send(Buffer.of(octet));
      await new Promise((resolve) => setImmediate(resolve));
    }
    await peer.settled();
    expect(seen).toMatchObject([{ path: '/test', body: 'hello', hasEnded: true }]);
  });

  it('answers a PING with its own octets, and says nothing to the answer of one', async () => {
    const peer = await greeted(
      frameBytes(FRAME.ping, 1, 0, 'answered'),
      frameBytes(FRAME.ping, 0, 0, '12345678'),
    );
    const pings = peer.frames.filter(({ type }) => type === FRAME.ping);
    expect(pings[0]).toMatchObject({ flags: 1, payload: Buffer.from('12345678') });
    expect(pings.map(({ payload }) => payload.toString())).not.toContain('answered');
  });

  it.each([
    ['a frame of a type that nobody knows', frameBytes(0xbe, 0xff, 1, 'anything')],
    ['a setting that nobody knows', setting(0x99, 1)],
    ['PRIORITY', frameBytes(FRAME.priority, 0, 1, 'abcde')],
    ['GOAWAY', frameBytes(FRAME.goAway, 0, 0, Buffer.alloc(8))],
    ['the acknowledgement of its settings', frameBytes(FRAME.settings, 1, 0)],
  ])('goes on after %s', async (_name, bytes) => {
    await greeted(bytes, openStream(1, true));
    expect(first().hasEnded).toBe(true);
  });

  it.each([
    ['SETTINGS of 5 octets', CODE.frameSizeError, [frameBytes(FRAME.settings, 0, 0, 'abcde')]],
    ['SETTINGS on a stream', CODE.protocolError, [frameBytes(FRAME.settings, 0, 1)]],
    ['SETTINGS acknowledged with octets', CODE.frameSizeError, [frameBytes(FRAME.settings, 1, 0, 'abcdef')]],
    ['ENABLE_PUSH of 2', CODE.protocolError, [setting(2, 2)]],
    ['INITIAL_WINDOW_SIZE beyond 31 bits', CODE.flowControlError, [setting(4, MAX_WINDOW + 1)]],
    ['MAX_FRAME_SIZE below the least', CODE.protocolError, [setting(5, 16_383)]],
    ['MAX_FRAME_SIZE beyond 24 bits', CODE.protocolError, [setting(5, 0x100_0000)]],
    ['PING of 7 octets', CODE.frameSizeError, [frameBytes(FRAME.ping, 0, 0, '1234567')]],
    ['PING on a stream', CODE.protocolError, [frameBytes(FRAME.ping, 0, 1, '12345678')]],
    ['GOAWAY on a stream', CODE.protocolError, [frameBytes(FRAME.goAway, 0, 1, Buffer.alloc(8))]],
    ['GOAWAY of 7 octets', CODE.frameSizeError, [frameBytes(FRAME.goAway, 0, 0, Buffer.alloc(7))]],
    ['PUSH_PROMISE', CODE.protocolError, [frameBytes(FRAME.pushPromise, 4, 1, Buffer.alloc(8))]],
    ['PRIORITY of 4 octets', CODE.frameSizeError, [frameBytes(FRAME.priority, 0, 1, 'abcd')]],
    ['PRIORITY of no stream', CODE.protocolError, [frameBytes(FRAME.priority, 0, 0, 'abcde')]],
    [
      'a frame longer than allowed',
      CODE.frameSizeError,
      [frameBytes(FRAME.data, 0, 1, Buffer.alloc(16_385))],
    ],
    ['DATA of no stream', CODE.protocolError, [data(0, 'x')]],
    ['DATA of a stream that was never opened', CODE.protocolError, [data(3, 'x')]],
    ['DATA of a stream that only a server opens', CODE.protocolError, [openStream(5), data(2, 'x')]],
    ['HEADERS of no stream', CODE.protocolError, [openStream(0)]],
    ['HEADERS of an even stream', CODE.protocolError, [openStream(2)]],
    ['RST_STREAM of no stream', CODE.protocolError, [frameBytes(FRAME.resetStream, 0, 0, number32(8))]],
    [
      'RST_STREAM of a stream never opened',
      CODE.protocolError,
      [frameBytes(FRAME.resetStream, 0, 7, number32(8))],
    ],
    [
      'RST_STREAM of 3 octets',
      CODE.frameSizeError,
      [openStream(1), frameBytes(FRAME.resetStream, 0, 1, 'abc')],
    ],
    ['WINDOW_UPDATE of 3 octets', CODE.frameSizeError, [frameBytes(FRAME.windowUpdate, 0, 0, 'abc')]],
    ['WINDOW_UPDATE by nothing', CODE.protocolError, [grow(0, 0)]],
    ['WINDOW_UPDATE beyond 31 bits', CODE.flowControlError, [grow(0, MAX_WINDOW)]],
    ['WINDOW_UPDATE of a stream never opened', CODE.protocolError, [grow(9, 1)]],
    [
      'a larger initial window than a stream can have',
      CODE.flowControlError,
      [openStream(1), grow(1, MAX_WINDOW - 65_535), setting(4, 65_536)],
    ],
    ['padding as long as its frame', CODE.protocolError, [openStream(1), data(1, '\x03ab', 8)]],
    ['padding in a frame without a payload', CODE.frameSizeError, [openStream(1), data(1, '', 8)]],
    [
      'HEADERS too short for their priority',
      CODE.frameSizeError,
      [frameBytes(FRAME.headers, 0x24, 1, 'abcd')],
    ],
    ['CONTINUATION of nothing', CODE.protocolError, [frameBytes(FRAME.continuation, 4, 1, REQUEST)]],
    [
      'CONTINUATION of another stream',
      CODE.protocolError,
      [frameBytes(FRAME.headers, 0, 1, REQUEST), frameBytes(FRAME.continuation, 4, 3)],
    ],
    [
      'a frame between HEADERS and CONTINUATION',
      CODE.protocolError,
      [frameBytes(FRAME.headers, 0, 1, REQUEST), frameBytes(FRAME.ping, 0, 0, '12345678')],
    ],
    ['headers that cannot be read', CODE.compressionError, [openStream(1, false, '\x80')]],
  ] as const)('ends with GOAWAY after %s', async (_name, code, bytes) => {
    const peer = server.peer().greet(...bytes);
    expect(await peer.goAway()).toBe(code);
    expect(seen.every(({ closed }) => closed === 1)).toBe(true);
    expect(server.faults).toEqual([]);
  });

  it.each([
    ['another protocol', Buffer.from('GET / HTTP/1.1\r\n\r\n')],
    ['a frame before SETTINGS', Buffer.concat([Buffer.from(PREFACE), openStream(1)])],
  ])('is not begun with %s', async (_name, bytes) => {
    expect(await server.peer().send(bytes).goAway()).toBe(CODE.protocolError);
    expect(seen).toEqual([]);
  });

  it.each([
    ['PING', frameBytes(FRAME.ping, 0, 0, '12345678'), 1_001],
    ['SETTINGS', SETTINGS, 101],
    ['PRIORITY', frameBytes(FRAME.priority, 0, 1, 'abcde'), 1_001],
    ['frames that nobody knows', frameBytes(0xbe, 0, 0), 1_001],
    ['empty DATA', data(1, ''), 1_001],
    ['DATA that is nothing but padding', data(1, '\x02ab', 8), 1_001],
  ])('does not live on %s', async (_name, bytes, times) => {
    const peer = server.peer().greet(openStream(1), ...Array<Buffer>(times).fill(bytes));
    expect(await peer.goAway()).toBe(CODE.enhanceYourCalm);
    expect(first().closed).toBe(1);
  });

  it.each([
    ['in many frames', 17, 'x'],
    ['in long frames', 6, 'x'.repeat(16_384)],
  ])('takes no endless block of headers: %s', async (_name, times, part) => {
    const more = frameBytes(FRAME.continuation, 0, 1, part);
    const peer = server
      .peer()
      .greet(frameBytes(FRAME.headers, 0, 1, REQUEST), ...Array<Buffer>(times).fill(more));
    expect(await peer.goAway()).toBe(CODE.enhanceYourCalm);
    expect(seen).toEqual([]);
  });

  it('tells its streams when the peer is gone', async () => {
    const peer = await greeted(openStream(1), openStream(3));
    peer.socket.destroy();
    await expect.poll(() => seen.map(({ closed }) => closed)).toEqual([1, 1]);
  });

  it('resets what is open and says GOAWAY when the server closes', async () => {
    const peer = await greeted(openStream(1));
    server.stop();
    expect(await peer.resetCode(1)).toBe(CODE.cancel);
    expect(await peer.goAway()).toBe(CODE.noError);
    expect(first().closed).toBe(1);
  });
});

describe('a stream', () => {
  it('may be opened in pieces, padded, with a priority', async () => {
    const block = Buffer.from(REQUEST, 'latin1');
    const begin = Buffer.concat([Buffer.of(3), Buffer.alloc(5), block.subarray(0, 4), Buffer.alloc(3)]);
    await greeted(
      frameBytes(FRAME.headers, 0x28, 1, begin),
      frameBytes(FRAME.continuation, 0, 1, block.subarray(4, 9)),
      frameBytes(FRAME.continuation, 0, 1),
      frameBytes(FRAME.continuation, 4, 1, block.subarray(9)),
      data(1, '\x02hi\0\0', 8),
    );
    expect(first()).toMatchObject({ path: '/test', body: 'hi', hasEnded: false });
  });

  it('ends with trailers, too', async () => {
    await greeted(openStream(1), data(1, 'hi'), openStream(1, true, TRAILERS));
    expect(first()).toMatchObject({ body: 'hi', hasEnded: true, closed: 0 });
  });

  it.each([
    ['trailers that do not end it', CODE.protocolError, [openStream(1, false, TRAILERS)]],
    ['DATA behind its end', CODE.streamClosed, [data(1, '', 1), data(1, 'x')]],
    ['HEADERS behind its end', CODE.streamClosed, [data(1, '', 1), openStream(1, true, TRAILERS)]],
    ['a window that grows by nothing', CODE.protocolError, [grow(1, 0)]],
    ['a window beyond 31 bits', CODE.flowControlError, [grow(1, MAX_WINDOW)]],
    ['what breaks its user', CODE.internalError, [data(1, 'throw')]],
  ] as const)('is reset after %s, and the connection goes on', async (_name, code, bytes) => {
    const peer = await greeted(openStream(1), ...bytes, openStream(3, true));
    expect(await peer.resetCode(1)).toBe(code);
    expect(seen.map(({ closed, hasEnded }) => [closed, hasEnded])).toMatchObject([
      [1, expect.any(Boolean)],
      [0, true],
    ]);
    expect(server.faults).toHaveLength(code === CODE.internalError ? 1 : 0);
  });

  it.each([
    [
      'no path',
      [
        [':method', 'GET'],
        [':scheme', 'http'],
      ],
    ],
    [
      'a pseudo header twice',
      [
        [':method', 'GET'],
        [':method', 'GET'],
        [':scheme', 'http'],
        [':path', '/'],
      ],
    ],
    [
      'a pseudo header behind others',
      [
        [':method', 'GET'],
        [':scheme', 'http'],
        ['a', 'b'],
        [':path', '/'],
      ],
    ],
    [
      'a pseudo header of answers',
      [
        [':method', 'GET'],
        [':scheme', 'http'],
        [':path', '/'],
        [':status', '200'],
      ],
    ],
    [
      'a name in capitals',
      [
        [':method', 'GET'],
        [':scheme', 'http'],
        [':path', '/'],
        ['X-Y', 'z'],
      ],
    ],
    [
      'a header of HTTP/1.1',
      [
        [':method', 'GET'],
        [':scheme', 'http'],
        [':path', '/'],
        ['connection', 'close'],
      ],
    ],
    [
      'a line break in a value',
      [
        [':method', 'GET'],
        [':scheme', 'http'],
        [':path', '/'],
        ['a', 'b\r\nc: d'],
      ],
    ],
  ] as const)('is reset where it begins with %s', async (_name, headers) => {
    const peer = await greeted(openStream(1, false, encodeHeaders(headers)));
    expect(await peer.resetCode(1)).toBe(CODE.protocolError);
    expect(seen).toEqual([]);
  });

  it('is refused beyond the number that may be open, and one more is taken when one is over', async () => {
    const ids = Array.from({ length: LIMITS.streams + 1 }, (_, nth) => 2 * nth + 1);
    const peer = await greeted(...ids.map((id) => openStream(id)));
    const last = 2 * LIMITS.streams + 1;
    expect(await peer.resetCode(last)).toBe(CODE.refusedStream);
    expect(seen).toHaveLength(LIMITS.streams);
    peer.send(frameBytes(FRAME.resetStream, 0, 1, number32(CODE.cancel)), openStream(last + 2));
    await peer.settled();
    expect(seen).toHaveLength(LIMITS.streams + 1);
  });

  it('is over when the peer resets it: once, and what is sent to it afterwards goes nowhere', async () => {
    const peer = await greeted(openStream(1), frameBytes(FRAME.resetStream, 0, 1, number32(CODE.cancel)));
    const { stream } = first();
    stream.respond(RESPONSE);
    expect(stream.send('late')).toBe(true);
    stream.end(TRAILERS);
    stream.reset(CODE.cancel);
    // Frames that were under way are let pass.
    peer.send(
      data(1, 'late'),
      grow(1, 5),
      frameBytes(FRAME.resetStream, 0, 1, number32(8)),
      openStream(1, true, TRAILERS),
    );
    await peer.settled();
    expect(first()).toMatchObject({ closed: 1, body: '' });
    expect(peer.frames.filter(({ id }) => id === 1)).toEqual([]);
  });

  it('is closed once both sides have ended it', async () => {
    const peer = await greeted(openStream(1));
    const { stream } = first();
    stream.respond(RESPONSE);
    stream.send('bye');
    stream.end(TRAILERS);
    await peer.settled();
    expect(first().closed).toBe(0);
    peer.send(data(1, '', 1));
    await peer.settled();
    expect(first()).toMatchObject({ closed: 1, hasEnded: false });
    expect(peer.frames.filter(({ id }) => id === 1).map(({ type, flags }) => [type, flags])).toEqual([
      [FRAME.headers, 4],
      [FRAME.data, 0],
      [FRAME.headers, 5],
    ]);
  });

  it('that is aborted drops what waits, ends with its trailers and asks for no more', async () => {
    const peer = await greeted(setting(4, 10), openStream(1));
    const { stream } = first();
    stream.respond(RESPONSE);
    expect(stream.send('0123456789 and more')).toBe(false);
    stream.abort(TRAILERS, CODE.noError);
    await peer.settled();
    expect(first()).toMatchObject({ closed: 1, drained: 0 });
    expect(peer.body(1).toString()).toBe('0123456789');
    expect(peer.frames.filter(({ id }) => id === 1).map(({ type, flags }) => [type, flags])).toEqual([
      [FRAME.headers, 4],
      [FRAME.data, 0],
      [FRAME.headers, 5],
      [FRAME.resetStream, 0],
    ]);
  });
});

describe('flow control', () => {
  it('sends no more than the peer’s windows, and the rest as they grow', async () => {
    const peer = await greeted(setting(4, 4), openStream(1));
    const { stream } = first();
    stream.respond(RESPONSE);
    expect(stream.send('head', Buffer.from(' and tail'))).toBe(false);
    stream.end(TRAILERS);
    await peer.settled();
    expect(peer.body(1).toString()).toBe('head');
    peer.send(grow(1, 1));
    await peer.settled();
    expect(peer.body(1).toString()).toBe('head ');
    peer.send(setting(4, 6));
    await peer.settled();
    expect(peer.body(1).toString()).toBe('head an');
    peer.send(setting(4, 0), grow(1, 6), grow(1, 6));
    await peer.settled();
    expect(peer.body(1).toString()).toBe('head and tail');
    expect(await peer.frame(FRAME.headers, 1)).toBeDefined();
    expect(peer.frames.at(-2)).toMatchObject({ type: FRAME.headers, flags: 5 });
  });

  it('shares the window of the connection, and cuts long bodies into frames', async () => {
    const ids = [1, 3, 5];
    const peer = await greeted(setting(4, 1_000_000), ...ids.map((id) => openStream(id)));
    const body = Buffer.alloc(50_000, 'x');
    for (const { stream } of seen) {
      stream.respond(RESPONSE);
      stream.send('', body);
      stream.end(TRAILERS);
    }
    await peer.settled();
    const sent = (): number[] => ids.map((id) => peer.body(id).length);
    expect(sent()).toEqual([50_000, 15_535, 0]);
    peer.send(grow(0, 30_000));
    await peer.settled();
    expect(sent().reduce((sum, one) => sum + one)).toBe(95_535);
    peer.send(grow(0, 100_000));
    await peer.settled();
    expect(sent()).toEqual([50_000, 50_000, 50_000]);
    const longest = Math.max(...peer.frames.map(({ payload }) => payload.length));
    expect(longest).toBe(16_384);
    expect(peer.frames.filter(({ type, flags }) => type === FRAME.headers && flags === 5)).toHaveLength(3);
  });

  it('tells a writer that had to wait when there is room', async () => {
    const peer = await greeted(setting(4, 2), openStream(1));
    const { stream } = first();
    stream.respond(RESPONSE);
    expect([stream.send('1'), stream.send('2'), stream.send('3')]).toEqual([true, true, false]);
    expect(first().drained).toBe(0);
    peer.send(grow(1, 10));
    await peer.settled();
    expect([peer.body(1).toString(), first().drained]).toEqual(['123', 1]);
  });

  it('gives the peer its window back by halves, padding too, but not while it is paused', async () => {
    const peer = await greeted(openStream(1));
    const { stream } = first();
    const windows = (id: number): number[] =>
      peer.frames
        .filter((one) => one.type === FRAME.windowUpdate && one.id === id)
        .map(({ payload }) => payload.readUInt32BE(0));
    const block = data(1, `\x80${'x'.repeat(16_255)}${'\0'.repeat(128)}`, 8);
    const half = Array<Buffer>(LIMITS.streamWindowBytes / 2 / 16_384).fill(block);
    peer.send(...half);
    await peer.settled();
    expect(windows(1)).toEqual([LIMITS.streamWindowBytes / 2]);
    stream.pause();
    peer.send(...half, ...half);
    await peer.settled();
    expect(windows(1)).toHaveLength(1);
    stream.resume();
    await peer.settled();
    expect(windows(1)).toEqual([LIMITS.streamWindowBytes / 2, LIMITS.streamWindowBytes]);
    expect(first().body.length).toBe(16_255 * 3 * half.length);
  });

  it('resets a stream whose peer sends more than its window', async () => {
    const peer = await greeted(openStream(1));
    first().stream.pause();
    const block = data(1, 'x'.repeat(16_384));
    peer.send(...Array<Buffer>(LIMITS.streamWindowBytes / 16_384).fill(block), data(1, 'x'));
    expect(await peer.resetCode(1)).toBe(CODE.flowControlError);
    expect(first().body.length).toBe(LIMITS.streamWindowBytes);
  });
});
