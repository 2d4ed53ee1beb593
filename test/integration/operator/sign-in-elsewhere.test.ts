import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startOidcPage, type OidcPage } from '../../support/operator/oidc-page.ts';
import { startTestPage, type TestPage } from '../../support/operator/page.ts';
import { startTestRedis } from '../../support/redis.ts';

const redis = await startTestRedis();
afterAll(() => redis.close());
afterEach(() => redis.flush());

describe('sign-in at an OpenID provider', () => {
  let oidc: OidcPage;
  beforeAll(async () => {
    oidc = await startOidcPage(redis, { role_claim: 'groups' });
  });
  afterAll(() => oidc.close());

  it('starts a session for the person and role that the provider confirms', async () => {
    const answer = await oidc.signIn('ada');
    expect(answer.status).toBe(303);
    expect(answer.headers.location).toBe('/');
    expect(await oidc.me(answer)).toMatchObject({
      name: 'ada@example.com',
      role: 'admin',
      owner: null,
      signed_in_by: 'oidc',
    });
    const [session = '', binding = ''] = answer.headers['set-cookie'] ?? [];
    expect(session).toMatch(/^__Host-gateway-session=[\w-]{43}; Path=\/; Secure; HttpOnly; SameSite=Strict$/);
    expect(binding).toMatch(/^__Host-gateway-sign-in=; .*Max-Age=0$/);
  });

  it('keeps state and verifier in the browser, in a cookie that scripts cannot read', async () => {
    const { answer, location } = await oidc.begin();
    expect(answer.headers['set-cookie']?.[0]).toMatch(
      /^__Host-gateway-sign-in=[\w-]{43}; Path=\/; Secure; HttpOnly; SameSite=Lax; Max-Age=600$/,
    );
    expect(location.origin).toBe(oidc.provider.issuer);
    expect(await redis.client.dbsize()).toBe(0);
  });

  it('is reported on a page if it fails, and the provider cannot add text to it', async () => {
    const { cookie } = await oidc.begin();
    const path = '/api/sign-in/oidc/callback?error=%3Cscript%3E&error_description=%3Cscript%3E&state=x';
    const answer = await oidc.page.ask(path, { headers: { cookie } });
    expect(answer.status).toBe(401);
    expect(answer.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(answer.headers['content-security-policy']).toContain("default-src 'none'");
    expect(answer.headers['set-cookie']?.[0]).not.toContain('gateway-session');
    expect(answer.text).toContain('Sign-in failed');
    expect(answer.text).not.toContain('<script');
  });

  it('gives no session to a person without a role', async () => {
    const other = await startOidcPage(redis, { role_claim: 'unit' });
    try {
      const answer = await other.signIn('ada');
      expect(answer.status).toBe(401);
      expect(answer.text).toContain('ada@example.com has no role here');
    } finally {
      await other.close();
    }
  });

  it('ignores an earlier session id (fixation)', async () => {
    const planted = 'A'.repeat(43);
    const first = await oidc.signIn('ada');
    const [before = ''] = first.headers['set-cookie']?.[0]?.split(';') ?? [];
    oidc.provider.person = 'ada';
    const again = await oidc.signIn('ada');
    const [after = ''] = again.headers['set-cookie']?.[0]?.split(';') ?? [];
    expect(after).not.toBe(before);
    const headers = { cookie: `__Host-gateway-session=${planted}` };
    expect((await oidc.page.ask('/api/me', { headers })).status).toBe(401);
  });

  it('cannot be finished for another browser, or from a form on another site', async () => {
    const { location } = await oidc.begin();
    const state = String(location.searchParams.get('state'));
    const path = `/api/sign-in/oidc/callback?code=stolen&state=${state}`;
    expect((await oidc.page.ask(path)).status).toBe(401);
    const form = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'cors' };
    expect((await oidc.page.ask(path, { headers: form })).status).toBe(403);
  });

  it('is limited: after many failures an address has to wait', async () => {
    const statuses: number[] = [];
    for (let attempt = 0; attempt < 12; attempt += 1) {
      const { cookie } = await oidc.begin();
      const answer = await oidc.page.ask('/api/sign-in/oidc/callback?code=x&state=x', {
        headers: { cookie },
      });
      statuses.push(answer.status);
    }
    expect(statuses.slice(0, 10)).toEqual(Array.from({ length: 10 }, () => 401));
    expect(statuses.slice(10)).toEqual([429, 429]);
  });
});

describe('sign-in by an authenticating proxy', () => {
  const proxied = { 'x-user': 'ada', 'x-groups': 'staff, admin' };
  const ui = (from: string[]) => ({
    ui: { proxy_auth: { header: 'X-User', from, role_header: 'X-Groups' } },
    audit: { enabled: true, stdout: false },
  });
  let listed: TestPage;
  let unlisted: TestPage;
  beforeAll(async () => {
    listed = await startTestPage(redis, ui(['127.0.0.1/32']));
    unlisted = await startTestPage(redis, ui(['10.1.0.0/16']));
  });
  afterAll(async () => {
    await listed.close();
    await unlisted.close();
  });

  it('uses the header of each request', async () => {
    const me = await listed.ask('/api/me', { headers: proxied });
    expect(me.json()).toMatchObject({
      name: 'ada',
      role: 'admin',
      signed_in_by: 'proxy',
      idle_until: null,
    });
    expect((await listed.ask('/api/me')).status).toBe(401);
  });

  it('changes something only with the CSRF token of this person', async () => {
    const csrfOf = async (user: string) =>
      String((await listed.ask('/api/me', { headers: { ...proxied, 'x-user': user } })).json()['csrf_token']);
    const csrf = await csrfOf('ada');
    expect(csrf).toMatch(/^[\w-]{43}$/);
    const attempt = (token: string) =>
      listed.ask('/api/keys', {
        method: 'POST',
        body: { reason: 'new team', name: 'planner', provider: 'openai' },
        headers: { ...proxied, 'x-csrf-token': token },
      });
    expect((await attempt('')).status).toBe(403);
    expect((await attempt(await csrfOf('eve'))).status).toBe(403);
    expect((await attempt(csrf)).status).toBe(200);
    const trail = JSON.stringify(await redis.client.xrange('gateway:audit', '-', '+'));
    expect(trail).toContain('proxy:ada');
  });

  it('does not count from any other address: the header is dropped and reported', async () => {
    const forged = await unlisted.ask('/api/me', { headers: proxied });
    expect(forged.status).toBe(401);
    expect(forged.json()['detail']).toMatch(/x-user was dropped.*ui\.proxy_auth\.from/);
    await expect
      .poll(() => unlisted.logs())
      .toMatch(/was sent from an address that is not in ui\.proxy_auth\.from/);
    // An existing session continues, as the person who started it.
    const visitor = await unlisted.visitor({ role: 'viewer', name: 'Bob' });
    const me = await visitor.ask('/api/me', { headers: { ...proxied, cookie: visitor.cookie } });
    expect(me.json()).toMatchObject({ name: 'Bob', role: 'viewer', signed_in_by: 'oidc' });
  });

  it('names one person: not two, and none without a role', async () => {
    const twice = await listed.ask('/api/me', { headers: { ...proxied, 'x-user': ['ada', 'root'] } });
    expect(twice.status).toBe(401);
    const none = await listed.ask('/api/me', { headers: { ...proxied, 'x-groups': 'staff' } });
    expect(none.status).toBe(401);
  });
});
