import { describe, expect, it } from 'vitest';
import { defaultConfig } from '../../../src/config/load.ts';
import { maskSecrets } from '../../../src/config/mask.ts';
import { configJsonSchema } from '../../../src/config/schema.ts';
import type { ConfigInput } from '../../../src/config/schema.ts';
import { writtenConfig } from '../../../src/config/written.ts';

const SECRET = 'recognisable-secret-value';

const everySecret: ConfigInput = {
  redis: { password: SECRET, sentinel: { password: SECRET } },
  signature: { secret: SECRET },
  zsp: { escalation_secret: SECRET, jwks_url: `https://u:${SECRET}@idp.example/jwks?token=${SECRET}` },
  alerting: { secret: SECRET, webhook_url: `https://hooks.example/services/${SECRET}` },
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
    const printed = JSON.stringify(writtenConfig(maskSecrets(defaultConfig(everySecret))));
    expect(printed).not.toContain(SECRET);
    expect(printed.match(/\*\*\*/g)?.length).toBeGreaterThanOrEqual(10);
    expect(printed).toContain('"authorization":"***"');
    expect(printed).toContain('https://hooks.example/***');
  });

  it('that are not set stay visibly empty', () => {
    const masked = maskSecrets(defaultConfig());
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
    });
    expect(defaultConfig(writtenConfig(config))).toEqual(config);
  });

  it('writes durations as people do', () => {
    const { server, risk_profile } = writtenConfig(defaultConfig());
    expect(server).toMatchObject({ read_timeout: '30s', drain_timeout: '25s' });
    expect(risk_profile?.ttl).toBe('0');
    expect(server).not.toHaveProperty('insecure_dev');
  });
});

describe('the JSON Schema', () => {
  it('describes what is written, defaults included, and knows no other keys', () => {
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
