import { expect, it } from 'vitest';
import { answerWith, ask, gateways, key } from './rig.ts';
import { askWith } from '../../support/ask-provider.ts';

/** Headers that speak for the gateway's origin, to a browser, a cache, a proxy before the gateway or an SDK. */
const HOSTILE = {
  'set-cookie': ['session=evil; Path=/', 'other=evil'],
  'set-cookie2': 'evil=1',
  'alt-svc': 'h3="evil.example:443"; ma=86400',
  refresh: '0; url=https://evil.example/',
  'strict-transport-security': 'max-age=31536000; evil',
  'access-control-allow-origin': 'https://evil.example',
  'access-control-allow-credentials': 'evil',
  'access-control-expose-headers': 'evil',
  'clear-site-data': '"evil"',
  location: 'https://evil.example/',
  'content-location': 'https://evil.example/',
  link: '<https://evil.example/>; rel="preload"',
  nel: '{"report_to":"evil"}',
  'report-to': '{"endpoints":[{"url":"https://evil.example/"}]}',
  'reporting-endpoints': 'default="https://evil.example/"',
  'content-security-policy': 'connect-src https://evil.example',
  'content-security-policy-report-only': 'default-src evil',
  'permissions-policy': 'evil=*',
  'cross-origin-opener-policy': 'evil',
  'service-worker-allowed': '/evil',
  sourcemap: 'https://evil.example/map',
  'public-key-pins': 'pin-sha256="evil"',
  'proxy-authenticate': 'Basic realm="evil"',
  'proxy-authentication-info': 'evil',
  'www-authenticate': 'Basic realm="evil"',
  'authentication-info': 'evil',
  'x-amzn-remapped-www-authenticate': 'Basic realm="evil"',
  'x-accel-redirect': '/evil',
  'x-accel-expires': '31536000, evil',
  'x-sendfile': '/evil',
  'x-envoy-ratelimited': 'evil',
  'x-gateway-policy-block': 'evil',
  'x-gateway-error-type': 'evil',
  'x-gateway-request-cost': 'evil',
  'origin-agent-cluster': 'evil',
  'speculation-rules': '"https://evil.example/rules"',
  'no-vary-search': 'evil',
  'cache-control': 'public, max-age=31536000, evil=1',
  'cdn-cache-control': 'public, evil=1',
  'surrogate-control': 'max-age=31536000, evil',
  expires: 'Tue, 01 Jan 2030 00:00:00 GMT; evil',
  age: 'evil',
  vary: 'evil',
  etag: '"evil"',
  server: 'evil',
  'server-timing': 'evil;dur=1',
  via: '1.1 evil',
  'x-powered-by': 'evil',
  request_id: 'evil',
  'x-made-up-tomorrow': 'evil',
};

/** Headers that SDKs read or show. */
const READ = {
  'request-id': 'req_1',
  'x-request-id': 'req_2',
  'retry-after': '7',
  'retry-after-ms': '7000',
  'x-should-retry': 'true',
  'x-ratelimit-remaining-tokens': '100',
  'x-ratelimit-reset-requests': '1s',
  'anthropic-ratelimit-tokens-remaining': '99',
  'anthropic-organization-id': 'org-a',
  'openai-organization': 'org-o',
  'openai-processing-ms': '12',
  'openai-version': '2020-10-01',
  'x-amzn-requestid': 'aws-1',
  'x-amzn-errortype': 'ThrottlingException',
  'x-amzn-bedrock-input-token-count': '5',
  'apim-request-id': 'apim-1',
  'azure-openai-deployment-utilization': '3',
  'x-ms-region': 'Sweden',
  'cf-ray': '8c1f-SJC',
  'mistral-correlation-id': 'm-1',
  'x-groq-region': 'eu',
  'cache-control': 'no-cache, no-transform',
};

const CHUNK =
  'data: {"choices":[{"index":0,"delta":{"content":"hi"},"finish_reason":null}]}\n\ndata: [DONE]\n\n';
const WHOLE = '{"choices":[{"index":0,"message":{"role":"assistant","content":"hi"}}]}';

type Headers = Readonly<Record<string, string | string[]>>;

/** Each way in which an answer is forwarded. */
const WAYS: readonly [string, string, number, (headers: Headers) => void][] = [
  ['a whole answer', 'openai', 200, (headers) => void body(200, 'application/json', WHOLE, headers)],
  ['a stream', 'openai, a stream', 200, (headers) => void body(200, 'text/event-stream', CHUNK, headers)],
  ['an error', 'anthropic', 429, (headers) => void body(429, 'application/json', '{"error":{}}', headers)],
  ['a fault without a word', 'gemini', 500, (headers) => void body(500, undefined, '', headers)],
  [
    'a list of models',
    'openai models',
    200,
    (headers) => void body(200, 'application/json', '{"data":[]}', headers),
  ],
  ['an answer without a body', 'bedrock', 204, (headers) => void body(204, undefined, '', headers)],
  ['an answer that is refused', 'cohere', 502, (headers) => void body(200, 'image/png', 'evil', headers)],
];

function body(status: number, type: string | undefined, text: string, headers: Headers): void {
  answerWith((response) => {
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    if (type !== undefined) response.setHeader('content-type', type);
    const trails = type !== undefined && status === 200;
    if (trails) response.setHeader('trailer', 'set-cookie, location');
    response.writeHead(status);
    if (trails) response.write(text);
    if (trails) response.addTrailers({ 'set-cookie': 'evil=1', location: 'https://evil.example/' });
    response.end(trails ? '' : text);
  });
}

export function headers(): void {
  it.each(WAYS)(
    'that speak for the gateway’s origin are dropped: %s',
    async (_way, name, status, respond) => {
      respond(HOSTILE);
      for (const gateway of ['plain', 'shadow'] as const) {
        const reply = await ask(name, gateway);
        expect(reply.status).toBe(status);
        expect(JSON.stringify(reply)).not.toContain('evil');
        expect(reply.trailers).toEqual({});
      }
    },
  );

  it.each(WAYS.filter(([, , status]) => status !== 502))(
    'that SDKs read pass: %s',
    async (_way, name, _status, respond) => {
      respond(READ);
      expect((await ask(name)).headers).toMatchObject(READ);
    },
  );

  it('are masked if DLP finds something in them, and dropped ones do not return because of it', async () => {
    const mail = 'jane.doe@example.com';
    body(200, 'application/json', WHOLE, { 'x-ms-user': mail, location: `https://evil.example/${mail}` });
    const reply = await ask('openai');
    expect(reply.headers['x-ms-user']).toBe('***');
    expect(reply.headers).not.toHaveProperty('location');
    expect(JSON.stringify(reply)).not.toContain(mail);
  });

  it('for a page of an allowed origin never come from a provider', async () => {
    body(200, 'application/json', WHOLE, { 'access-control-allow-origin': '*' });
    const headers = { origin: 'https://app.example' };
    const reply = await askWith(gateways.plain, key.rawKey, '/openai/v1/models', undefined, headers);
    expect(reply.headers).not.toHaveProperty('access-control-allow-origin');
  });
}
