import type { Config } from '../../src/config/schema.ts';
import { messageOf } from '../../src/errors.ts';
import type { CredentialProbe } from '../../src/offline-credentials.ts';
import { policySources } from '../../src/policy/policy-files.ts';
import { fail, off, ok, warn, type Diagnosis } from './finding.ts';

const SECRETS = {
  quarantine: 'secrets quarantine the key',
  mask: 'secrets are masked',
  mask_unscored: 'secrets are masked without a risk score',
} as const satisfies Record<Config['mcp']['inspector']['secrets'], string>;

/** Shows what each security engine does with this configuration (docs/doctor.md). */
export function diagnoseEngines(config: Config): Diagnosis[] {
  const { loop_detection: loop, risk_profile: risk, rate_limit: rate, session, mcp } = config;
  const { dlp } = config.server;
  const { drift_detection: drift } = session;
  const engines: readonly (readonly [name: string, isOn: boolean, how: string])[] = [
    ['loop detection', loop.enabled, `action ${loop.action}`],
    [
      'risk engine',
      risk.enabled,
      `locks a key above ${risk.auto_quarantine_threshold}, blocks it above ${risk.permanent_block_threshold}`,
    ],
    ['drift detection', drift.enabled, `denies above ${drift.drift_score_threshold}`],
    ['DLP gate', dlp.enabled, dlpScope(dlp)],
    [
      'DLP gate for requests',
      dlp.requests !== 'off',
      dlp.request_classes === undefined ? dlp.requests : `${dlp.requests} ${dlp.request_classes.join(', ')}`,
    ],
    [
      'tool response inspector',
      mcp.enabled && mcp.inspector.enabled,
      `MCP servers: ${mcp.servers.length}; ${SECRETS[mcp.inspector.secrets]}${mcp.inspector.credentials === 'mask' ? ', credentials are masked' : ''}`,
    ],
    [
      'MCP circuit breaker',
      mcp.enabled && mcp.circuit_breaker.enabled,
      `opens at ${mcp.circuit_breaker.threshold} failures in ${mcp.circuit_breaker.window_seconds} s`,
    ],
    ['rate limit', rate.enabled, `requests per minute: ${rate.requests_per_minute}`],
  ];
  const shadow = config.server.shadow_mode
    ? [
        warn(
          'engines',
          'shadow mode: loops, drift, DLP, the inspector and policies only record, and deny or mask nothing',
        ),
      ]
    : [];
  return [
    ...engines.map(([name, isOn, how]) =>
      isOn ? ok('engines', `${name}: on, ${how}`) : off('engines', `${name}: off`),
    ),
    ...uninspected(config),
    ...shadow,
  ];
}

function uninspected({ server, policy, mcp }: Config): Diagnosis[] {
  const servers = mcp.enabled ? mcp.servers.length : 0;
  const gaps: readonly (readonly [isGap: boolean, message: string])[] = [
    [
      !policy.enabled && server.dlp.requests === 'off',
      'nothing inspects requests: prompts reach providers unchecked; set policy.enabled with presets: [safety], or server.dlp.requests',
    ],
    [
      !server.dlp.enabled,
      'nothing inspects answers: secrets and personal data reach clients; set server.dlp.enabled',
    ],
    [servers > 0 && !mcp.inspector.enabled, 'nothing inspects MCP server answers; set mcp.inspector.enabled'],
  ];
  return gaps.flatMap(([isGap, message]) => (isGap ? [warn('engines', message)] : []));
}

