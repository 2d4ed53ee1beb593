import { createChecks } from '../../../src/composition/create.ts';
import type { Config } from '../../../src/config/schema.ts';
import { createAdmission } from '../../../src/extproc/admission/admission.ts';
import { createPlaces } from '../../../src/extproc/places.ts';
import type { EdgeServices } from '../../../src/extproc/services.ts';
import { createRunner } from '../../../src/pipeline/run.ts';
import { createCardSet } from '../../../src/policy/cards/card-set.ts';
import type { LivePolicies } from '../../../src/policy/live-policies.ts';
import { policySetOf } from '../../../src/policy/policy-set.ts';
import { connectRedis, waitUntilReady } from '../../../src/redis/client.ts';
import { createRoute } from '../../../src/routing/route.ts';
import { configuredUpstreams } from '../../../src/routing/upstreams.ts';
import { createAuditLog, createLogger } from '../../../src/telemetry/logger.ts';
import { createMetrics } from '../../../src/telemetry/metrics.ts';
import { defaultConfig } from '../default-config.ts';

/** Services of one worker as `serve` composes them: every check is on, and Redis is real. */
export interface EverythingOn {
  readonly services: Omit<EdgeServices, 'authenticate'>;
  /** Failures that are not refusals, oldest first. */
  readonly failures: unknown[];
  close(): Promise<void>;
}

/** Names of the MCP servers that the edge knows. */
export const MCP_SERVER = 'files';

const NOWHERE = { write: (): void => undefined };

/** @param maskedBy the service that masks findings in requests and answers: DLP, or mask rules of a policy card */
export async function startEverythingOn(
  redisAddr: string,
  maskedBy: 'dlp' | 'policies' = 'dlp',
): Promise<EverythingOn> {
  const config = everythingOn(redisAddr, maskedBy === 'dlp');
  const log = createLogger('error', {}, NOWHERE);
  const auditLog = createAuditLog({}, NOWHERE);
  const metrics = createMetrics();
  const redis = connectRedis(config.redis, { name: 'turn-sweep' });
  await waitUntilReady(redis, 10_000);
  const checks = await createChecks({
    policies: maskedBy === 'dlp' ? undefined : maskingPolicies(),
    approvals: undefined,
    alerts: undefined,
    config,
    redis,
    log,
    auditLog,
    metrics,
  });
  const nothing = (): void => undefined;
  const failures: unknown[] = [];
  const observer = {
    verdict: nothing,
    enforceFailed: nothing,
    endFailed: nothing,
    finished: nothing,
    failed: (_requestId: string, cause: unknown) => failures.push(cause),
  };
  const admission = createAdmission({ limitMs: 60_000, onShed: () => undefined });
  const services: Omit<EdgeServices, 'authenticate'> = {
    providerCredentials: {
      choose: (_key, _provider, providerKey) => ({ providerKey }),
      answered: () => undefined,
    },
    knowsAnyKey: () => Promise.resolve(false),
    admission,
    places: createPlaces({ maxPerKey: 1_000, maxPerAddress: 1_000, maxAwaitingBody: 1_000 }),
    route: createRoute(config, configuredUpstreams(config)),
    newRun: createRunner({ checks: checks.inOrder, shadowMode: false, observer, newBatch: checks.newBatch }),
    settings: {
      upstreamTimeoutMs: 600_000,
      stripTelemetry: false,
      errorFormat: 'gateway',
      refusalDetails: 'full',
      allowedOrigins: [],
    },
    observer,
    takeAnonymousLine: () => true,
  };
  return {
    services,
    failures,
    async close() {
      admission.close();
      await checks.close();
      redis.disconnect();
    },
  };
}

const MASKING_CARD = `metadata: { name: masking }
rules:
  - name: addresses
    conditions: [{ field: prompt_text, op: detects, value: email }]
    action: mask
  - name: cards
    conditions: [{ field: prompt_text, op: detects, value: card }]
    action: mask
  - name: secrets
    conditions: [{ field: prompt_text, op: detects, value: secrets }]
    action: mask
  - name: word
    conditions: [{ field: prompt_text, op: contains, value: ignore }]
    action: mask
  - name: numbers
    conditions: [{ field: prompt_text, op: matches_regex, value: 'a[0-9]+' }]
    action: mask
`;

function maskingPolicies(): LivePolicies {
  const cards = createCardSet([{ name: 'masking.yaml', text: MASKING_CARD, isPreset: false }]);
  const set = policySetOf('sha256:masking', cards, undefined);
  return { current: () => set, close: () => set.close() };
}

function everythingOn(redisAddr: string, dlpMasks: boolean): Config {
  const config = defaultConfig();
  const { server, session, loop_detection: loop, mcp } = config;
  return {
    ...config,
    redis: { ...config.redis, addr: redisAddr },
    providers: {
      ...config.providers,
      azure: { base_url: 'https://azure.test', deployments: {} },
      vllm: { base_url: 'https://vllm.test' },
    },
    server: {
      ...server,
      dlp: { ...server.dlp, enabled: dlpMasks, scan_network: true, requests: 'mask', action: 'mask' },
    },
    session: {
      ...session,
      required: true,
      drift_detection: { ...session.drift_detection, enabled: true, min_turns: 1 },
    },
    loop_detection: {
      ...loop,
      fingerprint: { ...loop.fingerprint, defeat_padding: true },
      stall: { ...loop.stall, min_hamming_distance: 3 },
    },
    mcp: {
      ...mcp,
      enabled: true,
      max_request_size: server.max_payload_bytes,
      servers: [
        {
          name: MCP_SERVER,
          url: 'https://mcp.test/mcp',
          headers: { authorization: 'Bearer the-server-s-own-credential-1234567890' },
          public: [],
          suppress: [],
          tool_costs: {},
          pin: 'block',
        },
      ],
    },
  } as Config;
}
