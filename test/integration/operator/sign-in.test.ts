import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, describe, expect, it } from 'vitest';

import { PASSWORD, startTestPage } from '../../support/operator/page.ts';
import { startTestRedis } from '../../support/redis.ts';
import { createPagePassword } from '../../../src/operator/sign-in/password-store.ts';

const redis = await startTestRedis();
afterAll(() => redis.close());
const page = await startTestPage(redis);
afterAll(() => page.close());
afterEach(() => redis.flush());

function setPassword(password: string): Promise<void> {
  return createPagePassword({ client: redis.client, deadlineMs: 5_000 }).set(password);
}

function signIn(password: string, headers = {}) {
  return page.ask('/api/sign-in', { method: 'POST', body: { password }, headers });
}

describe('a password', () => {
  it('signs in as admin, by a cookie that only this host gets', async () => {
    await setPassword(PASSWORD);
    const answer = await signIn(PASSWORD);
    expect(answer.status).toBe(204);
    const [cookie = ''] = answer.headers['set-cookie'] ?? [];
    expect(cookie).toMatch(/^__Host-gateway-session=[\w-]{43}; Path=\/; Secure; HttpOnly; SameSite=Strict$/);
    const me = await page.ask('/api/me', { headers: { cookie: cookie.split(';')[0] } });
    expect(me.json()).toMatchObject({
      name: 'admin',
      role: 'admin',
      owner: null,
      signed_in_by: 'password',
      version: '1.2.3',
      csrf_token: expect.stringMatching(/^[\w-]{43}$/),
    });
  });

  it('is stored as its scrypt hash, and a session as the hash of its id', async () => {
    const { cookie } = await page.signIn();
    const id = cookie.split('=')[1] ?? '';
    const keys = await redis.client.keys('*');
    const values = await Promise.all(
      keys.map(async (key) => (await redis.client.get(key).catch(() => '')) ?? ''),
    );
    const stored = [...keys, ...values].join('\n');
    expect(stored).toContain('scrypt:');
    expect(stored).not.toContain(PASSWORD);
    expect(stored).not.toContain(id);
  });

  it('that is wrong, or not set, opens nothing and is not repeated', async () => {
    expect((await signIn(PASSWORD)).json()).toMatchObject({
      type: 'sign_in_failed',
      status: 401,
      detail: 'no password is set: run gateway ui password',
    });
    await setPassword(PASSWORD);
    const wrong = await signIn('not the one that was set');
    expect(wrong.status).toBe(401);
    expect(wrong.headers['set-cookie']).toBeUndefined();
    expect(wrong.text + page.logs()).not.toContain('not the one');
  });

  it('may be tried ten times a minute', async () => {
    await setPassword(PASSWORD);
    // A new minute forgets the attempts of the previous one.
    const statuses: number[] = [];
    for (let nth = 0; nth < 22; nth++) statuses.push((await signIn(`wrong ${String(nth)}`)).status);
    expect(statuses.slice(0, 10)).toEqual(Array.from({ length: 10 }, () => 401));
    expect(statuses).toContain(429);
    if (statuses.at(-1) !== 429) return;
    const right = await signIn(PASSWORD);
    expect(right.json()).toMatchObject({ type: 'rate_limited', status: 429 });
    expect(Number(right.headers['retry-after'])).toBeGreaterThan(0);
  });

  it('change ends the sessions of the previous one', async () => {
    const visitor = await page.signIn();
    expect((await visitor.ask('/api/me')).status).toBe(200);
    await setPassword('another password');
    expect((await visitor.ask('/api/me')).status).toBe(401);
  });
});

describe('a session by the password', () => {
  it('is invalid at a gateway on the same Redis that others can reach', async () => {
    const visitor = await page.signIn();
    const open = await startTestPage(redis, { ui: { public_url: 'https://gateway.example' } });
    try {
      const kinds = (await open.ask('/api/sign-in')).json<{ kinds: readonly string[] }>();
      expect(kinds).toEqual({ kinds: ['oidc'] });
      const there = await open.ask('/api/me', { headers: { cookie: visitor.cookie } });
      expect(there.status).toBe(401);
      expect((await visitor.ask('/api/me')).status).toBe(200);
    } finally {
      await open.close();
    }
  });
});

describe('a session', () => {
  it('is new at each sign-in: a planted id is worthless', async () => {
    await setPassword(PASSWORD);
    const planted = `__Host-gateway-session=${'A'.repeat(43)}`;
    const answer = await signIn(PASSWORD, { cookie: planted });
    expect(answer.headers['set-cookie']?.[0]).not.toContain('A'.repeat(43));
    expect((await page.ask('/api/me', { headers: { cookie: planted } })).status).toBe(401);
  });

  it('ends when another person signs in over it', async () => {
    const first = await page.signIn();
    const again = await signIn(PASSWORD, { cookie: first.cookie });
    expect(again.status).toBe(204);
    expect((await first.ask('/api/me')).status).toBe(401);
  });

  it('ends by sign-out, in every tab', async () => {
    const visitor = await page.visitor({});
    const out = await visitor.ask('/api/sign-out', { method: 'POST', body: {} });
    expect(out.status).toBe(204);
    expect(out.headers['set-cookie']?.[0]).toMatch(/Max-Age=0/);
    expect((await visitor.ask('/api/me')).json()).toMatchObject({ type: 'not_signed_in', status: 401 });
  });

  it('ends by sign-out even if a proxy’s header signs in', async () => {
    const proxy_auth = { header: 'X-User', from: ['127.0.0.1/32'] };
    const proxied = await startTestPage(redis, { ui: { proxy_auth } });
    try {
      const visitor = await proxied.visitor({});
      const header = { 'x-user': 'bob', cookie: visitor.cookie };
      const me = await proxied.ask('/api/me', { headers: header });
      expect(me.json()).toMatchObject({ name: 'bob', signed_in_by: 'proxy' });
      const headers = { ...header, 'x-csrf-token': String(me.json()['csrf_token']) };
      const out = await proxied.ask('/api/sign-out', { method: 'POST', body: {}, headers });
      expect(out.status).toBe(204);
      expect((await visitor.ask('/api/me')).status).toBe(401);
    } finally {
      await proxied.close();
    }
  });

  it('is refused if it is named twice, or is not a session', async () => {
    const { cookie } = await page.visitor({});
    for (const sent of [`${cookie}; ${cookie}`, '__Host-gateway-session=', '__Host-gateway-session=../x'])
      expect((await page.ask('/api/me', { headers: { cookie: sent } })).status).toBe(401);
  });
});

describe('the expiries of a session', () => {
  it('are idle and absolute', async () => {
    const short = await startTestPage(redis, { ui: { session: { idle: '600ms', absolute: '1500ms' } } });
    try {
      const idle = await short.visitor({});
      const used = await short.visitor({});
      const open = await short.visitor({});
      const begun = performance.now();
      let lastSeen = 0;
      let inBackground = 0;
      while (performance.now() - begun < 3_000) {
        if ((await used.ask('/api/me')).status !== 200) break;
        lastSeen = performance.now() - begun;
        inBackground = (await open.ask('/api/me', { headers: { 'x-background': '1' } })).status;
        await delay(100);
      }
      expect(lastSeen).toBeGreaterThan(700);
      expect(lastSeen).toBeLessThan(1_700);
      expect((await idle.ask('/api/me')).status).toBe(401);
      // It had expired, while the one in use had not.
      expect(inBackground).toBe(401);
    } finally {
      await short.close();
    }
  });
});
