import { it, expect } from 'vitest';
import { type Reply, send } from '../../../support/http.ts';
import { ORIGIN, forwarded, call, rig, expectRefusal, refused, post, rawKey, respondWith } from './rig.ts';

export function browsers(): void {
  it.each([undefined, ORIGIN])('a request with origin %s passes', async (origin) => {
    await forwarded(call('echo'), { headers: origin === undefined ? {} : { origin } });
  });

  it.each(['127.0.0.1', 'localhost', '[::1]'])(
    'a page at the gateway’s own address passes (%s)',
    async (name) => {
      const host = `${name}:${rig.gateway.port}`;
      const got = await forwarded(call('echo'), { headers: { host, origin: `http://${host}` } });
      // The server would see a page from another address.
      expect(Object.keys(got.headers).filter((header) => /^(?:origin|referer|sec-)/.test(header))).toEqual(
        [],
      );
    },
  );

  it('another host name that resolves to the gateway is not its own address', async () => {
    const headers = { host: 'evil.example:80', origin: 'http://evil.example:80' };
    expectRefusal(await refused(() => post(call('echo'), { headers })), 403, 'policy_denied');
  });

  const PREFLIGHT = { 'access-control-request-method': 'POST' };
  const preflight = (path: string, headers: Record<string, string>): Promise<Reply> =>
    refused(() =>
      send(rig.gateway.baseUrl, { path, method: 'OPTIONS', headers: { ...PREFLIGHT, ...headers } }),
    );
  const ofCrossOrigin = (reply: Reply): string[] =>
    Object.keys(reply.headers).filter((name) => name.startsWith('access-control-'));

  it.each([
    '/mcp/files',
    '/mcp/files/tools/call',
    '/mcp/other',
    '/.well-known/oauth-protected-resource/mcp/files',
  ])('a preflight from an allowed origin is answered without a key (%s)', async (path) => {
    const asked = 'content-type, authorization, mcp-param-region, x-gateway-tag, x-evil';
    const reply = await preflight(path, { origin: ORIGIN, 'access-control-request-headers': asked });
    expect([reply.status, reply.body]).toEqual([204, '']);
    expect(reply.headers).toMatchObject({
      'access-control-allow-origin': ORIGIN,
      'access-control-allow-methods': 'POST, GET, DELETE',
      'access-control-max-age': '600',
      vary: 'Origin',
    });
    const allowed = (reply.headers['access-control-allow-headers'] as string).toLowerCase().split(', ');
    expect(allowed).toEqual(
      expect.arrayContaining(
        'content-type authorization last-event-id mcp-session-id mcp-protocol-version mcp-method mcp-name mcp-param-region x-gateway-session-id x-gateway-tag'.split(
          ' ',
        ),
      ),
    );
    expect(allowed.join()).not.toMatch(/evil|\*/);
    expect(reply.headers['access-control-allow-credentials']).toBeUndefined();
  });

  it.each(['https://evil.example', 'null', `${ORIGIN}/`])(
    'a preflight from origin %s is 403',
    async (origin) => {
      const reply = await preflight('/mcp/files', { origin });
      expectRefusal(reply, 403, 'policy_denied');
      expect(ofCrossOrigin(reply)).toEqual([]);
    },
  );

  it('a provider’s path has no preflight', async () => {
    const reply = await preflight('/openai/v1/models', { origin: ORIGIN });
    expect([reply.status, ofCrossOrigin(reply)]).toEqual([401, []]);
  });

  it.each<[string, number, () => Promise<Reply>]>([
    ['an answer', 200, () => post(call('echo'), { headers: { origin: ORIGIN } })],
    [
      'a wrong key',
      401,
      () => post(call('echo'), { headers: { origin: ORIGIN, authorization: 'Bearer gw-x' } }),
    ],
    ['no JSON', 400, () => post('{', { headers: { origin: ORIGIN } })],
    ['no such server', 404, () => post(call('echo'), { path: '/mcp/other', headers: { origin: ORIGIN } })],
  ])('a page at an allowed origin may read %s', async (_what, status, send_) => {
    const reply = await send_();
    expect([reply.status, reply.headers['access-control-allow-origin']]).toEqual([status, ORIGIN]);
    const exposed = (reply.headers['access-control-expose-headers'] as string).toLowerCase().split(', ');
    expect(exposed).toEqual(
      expect.arrayContaining([
        'mcp-session-id',
        'www-authenticate',
        'x-gateway-request-id',
        'x-gateway-block-reason',
      ]),
    );
    expect(exposed).not.toContain('x-gateway-upstream');
  });

  it('a page at an allowed origin may read that the server is unreachable', async () => {
    respondWith((_request, response) => response.destroy());
    const reply = await post(call('echo'), { headers: { origin: ORIGIN } });
    expect([reply.status, reply.headers['access-control-allow-origin']]).toEqual([502, ORIGIN]);
  });

  it.each(['https://evil.example', `${ORIGIN}.evil`, `${ORIGIN}/`, `${ORIGIN}, ${ORIGIN}`, 'null'])(
    'a request from origin %s is refused',
    async (origin) => {
      expectRefusal(await refused(() => post(call('echo'), { headers: { origin } })), 403, 'policy_denied');
      const get = await refused(() =>
        send(rig.gateway.baseUrl, {
          path: '/mcp/files',
          headers: { authorization: `Bearer ${rawKey}`, origin },
        }),
      );
      expectRefusal(get, 403, 'policy_denied');
      expect(ofCrossOrigin(get)).toEqual([]);
    },
  );
}
