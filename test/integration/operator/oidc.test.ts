import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { createOidc, type OidcSignIn } from '../../../src/operator/sign-in/oidc.ts';
import type { GrantedRole } from '../../../src/operator/sign-in/roles.ts';
import { followSignIn, OIDC_CLIENT, startOidcServer } from '../../support/oidc-server.ts';
import { freePort } from '../../support/ports.ts';

const REDIRECT_URI = 'http://localhost:9091/api/sign-in/oidc/callback';
const PEOPLE = {
  ada: { preferred_username: 'ada@example.com', groups: ['staff', 'gateway-admins'] },
  bob: { preferred_username: 'bob', groups: ['team-leads'], team: 'search' },
  eve: { preferred_username: 'eve', groups: ['guests'] },
  hidden: { preferred_username: 'ad\u202Ea', groups: ['gateway-admins'] },
};
const ROLES = { 'gateway-admins': 'admin', 'team-leads': 'owner' } as const;

const server = await startOidcServer({ redirectUris: [REDIRECT_URI], people: PEOPLE });
afterAll(() => server.close());
beforeEach(() => {
  server.person = 'ada';
});

function signInAt({
  issuer = server.issuer,
  secret = OIDC_CLIENT.secret,
}: { readonly issuer?: string; readonly secret?: string } = {}): OidcSignIn {
  const roles: Readonly<Record<string, GrantedRole>> = ROLES;
  return createOidc({
    issuer,
    clientId: OIDC_CLIENT.id,
    clientSecret: () => secret,
    scopes: ['profile'],
    roleClaim: 'groups',
    roles,
    ownerClaim: 'team',
  });
}

async function visited(oidc: OidcSignIn) {
  const { url, binding } = await oidc.begin(REDIRECT_URI);
  return { url, binding, callback: await followSignIn(url, REDIRECT_URI) };
}

it('signs a person in with the role that a claim grants', async () => {
  const oidc = signInAt();
  const { url, binding, callback } = await visited(oidc);
  expect(Object.fromEntries(url.searchParams)).toMatchObject({
    response_type: 'code',
    code_challenge_method: 'S256',
    scope: 'openid profile',
  });
  expect(await oidc.finish(callback, binding)).toEqual({
    subject: 'ada',
    name: 'ada@example.com',
    role: 'admin',
    kind: 'oidc',
  });
});

it('reads claims of the ID token if the provider puts them there', async () => {
  const plain = await startOidcServer({
    redirectUris: [REDIRECT_URI],
    people: PEOPLE,
    claimsInIdToken: true,
  });
  try {
    plain.person = 'bob';
    const oidc = signInAt({ issuer: plain.issuer });
    const { binding, callback } = await visited(oidc);
    expect(await oidc.finish(callback, binding)).toMatchObject({ role: 'viewer', owner: 'search' });
  } finally {
    await plain.close();
  }
});

it('restricts an owner to the keys of the owner in the claim', async () => {
  server.person = 'bob';
  const oidc = signInAt();
  const { binding, callback } = await visited(oidc);
  expect(await oidc.finish(callback, binding)).toMatchObject({
    name: 'bob',
    role: 'viewer',
    owner: 'search',
  });
});

it('grants no role by default', async () => {
  server.person = 'eve';
  const oidc = signInAt();
  const { binding, callback } = await visited(oidc);
  await expect(oidc.finish(callback, binding)).rejects.toThrow(/eve has no role here.*"groups"/);
});

it('shows the subject if a name could deceive', async () => {
  server.person = 'hidden';
  const oidc = signInAt();
  const { binding, callback } = await visited(oidc);
  expect((await oidc.finish(callback, binding)).name).toBe('hidden');
});

it('reports a sign-in that the provider refused, without text from the URL', async () => {
  server.person = undefined;
  const oidc = signInAt();
  const { binding, callback } = await visited(oidc);
  await expect(oidc.finish(callback, binding)).rejects.toThrow(
    /did not confirm this sign-in: access_denied$/,
  );
  callback.searchParams.set('error', '<script>alert(1)</script>');
  await expect(oidc.finish(callback, binding)).rejects.toThrow(/an unknown error$/);
});

describe('an attacker', () => {
  it('cannot finish a sign-in in a browser that did not start it', async () => {
    const oidc = signInAt();
    const mine = await visited(oidc);
    const { binding } = await oidc.begin(REDIRECT_URI);
    await expect(oidc.finish(mine.callback, binding)).rejects.toThrow(/unexpected "state"/);
    await expect(oidc.finish(mine.callback, undefined)).rejects.toThrow(/did not begin in this browser/);
    await expect(oidc.finish(mine.callback, 'x'.repeat(5_000))).rejects.toThrow(
      /did not begin in this browser/,
    );
  });

  it('cannot use a code twice', async () => {
    const oidc = signInAt();
    const { binding, callback } = await visited(oidc);
    await oidc.finish(callback, binding);
    await expect(oidc.finish(callback, binding)).rejects.toThrow(/invalid_grant/);
  });

  it('cannot use a code stolen from another sign-in in their own', async () => {
    const oidc = signInAt();
    const victim = await visited(oidc);
    server.person = 'eve';
    const own = await visited(oidc);
    own.callback.searchParams.set('code', victim.callback.searchParams.get('code') ?? '');
    await expect(oidc.finish(own.callback, own.binding)).rejects.toThrow(/invalid_grant/);
  });

  it('cannot pass a callback of another provider', async () => {
    const oidc = signInAt();
    const { binding, callback } = await visited(oidc);
    callback.searchParams.set('iss', 'https://evil.example.com');
    await expect(oidc.finish(callback, binding)).rejects.toThrow(/"iss"/);
  });
});

it('reports a wrong client secret without showing it', async () => {
  const oidc = signInAt({ secret: 'not-the-secret' });
  const { binding, callback } = await visited(oidc);
  const failure = await oidc.finish(callback, binding).catch((caught: unknown) => caught);
  expect(String(failure)).toMatch(/does not accept ui\.oidc\.client_id with its secret/);
  expect(String(failure)).not.toContain('not-the-secret');
});

it('retries the provider after a failure', async () => {
  const port = await freePort();
  const oidc = signInAt({ issuer: `http://127.0.0.1:${String(port)}` });
  await expect(oidc.begin(REDIRECT_URI)).rejects.toThrow(/identity provider cannot be reached/);
  await expect(oidc.begin(REDIRECT_URI)).rejects.toThrow(/identity provider cannot be reached/);
});
