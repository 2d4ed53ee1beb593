import type { Command } from 'commander';

import { onStopSignals } from '../../src/runtime/stop-signals.ts';
import type { Gateway } from '../../src/serve.ts';
import { createEnvoyLines } from '../../src/telemetry/envoy-lines.ts';
import { createAuditLog, createLogger } from '../../src/telemetry/logger.ts';
import { loadedConfig } from '../command.ts';
import type { Io } from '../command.ts';

/** `gateway serve`: starts the runtime and stays until SIGTERM or SIGINT. */
export function registerServe(program: Command, io: Io): void {
  program
    .command('serve')
    .description('start the gateway: Envoy, the sidecar processes and the admin listener')
    .action(async (_options: unknown, command: Command) => {
      const { config, sources } = loadedConfig(command, io);
      // Loaded only where it is used: every other command starts faster without it.
      const { serve } = await import('../../src/serve.ts');
      const fields = { name: 'gateway' };
      const log = createLogger(config.server.log_level, fields, io.stdout);
      const auditLog = createAuditLog(fields, io.stdout);
      const envoyLines = createEnvoyLines({
        maxPerMinute: config.auth.max_failures_per_minute,
        write: (line, from) => {
          io[from].write(`${line}\n`);
        },
        onUnlogged: (requests) => {
          auditLog.info({ requests }, 'more requests that Envoy refused by itself, not logged one by one');
        },
      });
      const gateway = await serve({
        config,
        sources,
        environment: io.env,
        log,
        onEnvoyLine: envoyLines.take,
        progress: (message) => {
          log.info(message);
        },
      });
      await untilStopped(gateway).finally(envoyLines.flush);
    });
}

/** Resolves when the gateway has drained after the first signal, or was ended by the second. */
export function untilStopped(gateway: Gateway): Promise<void> {
  return new Promise((resolve, reject) => {
    const done = (work: Promise<void>): void => {
      work.finally(forget).then(resolve, reject);
    };
    const forget = onStopSignals(
      () => {
        done(gateway.drain());
      },
      () => {
        done(gateway.kill());
      },
    );
  });
}
