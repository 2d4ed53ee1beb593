import { createServer } from 'node:net';

import { Counter, Gauge, Histogram, Registry } from 'prom-client';

import type { FromWorker, ToWorker } from '../../src/runtime/worker-protocol.ts';
import { metricsAsJson, watchCounts } from '../../src/telemetry/counts.ts';

/**
 * A worker process that only speaks the protocol, for tests of its supervisor.
 * Its counter `demo_total` is its index plus one; it has observed that value in `demo_seconds`, and its gauge
 * `demo_open` is 1. An address whose path contains `broken` makes it fail.
 */
function say(message: FromWorker): void {
  process.send?.(message);
}
const registry = new Registry();
const counter = new Counter({
  name: 'demo_total',
  help: 'A number',
  labelNames: ['kind'],
  registers: [registry],
});
const histogram = new Histogram({
  name: 'demo_seconds',
  help: 'A duration',
  buckets: [1, 10],
  registers: [registry],
});
const gauge = new Gauge({ name: 'demo_open', help: 'A level', registers: [registry] });
const risen = watchCounts(registry);
const server = createServer();

async function reportStart(): Promise<void> {
  say({ kind: 'counts', counts: await risen() });
  say({ kind: 'listening' });
  say({ kind: 'redis', up: true });
}

setInterval(() => say({ kind: 'alive' }), 20).unref();
// Its supervisor is gone: it must not linger.
process.on('disconnect', () => process.exit(1));
process.on('message', (message) => {
  const order = message as ToWorker;
  switch (order.kind) {
    case 'start':
      counter.inc({ kind: 'x' }, order.index + 1);
      histogram.observe(order.index + 1);
      gauge.set(1);
      if (order.address.kind === 'unix' && order.address.path.includes('broken')) {
        say({ kind: 'failed', message: 'the address is broken' });
        process.exit(1);
      }
      server.listen(order.address, () => void reportStart());
      break;
    case 'metrics':
      void metricsAsJson(registry).then((metrics) => {
        say({ kind: 'metrics', id: order.id, metrics });
      });
      break;
    case 'tls':
    case 'credentials':
    case 'prepare':
    case 'use':
    case 'drop':
      break;
    case 'drain':
      server.close();
      say({ kind: 'drained' });
      process.disconnect();
      break;
  }
});
