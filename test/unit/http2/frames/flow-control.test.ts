import { describe, expect, it } from 'vitest';
import { CODE, FRAME } from '../../../../src/http2/frame.ts';
import { LIMITS } from '../../../../src/http2/limits.ts';
import { openStream } from '../../../support/http2-peer.ts';
import { RESPONSE, TRAILERS, seen, data, setting, grow, greeted, first, useRig } from './rig.ts';

useRig();

describe('flow control', () => {
  it('sends as much as the peer’s windows allow, and the rest as they grow', async () => {
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

  it('shares the connection’s window, and splits long bodies into frames', async () => {
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

  it('notifies a waiting writer when there is room', async () => {
    const peer = await greeted(setting(4, 2), openStream(1));
    const { stream } = first();
    stream.respond(RESPONSE);
    expect([stream.send('1'), stream.send('2'), stream.send('3')]).toEqual([true, true, false]);
    expect(first().drained).toBe(0);
    peer.send(grow(1, 10));
    await peer.settled();
    expect([peer.body(1).toString(), first().drained]).toEqual(['123', 1]);
  });

  it('returns window to the peer in halves, including padding, but not while paused', async () => {
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
