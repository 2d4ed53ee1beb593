import { AggregatorRegistry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { createKeptCounts, type KeptCounts } from '../../../src/runtime/kept-counts.ts';
import { giveBackMemory } from '../../../src/runtime/give-back-memory.ts';
import type { MetricJson } from '../../../src/telemetry/counts.ts';

function counter(value: number, kind = 'x'): MetricJson {
  const about = { help: 'A number', aggregator: 'sum' };
  const metric = { name: 'demo_total', type: 'counter', ...about, values: [{ value, labels: { kind } }] };
  return metric;
}

async function seriesOf(kept: KeptCounts): Promise<readonly string[]> {
  const text = await AggregatorRegistry.aggregate(kept.all()).metrics();
  return text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
}

describe('the counts of worker processes', () => {
  it('are the newest of each running process, added to those of ended ones', async () => {
    const kept = createKeptCounts();
    const [first, second] = [kept.begin(), kept.begin()];
    first.learn([counter(3)]);
    first.learn([counter(5)]);
    second.learn([counter(1), counter(1)]);
    expect(await seriesOf(kept)).toEqual(['demo_total{kind="x"} 6']);
    first.retire();
    expect(await seriesOf(kept)).toEqual(['demo_total{kind="x"} 6']);
    kept.begin().learn([counter(2)]);
    expect(await seriesOf(kept)).toEqual(['demo_total{kind="x"} 8']);
  });

  it('are added once, series by series', async () => {
    const kept = createKeptCounts();
    for (const kind of ['x', 'y', 'x']) {
      const counts = kept.begin();
      counts.learn([counter(2, kind)]);
      counts.retire();
      counts.retire();
    }
    expect(await seriesOf(kept)).toEqual(['demo_total{kind="x"} 4', 'demo_total{kind="y"} 2']);
  });

  it('have no gauges, and nothing of a process that never reported', async () => {
    const kept = createKeptCounts();
    kept.begin().retire();
    const counts = kept.begin();
    counts.learn([{ ...counter(7), type: 'gauge' }]);
    counts.retire();
    expect(await seriesOf(kept)).toEqual([]);
    expect(kept.all().flat()).toEqual([]);
  });

  it('keep no other data of any number of ended processes', async () => {
    const kept = createKeptCounts();
    const learnt = Array.from({ length: 5 }, () => {
      const counts = kept.begin();
      const metric = counter(2);
      counts.learn([metric]);
      counts.retire();
      return new WeakRef(metric);
    });
    // A weak reference holds its target until the task ends.
    await new Promise((resolve) => setImmediate(resolve));
    giveBackMemory();
    expect(learnt.map((reference) => reference.deref())).toEqual(learnt.map(() => undefined));
    expect(kept.all().flat()).toHaveLength(1);
  });
});
