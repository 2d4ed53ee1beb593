import { Writable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { batchWrites } from '../../../src/redis/connection-watch.ts';

/** A stream that takes bytes on command. */
function openStream() {
  const got: string[] = [];
  let takeNext: (() => void) | undefined;
  const stream = new Writable({
    decodeStrings: false,
    write(chunk: string | Buffer, _encoding, done) {
      got.push(chunk.toString());
      takeNext = () => done();
    },
  });
  return { stream, got, batches: batchWrites(stream), take: () => takeNext?.() };
}

describe('batched writes', () => {
  it('of one turn, including its promises, are sent together, and those of the next separately', async () => {
    const { stream, got, take } = openStream();
    stream.write('a');
    void Promise.resolve().then(() => stream.write('b'));
    stream.write('é');
    expect(got).toEqual([]);
    await nextTurn();
    expect(got).toEqual(['aéb']);
    take();
    stream.write('c');
    await nextTurn();
    expect(got).toEqual(['aéb', 'c']);
  });

  it('count as started immediately, and as accepted when the system has accepted all of them', async () => {
    const { stream, batches, take } = openStream();
    stream.write('a');
    stream.write('b');
    expect(batches).toEqual({ begun: 1, taken: 0 });
    await nextTurn();
    expect(batches).toEqual({ begun: 1, taken: 0 });
    take();
    await nextTurn();
    expect(batches).toEqual({ begun: 1, taken: 1 });
  });

  it('keep their order if one is bytes, and are counted too', async () => {
    const { stream, got, batches, take } = openStream();
    stream.write('a');
    stream.write(Buffer.from('b'));
    stream.write('c');
    for (let n = 0; n < 3; n += 1) {
      await nextTurn();
      take();
    }
    await nextTurn();
    expect(got).toEqual(['a', 'b', 'c']);
    expect(batches).toEqual({ begun: 3, taken: 3 });
  });

  it('are sent before the end of their stream', async () => {
    const { stream, got, take } = openStream();
    stream.write('quit');
    stream.end();
    expect(got).toEqual(['quit']);
    take();
    await nextTurn();
    expect(stream.writableFinished).toBe(true);
  });
});
