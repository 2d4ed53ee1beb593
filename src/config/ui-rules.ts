import { isLoopbackHost, isPlainRemote } from './address.ts';
import { problemIf, type RuleProblems } from './rule.ts';
import type { Config } from './schema.ts';

export type PageSignInKind = 'oidc' | 'password' | 'proxy';

/** A password is sufficient only if the page is reachable only from this machine. */
export function signInKindsOf({ ui }: Pick<Config, 'ui'>): readonly PageSignInKind[] {
  const isLocal = isLoopbackHost(ui.host) && (ui.public_url === undefined || isLoopbackUrl(ui.public_url));
  return [
    ...(ui.oidc.issuer === undefined ? [] : (['oidc'] as const)),
    ...(ui.proxy_auth.header === undefined ? [] : (['proxy'] as const)),
    ...(isLocal ? (['password'] as const) : []),
  ];
}

/** Rejects an operator page that others could reach without TLS or without a sign-in. */
export function uiProblems(config: Config): RuleProblems {
  const { ui, server } = config;
  if (!ui.enabled) return [];
  const isLoopback = isLoopbackHost(ui.host);
  return [
    problemIf(
      ui.port === server.port || ui.port === server.admin_port,
      'ui.port',
      'must differ from server.port and server.admin_port',
    ),
    problemIf(
      !isLoopback && ui.tls.cert_file === undefined,
      'ui.host',
      'must be a loopback address, unless ui.tls cert_file and key_file are set',
    ),
    problemIf(
      !isLoopback && ui.public_url === undefined,
      'ui.host',
      'must be a loopback address, unless ui.public_url is set, the URL at which browsers reach the page',
    ),
    problemIf(
      ui.public_url !== undefined && new URL(ui.public_url).pathname !== '/',
      'ui.public_url',
      'must not contain a path: the page is served at the root of its host',
    ),
    problemIf(
      signInKindsOf(config).length === 0,
      'ui.enabled',
      'needs ui.oidc or ui.proxy_auth to sign in: a password is only enough if ui.host and ui.public_url are loopback addresses',
    ),
    ...signInProblems(config),
    problemIf(
      ui.session.idle > ui.session.absolute,
      'ui.session.idle',
      'must not exceed ui.session.absolute',
    ),
  ];
}

function signInProblems({ ui: { oidc, proxy_auth } }: Config): RuleProblems {
  const hasOidc = oidc.issuer !== undefined;
  return [
    problemIf(
      oidc.issuer !== undefined && isPlainRemote(oidc.issuer),
      'ui.oidc.issuer',
      'must be https, because tokens would otherwise be sent unencrypted',
    ),
    problemIf(
      hasOidc && oidc.client_id === undefined,
      'ui.oidc.client_id',
      'must be set with ui.oidc.issuer',
    ),
    problemIf(
      hasOidc && Object.keys(oidc.roles).length === 0,
      'ui.oidc.roles',
      'must grant a role to a value of ui.oidc.role_claim, or no one can sign in',
    ),
    problemIf(
      Object.values(oidc.roles).includes('owner') && oidc.owner_claim === undefined,
      'ui.oidc.owner_claim',
      'must be set if ui.oidc.roles grants owner',
    ),
    problemIf(
      proxy_auth.header !== undefined && proxy_auth.from.length === 0,
      'ui.proxy_auth.from',
      'must list the addresses of the proxy: its header is dropped if it comes from any other address',
    ),
  ];
}

function isLoopbackUrl(url: string): boolean {
  return isLoopbackHost(new URL(url).hostname);
}
