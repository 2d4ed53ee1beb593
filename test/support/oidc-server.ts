import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { exportJWK, generateKeyPair } from 'jose';
import { Provider, type Configuration } from 'oidc-provider';
import { onLoopback } from './loopback.ts';

/** Claims of one person beside `sub`, which is the person's name in the list. */
type People = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

export const OIDC_CLIENT = { id: 'the-operators-page', secret: 'secret-of-the-page-at-the-provider' };

export interface OidcServer {
  readonly issuer: string;
  /** The person who signs in at the provider from now on; undefined refuses. */
  person: string | undefined;
  close(): Promise<void>;
}

export interface OidcServerOptions {
  readonly redirectUris: readonly string[];
  readonly people: People;
  /** Claims in the ID token itself rather than at the userinfo endpoint. */
  readonly claimsInIdToken?: boolean;
}

/** A real OpenID provider, at which the chosen person signs in without a form. */
export async function startOidcServer({
  redirectUris,
  people,
  claimsInIdToken = false,
}: OidcServerOptions): Promise<OidcServer> {
  let handle: (request: IncomingMessage, response: ServerResponse) => unknown = () => undefined;
  const server = createServer((request, response) => void handle(request, response));
  const { url: issuer, close } = await onLoopback(server);
  const provider = new Provider(issuer, await configurationOf({ redirectUris, people, claimsInIdToken }));
  const callback = provider.callback();
  const oidc: OidcServer = { issuer, person: undefined, close };
  handle = (request, response) => {
    if (request.url?.startsWith('/sign-in-here/') !== true) return callback(request, response);
    const { person } = oidc;
    const result = person === undefined ? { error: 'access_denied' } : { login: { accountId: person } };
    return provider.interactionFinished(request, response, result);
  };
  return oidc;
}

async function configurationOf({
  redirectUris,
  people,
  claimsInIdToken,
}: Required<OidcServerOptions>): Promise<Configuration> {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  return {
    clients: [
      {
        client_id: OIDC_CLIENT.id,
        client_secret: OIDC_CLIENT.secret,
        redirect_uris: [...redirectUris],
      },
    ],
    jwks: { keys: [{ ...(await exportJWK(privateKey)), kid: 'one', use: 'sig', alg: 'RS256' }] },
    cookies: { keys: ['a key for the cookies of the test'] },
    scopes: ['openid', 'profile', 'email'],
    claims: { openid: ['sub'], profile: ['preferred_username', 'groups', 'roles', 'team', 'unit'] },
    conformIdTokenClaims: !claimsInIdToken,
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_context, interaction) => `/sign-in-here/${interaction.uid}` },
    pkce: { required: () => true },
    ttl: {
      Session: 600,
      Interaction: 600,
      Grant: 600,
      AccessToken: 600,
      IdToken: 600,
      AuthorizationCode: 60,
    },
    findAccount: (_context, sub) => {
      const claims = people[sub];
      return claims === undefined ? undefined : { accountId: sub, claims: () => ({ sub, ...claims }) };
    },
    async loadExistingGrant({ oidc }) {
      const grant = new oidc.provider.Grant({
        clientId: oidc.client?.clientId,
        accountId: oidc.session?.accountId,
      });
      grant.addOIDCScope('openid profile');
      await grant.save();
      return grant;
    },
  };
}

/**
 * Follows the redirects of a sign-in like a browser, with the provider's cookies, until one leads to
 * `redirectUri`. Returns that address.
 */
export async function followSignIn(start: URL, redirectUri: string): Promise<URL> {
  const jar = new Map<string, string>();
  let at = start;
  for (let hop = 0; hop < 10; hop += 1) {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(at, { redirect: 'manual', headers: { cookie } });
    for (const set of response.headers.getSetCookie()) {
      const [pair = ''] = set.split(';', 1);
      const split = pair.indexOf('=');
      jar.set(pair.slice(0, split), pair.slice(split + 1));
    }
    const location = response.headers.get('location');
    if (location === null)
      throw new Error(`the provider answered ${String(response.status)}: ${await response.text()}`);
    at = new URL(location, at);
    if (at.href.startsWith(redirectUri)) return at;
  }
  throw new Error('too many redirects');
}
