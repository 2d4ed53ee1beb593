import { createServer } from 'node:net';

import { Counter, Registry } from 'prom-client';

import type { FromWorker, ToWorker } from '../../src/runtime/worker-protocol.ts';

/**
 * A worker process that speaks the protocol and nothing else, for tests of what supervises workers.
 * Its metric `demo_total` stands at its index plus one. An address whose path holds `broken` makes it fail.
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
const server = createServer();

setInterval(() => say({ kind: 'alive' }), 20).unref();
// Nobody supervises it any more: it must not linger.
process.on('disconnect', () => process.exit(1));
process.on('message', (message) => {
  const order = message as ToWorker;
  switch (order.kind) {
    case 'start':
      counter.inc({ kind: 'x' }, order.index + 1);
      if (order.address.kind === 'unix' && order.address.path.includes('broken')) {
        say({ kind: 'failed', message: 'the address is broken' });
        process.exit(1);
      }
      server.listen(order.address, () => {
        say({ kind: 'listening' });
        say({ kind: 'redis', up: true });
      });
      break;
    case 'metrics':
      void registry.getMetricsAsJSON().then((metrics) => {
        say({ kind: 'metrics', id: order.id, metrics });
      });
      break;
    case 'drain':
      server.close();
      say({ kind: 'drained' });
      process.disconnect();
      break;
  }
});
