import type { ContentClass } from '../detectors/finding.ts';
import { isLoopbackHost, parseExtprocAddress } from './address.ts';
import type { Milliseconds } from './duration.ts';
import { injectionPatterns, mcpServers, suppressedRules } from './mcp-rules.ts';
import { auditProblems, plainHttp, routeTargets, tokenProblems, webhook } from './outbound-rules.ts';
import { problemIf, type Rule, type RuleProblem, type RuleProblems } from './rule.ts';
import type { Config } from './schema.ts';
import { uiProblems } from './ui-rules.ts';

/** Time for one retry in a phase, in addition to `redis.read_timeout` (docs/redis.md). */
const PHASE_SLACK_MS: Milliseconds = 500;
/** Limits how long a hung sidecar blocks a client, because Envoy waits longer than the sidecar. */
const MAX_PHASE_MS: Milliseconds = 30_000;
/** `sun_path` has 104 bytes on some systems, and the worker index is appended. */
const MAX_SOCKET_PATH_BYTES = 98;

/** Deadline for all Redis work of a phase, including retries. Envoy's `message_timeout` is longer. */
export function phaseDeadlineMs(config: Config): Milliseconds {
  return config.redis.read_timeout + PHASE_SLACK_MS;
}

/** Policy time limits per call, in addition to the Redis deadline. Envoy's `message_timeout` exceeds their sum. */
export const POLICY_LIMITS_MS = { wait: 2_500, evaluation: 200, grace: 300 } as const;

export const KEY_SET_TIMEOUT_MS: Milliseconds = 3_000;

export function longestPhaseMs(config: Config): Milliseconds {
  const { wait, evaluation, grace } = POLICY_LIMITS_MS;
  return (
    phaseDeadlineMs(config) +
    (config.policy.enabled ? wait + evaluation + grace : 0) +
    (config.zsp.enabled ? KEY_SET_TIMEOUT_MS : 0)
  );
}

/** Maximum number of requests of one key that wait for approval at the same time. */
export function pendingPerKey({ zsp }: Config): number {
  return zsp.max_pending_per_key ?? Math.ceil(zsp.max_pending / 10);
}

/** Added to the deadlines after an approval, for long texts and shared cores. */
const AFTER_APPROVAL_MS: Milliseconds = 5_000;
/**
 * Number of phase time limits that cover the work after an approval: a new check of the key and the rest of the phase.
 */
const PHASES_AFTER_APPROVAL = 3;

/** Returns the time limit of an approval and Envoy's timeout for its phase, or undefined if approvals are off. */
export function approvalPatience(
  config: Config,
): { readonly waitMs: Milliseconds; readonly messageTimeoutMs: Milliseconds } | undefined {
  const { escalation_enabled, escalation_timeout: waitMs } = config.zsp;
  if (!escalation_enabled) return undefined;
  return {
    waitMs,
    messageTimeoutMs: waitMs + PHASES_AFTER_APPROVAL * longestPhaseMs(config) + AFTER_APPROVAL_MS,
  };
}

export function crossFieldProblems(config: Config): RuleProblem[] {
  return RULES.flatMap((rule) => rule(config)).filter((problem) => problem !== false);
}

const RULES: readonly Rule[] = [
  phaseDeadline,
  listeners,
  pairRules,
  extproc,
  redisTopology,
  authorityRules,
  plainHttp,
  riskThresholds,
  auditProblems,
  mcpServers,
  injectionPatterns,
  suppressedRules,
  dlpClasses,
  secrets,
  tokenProblems,
  routeTargets,
  uiProblems,
  webhook,
];

function phaseDeadline(config: Config): RuleProblems {
  return [
    problemIf(
      phaseDeadlineMs(config) > MAX_PHASE_MS,
      'redis.read_timeout',
      'must be at most 29.5s, so that Envoy waits longer than the Redis work of a phase (read_timeout + 0.5s)',
    ),
  ];
}

function listeners({ server }: Config): RuleProblems {
  return [problemIf(server.port === server.admin_port, 'server.admin_port', 'must differ from server.port')];
}

function pairRules({ server, redis, audit, ui }: Config): RuleProblems {
  const groups = [
    ['server.tls', server.tls],
    ['server.extproc.tls', server.extproc.tls],
    ['redis.tls', redis.tls],
    ['audit.otlp', audit.otlp],
    ['audit.syslog', audit.syslog],
    ['ui.tls', ui.tls],
  ] as const;
  return groups.map(([path, { cert_file, key_file }]) =>
    problemIf(
      (cert_file === undefined) !== (key_file === undefined),
      `${path}.${cert_file === undefined ? 'key_file' : 'cert_file'}`,
      'needs both cert_file and key_file',
    ),
  );
}

