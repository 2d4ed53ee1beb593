import { describe, expect, it } from 'vitest';
import { extractCredentials } from '../../../src/auth/credentials.ts';
import { defaultConfig } from '../../support/default-config.ts';
import { createAuthorityPath } from '../../../src/routing/authorities.ts';

const authorityPath = createAuthorityPath(
  defaultConfig({ proxy: { authorities: { 'api.openai.com': 'openai', 'llm.internal:8000': 'vllm' } } }),
);

describe('an authority of the table', () => {
  it.each([
    ['api.openai.com', '/v1/models', '/openai/v1/models'],
    ['API.OpenAI.com:443', '/v1/models', '/openai/v1/models'],
    ['api.openai.com:80', '/anthropic/v1/messages', '/openai/anthropic/v1/messages'],
    ['llm.internal:8000', '/', '/vllm/'],
  ])('%s %s is %s', (authority, path, local) => {
    expect(authorityPath?.(authority, path)).toBe(local);
  });

  it.each([
    'api.openai.com.',
    'api.openai.com:8443',
    'xapi.openai.com',
    'openai.com',
    'api.openai.com.evil.example',
    'api.openai.com,api.openai.com',
    'user@api.openai.com',
    'api.openai.com:443:443',
    'llm.internal',
    'constructor',
    '__proto__',
    '',
  ])('does not match %j', (authority) => {
    expect(authorityPath?.(authority, '/v1/models')).toBeUndefined();
  });

  it('is not used with an empty table', () => {
    expect(createAuthorityPath(defaultConfig())).toBeUndefined();
  });
});

describe('the table', () => {
  it.each(['*.openai.com', 'API.openai.com', 'https://api.openai.com', 'api.openai.com/', '', 'a b'])(
    'accepts only exact hosts: not %j',
    (authority) => {
      expect(() => defaultConfig({ proxy: { authorities: { [authority]: 'openai' } } })).toThrow();
    },
  );

  it('refuses unknown providers, and a table beside MCP servers', () => {
    expect(() => defaultConfig({ proxy: { authorities: { a: 'nobody' as 'openai' } } })).toThrow();
    expect(() => defaultConfig({ proxy: { authorities: { a: 'openai' } }, mcp: { enabled: true } })).toThrow(
      'mcp.enabled',
    );
  });
});

describe('credentials from headers alone', () => {
  const KEY = `gw-${'a'.repeat(43)}`;

  it('leave a key segment in the path, and take no proxy key from the query', () => {
    expect(extractCredentials([], `/${KEY}/v1/models?key=${KEY}&a=1`, 'headers')).toMatchObject({
      proxyKeys: [],
      path: `/${KEY}/v1/models`,
      query: '?a=1',
    });
  });

  it('are found in the headers of SDKs', () => {
    const headers = [
      ['authorization', `Bearer ${KEY}`],
      ['x-gateway-provider-key', 'sk-1'],
    ] as const;
    expect(extractCredentials(headers, '/v1/models', 'headers')).toMatchObject({
      proxyKeys: [KEY],
      providerKeys: ['sk-1'],
    });
  });
});
