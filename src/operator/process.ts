import { messageOf } from '../errors.ts';
import { HEARTBEAT_MS } from '../runtime/heartbeat.ts';
import { createLogger, standardOutput } from '../telemetry/logger.ts';
import { startOperatorPage, type OperatorPage } from './compose.ts';
import { pageFolder } from './static-files.ts';
import type { FromPage, ToPage } from './protocol.ts';

/** Entry point of the operator page process, forked by `gateway serve`. Ends with its parent. */
let page: OperatorPage | undefined;

function send(message: FromPage): void {
  process.send?.(message);
}

async function receiveMessage(message: ToPage): Promise<void> {
  switch (message.kind) {
    case 'start': {
      const { config, tls, version } = message;
      const log = createLogger(config.server.log_level, { name: 'gateway', part: 'ui' }, standardOutput());
      page = await startOperatorPage({ config, tls, version, folder: await pageFolder(), log });
      send({ kind: 'listening', port: page.port });
      break;
    }
    case 'tls':
      page?.renewTls(message.tls);
      break;
    case 'end':
      await page?.close();
      process.exit(0);
  }
}

process.on('message', (message: ToPage) => {
  receiveMessage(message).catch((cause: unknown) => {
    send({ kind: 'failed', message: messageOf(cause) });
    process.exit(1);
  });
});
// If the event loop blocks, heartbeats are missed and the parent ends this process.
setInterval(() => send({ kind: 'alive' }), HEARTBEAT_MS).unref();
process.on('disconnect', () => process.exit(1));
// Ctrl-C reaches the whole process group, but the parent decides when this process stops.
process.on('SIGINT', () => undefined);
