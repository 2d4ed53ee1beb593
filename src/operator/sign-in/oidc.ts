import { hash, randomBytes } from 'node:crypto';
import * as client from 'openid-client';
import { isLoopbackHost } from '../../config/address.ts';
import { messageOf } from '../../errors.ts';
import { isPlainLabel } from '../../text/label.ts';
import { grantedBy, type RoleRules, type SignedIn } from './roles.ts';

/** Thrown if a sign-in is refused. The message is shown to the person who signs in. */
export class SignInRefused extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'SignInRefused';
  }
}

/** `ui.oidc`. */
export interface OidcOptions extends RoleRules {
  readonly issuer: string;
  readonly clientId: string;
  /** Read on each use, so that a rotated secret needs no restart. Returns undefined for a public client. */
  readonly clientSecret: () => string | undefined;
  readonly scopes: readonly string[];
}

/** A started sign-in. The browser is sent to `url`, and keeps `binding` in a cookie until it returns. */
export interface BegunSignIn {
  readonly url: URL;
  readonly binding: string;
}

/**
 * OpenID Connect sign-in: authorization code with PKCE, state and nonce. Both functions throw SignInRefused. Nothing is
 * stored in between, because state, nonce and code verifier derive from the binding, which only this browser has.
 */
export interface OidcSignIn {
  begin(redirectUri: string): Promise<BegunSignIn>;
  /** @param callback full URL to which the provider redirected */
  finish(callback: URL, binding: string | undefined): Promise<SignedIn>;
}

const TIMEOUT_SECONDS = 5;
const BINDING = /^[\w-]{43}$/;
const MAX_NAME_CHARS = 128;
const MAX_SUBJECT_CHARS = 255;

export function createOidc(options: OidcOptions): OidcSignIn {
  const provider = createProvider(options);
  return {
    async begin(redirectUri) {
      const configuration = await provider();
      const binding = randomBytes(32).toString('base64url');
      const { state, nonce, verifier } = valuesOf(binding);
      const url = client.buildAuthorizationUrl(configuration, {
        redirect_uri: redirectUri,
        scope: [...new Set(['openid', ...options.scopes])].join(' '),
        code_challenge: await client.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        state,
        nonce,
      });
      return { url, binding };
    },
    async finish(callback, binding) {
      if (binding === undefined || !BINDING.test(binding))
        throw new SignInRefused(
          'This sign-in did not begin in this browser, or it took too long. Sign in again',
        );
      return signedInBy(await claimsOf(await provider(), callback, binding, options), options);
    },
  };
}

/** Runs discovery on first use, and again after a failure. */
function createProvider(options: OidcOptions): () => Promise<client.Configuration> {
  let found: Promise<client.Configuration> | undefined;
  return async () => {
    found ??= discover(options);
    try {
      return await found;
    } catch (cause) {
      found = undefined;
      throw new SignInRefused(`The identity provider cannot be reached: ${messageOf(cause)}`, { cause });
    }
  };
}

function discover({ issuer, clientId, clientSecret }: OidcOptions): Promise<client.Configuration> {
  const server = new URL(issuer);
  // Checks signatures of ID tokens, although TLS already authenticates the token endpoint.
  const execute = [client.enableNonRepudiationChecks];
  if (server.protocol === 'http:' && isLoopbackHost(server.hostname))
    execute.push(client.allowInsecureRequests);
  return client.discovery(server, clientId, undefined, authenticationBy(clientSecret), {
    execute,
    timeout: TIMEOUT_SECONDS,
  });
}

/** Uses Basic authentication, the default in the standard, unless the provider does not support it. */
function authenticationBy(clientSecret: OidcOptions['clientSecret']): client.ClientAuth {
  return (server, ...rest) => {
    const secret = clientSecret();
    if (secret === undefined) return client.None()(server, ...rest);
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    const by = methods.includes('client_secret_basic') ? client.ClientSecretBasic : client.ClientSecretPost;
    return by(secret)(server, ...rest);
  };
}

function valuesOf(binding: string) {
  const derive = (purpose: string) => hash('sha256', `${purpose}:${binding}`, 'base64url');
  return { state: derive('state'), nonce: derive('nonce'), verifier: derive('verifier') };
}

type Claims = Readonly<Record<string, unknown>> & { readonly sub: string };

/** Returns the ID token claims. Adds userinfo claims unless the token has both claims at its top level. */
async function claimsOf(
  configuration: client.Configuration,
  callback: URL,
  binding: string,
  { roleClaim, ownerClaim = roleClaim }: RoleRules,
): Promise<Claims> {
  const { state, nonce, verifier } = valuesOf(binding);
  try {
    const tokens = await client.authorizationCodeGrant(configuration, callback, {
      pkceCodeVerifier: verifier,
      expectedState: state,
      expectedNonce: nonce,
      idTokenExpected: true,
    });
    const claims = tokens.claims();
    if (claims === undefined) throw new Error('it sent no ID token');
    const isComplete = [roleClaim, ownerClaim].every((name) => Object.hasOwn(claims, name));
    if (isComplete || configuration.serverMetadata().userinfo_endpoint === undefined) return claims;
    return { ...(await client.fetchUserInfo(configuration, tokens.access_token, claims.sub)), ...claims };
  } catch (cause) {
    throw new SignInRefused(`The identity provider did not confirm this sign-in: ${reasonOf(cause)}`, {
      cause,
    });
  }
}

/** Matches a code such as `access_denied`. The provider's description is dropped, because it may contain anything. */
const ERROR_CODE = /^[\w.-]{1,64}$/;

function reasonOf(cause: unknown): string {
  if (cause instanceof client.AuthorizationResponseError || cause instanceof client.ResponseBodyError)
    return ERROR_CODE.test(cause.error) ? cause.error : 'an unknown error';
  if (cause instanceof client.WWWAuthenticateChallengeError)
    return 'it does not accept ui.oidc.client_id with its secret';
  // The outer message names only the kind of failure.
  return messageOf(cause instanceof client.ClientError ? (cause.cause ?? cause) : cause);
}

function signedInBy(claims: Claims, rules: RoleRules): SignedIn {
  const { sub } = claims;
  if (sub.length > MAX_SUBJECT_CHARS || !isPlainLabel(sub))
    throw new SignInRefused('The identity provider sent a subject that cannot be shown');
  const granted = grantedBy(claims, rules);
  const name = nameOf(claims);
  if (granted === undefined)
    throw new SignInRefused(
      `${name} has no role here: an administrator must map a value of the claim "${rules.roleClaim}" to a role in ui.oidc.roles`,
    );
  return { subject: sub, name, ...granted, kind: 'oidc' };
}

function nameOf(claims: Claims): string {
  const { preferred_username: username, email, name, sub } = claims;
  const found = [username, email, name].find(
    (value) =>
      typeof value === 'string' && value !== '' && value.length <= MAX_NAME_CHARS && isPlainLabel(value),
  );
  return typeof found === 'string' ? found : sub.slice(0, MAX_NAME_CHARS);
}
