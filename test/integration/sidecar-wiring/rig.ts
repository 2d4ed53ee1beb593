import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ConfigInput } from '../../../src/config/schema.ts';
import { defaultConfig } from '../../support/default-config.ts';
import { createKeyPair } from '../../support/jose.ts';
import { startHttpReceiver } from '../../support/otlp-receiver.ts';
import { startTestRedis } from '../../support/redis.ts';
import { asks, type AskedChat } from '../../support/settings/asking.ts';
import { startListener } from '../../support/settings/listener.ts';
import { startTestSidecar } from '../../support/settings/sidecar.ts';

export const ISSUER = 'https://issuer.test';
export const AUDIENCE = 'https://gateway.test';
export const PAIR = createKeyPair();
export const AUDIT_SECRET = 'a secret of the trail';

const CARD = `metadata: { name: wired }
rules:
  - { name: no-zebras, conditions: [{ field: prompt_text, op: contains, value: zebra }], action: deny }
  - { name: ask-for-yaks, conditions: [{ field: prompt_text, op: contains, value: yak }], action: escalate }
`;
const REGO = `package gateway.policy
deny contains reason if {
  startswith(input.request.model, "okapi")
  reason := sprintf("no calls of %s", [input.request.model])
}
deny contains "a second turn" if {
  contains(input.action.normalized_prompt, "tapir")
  input.session.drift.turn_count > 1
}
`;

interface Outside {
  readonly redis: string;
  readonly hooks: string;
  readonly spans: string;
  readonly policies: string;
}

function everythingOn({ redis, hooks, spans, policies }: Outside): ConfigInput {
  return {
    server: { log_level: 'error', dlp: { enabled: true } },
    redis: { addr: redis },
    audit: { enabled: true, stdout: false, secret: AUDIT_SECRET },
    policy: { enabled: true, policy_dir: policies },
    proxy: { remote_content: 'allow' },
    alerting: {
      webhook_url: `${hooks}/hook`,
      thresholds: [{ percent: 50, message: 'half' }],
      events: ['quarantine', 'escalation', 'circuit'],
    },
    metrics: { budget_keys: 5, spend_models: 5, spend_owners: 5 },
    otel: { enabled: true, protocol: 'http', endpoint: spans },
    zsp: {
      enabled: true,
      jwks_url: `${hooks}/jwks`,
      issuer: ISSUER,
      audience: AUDIENCE,
      escalation_enabled: true,
      escalation_secret: '0123456789abcdef0123456789abcdef',
      escalation_timeout: '0.3s',
    },
    mcp: {
      enabled: true,
      servers: [
        { name: 'files', url: 'https://files.test/mcp' },
        { name: 'broken', url: 'https://broken.test/mcp' },
      ],
      circuit_breaker: { threshold: 1 },
    },
    providers: {
      azure: { base_url: 'https://azure.test', deployments: { prod: 'gpt-4o' } },
      openai: { base_url: 'https://openai.test/v1' },
      groq: { base_url: 'http://127.0.0.1:9/openai' },
    },
  };
}

export type Wired = Awaited<ReturnType<typeof startWired>>;

/** A sidecar with all features, built by its own composition root, and all its outputs. */
export async function startWired() {
  const redis = await startTestRedis();
  const hooks = await startListener({ '/jwks': { keys: [PAIR.jwk] } });
  const spans = await startHttpReceiver();
  const policies = mkdtempSync(join(tmpdir(), 'gw-test-wiring-'));
  writeFileSync(join(policies, 'card.yaml'), CARD);
  writeFileSync(join(policies, 'okapi.rego'), REGO);
  const outside = { redis: redis.addr, hooks: hooks.url, spans: spans.endpoint, policies };
  const config = defaultConfig(everythingOn(outside), { SERVER_INSECURE_DEV: 'true' });
  const sidecar = await startTestSidecar(config, redis);
  return {
    redis,
    hooks,
    spans,
    sidecar,
    ask: (asked: AskedChat) => asks({ config, redis, sidecar: () => Promise.resolve(sidecar) }, asked),
    /** All Redis contents, as text. */
    async kept(): Promise<string> {
      const { client } = redis;
      const values = (await client.keys('*')).map(async (key) => {
        const type = await client.type(key);
        if (type === 'hash') return [key, await client.hgetall(key)];
        if (type === 'stream') return [key, await client.xrange(key, '-', '+')];
        return [key, type === 'string' ? await client.get(key) : type];
      });
      return JSON.stringify(await Promise.all(values));
    },
    async close() {
      await sidecar.close();
      await spans.close();
      await redis.close();
      rmSync(policies, { recursive: true });
    },
  };
}
