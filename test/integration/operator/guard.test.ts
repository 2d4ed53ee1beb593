import { afterAll, describe, expect, it } from 'vitest';

import { startTestPage } from '../../support/operator/page.ts';
import { startTestRedis } from '../../support/redis.ts';

const redis = await startTestRedis();
afterAll(() => redis.close());
const page = await startTestPage(redis);
afterAll(() => page.close());
const visitor = await page.visitor({ role: 'admin' });

describe('every answer', () => {
  it.each(['/', '/api/me', '/api/sign-in', '/nothing', '/api/nothing'])(
    'has the headers: %s',
    async (path) => {
      const { headers } = await page.ask(path);
      expect(headers).toMatchObject({
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cross-origin-opener-policy': 'same-origin',
      });
      const policy = String(headers['content-security-policy']);
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toContain('unsafe');
      expect(headers['access-control-allow-origin']).toBeUndefined();
    },
  );
});

describe('another host name', () => {
  it.each(['evil.example', 'evil.example:9091', '127.0.0.1', 'localhost:1'])(
    'is refused: %j',
    async (host) => {
      for (const path of ['/', '/api/sign-in']) {
        const answer = await page.ask(path, { headers: { host } });
        expect(answer.status).toBeGreaterThanOrEqual(400);
        expect(answer.text).not.toContain('<!doctype');
      }
    },
  );

  it('is accepted if it is a loopback name', async () => {
    for (const name of ['localhost', 'LOCALHOST', '127.0.0.1', '[::1]'])
      expect((await page.ask('/', { headers: { host: `${name}:${String(page.port)}` } })).status).toBe(200);
  });
});

describe('a request from another site', () => {
  it.each([
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' },
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { origin: 'http://127.0.0.1:1' },
  ])('is refused, even with cookie and token: %j', async (headers) => {
    const answer = await visitor.ask('/api/sign-out', { method: 'POST', body: {}, headers });
    expect(answer.json()).toMatchObject({ type: 'cross_site_request', status: 403 });
    expect((await visitor.ask('/api/me', { headers })).status).toBe(403);
    expect((await visitor.ask('/api/me')).status).toBe(200);
  });

  it('is refused without the token, or with another', async () => {
    const other = await page.visitor({ role: 'admin' });
    for (const token of ['', 'x', other.csrf]) {
      const headers = { 'x-csrf-token': token, origin: page.origin };
      const answer = await visitor.ask('/api/sign-out', { method: 'POST', body: {}, headers });
      expect(answer.json()).toMatchObject({ type: 'cross_site_request', status: 403 });
    }
    expect((await visitor.ask('/api/me')).status).toBe(200);
  });

  it('is refused as a form, which needs no CORS permission', async () => {
    const headers = { 'content-type': 'text/plain', origin: page.origin };
    const answer = await page.ask('/api/sign-in', { method: 'POST', body: '{"password":"x"}', headers });
    expect(answer.json()).toMatchObject({ type: 'unsupported_media_type', status: 415 });
  });
});

describe('a path', () => {
  it.each([
    '/../package.json',
    '/..%2f..%2fetc/passwd',
    '/%2e%2e/%2e%2e/etc/passwd',
    '/assets/../manifest.json',
    '/manifest.json',
    '/index.html.br',
    '//etc/passwd',
    '/\\..\\..\\etc\\passwd',
    '/index.html%00.js',
    'http://evil.example/',
  ])('reaches no file that the manifest does not list: %s', async (path) => {
    const answer = await page.ask(path);
    expect(answer.status).toBe(404);
    expect(answer.json()).toMatchObject({ type: 'not_found' });
  });

  it('is served plain or compressed', async () => {
    const plain = await page.ask('/');
    expect(plain.text).toContain('<title>Gateway</title>');
    expect(plain.headers['content-type']).toBe('text/html; charset=utf-8');
    const small = await page.ask('/', { headers: { 'accept-encoding': 'gzip, br' } });
    expect(small.headers['content-encoding']).toBe('br');
    expect((await page.ask('/', { method: 'POST', body: {} })).status).toBe(405);
  });
});

describe('an invalid request', () => {
  it('gets the place of the error, as problem+json', async () => {
    const answer = await page.ask('/api/sign-in', { method: 'POST', body: { password: 1, more: 2 } });
    expect(answer.headers['content-type']).toBe('application/problem+json');
    expect(answer.json()).toMatchObject({
      type: 'invalid_request',
      status: 400,
      errors: [{ at: 'password' }, { at: '' }],
    });
    expect((await page.ask('/api/sign-in', { method: 'POST', body: '{' })).status).toBe(400);
    expect((await page.ask('/api/%zz/x', {})).status).toBe(404);
    expect((await page.ask('/api/me', { method: 'DELETE' })).headers['allow']).toBe('GET');
  });

  it('may not be larger than 64 KiB', async () => {
    const body = JSON.stringify({ password: 'x'.repeat(70_000) });
    const answer = await page.ask('/api/sign-in', { method: 'POST', body }).catch((error: unknown) => error);
    // The connection may end before the whole body was sent.
    if (!(answer instanceof Error)) expect(answer).toMatchObject({ status: 413 });
    expect((await page.ask('/api/sign-in')).status).toBe(200);
  });
});

describe('the description', () => {
  it('is OpenAPI 3.1 for every route, with its role', async () => {
    const { openapi, paths } = (await visitor.ask('/api/openapi.json')).json<{
      openapi: string;
      paths: Record<string, Record<string, { 'x-role'?: string; responses: object }>>;
    }>();
    expect(openapi).toBe('3.1.0');
    expect(paths['/api/me']?.['get']).toMatchObject({ 'x-role': 'viewer', operationId: 'get_me' });
    expect(paths['/api/sign-in']?.['post']?.['x-role']).toBeUndefined();
    expect((await page.ask('/api/openapi.json')).status).toBe(401);
  });
});

describe('Redis', () => {
  it('is reported when it fails, and when it is back', async () => {
    await redis.stop();
    const gone = await visitor.ask('/api/me');
    expect(gone.json()).toMatchObject({ type: 'redis_unavailable', status: 503 });
    expect((await page.ask('/')).status).toBe(200);
    await redis.start();
    await expect.poll(async () => (await visitor.ask('/api/me')).status).toBe(401);
  });
});
