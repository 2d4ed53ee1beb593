/** Rules about addresses and targets that the gateway sends to, and about settings that depend on them. */
import { isIP } from 'node:net';
import { isForbidden } from '../alerting/address.ts';
import { secretBytes } from '../alerting/sign.ts';
import { TARGET_APIS } from '../providers/api-endpoints.ts';
import { PROVIDER_NAMES, providers as known, type ProviderName } from '../providers/registry.ts';
import { isLoopbackHost, isPlainRemote, parseHostPort } from './address.ts';
import { didYouMean } from './nearest-name.ts';
import { ONLY_HTTPS, problemIf, type RuleProblem, type RuleProblems } from './rule.ts';
import type { Config } from './schema.ts';
import type { KeyPath } from './yaml-file.ts';

const SELF_HOSTED = PROVIDER_NAMES.filter((name) => known[name].selfHosted);
const REMOTE = PROVIDER_NAMES.filter((name) => !known[name].selfHosted);

/** Credentials are sent to these URLs, and plain HTTP is safe only on this machine. */
export function plainHttp({ server, providers, mcp, credentials }: Config): RuleProblems {
  if (server.insecure_dev) return [];
  const bases = REMOTE.map((name) =>
    problemIf(
      isPlain(providers[name].base_url),
      ['providers', name, 'base_url'],
      `must be https:// (plain http is allowed for loopback addresses, ${SELF_HOSTED.join(' and ')}, or with SERVER_INSECURE_DEV=true)`,
    ),
  );
  const servers = mcp.servers.map(({ url }, index) =>
    problemIf(isPlain(url), ['mcp', 'servers', index, 'url'], ONLY_HTTPS),
  );
  const vaults = Object.entries(credentials).map(([name, { from }]) =>
    problemIf(isPlain(from.vault?.address), ['credentials', name, 'from', 'vault', 'address'], ONLY_HTTPS),
  );
  return [...bases, ...servers, ...vaults];
}

function isPlain(url: string | undefined): boolean {
  return url !== undefined && isPlainRemote(url);
}

/** Checks literal IP addresses. Host names are checked when an alert is sent. */
function isForbiddenHost(hostname: string): boolean {
  const bare = hostname.replace(/^\[|\]$/g, '');
  return isIP(bare) !== 0 && isForbidden(bare);
}

/** Alerts contain key names and spending, and the URL path is often a credential. */
export function webhook({ alerting, server }: Config): RuleProblems {
  const { webhook_url: url, secret } = alerting;
  if (url === '') return [];
  const { username, password, hostname } = new URL(url);
  const path = 'alerting.webhook_url';
  return [
    problemIf(isPlainRemote(url) && !server.insecure_dev, path, ONLY_HTTPS),
    problemIf(
      username + password !== '',
      path,
      'must not contain a user name or password: put the credential into its path',
    ),
    problemIf(
      isForbiddenHost(hostname),
      path,
      'must not be a link-local, metadata or multicast address: use another host',
    ),
    problemIf(
      secret !== '' && secretBytes(secret) === undefined,
      'alerting.secret',
      'must be whsec_ and 24 to 64 bytes in Base64, for example from: echo whsec_$(openssl rand -base64 32)',
    ),
  ];
}

export function auditProblems(config: Config): RuleProblems {
  return [...withoutTrail(config), ...unencrypted(config)];
}

function withoutTrail({ audit }: Config): RuleProblems {
  const keys = [
    [audit.required, 'audit.required'],
    [audit.file !== '', 'audit.file'],
    [audit.otlp.endpoint !== '', 'audit.otlp.endpoint'],
    [audit.syslog.address !== '', 'audit.syslog.address'],
  ] as const;
  return keys.map(([isSet, path]) => problemIf(isSet && !audit.enabled, path, 'needs audit.enabled: true'));
}

/** Audit records name keys, owners and models, and headers contain credentials. */
function unencrypted({ audit, server }: Config): RuleProblems {
  if (server.insecure_dev) return [];
  const { otlp, syslog } = audit;
  const plainHost = syslog.tls ? undefined : parseHostPort(syslog.address)?.host;
  return [
    problemIf(otlp.endpoint !== '' && isPlainRemote(otlp.endpoint), 'audit.otlp.endpoint', ONLY_HTTPS),
    problemIf(
      plainHost !== undefined && !isLoopbackHost(plainHost),
      'audit.syslog.tls',
      'must be true, except for loopback addresses or with SERVER_INSECURE_DEV=true',
    ),
  ];
}

/** Rejects JWT settings that would have no effect or would be unsafe. */
export function tokenProblems({ server, zsp, budgets }: Config): RuleProblems {
  const isKeySetRead = zsp.enabled && zsp.jwks_url !== '';
  return [
    ...(['jwt_only', 'require_dpop'] as const).map((key) =>
      problemIf(zsp[key] && !zsp.enabled, ['zsp', key], 'has no effect without zsp.enabled: true'),
    ),
    ...budgets.map(({ match }, index) =>
      problemIf(
        match.claims !== undefined && !zsp.jwt_only,
        ['budgets', index, 'match', 'claims'],
        'needs zsp.jwt_only: true, because clients could otherwise omit their JWT',
      ),
    ),
    problemIf(
      zsp.require_dpop && server.public_url === undefined,
      'zsp.require_dpop',
      'needs server.public_url, the URL that clients put into DPoP proofs',
    ),
    problemIf(
      isKeySetRead && /^[a-z]+:\/\/[^/?#]*@/i.test(zsp.jwks_url),
      'zsp.jwks_url',
      'must not contain a user name or password: key sets are public',
    ),
    problemIf(
      isKeySetRead && !server.insecure_dev && isPlainRemote(zsp.jwks_url),
      'zsp.jwks_url',
      `${ONLY_HTTPS}: this server decides which JWTs are valid`,
    ),
  ];
}

export function routeTargets(config: Config): RuleProblems {
  return Object.entries(config.models).flatMap(([alias, targets]) => [
    ...targets.flatMap((target, index) => {
      const path = ['models', alias, index];
      return [
        credentialProblem(config, [...path, 'credential'], target),
        problemIf(
          config.providers[target.provider].base_url === undefined &&
            known[target.provider].defaultBaseUrl === undefined,
          [...path, 'provider'],
          `needs providers.${target.provider}.base_url`,
        ),
      ];
    }),
    problemIf(
      sharesNoApi(targets.map(({ provider }) => provider)),
      ['models', alias],
      'must have targets that share an API (OpenAI or Anthropic): the gateway does not translate between them',
    ),
  ]);
}

function credentialProblem(
  { credentials }: Config,
  path: KeyPath,
  { provider, credential }: { readonly provider: ProviderName; readonly credential?: string | undefined },
): RuleProblem | false {
  if (credential === undefined) return false;
  const owner = Object.hasOwn(credentials, credential) ? credentials[credential] : undefined;
  return owner === undefined
    ? { path, message: `is not in credentials${didYouMean(credential, Object.keys(credentials))}` }
    : problemIf(
        owner.provider !== provider,
        path,
        `is a credential of ${owner.provider} and cannot be used with ${provider}`,
      );
}

function sharesNoApi(names: readonly ProviderName[]): boolean {
  return !TARGET_APIS.some((api) => names.every((name) => known[name].basePaths[api] !== undefined));
}