function extproc({ server }: Config): RuleProblems {
  const { address, tls, token } = server.extproc;
  const parsed = address === undefined ? undefined : parseExtprocAddress(address);
  if (parsed === undefined) return [];
  const path = 'server.extproc.address';
  if (parsed.kind === 'unix') {
    return [
      problemIf(
        Buffer.byteLength(parsed.path) > MAX_SOCKET_PATH_BYTES,
        path,
        `must be a path of at most ${String(MAX_SOCKET_PATH_BYTES)} bytes, because socket paths are limited`,
      ),
    ];
  }
  const hasMutualTls = [tls.cert_file, tls.key_file, tls.ca_file].every((file) => file !== undefined);
  const isTokenEnough = token !== undefined && isLoopbackHost(parsed.host);
  return [
    problemIf(
      parsed.port + server.workers - 1 > 65_535,
      path,
      'must leave a port for each of server.workers: they use this port and the following ones',
    ),
    problemIf(
      !hasMutualTls && !isTokenEnough,
      path,
      'over TCP needs mutual TLS (server.extproc.tls cert_file, key_file, ca_file); on a loopback address server.extproc.token is enough',
    ),
  ];
}

function redisTopology({ redis }: Config): RuleProblems {
  const sentinel = redis.sentinel.addrs.length > 0;
  const cluster = redis.cluster.addrs.length > 0;
  return [
    problemIf(sentinel && cluster, 'redis.cluster.addrs', 'cannot be used with redis.sentinel.addrs'),
    problemIf(
      sentinel && redis.sentinel.master_name === undefined,
      'redis.sentinel.addrs',
      'needs redis.sentinel.master_name',
    ),
    problemIf(
      redis.wait_replicas > 0 && redis.wait_timeout >= redis.read_timeout,
      'redis.wait_timeout',
      'must be less than redis.read_timeout, which closes unresponsive connections',
    ),
    problemIf(cluster && redis.db !== 0, 'redis.db', 'must be 0 on a cluster, which has one database'),
  ];
}

/** A gateway addressed by host names has no paths for MCP servers. */
function authorityRules({ proxy, mcp }: Config): RuleProblems {
  return [
    problemIf(
      mcp.enabled && Object.keys(proxy.authorities).length > 0,
      'proxy.authorities',
      'cannot be used with mcp.enabled, whose servers are addressed by path: run a separate gateway for them',
    ),
  ];
}

function riskThresholds({ risk_profile }: Config): RuleProblems {
  return [
    problemIf(
      risk_profile.auto_quarantine_threshold > risk_profile.permanent_block_threshold,
      'risk_profile.auto_quarantine_threshold',
      'must not exceed risk_profile.permanent_block_threshold',
    ),
  ];
}

/** Rejects features whose required settings are empty, because they would not protect anything. */
function secrets({ signature, zsp }: Config): RuleProblems {
  const needed = [
    [signature.enabled, signature.secret, 'signature.secret', 'signature.enabled'],
    [zsp.enabled, zsp.jwks_url, 'zsp.jwks_url', 'zsp.enabled'],
    [zsp.enabled, zsp.issuer, 'zsp.issuer', 'zsp.enabled'],
    [zsp.enabled, zsp.audience, 'zsp.audience', 'zsp.enabled'],
    [zsp.escalation_enabled, zsp.escalation_secret, 'zsp.escalation_secret', 'zsp.escalation_enabled'],
  ] as const;
  return needed.map(([isOn, value, path, switchName]) =>
    problemIf(isOn && value === '', path, `must not be empty with ${switchName}`),
  );
}

type Switch = Extract<keyof Config['server']['dlp'], `scan_${string}`>;

const SWITCHES: Readonly<Record<ContentClass, Switch>> = {
  secret: 'scan_secrets',
  email: 'scan_pii',
  card: 'scan_pii',
  ssn: 'scan_pii',
  phone: 'scan_pii',
  network: 'scan_network',
  credentials: 'scan_credentials',
  iban: 'scan_iban',
  wallet_key: 'scan_wallet_keys',
  seed_phrase: 'scan_seed_phrases',
};

/** Rejects classes whose scan is off, because they would never be detected. */
function dlpClasses({ server: { dlp } }: Config): RuleProblems {
  return (['request_classes', 'answer_classes'] as const).flatMap((list) =>
    (dlp[list] ?? []).map((kind, index) =>
      problemIf(
        !dlp[SWITCHES[kind]],
        ['server', 'dlp', list, index],
        `${kind} is off: set server.dlp.${SWITCHES[kind]}`,
      ),
    ),
  );
}
