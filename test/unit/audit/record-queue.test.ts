import { describe, expect, it } from 'vitest';
import { RecordQueue } from '../../../src/audit/record-queue.ts';

interface Sink {
  readonly batches: (readonly string[])[];
  readonly ids: string[];
  readonly dropped: number[];
  /** Attempts fail while it is set. */
  failure: Error | undefined;
}

function rig(limits: { maxRecords?: number; maxChars?: number } = {}) {
  const sink: Sink = { batches: [], ids: [], dropped: [], failure: undefined };
  const queue = new RecordQueue({
    async write(lines, id) {
      await Promise.resolve();
      sink.ids.push(id);
      if (sink.failure !== undefined) throw sink.failure;
      sink.batches.push(lines);
    },
    onWritten: () => undefined,
    onDropped: (records) => sink.dropped.push(records),
    ...limits,
  });
  return { sink, queue };
}

describe('a queue of records', () => {
  it('writes records of one turn as one batch, in order', async () => {
    const { sink, queue } = rig();
    for (const line of ['a', 'b', 'c']) queue.add(line);
    await queue.written();
    queue.add('d');
    await queue.written();
    expect(sink.batches).toEqual([['a', 'b', 'c'], ['d']]);
    expect(new Set(sink.ids).size).toBe(2);
  });

  it('limits batches by number and size', async () => {
    const { sink, queue } = rig();
    for (let nth = 0; nth < 250; nth += 1) queue.add(String(nth));
    await queue.written();
    expect(sink.batches.map((batch) => batch.length)).toEqual([100, 100, 50]);
    const large = 'x'.repeat(300 * 1024);
    for (let nth = 0; nth < 3; nth += 1) queue.add(large);
    await queue.written();
    expect(sink.batches.slice(3).map((batch) => batch.length)).toEqual([1, 1, 1]);
  });

  it('retries a batch under the same id, and reports the failure to its waiters', async () => {
    const { sink, queue } = rig();
    sink.failure = new Error('away');
    queue.add('a');
    await expect(queue.written()).rejects.toThrow('away');
    sink.failure = undefined;
    await queue.written();
    expect(sink.batches).toEqual([['a']]);
    expect(new Set(sink.ids).size).toBe(1);
  });

  it('is bounded by number and by size, and continues once there is room', async () => {
    const { sink, queue } = rig({ maxRecords: 2, maxChars: 100 });
    sink.failure = new Error('away');
    expect([queue.add('a'), queue.add('b'), queue.add('c')]).toEqual([true, true, false]);
    sink.failure = undefined;
    await queue.written();
    expect(queue.add('x'.repeat(101))).toBe(false);
    expect(queue.add('d')).toBe(true);
    await queue.written();
    expect(sink.batches.flat()).toEqual(['a', 'b', 'd']);
    expect(sink.dropped).toEqual([1, 1]);
  });

  it('is written out at its end; records that exceed the time are counted', async () => {
    const { sink, queue } = rig();
    queue.add('a');
    await queue.close(1_000);
    expect(sink.batches).toEqual([['a']]);
    expect(queue.add('late')).toBe(false);

    const failing = rig();
    failing.sink.failure = new Error('away');
    failing.queue.add('a');
    failing.queue.add('b');
    await failing.queue.close(20);
    expect(failing.sink.dropped).toEqual([2]);
  });
});
