import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { watchCounts } from '../../../src/telemetry/counts.ts';

function registryOfAll() {
  const registry = new Registry();
  const registers = [registry];
  const requests = new Counter({ name: 'requests_total', help: 'h', labelNames: ['type'], registers });
  const others = new Counter({ name: 'others_total', help: 'h', registers });
  const seconds = new Histogram({ name: 'seconds', help: 'h', buckets: [1], registers });
  const open = new Gauge({ name: 'open', help: 'h', registers });
  return { risen: watchCounts(registry), requests, others, seconds, open };
}

describe('counts that have risen', () => {
  it('are at first all counters and histograms, then those that were raised', async () => {
    const { risen, requests, seconds, open } = registryOfAll();
    requests.inc({ type: 'a' });
    open.set(1);
    expect((await risen()).map(({ name }) => name)).toEqual(['requests_total', 'others_total', 'seconds']);
    expect(await risen()).toEqual([]);
    requests.inc({ type: 'b' }, 2);
    open.set(2);
    expect((await risen()).map(({ name, values }) => [name, values.map(({ value }) => value)])).toEqual([
      ['requests_total', [1, 2]],
    ]);
    // It counts only in the last bucket.
    seconds.observe(5);
    expect((await risen()).map(({ name }) => name)).toEqual(['seconds']);
  });

  it('omit a new series until it is raised', async () => {
    const { risen, requests } = registryOfAll();
    await risen();
    requests.inc({ type: 'new' }, 0);
    expect(await risen()).toEqual([]);
    requests.inc({ type: 'new' });
    expect(await risen()).toHaveLength(1);
  });
});
