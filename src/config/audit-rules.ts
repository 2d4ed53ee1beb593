import { isLoopbackHost, isPlainAfar, parseHostPort } from './address.ts';
import type { RuleProblem } from './rule.ts';
import type { Config } from './schema.ts';

export function auditProblems(config: Config): readonly (RuleProblem | false)[] {
  return [...withoutTrail(config), ...inTheClear(config)];
}

function withoutTrail({ audit }: Config): readonly (RuleProblem | false)[] {
  const needing = [
    [audit.required, ['audit', 'required']],
    [audit.file !== '', ['audit', 'file']],
    [audit.otlp.endpoint !== '', ['audit', 'otlp', 'endpoint']],
    [audit.syslog.address !== '', ['audit', 'syslog', 'address']],
  ] as const;
  const message = 'needs audit.enabled: true';
  return needing.map(([isSet, path]) => isSet && !audit.enabled && { path, message });
}

/** Records name keys, owners and models, and headers hold credentials. */
function inTheClear({ audit, server }: Config): readonly (RuleProblem | false)[] {
  if (server.insecure_dev) return [];
  const { otlp, syslog } = audit;
  const plainHost = syslog.tls ? undefined : parseHostPort(syslog.address)?.host;
  return [
    otlp.endpoint !== '' &&
      isPlainAfar(otlp.endpoint) && {
        path: ['audit', 'otlp', 'endpoint'],
        message:
          'must be https:// (plain http is allowed for loopback addresses, or with SERVER_INSECURE_DEV=true)',
      },
    plainHost !== undefined &&
      !isLoopbackHost(plainHost) && {
        path: ['audit', 'syslog', 'tls'],
        message: 'must be true, except for loopback addresses or with SERVER_INSECURE_DEV=true',
      },
  ];
}
