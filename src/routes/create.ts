import { createRedisBreakerStore } from '../checks/mcp-breaker/store.ts';
import { phaseDeadlineMs } from '../config/cross-field-rules.ts';
import type { Config } from '../config/schema.ts';
import { messageOf } from '../errors.ts';
import type { RedisClient } from '../redis/client.ts';
import type { Logger } from '../telemetry/logger.ts';
import { createAliases, type Aliases, type AliasesDeps } from './aliases.ts';
import { createTargetHealth, type TargetHealth } from './health.ts';

export interface AliasesParts extends Pick<AliasesDeps, 'route' | 'providerCredentials'> {
  readonly config: Config;
  readonly client: RedisClient;
  readonly log: Pick<Logger, 'warn'>;
}

export function createAliasesOnRedis(parts: AliasesParts): Aliases {
  const { config, route, providerCredentials } = parts;
  return createAliases({ config, route, providerCredentials, health: targetHealth(parts) });
}

/** Returns undefined if circuit breakers are off or no alias has several targets. Neither case needs Redis. */
function targetHealth({ config, client, log }: AliasesParts): TargetHealth | undefined {
  const { enabled, threshold, window_seconds } = config.routes.circuit_breaker;
  const hasSeveral = Object.values(config.models).some((targets) => targets.length > 1);
  if (!enabled || !hasSeveral) return undefined;
  const store = createRedisBreakerStore({
    client,
    deadlineMs: phaseDeadlineMs(config),
    threshold,
    windowMs: window_seconds * 1_000,
    // A probe may take as long as an answer. Another one is sent only after that.
    probeLeaseMs: config.proxy.upstream_timeout,
  });
  return createTargetHealth({
    store,
    onChange(target, { circuit, change }) {
      log.warn({ target, circuit, change }, "a target's circuit has changed");
    },
    onFailure(cause) {
      log.warn({ cause: messageOf(cause) }, "a target's result was not recorded");
    },
  });
}
