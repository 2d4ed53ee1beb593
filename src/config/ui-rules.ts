import { isLoopbackHost } from './address.ts';
import type { RuleProblem } from './rule.ts';
import type { Config } from './schema.ts';

/** Ways to sign in to the operator's page under this configuration. A password only counts where the page stays on this machine. */
export function signInKindsOf({ ui }: Pick<Config, 'ui'>): readonly 'password'[] {
  return isLoopbackHost(ui.host) && (ui.public_url === undefined || isLoopbackUrl(ui.public_url))
    ? ['password']
    : [];
}

/** Rejects an operator's page that others could reach without TLS or without a sign-in. */
export function uiProblems(config: Config): readonly (RuleProblem | false)[] {
  const { ui, server } = config;
  if (!ui.enabled) return [];
  const isLoopback = isLoopbackHost(ui.host);
  return [
    (ui.port === server.port || ui.port === server.admin_port) && {
      path: ['ui', 'port'],
      message: 'must differ from server.port and server.admin_port',
    },
    !isLoopback &&
      ui.tls.cert_file === undefined && {
        path: ['ui', 'host'],
        message: 'must be a loopback address without ui.tls cert_file and key_file',
      },
    !isLoopback &&
      ui.public_url === undefined && {
        path: ['ui', 'host'],
        message: 'must be a loopback address without ui.public_url, the URL at which browsers reach the page',
      },
    ui.public_url !== undefined &&
      new URL(ui.public_url).pathname !== '/' && {
        path: ['ui', 'public_url'],
        message: 'must have no path: the page is served at the root of its host',
      },
    signInKindsOf(config).length === 0 && {
      path: ['ui', 'enabled'],
      message:
        'needs a way to sign in: a password only counts where ui.host and ui.public_url are loopback addresses',
    },
    ui.session.idle > ui.session.absolute && {
      path: ['ui', 'session', 'idle'],
      message: 'must not exceed ui.session.absolute',
    },
  ];
}

function isLoopbackUrl(url: string): boolean {
  return isLoopbackHost(new URL(url).hostname);
}
