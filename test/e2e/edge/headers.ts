import { it, expect } from 'vitest';
import { sendRaw } from '../../support/http.ts';
import {
  forwarded,
  auth,
  PROVIDER_KEY,
  provider,
  CHAT,
  BODY,
  key,
  gateway,
  chat,
  answerOverHttp2,
} from './rig.ts';

export function headers(): void {
  it('of the gateway and of proxies never reach the provider or influence a decision', async () => {
    const request = await forwarded({
      headers: {
        ...auth,
        cookie: 'a=b',
        dpop: 'x',
        baggage: 'x=y',
        forwarded: 'for=1.2.3.4',
        'proxy-authorization': 'Basic eDp5',
        'x-api-key': PROVIDER_KEY,
        'x-forwarded-for': '1.2.3.4',
        'x-forwarded-proto': 'https',
        'x-forwarded-host': 'evil',
        'x-envoy-upstream-rq-timeout-ms': '1',
        'x-envoy-original-path': '/x',
        'x-gateway-upstream': 'sidecar',
        'x-gateway-session-id': 's1',
        'x-gateway-request-cost': '0',
        'x-gw-origin': '1',
        'x-request-id': 'mine',
        'x-http-method-override': 'DELETE',
        'x-goog-fieldmask': 'candidates',
        'x-goog-encode-response-if-executable': 'base64',
        x_api_key: 'sk-other',
        'accept-encoding': 'gzip',
        'openai-organization': 'org',
        'user-agent': 'test',
      },
    });
    const names = Object.keys(request.headers).sort();
    expect(names).toEqual(
      [
        'authorization',
        'connection',
        'content-length',
        'content-type',
        'host',
        'openai-organization',
        'user-agent',
        'x-request-id',
      ].filter((name) => names.includes(name) || name !== 'connection'),
    );
    expect(request.headers['authorization']).toBe(`Bearer ${PROVIDER_KEY}`);
    expect(request.headers['host']).toBe(new URL(provider.url).host);
    expect(request.headers['x-request-id']).not.toBe('mine');
  });

  it('in lower case, repeated or merged cannot add a second credential', async () => {
    const raw =
      `POST ${CHAT} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${BODY.length}\r\n` +
      `Authorization: Bearer ${key.rawKey}\r\nauthorization: Bearer sk-a\r\nX-Gateway-Provider-Key: sk-b\r\n\r\n${BODY}`;
    const reply = await sendRaw(gateway.port, raw);
    expect(reply).toMatch(/^HTTP\/1.1 400 /);
  });

  it('of the client cannot choose the upstream', async () => {
    const request = await forwarded({
      headers: { ...auth, host: 'evil.example', 'x-gateway-upstream': 'provider_anthropic' },
    });
    expect(request.headers['host']).toBe(new URL(provider.url).host);
    const raw =
      `POST http://evil.example${CHAT} HTTP/1.1\r\nHost: evil.example\r\nContent-Type: application/json\r\n` +
      `Content-Length: ${BODY.length}\r\nAuthorization: Bearer ${key.rawKey}\r\nX-Gateway-Provider-Key: ${PROVIDER_KEY}\r\n\r\n${BODY}`;
    expect(await sendRaw(gateway.port, raw)).toMatch(/^HTTP\/1.1 200 /);
    expect(provider.requests.at(-1)?.headers['host']).toBe(new URL(provider.url).host);
  });

  it('that a provider sends in the gateway’s name are dropped from its answer', async () => {
    provider.behave({
      headers: { 'x-gateway-policy-block': 'true', 'x-gateway-request-cost': '9', 'openai-version': 'kept' },
    });
    const reply = await chat();
    expect(reply.headers['x-gateway-policy-block']).toBeUndefined();
    expect(reply.headers['x-gateway-request-cost']).not.toBe('9');
    expect(reply.headers['openai-version']).toBe('kept');
  });
}

export function host(): void {
  const raw = (lines: readonly string[], target = CHAT, bearer = key.rawKey): string =>
    `POST ${target} HTTP/1.1\r\n${lines.map((line) => `${line}\r\n`).join('')}Content-Type: application/json\r\n` +
    `Content-Length: ${BODY.length}\r\nAuthorization: Bearer ${bearer}\r\nX-Gateway-Provider-Key: ${PROVIDER_KEY}\r\n\r\n${BODY}`;
  const refused = /^HTTP\/1.1 400 .*x-gateway-request-id: [0-9a-f-]{36}\r.*"type":"invalid_request"}\s*$/s;

  it.each([
    ['two', ['Host: a.example', 'Host: b.example']],
    ['the same twice', ['Host: a.example', 'host: a.example']],
    ['three', ['Host: a', 'X-Between: 1', 'HOST: b', 'Host: c']],
    ['two in one', ['Host: a.example,b.example']],
  ])('must be unique: %s are 400, and nothing is forwarded', async (_name, lines) => {
    const before = provider.requests.length;
    const reply = await sendRaw(gateway.port, raw(lines));
    expect(reply).toMatch(refused);
    expect(reply).toContain('Host');
    expect(provider.requests.length).toBe(before);
  });

  it('is reported only after an unknown key', async () => {
    const reply = await sendRaw(gateway.port, raw(['Host: a', 'Host: b'], CHAT, `gw-${'x'.repeat(43)}`));
    expect(reply).toMatch(/^HTTP\/1.1 401 /);
  });

  it('that is missing is 400 in our error format, with an id that is not the client’s', async () => {
    for (const lines of [[], ['X-Request-Id: mine']]) {
      const reply = await sendRaw(gateway.port, raw(lines));
      expect(reply).toMatch(refused);
      expect(reply).not.toContain('mine');
    }
  });

  it('of an absolute address or of :authority counts, and a Host header beside it is ignored', async () => {
    const before = provider.requests.length;
    const absolute = await sendRaw(gateway.port, raw(['Host: other.example'], `http://a.example${CHAT}`));
    expect(absolute).toMatch(/^HTTP\/1.1 200 /);
    expect(await answerOverHttp2({ body: BODY, host: 'other.example' })).toMatchObject({ status: 200 });
    const forwarded = provider.requests.slice(before);
    expect(forwarded).toHaveLength(2);
    expect(JSON.stringify(forwarded.map(({ headers }) => headers))).not.toContain('example');
  });
}
