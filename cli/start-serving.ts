import { credentialVariables } from '../src/runtime/credentials.ts';
import { serve, type Gateway, type ServeOptions } from '../src/serve.ts';
import { createEnvoyLines } from '../src/telemetry/envoy-lines.ts';
import { createAuditLog, createLogger } from '../src/telemetry/logger.ts';
import type { Io } from './command.ts';
import { buildInfo } from './version.ts';

export interface Serving {
  readonly gateway: Gateway;
  close(): void;
}

export interface StartServingOptions extends Pick<
  ServeOptions,
  'config' | 'renderEnvoy' | 'ahead' | 'reload'
> {
  readonly io: Io;
}

/** Starts everything that `gateway serve` runs. `close` logs how many Envoy refusals are still unlogged. */
export async function startServing({ io, ...options }: StartServingOptions): Promise<Serving> {
  const { config } = options;
  const fields = { name: 'gateway' };
  const log = createLogger(config.server.log_level, fields, io.stdout);
  const auditLog = createAuditLog(fields, io.stdout);
  const envoyLines = createEnvoyLines({
    maxPerMinute: config.auth.max_failures_per_minute,
    write: (line, from) => {
      io[from].write(`${line}\n`);
    },
    onUnlogged: (requests) =>
      auditLog.info({ requests }, 'further requests refused by Envoy, not logged individually'),
  });
  const gateway = await serve({
    ...options,
    environment: withhold(credentialVariables(config), io.env),
    build: buildInfo(),
    log,
    onEnvoyLine: envoyLines.take,
    progress: (message) => log.info(message),
  });
  return { gateway, close: envoyLines.flush };
}

/** Removes variables from the environment inherited by child processes. Returns a copy that still has them. */
function withhold(names: readonly string[], env: Io['env']): Io['env'] {
  const before = { ...env };
  for (const name of names) Reflect.deleteProperty(env, name);
  return before;
}