function dlpScope({
  scan_secrets,
  scan_pii,
  scan_network,
  scan_credentials,
  scan_iban,
  scan_wallet_keys,
  scan_seed_phrases,
  scan_tool_arguments,
  answer_classes,
  action,
}: Config['server']['dlp']): string {
  const scopes = [
    ...(scan_secrets ? ['secrets'] : []),
    ...(scan_pii ? ['personal data'] : []),
    ...(scan_network ? ['private networks'] : []),
    ...(scan_credentials ? ['credentials'] : []),
    ...(scan_iban ? ['bank account numbers'] : []),
    ...(scan_wallet_keys ? ['wallet keys'] : []),
    ...(scan_seed_phrases ? ['seed phrases'] : []),
  ];
  return `${scopes.length === 0 ? 'scans for nothing' : scopes.join(', ')}; ${action ?? 'secrets quarantine the key, other findings are masked'}${scan_tool_arguments ? '' : '; not in tool arguments'}${answer_classes === undefined ? '' : `; in answers ${answer_classes.join(', ')} only`}`;
}

/** Tests that the inspector finds MCP server credentials that a server repeats. */
export async function probeServerCredentials(config: Config): Promise<Diagnosis[]> {
  const { mcp } = config;
  const hasNoCredentials = mcp.servers.every(
    ({ headers, url }) => Object.keys(headers).length === 0 && !url.includes('?'),
  );
  if (!mcp.enabled) return [];
  if (!mcp.inspector.enabled) {
    const message =
      'mcp.inspector.enabled: false: servers may reveal to clients the credentials that the gateway sends them';
    return hasNoCredentials ? [] : [warn('credentials', message)];
  }
  try {
    // Loaded on demand, because the checks would slow down every other command.
    const { probeCredentials } = await import('../../src/offline-credentials.ts');
    return (await probeCredentials(config)).flatMap(diagnoseServer);
  } catch (error) {
    return [fail('credentials', `a probe could not be run: ${messageOf(error)}`)];
  }
}

function diagnoseServer({ server, guarded, unproven, mayTell, ...rest }: CredentialProbe): Diagnosis[] {
  const proven = guarded.filter((name) => !unproven.includes(name));
  const lines: readonly (readonly [readonly string[], (names: string) => Diagnosis])[] = [
    [proven, (names) => ok('credentials', `${server}: ${names}: found when a server repeats them`)],
    [rest.public, (names) => ok('credentials', `${server}: ${names}: public, may be repeated`)],
    [
      rest.short,
      (names) =>
        warn(
          'credentials',
          `${server}: ${names}: shorter than 8 characters, too short to distinguish from other text`,
        ),
    ],
    [
      unproven,
      (names) =>
        mayTell
          ? warn('credentials', `${server}: ${names}: may be repeated (mcp.servers[].suppress)`)
          : fail('credentials', `${server}: ${names}: not found when a server repeats them`),
    ],
  ];
  return lines.flatMap(([names, diagnosis]) => (names.length === 0 ? [] : [diagnosis(names.join(', '))]));
}

/** Tests normalization and the enabled engines that have a probe, each with a sample that it must detect. */
export async function probeEngines(config: Config): Promise<Diagnosis[]> {
  const { policy, server, mcp, loop_detection, risk_profile } = config;
  const sources = policy.enabled ? policySources(policy) : undefined;
  // Loaded on demand, because the checks would slow down every other command.
  const { PROBES } = await import('../../src/offline-probe.ts');
  const wanted = [
    PROBES.normalization,
    ...(loop_detection.enabled ? [PROBES.loop] : []),
    ...(risk_profile.enabled ? [PROBES.risk] : []),
    ...(server.dlp.enabled ? [PROBES.dlp] : []),
    ...(mcp.enabled && mcp.inspector.enabled ? [PROBES.inspector] : []),
    ...(policy.enabled ? [PROBES.policy] : []),
  ];
  const findings: Diagnosis[] = [];
  for (const probe of wanted) {
    try {
      const { engine, proven, message } = await probe({ config, sources });
      findings.push((proven ? ok : fail)('probes', `${engine}: ${message}`));
    } catch (error) {
      findings.push(fail('probes', `a probe could not be run: ${messageOf(error)}`));
    }
  }
  return findings;
}
