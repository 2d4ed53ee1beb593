import { describe, expect, it } from 'vitest';
import { defaultConfig } from '../../support/default-config.ts';
import { configValueAt } from '../../../src/config/values.ts';
import { PROVIDER_NAMES } from '../../../src/providers/registry.ts';

const s = 1_000;
const h = 3_600 * s;

/** The configuration table of the specification, and later decisions. */
const DEFAULTS: readonly (readonly [string, unknown])[] = [
  ['server.port', 8080],
  ['server.admin_host', '127.0.0.1'],
  ['server.admin_port', 9090],
  ['server.log_level', 'info'],
  ['server.read_timeout', 30 * s],
  ['server.write_timeout', 120 * s],
  ['server.max_payload_bytes', 2_097_152],
  ['server.max_open_per_key', 4_000],
  ['server.max_open_per_address', 8_000],
  ['server.shed_after', 1_000],
  ['server.shadow_mode', false],
  ['server.strip_budget_headers', false],
  ['server.error_format', 'gateway'],
  ['redis.addr', 'localhost:6379'],
  ['redis.password', ''],
  ['redis.db', 0],
  ['redis.max_retries', 3],
  ['redis.dial_timeout', 5 * s],
  ['redis.read_timeout', 2 * s],
  ['redis.write_timeout', 2 * s],
  ['proxy.connect_timeout', 5 * s],
  ['proxy.upstream_timeout', 300 * s],
  ['session.max_per_key', 0],
  ['loop_detection.enabled', true],
  ['loop_detection.fingerprint.threshold', 3],
  ['loop_detection.fingerprint.window_seconds', 60],
  ['loop_detection.fingerprint.similarity_threshold', 0.95],
  ['loop_detection.fingerprint.defeat_padding', false],
  ['loop_detection.velocity.max_rps', 0],
  ['loop_detection.velocity.max_endpoint_repeats', 0],
  ['loop_detection.velocity.repeat_window_seconds', 60],
  ['loop_detection.stall.min_hamming_distance', 0],
  ['loop_detection.stall.low_diversity_threshold', 5],
  ['loop_detection.action', 'warn'],
  ['mcp.enabled', false],
  ['mcp.max_request_size', 1_048_576],
  ['mcp.unknown_methods', 'deny'],
  ['mcp.servers', []],
  ['mcp.circuit_breaker', { enabled: true, threshold: 5, window_seconds: 60 }],
  ['mcp.inspector.enabled', true],
  ['mcp.inspector.secrets', 'quarantine'],
  ['mcp.inspector.credentials', 'off'],
  ['mcp.inspector.quarantine_duration', h],
  ['mcp.inspector.custom_injection_patterns', []],
  ['risk_profile.enabled', true],
  ['risk_profile.ttl', 0],
  ['risk_profile.auto_quarantine_threshold', 75],
  ['risk_profile.permanent_block_threshold', 90],
  ['alerting.webhook_url', ''],
  ['alerting.thresholds', []],
  ['alerting.events', []],
  ['policy.enabled', false],
  ['policy.policy_file', './policies.yaml'],
  ['policy.policy_dir', './policies'],
  ['policy.presets', []],
  ['policy.default_action', undefined],
  ['signature.enabled', false],
  ['signature.type', 'hmac'],
  ['signature.secret', ''],
  ['rate_limit.enabled', false],
  ['rate_limit.requests_per_minute', 60],
  ['otel.enabled', false],
  ['otel.endpoint', 'localhost:4317'],
  ['otel.protocol', 'grpc'],
  ['otel.sampling_rate', 1],
  ['zsp.enabled', false],
  ['zsp.jwt_only', false],
  ['zsp.jwks_url', ''],
  ['zsp.escalation_enabled', false],
  ['zsp.escalation_secret', ''],
  ['server.dlp.enabled', false],
  ['server.dlp.action', undefined],
  ['server.dlp.scan_secrets', true],
  ['server.dlp.scan_pii', true],
  ['server.dlp.scan_network', false],
  ['server.dlp.scan_credentials', false],
  ['server.dlp.scan_iban', false],
  ['server.dlp.scan_wallet_keys', false],
  ['server.dlp.scan_seed_phrases', false],
  ['server.dlp.allowed_hosts', []],
  ['server.dlp.scan_tool_arguments', true],
  ['server.dlp.answer_classes', undefined],
  ['server.dlp.request_unmaskable', 'deny'],
  ['server.dlp.quarantine_duration', h],
  ['session.drift_detection.enabled', false],
  ['session.drift_detection.min_turns', 3],
  ['session.drift_detection.anchor_similarity_threshold', 0.08],
  ['session.drift_detection.drift_score_threshold', 0.45],
  ['server.host', '0.0.0.0'],
  ['server.workers', 1],
  ['server.drain_timeout', 25 * s],
  ['server.insecure_dev', false],
  ['server.dlp.requests', 'off'],
  ['session.ttl', 24 * h],
  ['session.required', false],
  ['auth.max_failures_per_minute', 60],
  ['auth.trusted_hops', 0],
  ['proxy.unknown_endpoints', 'deny'],
  ['proxy.provider_tools', []],
  ['proxy.provider_tools_action', 'remove'],
  ['proxy.stored_prompts', 'deny'],
  ['proxy.remote_content', undefined],
  ['pricing.default_max_output_tokens', 8192],
  ['pricing.default_context_tokens', 200_000],
  ['pricing.abort_slack_tokens', 256],
  ['pricing.output_tokens_per_second.openai', 300],
  ['pricing.output_tokens_per_second.gemini', 1_000],
  ['pricing.output_tokens_per_second.groq', 3_000],
  ['pricing.lower_client_limits', true],
  ['pricing.unknown_model', undefined],
  ['pricing.overrides', {}],
  ['pricing.tools', {}],
  ['providers.azure.deployments', {}],
  ['zsp.leeway', 30 * s],
  ['zsp.escalation_timeout', 60 * s],
  ['zsp.max_pending', 100],
  ['zsp.max_pending_per_key', undefined],
  ['envoy.managed', true],
];

describe('without a file', () => {
  const config = defaultConfig();

  it.each(DEFAULTS)('%s is %j', (path, value) => {
    expect(configValueAt(config, path.split('.'))).toEqual(value);
  });

  it('has a group for each provider, without a base URL', () => {
    expect(Object.keys(config.providers).toSorted()).toEqual(PROVIDER_NAMES.toSorted());
    for (const name of PROVIDER_NAMES) expect(config.providers[name].base_url).toBeUndefined();
  });

  it('is frozen at every depth', () => {
    const frozen = (value: unknown): boolean =>
      typeof value !== 'object' ||
      value === null ||
      (Object.isFrozen(value) && Object.values(value).every(frozen));
    expect(frozen(config)).toBe(true);
    expect(() => Object.assign(config.server, { port: 1 })).toThrow(TypeError);
  });
});
