/** Rules about addresses that the gateway sends to or fetches from, and about settings that depend on them. */
import { isIP } from 'node:net';
import { isForbidden } from '../alerting/address.ts';
import { secretBytes } from '../alerting/sign.ts';
import { PROVIDER_NAMES, providers as known } from '../providers/registry.ts';
import { isLoopbackHost, isPlainRemote, parseHostPort } from './address.ts';
import { ONLY_HTTPS, type RuleProblems } from './rule.ts';
import type { Config } from './schema.ts';

const SELF_HOSTED = PROVIDER_NAMES.filter((name) => known[name].selfHosted);
const REMOTE = PROVIDER_NAMES.filter((name) => !known[name].selfHosted);

/** Credentials are sent to these addresses; plain HTTP is safe only on this machine. */
export function plainHttp({ server, providers, mcp, credentials }: Config): RuleProblems {
  if (server.insecure_dev) return [];
  const bases = REMOTE.map((name) => ({
    url: providers[name].base_url,
    problem: {
      path: ['providers', name, 'base_url'],
      message: `must be https:// (plain http is allowed for loopback addresses, ${SELF_HOSTED.join(' and ')}, or with SERVER_INSECURE_DEV=true)`,
    },
  }));
  const servers = mcp.servers.map(({ url }, index) => ({
    url,
    problem: {
      path: ['mcp', 'servers', index, 'url'],
      message: ONLY_HTTPS,
    },
  }));
  const vaults = Object.entries(credentials).map(([name, { from }]) => ({
    url: from.vault?.address,
    problem: {
      path: ['credentials', name, 'from', 'vault', 'address'],
      message: ONLY_HTTPS,
    },
  }));
  return [...bases, ...servers, ...vaults].map(
    ({ url, problem }) => url !== undefined && isPlainRemote(url) && problem,
  );
}

/** Checks literal IP addresses. Host names are checked when an alert is sent. */
function isForbiddenHost(hostname: string): boolean {
  const bare = hostname.replace(/^\[|\]$/g, '');
  return isIP(bare) !== 0 && isForbidden(bare);
}

/** Alerts contain key names and spending, and the path of the URL is often a credential. */
export function webhook({ alerting, server }: Config): RuleProblems {
  const { webhook_url: url, secret } = alerting;
  if (url === '') return [];
  const { username, password, hostname } = new URL(url);
  const path = ['alerting', 'webhook_url'];
  return [
    isPlainRemote(url) &&
      !server.insecure_dev && {
        path,
        message: ONLY_HTTPS,
      },
    username + password !== '' && {
      path,
      message: 'must not contain a user name or password: put the credential into its path',
    },
    isForbiddenHost(hostname) && {
      path,
      message: 'must not be a link-local, metadata or multicast address: use another host',
    },
    secret !== '' &&
      secretBytes(secret) === undefined && {
        path: ['alerting', 'secret'],
        message:
          'must be whsec_ and 24 to 64 bytes in Base64, for example from: echo whsec_$(openssl rand -base64 32)',
      },
  ];
}

export function auditProblems(config: Config): RuleProblems {
  return [...withoutTrail(config), ...unencrypted(config)];
}

function withoutTrail({ audit }: Config): RuleProblems {
  const keys = [
    [audit.required, ['audit', 'required']],
    [audit.file !== '', ['audit', 'file']],
    [audit.otlp.endpoint !== '', ['audit', 'otlp', 'endpoint']],
    [audit.syslog.address !== '', ['audit', 'syslog', 'address']],
  ] as const;
  const message = 'needs audit.enabled: true';
  return keys.map(([isSet, path]) => isSet && !audit.enabled && { path, message });
}

/** Audit records name keys, owners and models, and headers contain credentials. */
function unencrypted({ audit, server }: Config): RuleProblems {
  if (server.insecure_dev) return [];
  const { otlp, syslog } = audit;
  const plainHost = syslog.tls ? undefined : parseHostPort(syslog.address)?.host;
  return [
    otlp.endpoint !== '' &&
      isPlainRemote(otlp.endpoint) && {
        path: ['audit', 'otlp', 'endpoint'],
        message: ONLY_HTTPS,
      },
    plainHost !== undefined &&
      !isLoopbackHost(plainHost) && {
        path: ['audit', 'syslog', 'tls'],
        message: 'must be true, except for loopback addresses or with SERVER_INSECURE_DEV=true',
      },
  ];
}

/** Rejects JWT settings that would have no effect, or that trust an unsafe address. */
export function tokenProblems({ server, zsp, budgets }: Config): RuleProblems {
  const withoutEffect = (['jwt_only', 'require_dpop'] as const).map(
    (key) =>
      zsp[key] && !zsp.enabled && { path: ['zsp', key], message: 'has no effect without zsp.enabled: true' },
  );
  const isKeySetRead = zsp.enabled && zsp.jwks_url !== '';
  return [
    ...withoutEffect,
    ...budgets.map(
      ({ match }, index) =>
        match.claims !== undefined &&
        !zsp.jwt_only && {
          path: ['budgets', index, 'match', 'claims'],
          message: 'needs zsp.jwt_only: true, since clients could omit their JWT',
        },
    ),
    zsp.require_dpop &&
      server.public_url === undefined && {
        path: ['zsp', 'require_dpop'],
        message: 'needs server.public_url, the address that clients put into DPoP proofs',
      },
    isKeySetRead &&
      /^[a-z]+:\/\/[^/?#]*@/i.test(zsp.jwks_url) && {
        path: ['zsp', 'jwks_url'],
        message: 'must not contain a user or password: key sets are public',
      },
    isKeySetRead &&
      !server.insecure_dev &&
      isPlainRemote(zsp.jwks_url) && {
        path: ['zsp', 'jwks_url'],
        message: `${ONLY_HTTPS}: this server decides which JWTs are valid`,
      },
  ];
}
