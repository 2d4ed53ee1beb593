import { flushCompileCache } from 'node:module';
import type { Config } from './config/schema.ts';
import { readWordsAhead } from './pricing/count-words.ts';
import { HEARTBEAT_MS } from './runtime/heartbeat.ts';
import { COUNTS_MS, type FromWorker, type ToWorker } from './runtime/worker-protocol.ts';
import { startSidecar, type Sidecar } from './sidecar.ts';
import { metricsAsJson, watchCounts } from './telemetry/counts.ts';
import { messageOf } from './errors.ts';

function say(message: FromWorker): void {
  process.send?.(message);
}

/** Entry point of a sidecar process, forked by `gateway serve`. Ends with its parent. */
let sidecar: Sidecar | undefined;
const started = Promise.withResolvers<Sidecar>();

/** Reports counts to the parent regularly, because they would be lost with this process. */
function reportCounts({ metrics: { registry } }: Sidecar): void {
  const increasedCounts = watchCounts(registry);
  setInterval(() => {
    void increasedCounts().then((counts) => {
      if (counts.length > 0) say({ kind: 'counts', counts });
    });
  }, COUNTS_MS).unref();
}

async function prepare(id: number, config: Config): Promise<void> {
  try {
    if (sidecar === undefined) throw new Error('the worker is starting');
    await sidecar.prepare(config);
    say({ kind: 'prepared', id });
  } catch (cause) {
    say({ kind: 'refused', id, message: messageOf(cause) });
  }
}

async function use(config: Config): Promise<void> {
  const running = await started.promise;
  if (running.useNext()) return;
  await running.prepare(config);
  running.useNext();
}

async function receiveMessage(message: ToWorker): Promise<void> {
  switch (message.kind) {
    case 'start':
      sidecar = await startSidecar({
        ...message,
        onRedis: (up) => say({ kind: 'redis', up }),
        onPolicies: (state) => say({ kind: 'policies', state }),
      });
      started.resolve(sidecar);
      reportCounts(sidecar);
      // Written for the next start now, because a killed worker cannot write its cache.
      flushCompileCache();
      say({ kind: 'listening' });
      readWordsAhead();
      break;
    case 'tls':
      sidecar?.renewTls(message.tls);
      break;
    case 'credentials':
      sidecar?.renewCredentials(message.credentials);
      break;
    case 'metrics':
      say({
        kind: 'metrics',
        id: message.id,
        metrics: sidecar === undefined ? [] : await metricsAsJson(sidecar.metrics.registry),
      });
      break;
    case 'prepare':
      await prepare(message.id, message.config);
      break;
    case 'use':
      await use(message.config);
      break;
    case 'drop':
      await sidecar?.dropNext();
      break;
    case 'drain':
      await sidecar?.drain();
      say({ kind: 'drained' });
      process.exit(0);
  }
}

process.on('message', (message: ToWorker) => {
  receiveMessage(message).catch((cause: unknown) => {
    say({ kind: 'failed', message: messageOf(cause) });
    process.exit(1);
  });
});
// A blocked event loop sends no messages, so the parent ends this process.
setInterval(() => say({ kind: 'alive' }), HEARTBEAT_MS).unref();
// Without its parent, the worker exits instead of becoming an orphan.
process.on('disconnect', () => process.exit(1));
// The parent decides when a worker stops.
process.on('SIGINT', () => undefined);
