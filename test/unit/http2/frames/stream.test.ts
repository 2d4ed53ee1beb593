import { describe, expect, it } from 'vitest';
import { CODE, FRAME, MAX_WINDOW } from '../../../../src/http2/frame.ts';
import { encodeHeaders } from '../../../../src/http2/hpack-encoder.ts';
import { LIMITS } from '../../../../src/http2/limits.ts';
import { frameBytes, number32, openStream, REQUEST } from '../../../support/http2-peer.ts';
import { RESPONSE, TRAILERS, server, seen, data, setting, grow, greeted, first, useRig } from './rig.ts';

useRig();

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

  it('may end with trailers', async () => {
    await greeted(openStream(1), data(1, 'hi'), openStream(1, true, TRAILERS));
    expect(first()).toMatchObject({ body: 'hi', hasEnded: true, closed: 0 });
  });

  it.each([
    ['trailers that do not end the stream', CODE.protocolError, [openStream(1, false, TRAILERS)]],
    ['DATA after the end of the stream', CODE.streamClosed, [data(1, '', 1), data(1, 'x')]],
    [
      'HEADERS after the end of the stream',
      CODE.streamClosed,
      [data(1, '', 1), openStream(1, true, TRAILERS)],
    ],
    ['a window update of 0', CODE.protocolError, [grow(1, 0)]],
    ['a window beyond 31 bits', CODE.flowControlError, [grow(1, MAX_WINDOW)]],
    ['an error of its user', CODE.internalError, [data(1, 'throw')]],
  ] as const)('is reset after %s, and the connection continues', async (_name, code, bytes) => {
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
      'a repeated pseudo header',
      [
        [':method', 'GET'],
        [':method', 'GET'],
        [':scheme', 'http'],
        [':path', '/'],
      ],
    ],
    [
      'a pseudo header after others',
      [
        [':method', 'GET'],
        [':scheme', 'http'],
        ['a', 'b'],
        [':path', '/'],
      ],
    ],
    [
      'a pseudo header of responses',
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
  ] as const)('is reset if it begins with %s', async (_name, headers) => {
    const peer = await greeted(openStream(1, false, encodeHeaders(headers)));
    expect(await peer.resetCode(1)).toBe(CODE.protocolError);
    expect(seen).toEqual([]);
  });

  it('is refused while the maximum number is open, and accepted once one has ended', async () => {
    const ids = Array.from({ length: LIMITS.streams + 1 }, (_, nth) => 2 * nth + 1);
    const peer = await greeted(...ids.map((id) => openStream(id)));
    const last = 2 * LIMITS.streams + 1;
    expect(await peer.resetCode(last)).toBe(CODE.refusedStream);
    expect(seen).toHaveLength(LIMITS.streams);
    peer.send(frameBytes(FRAME.resetStream, 0, 1, number32(CODE.cancel)), openStream(last + 2));
    await peer.settled();
    expect(seen).toHaveLength(LIMITS.streams + 1);
  });

  it('closes once when the peer resets it, and later writes are dropped', async () => {
    const peer = await greeted(openStream(1), frameBytes(FRAME.resetStream, 0, 1, number32(CODE.cancel)));
    const { stream } = first();
    stream.respond(RESPONSE);
    expect(stream.send('late')).toBe(true);
    stream.end(TRAILERS);
    stream.reset(CODE.cancel);
    // Frames that were on their way are ignored.
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

  it('that is aborted drops waiting data, ends with its trailers and reads no more', async () => {
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
