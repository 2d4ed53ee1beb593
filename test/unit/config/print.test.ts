import { describe, expect, it } from 'vitest';
import { createServerCredentials } from '../../../src/checks/mcp-inspector/server-credentials.ts';
import { defaultConfig } from '../../support/default-config.ts';
import { maskConfig, serializeConfig } from '../../../src/config/print.ts';
import { configJsonSchema, type ConfigInput } from '../../../src/config/schema.ts';

const SECRET = 'recognisableSecretValueOf32Chars';

const everySecret: ConfigInput = {
  redis: { password: SECRET, sentinel: { password: SECRET } },
  signature: { secret: SECRET },
  zsp: { escalation_secret: SECRET, jwks_url: `https://u:${SECRET}@idp.example/jwks?token=${SECRET}` },
  alerting: { secret: `whsec_${SECRET}`, webhook_url: `https://hooks.example/services/${SECRET}` },
  server: { extproc: { token: SECRET } },
  mcp: {
    servers: [
      {
        name: 'a',
        url: `https://mcp.example/?key=${SECRET}`,
        headers: { authorization: `Bearer ${SECRET}` },
      },
    ],
  },
  otel: { endpoint: `https://x:${SECRET}@otel.example` },
};

describe('secrets in print', () => {
  it('are masked, all of them', () => {
    const printed = JSON.stringify(serializeConfig(maskConfig(defaultConfig(everySecret))));
    expect(printed).not.toContain(SECRET);
    expect(printed.match(/\*\*\*/g)?.length).toBeGreaterThanOrEqual(10);
    expect(printed).toContain('"authorization":"***"');
    expect(printed).toContain('https://hooks.example/***');
  });

  it.each([
    ['https://mcp.example/v1/mcp', 'https://mcp.example/v1/mcp'],
    ['https://mcp.example/api/mcp/s/N2Q4YjE1ZjAtYzQ5My00NDE1/mcp', 'https://mcp.example/api/mcp/s/***/mcp'],
    ['https://mcp.example/sk-0123456789abcdef0123456789/sse?a=b', 'https://mcp.example/***/sse?***'],
    ['https://mcp.example/%6Bey-0123456789abcdef0123', 'https://mcp.example/***'],
    ['https://mcp.example/f47ac10b-58cc-4372-a567-0e02b2c3d479/', 'https://mcp.example/***/'],
    ['https://mcp.example/k7Hq2-9sLm-33xZ-pQ8w/mcp', 'https://mcp.example/***/mcp'],
    ['https://mcp.example/9f8e7d6c5b4a3f2e/mcp', 'https://mcp.example/***/mcp'],
    ['https://mcp.example/9c2d4e6f8a/mcp', 'https://mcp.example/***/mcp'],
    ['https://mcp.example/mixtral-8x7b-instruct-v0.1/', undefined],
    ['https://mcp.example/mixtral-8x7b-v0-3/', undefined],
    ['https://mcp.example/us-east-1/v1beta2/2026-01-02/', undefined],
    ['https://mcp.example/model/anthropic.claude-3-5-sonnet-20241022-v2:0/mcp', undefined],
    ['https://mcp.example/openai/deployments/gpt-4o-mini-2024-07-18/', undefined],
    ['https://mcp.example/model-context-protocol-of-the-town/', undefined],
    ['https://mcp.example/mcp?token=short', 'https://mcp.example/mcp?***'],
  ])('of an MCP server’s address are those that the inspector treats as credentials: %s', (url, printed) => {
    const config = defaultConfig({ mcp: { servers: [{ name: 'a', url, headers: { 'X-Any': 'value' } }] } });
    expect(maskConfig(config).mcp.servers).toMatchObject([
      { url: printed ?? url, headers: { 'X-Any': '***' } },
    ]);
  });

  const SEGMENTS = ['tok_9c2d4e6f8a', '708c50b9-a15d-4b94-9d3c-1f6a4b7e0c11'];
  const PATH = `a.test/${SEGMENTS.join('/')}/v1`;
  const OTHERS = ['us3r-n4me', 'p4ssw0rd', 'qu3ry-v4lue'];
  const WHOLE = `https://${OTHERS.slice(0, 2).join(':')}@${PATH}?k=${OTHERS.slice(2).join()}`;

  it.each<[string, ConfigInput]>([
    ['a provider', { providers: { vllm: { base_url: `https://${PATH}` } } }],
    ['a webhook', { alerting: { webhook_url: `https://${PATH}` } }],
    ['the gateway', { server: { public_url: `https://${PATH}` } }],
    ['a key set', { zsp: { jwks_url: WHOLE } }],
    ['a collector', { otel: { endpoint: WHOLE } }],
  ])('of the address of %s are user, password, query and opaque segments', (_whose, input) => {
    const printed = JSON.stringify(serializeConfig(maskConfig(defaultConfig(input))));
    expect(printed).toContain('a.test');
    for (const part of [...SEGMENTS, ...OTHERS]) expect(printed).not.toContain(part);
  });

  it('hide every credential of a server that the inspector knows', async () => {
    const tokens = ['0123456789abcdef0123456789', 'AbCdEfGhIjKlMnOp0123456789', 'xoxb1234567890abcdefghij'];
    for (const [nth, token] of tokens.entries()) {
      const url =
        nth === 0 ? `https://mcp.example/mcp?access_token=${token}` : `https://mcp.example/${token}/mcp`;
      const server = { name: 'a', url, headers: { 'X-Api-Key': `${token}-2` } };
      const credentials = createServerCredentials(server);
      const printed = JSON.stringify(
        serializeConfig(maskConfig(defaultConfig({ mcp: { servers: [server] } }))),
      );
      expect([credentials.isIn(token), credentials.isIn(printed)]).toEqual([true, false]);
      expect(await credentials.findAll([printed])).toEqual([[]]);
    }
  });

  it('that are not set stay visibly empty', () => {
    const masked = maskConfig(defaultConfig());
    expect(masked.redis.password).toBe('');
    expect(masked.alerting.webhook_url).toBe('');
    expect(masked).toEqual(defaultConfig());
  });
});

describe('the configuration in print', () => {
  it('is a file that means the same', () => {
    const config = defaultConfig({
      server: { read_timeout: '1m30s', public_url: 'https://gw.example/' },
      risk_profile: { ttl: '30d' },
      pricing: { unknown_model: { input: 1, output: 2 }, overrides: { 'openai/gpt-4.1': { input: 3 } } },
      policy: { default_action: 'allow' },
      credentials: { main: { provider: 'openai', from: { env: 'MAIN', ttl: '20m' }, max_age: '12h' } },
      models: { fast: [{ provider: 'openai', model: 'gpt-4o', timeout: '2s' }] },
    });
    expect(defaultConfig(serializeConfig(config))).toEqual(config);
  });

  it('writes durations as people do', () => {
    const { server, risk_profile } = serializeConfig(defaultConfig());
    expect(server).toMatchObject({ read_timeout: '30s', drain_timeout: '25s' });
    expect(risk_profile?.ttl).toBe('0');
    expect(server).not.toHaveProperty('insecure_dev');
  });
});

describe('the JSON Schema', () => {
  it('describes the effective values, defaults included, and knows no other keys', () => {
    const schema = configJsonSchema();
    expect(schema).toMatchObject({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      additionalProperties: false,
      properties: {
        server: {
          properties: { port: { type: 'integer', default: 8080 }, read_timeout: { default: '30s' } },
        },
      },
    });
    expect(JSON.stringify(schema)).not.toContain('"required":["server"');
  });
});
