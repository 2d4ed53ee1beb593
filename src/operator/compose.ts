import { readFileSync } from 'node:fs';
import { phaseDeadlineMs } from '../config/cross-field-rules.ts';
import type { Config } from '../config/schema.ts';
import { signInKindsOf } from '../config/ui-rules.ts';
import { createAcknowledgement, type Acknowledgement } from '../redis/acknowledged.ts';
import { connectRedis, firstAttempt, type RedisClient } from '../redis/client.ts';
import type { Logger } from '../telemetry/logger.ts';
import { apiRoutes } from './api/routes.ts';
import { createEscalationListeners, type EscalationListeners } from './watch-escalations.ts';
import { createRedisOperations } from './redis-operations.ts';
import { createDefinitionStore } from '../checks/mcp-inspector/definition-store.ts';
import { PROBE_LEASE_MS } from '../checks/mcp-breaker/config.ts';
import { createRedisBreakerStore } from '../checks/mcp-breaker/store.ts';
import { createFeed } from './decisions/feed.ts';
import { createGatewayStore } from './gateways/gateway-store.ts';
import { createRedisInfoStore } from './redis-info-store.ts';
import { createSpendReports } from './spend-reports.ts';
import { createKeySurveys } from './survey/key-surveys.ts';
import { allowedOrigins } from './guard.ts';
import { startListener, type ListenerTls } from './listener.ts';
import { routeTable } from './api/route.ts';
import type { PageServices } from './services.ts';
import { createSignInAttempts } from './sign-in/attempt-store.ts';
import { bySession } from './sign-in/by-session.ts';
import { createProxyWays } from './sign-in/by-proxy.ts';
import { createCsrfTokens, type CsrfTokenOf } from './sign-in/csrf-key-store.ts';
import { firstOf, type Identify } from './sign-in/identify.ts';
import { createOidc, type OidcSignIn } from './sign-in/oidc.ts';
import { createPagePassword } from './sign-in/password-store.ts';
import { createPageSessions } from './sign-in/session-store.ts';
import { byToken, createApiTokens } from './sign-in/tokens.ts';
import { createMadeChanges } from './made-change-store.ts';
import { readStaticFiles } from './static-files.ts';

export interface OperatorPageOptions {
  readonly config: Config;
  readonly tls: ListenerTls | undefined;
  readonly version: string;
  readonly folder: string;
  readonly log: Logger;
}

export interface OperatorPage {
  readonly port: number;
  renewTls(tls: ListenerTls): void;
  close(): Promise<void>;
}

const CLIENT = 'gateway-ui';

/** Composition root of the operator page. If Redis is down, the page is still served and reports the outage. */
export async function startOperatorPage(options: OperatorPageOptions): Promise<OperatorPage> {
  const { config, tls, folder, log } = options;
  const client = connectRedis(config.redis, {
    name: CLIENT,
    onState: (state, reason) => {
      if (state === 'down')
        log.warn({ cause: reason?.message }, 'Redis is unavailable: the operator page cannot show data');
    },
  });
  const acknowledgement = createAcknowledgement(config.redis, CLIENT);
  const listeners = createEscalationListeners(config.redis, `${CLIENT}-listener`);
  const closers: (() => void)[] = [];
  function disconnect(): void {
    for (const close of closers) close();
    listeners.close();
    acknowledgement?.close();
    client.disconnect();
  }
  try {
    await firstAttempt(client, config.redis.dial_timeout);
    const services = pageServices(options, { client, acknowledgement, listeners });
    closers.push(services.feed.close);
    const oidc = oidcOf(config);
    const csrfTokens = createCsrfTokens({ client, deadlineMs: phaseDeadlineMs(config) });
    const proxy = proxyWays(config, csrfTokens, log);
    const origins = allowedOrigins(config);
    const listener = await startListener({
      host: config.ui.host,
      port: config.ui.port,
      tls,
      origins: () => origins,
      routes: routeTable(apiRoutes(services, oidc)),
      files: await readStaticFiles(folder),
      identify: firstOf([
        byToken(services.tokens),
        ...proxy.first,
        bySession(services.sessions, signInKindsOf(config)),
        ...proxy.last,
      ]),
      log,
    });
    return {
      port: listener.port,
      renewTls: listener.renewTls,
      close: async () => {
        await listener.close();
        disconnect();
      },
    };
  } catch (error) {
    disconnect();
    throw error;
  }
}

interface Connections {
  readonly client: RedisClient;
  readonly acknowledgement: Acknowledgement | undefined;
  readonly listeners: EscalationListeners;
}

function pageServices(
  { config, version, log }: OperatorPageOptions,
  { client, acknowledgement, listeners: { watchEscalations } }: Connections,
): PageServices {
  const storeOptions = { client, deadlineMs: phaseDeadlineMs(config) };
  const { idle, absolute } = config.ui.session;
  const { threshold, window_seconds } = config.mcp.circuit_breaker;
  const operations = createRedisOperations({ client, config, acknowledgement, watchEscalations });
  const redis = createRedisInfoStore(storeOptions);
  const surveys = createKeySurveys(operations, () => redis.countKeys());
  return {
    config,
    version,
    log,
    operations,
    sessions: createPageSessions({ ...storeOptions, idleMs: idle, absoluteMs: absolute }),
    password: createPagePassword(storeOptions),
    attempts: createSignInAttempts(storeOptions),
    tokens: createApiTokens(storeOptions),
    madeChanges: createMadeChanges(storeOptions),
    feed: createFeed(operations),
    surveys,
    spend: createSpendReports(operations, surveys),
    gateways: createGatewayStore(storeOptions),
    redis,
    definitions: createDefinitionStore(storeOptions),
    circuits: createRedisBreakerStore({
      ...storeOptions,
      threshold,
      windowMs: window_seconds * 1_000,
      probeLeaseMs: PROBE_LEASE_MS,
    }),
  };
}

function oidcOf({ ui: { oidc } }: Config): OidcSignIn | undefined {
  const { issuer, client_id: clientId, client_secret_file: file, owner_claim: ownerClaim } = oidc;
  if (issuer === undefined || clientId === undefined) return undefined;
  return createOidc({
    issuer,
    clientId,
    // Read on each use, so that a renewed secret needs no restart.
    clientSecret: () => (file === undefined ? undefined : readFileSync(file, 'utf8').trim()),
    scopes: oidc.scopes,
    roleClaim: oidc.role_claim,
    roles: oidc.roles,
    ownerClaim,
  });
}

interface ProxyWaysInOrder {
  readonly first: readonly Identify[];
  readonly last: readonly Identify[];
}

function proxyWays({ ui: { proxy_auth } }: Config, csrfTokenOf: CsrfTokenOf, log: Logger): ProxyWaysInOrder {
  const { header, from, role_header: roleHeader } = proxy_auth;
  if (header === undefined) return { first: [], last: [] };
  const { byProxy, refuseForged } = createProxyWays({
    header: header.toLowerCase(),
    from,
    roleHeader: roleHeader?.toLowerCase(),
    csrfTokenOf,
    log,
  });
  return { first: [byProxy], last: [refuseForged] };
}
