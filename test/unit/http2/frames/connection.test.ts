import { afterEach, describe, expect, it, vi } from 'vitest';
import { CODE, FRAME, MAX_WINDOW, PREFACE } from '../../../../src/http2/frame.ts';
import { LIMITS } from '../../../../src/http2/limits.ts';
import {
  frameBytes,
  number32,
  openStream,
  REQUEST,
  SETTINGS,
  type RawPeer,
} from '../../../support/http2-peer.ts';
import { server, seen, data, setting, grow, greeted, first, useRig } from './rig.ts';

useRig();

describe('a connection', () => {
  it('begins with its settings and a large window, and acknowledges the peer’s', async () => {
    const peer = await greeted();
    const [settings, window, ack] = peer.frames;
    expect([settings?.type, settings?.flags, settings?.payload.length]).toEqual([FRAME.settings, 0, 18]);
    expect([window?.type, window?.id]).toEqual([FRAME.windowUpdate, 0]);
    expect(window?.payload.readUInt32BE(0)).toBe(LIMITS.connectionWindowBytes - 65_535);
    expect([ack?.type, ack?.flags, ack?.payload.length]).toEqual([FRAME.settings, 1, 0]);
  });

  it('reads frames that arrive octet by octet', async () => {
    const peer = server.peer();
    const bytes = Buffer.concat([Buffer.from(PREFACE), SETTINGS, openStream(1), data(1, 'hello', 1)]);
    for (const octet of bytes) {
      peer.send(Buffer.of(octet));
      await new Promise((resolve) => setImmediate(resolve));
    }
    await peer.settled();
    expect(seen).toMatchObject([{ path: '/test', body: 'hello', hasEnded: true }]);
  });

  it('answers a PING with the same octets, and does not answer an acknowledgement', async () => {
    const peer = await greeted(
      frameBytes(FRAME.ping, 1, 0, 'answered'),
      frameBytes(FRAME.ping, 0, 0, '12345678'),
    );
    const pings = peer.frames.filter(({ type }) => type === FRAME.ping);
    expect(pings[0]).toMatchObject({ flags: 1, payload: Buffer.from('12345678') });
    expect(pings.map(({ payload }) => payload.toString())).not.toContain('answered');
  });

  it.each([
    ['a frame of an unknown type', frameBytes(0xbe, 0xff, 1, 'anything')],
    ['an unknown setting', setting(0x99, 1)],
    ['PRIORITY', frameBytes(FRAME.priority, 0, 1, 'abcde')],
    ['GOAWAY', frameBytes(FRAME.goAway, 0, 0, Buffer.alloc(8))],
    ['the acknowledgement of its settings', frameBytes(FRAME.settings, 1, 0)],
  ])('continues after %s', async (_name, bytes) => {
    await greeted(bytes, openStream(1, true));
    expect(first().hasEnded).toBe(true);
  });

  it.each([
    ['SETTINGS of 5 octets', CODE.frameSizeError, [frameBytes(FRAME.settings, 0, 0, 'abcde')]],
    ['SETTINGS on a stream', CODE.protocolError, [frameBytes(FRAME.settings, 0, 1)]],
    ['SETTINGS acknowledged with octets', CODE.frameSizeError, [frameBytes(FRAME.settings, 1, 0, 'abcdef')]],
    ['ENABLE_PUSH of 2', CODE.protocolError, [setting(2, 2)]],
    ['INITIAL_WINDOW_SIZE beyond 31 bits', CODE.flowControlError, [setting(4, MAX_WINDOW + 1)]],
    ['MAX_FRAME_SIZE below its minimum', CODE.protocolError, [setting(5, 16_383)]],
    ['MAX_FRAME_SIZE beyond 24 bits', CODE.protocolError, [setting(5, 0x100_0000)]],
    ['PING of 7 octets', CODE.frameSizeError, [frameBytes(FRAME.ping, 0, 0, '1234567')]],
    ['PING on a stream', CODE.protocolError, [frameBytes(FRAME.ping, 0, 1, '12345678')]],
    ['GOAWAY on a stream', CODE.protocolError, [frameBytes(FRAME.goAway, 0, 1, Buffer.alloc(8))]],
    ['GOAWAY of 7 octets', CODE.frameSizeError, [frameBytes(FRAME.goAway, 0, 0, Buffer.alloc(7))]],
    ['PUSH_PROMISE', CODE.protocolError, [frameBytes(FRAME.pushPromise, 4, 1, Buffer.alloc(8))]],
    ['PRIORITY of 4 octets', CODE.frameSizeError, [frameBytes(FRAME.priority, 0, 1, 'abcd')]],
    ['PRIORITY on stream 0', CODE.protocolError, [frameBytes(FRAME.priority, 0, 0, 'abcde')]],
    [
      'a frame longer than allowed',
      CODE.frameSizeError,
      [frameBytes(FRAME.data, 0, 1, Buffer.alloc(16_385))],
    ],
    ['DATA on stream 0', CODE.protocolError, [data(0, 'x')]],
    ['DATA on a stream that was never opened', CODE.protocolError, [data(3, 'x')]],
    ['DATA on a stream that only a server may open', CODE.protocolError, [openStream(5), data(2, 'x')]],
    ['HEADERS on stream 0', CODE.protocolError, [openStream(0)]],
    ['HEADERS on an even stream', CODE.protocolError, [openStream(2)]],
    ['RST_STREAM on stream 0', CODE.protocolError, [frameBytes(FRAME.resetStream, 0, 0, number32(8))]],
    [
      'RST_STREAM on a stream that was never opened',
      CODE.protocolError,
      [frameBytes(FRAME.resetStream, 0, 7, number32(8))],
    ],
    [
      'RST_STREAM of 3 octets',
      CODE.frameSizeError,
      [openStream(1), frameBytes(FRAME.resetStream, 0, 1, 'abc')],
    ],
    ['WINDOW_UPDATE of 3 octets', CODE.frameSizeError, [frameBytes(FRAME.windowUpdate, 0, 0, 'abc')]],
    ['WINDOW_UPDATE by 0', CODE.protocolError, [grow(0, 0)]],
    ['WINDOW_UPDATE beyond 31 bits', CODE.flowControlError, [grow(0, MAX_WINDOW)]],
    ['WINDOW_UPDATE on a stream that was never opened', CODE.protocolError, [grow(9, 1)]],
    [
      'a larger initial window than allowed',
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
    ['CONTINUATION without HEADERS', CODE.protocolError, [frameBytes(FRAME.continuation, 4, 1, REQUEST)]],
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
  ])('cannot begin with %s', async (_name, bytes) => {
    expect(await server.peer().send(bytes).goAway()).toBe(CODE.protocolError);
    expect(seen).toEqual([]);
  });

  it.each([
    ['PING', frameBytes(FRAME.ping, 0, 0, '12345678'), 1_001],
    ['SETTINGS', SETTINGS, 101],
    ['PRIORITY', frameBytes(FRAME.priority, 0, 1, 'abcde'), 1_001],
    ['frames of an unknown type', frameBytes(0xbe, 0, 0), 1_001],
    ['empty DATA', data(1, ''), 1_001],
    ['DATA of only padding', data(1, '\x02ab', 8), 1_001],
  ])('ends after too much of %s', async (_name, bytes, times) => {
    const peer = server.peer().greet(openStream(1), ...Array<Buffer>(times).fill(bytes));
    expect(await peer.goAway()).toBe(CODE.enhanceYourCalm);
    expect(first().closed).toBe(1);
  });

  it.each([
    ['in many frames', 17, 'x'],
    ['in long frames', 6, 'x'.repeat(16_384)],
  ])('refuses an endless header block: %s', async (_name, times, part) => {
    const more = frameBytes(FRAME.continuation, 0, 1, part);
    const peer = server
      .peer()
      .greet(frameBytes(FRAME.headers, 0, 1, REQUEST), ...Array<Buffer>(times).fill(more));
    expect(await peer.goAway()).toBe(CODE.enhanceYourCalm);
    expect(seen).toEqual([]);
  });

  it('ends its streams when the peer is gone', async () => {
    const peer = await greeted(openStream(1), openStream(3));
    peer.socket.destroy();
    await expect.poll(() => seen.map(({ closed }) => closed)).toEqual([1, 1]);
  });

  it('resets open streams and sends GOAWAY when the server closes', async () => {
    const peer = await greeted(openStream(1));
    server.stop();
    expect(await peer.resetCode(1)).toBe(CODE.cancel);
    expect(await peer.goAway()).toBe(CODE.noError);
    expect(first().closed).toBe(1);
  });
});

describe('a peer’s connection preface', () => {
  afterEach(() => vi.useRealTimers());

  /** Blocks the server's loop beyond the timeout; the bytes sent have arrived and are not read yet. */
  async function standStill(...sent: Buffer[]): Promise<RawPeer> {
    const runLater = setTimeout;
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const peer = server.peer();
    await peer.frame(FRAME.settings);
    // Timers run first in a turn of the loop, before the socket is read.
    await new Promise((resolve) => runLater(resolve, 1));
    peer.send(...sent);
    vi.advanceTimersByTime(LIMITS.greetingMs);
    vi.useRealTimers();
    return peer;
  }

  it('is read after its timeout if it arrived while the process was blocked', async () => {
    const peer = await standStill(Buffer.from(PREFACE), SETTINGS, openStream(1, true));
    await peer.settled();
    expect(first().hasEnded).toBe(true);
  });

  it('ends the connection when it did not arrive in time', async () => {
    const peer = await standStill(Buffer.from(PREFACE));
    await peer.until(() => peer.isClosed);
    expect(seen).toEqual([]);
  });
});
