import { describe, expect, it } from 'vitest';
import { extractCredentials } from '../../../src/auth/credentials.ts';
import { quickestCpuMs } from '../../support/cpu-time.ts';

const PROXY = 'gw-0123456789012345678901234567890123456789012';

/** name, headers, target, proxy keys, provider keys, path, query */
const ROWS: [string, [string, string][], string, string[], string[], string, string][] = [
  [
    'header auth',
    [
      ['authorization', `Bearer ${PROXY}`],
      ['x-gateway-provider-key', 'sk-1'],
    ],
    '/openai/v1/chat/completions',
    [PROXY],
    ['sk-1'],
    '/openai/v1/chat/completions',
    '',
  ],
  [
    'path auth',
    [['authorization', 'Bearer sk-1']],
    `/${PROXY}/openai/v1/models`,
    [PROXY],
    ['sk-1'],
    '/openai/v1/models',
    '',
  ],
  ['a path that is only a key', [], `/${PROXY}`, [PROXY], [], '/', ''],
  [
    'an SDK header with the proxy key and another with the provider key',
    [
      ['authorization', `Bearer ${PROXY}`],
      ['x-api-key', 'sk-ant-1'],
    ],
    '/anthropic/v1/messages',
    [PROXY],
    ['sk-ant-1'],
    '/anthropic/v1/messages',
    '',
  ],
  [
    'the same value twice is one credential',
    [
      ['authorization', 'Bearer sk-1'],
      ['api-key', 'sk-1'],
      ['x-goog-api-key', PROXY],
      ['x-api-key', PROXY],
    ],
    '/azure/x',
    [PROXY],
    ['sk-1'],
    '/azure/x',
    '',
  ],
  [
    'a key in the query is taken out of it',
    [],
    `/gemini/v1beta/models/m:generateContent?alt=sse&key=${PROXY}&x=1`,
    [PROXY],
    [],
    '/gemini/v1beta/models/m:generateContent',
    '?alt=sse&x=1',
  ],
  [
    'an encoded parameter name hides nothing',
    [],
    '/gemini/m?%6bey=AIza1&KEY=AIza2&access_token=ya29.1',
    [],
    ['AIza1', 'AIza2', 'ya29.1'],
    '/gemini/m',
    '',
  ],
  [
    'other authorization schemes are no credential',
    [
      ['authorization', 'AWS4-HMAC-SHA256 Credential=AKIA/x'],
      ['x-gateway-provider-key', 'AKIA:secret'],
    ],
    `/${PROXY}/bedrock/model/m/converse?X-Amz-Signature=1`,
    [PROXY],
    ['AKIA:secret'],
    '/bedrock/model/m/converse',
    '',
  ],
  [
    'an empty bearer is none',
    [['authorization', 'Bearer ']],
    '/openai/v1/models',
    [],
    [],
    '/openai/v1/models',
    '',
  ],
];

describe('credentials', () => {
  it.each(ROWS)('%s', (_name, headers, target, proxyKeys, providerKeys, path, query) => {
    expect(extractCredentials(headers, target)).toEqual({
      proxyKeys,
      providerKeys,
      hidesProxyKey: false,
      path,
      query,
    });
  });

  it.each([
    ['authorization', `Bearer "${PROXY}"`],
    ['authorization', `Bearer '${PROXY}'`],
    ['authorization', `Token ${PROXY}`],
    ['authorization', PROXY],
    ['authorization', `Basic ${btoa(`user:${PROXY}`)}`],
    ['authorization', `AWS4-HMAC-SHA256 Credential=${PROXY}/20260101/us-east-1/bedrock/aws4_request`],
    ['x-api-key', `"${PROXY}"`],
    ['x-goog-api-key', `key=${PROXY}`],
    ['api-key', encodeURIComponent(`"${PROXY}"`)],
    ['api-key', PROXY.replace('gw', '%67%77')],
    ['x-gateway-provider-key', `AKIAIOSFODNN7EXAMPLE:${PROXY}`],
    ['x-gateway-provider-key', `sk-1, <${PROXY}>`],
    ['x-gateway-provider-key', PROXY.replace('gw-', 'GW-')],
  ])('%s: %s hides a proxy key, and is none', (name, value) => {
    const credentials = extractCredentials([[name, value]], '/openai/v1/models');
    expect(credentials).toMatchObject({ proxyKeys: [], hidesProxyKey: true });
  });

  it('a proxy key in quotes in the query is one that hides', () => {
    const target = `/gemini/v1beta/models?key=%22${PROXY}%22`;
    expect(extractCredentials([], target)).toMatchObject({ proxyKeys: [], hidesProxyKey: true });
  });

  it('reads an authorization of blanks in no time', () => {
    const blanks = `bearer x${' '.repeat(60_000)}\n`;
    expect(quickestCpuMs(() => extractCredentials([['authorization', blanks]], '/'))).toBeLessThan(20);
  });
});
