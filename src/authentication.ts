import { createAuthenticate } from './auth/authenticate.ts';
import { createFailureLimit } from './auth/failure-limit.ts';
import { createHeldAttemptCounts } from './auth/held-attempts-store.ts';
import type { TokenGate } from './auth/jwt/token-gate.ts';
import { createKeyStateStore } from './auth/key-state-store.ts';
import { hashKey } from './auth/raw-key.ts';
import { phaseDeadlineMs } from './config/cross-field-rules.ts';
import type { Config } from './config/schema.ts';
import { messageOf } from './errors.ts';
import type { EdgeServices } from './extproc/services.ts';
import type { RedisClient } from './redis/client.ts';
import type { Fitness } from './redis/fitness.ts';
import type { Logger } from './telemetry/logger.ts';
import type { Metrics } from './telemetry/metrics.ts';

export interface AuthenticationDeps {
  readonly config: Config;
  readonly client: RedisClient;
  readonly fitness: Fitness;
  /** Undefined if JWTs are not used. */
  readonly tokens: TokenGate | undefined;
  readonly log: Logger;
  readonly auditLog: Logger;
  readonly metrics: Metrics;
}

export function authentication(deps: AuthenticationDeps): Pick<EdgeServices, 'authenticate' | 'knowsAnyKey'> {
  const { config, client, fitness, tokens, log, auditLog, metrics } = deps;
  function onNoteFailed(failure: unknown): void {
    log.debug({ cause: messageOf(failure) }, 'a note was not stored in Redis');
  }
  const keys = createKeyStateStore({ client, deadlineMs: phaseDeadlineMs(config), onNoteFailed });
  const judge = createAuthenticate({
    keys,
    failures: createFailureLimit({
      client,
      maxFailuresPerMinute: config.auth.max_failures_per_minute,
      onFailure({ clientAddress, overLimit, fault }) {
        if (fault !== undefined) metrics.tokenRefusals.inc({ fault });
        if (overLimit) metrics.authLimited.inc();
        else auditLog.info({ client_address: clientAddress, fault }, 'authentication failed');
      },
      onCountFailed: onNoteFailed,
    }),
    heldAttempts: createHeldAttemptCounts({ client, onNoteFailed }),
    riskProfile: config.risk_profile,
    tokens,
  });
  return {
    async authenticate(attempt) {
      const asksRedis = attempt.rawKey !== undefined || tokens !== undefined;
      if (!fitness.fit && asksRedis) await fitness.assertFit();
      return judge(attempt);
    },
    knowsAnyKey: (rawKeys) => keys.knowsAny(rawKeys.map(hashKey)),
  };
}
