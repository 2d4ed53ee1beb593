import { describe, expect, it } from 'vitest';
import { extractCredentials } from '../../../src/auth/credentials.ts';

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
    expect(extractCredentials(headers, target)).toEqual({ proxyKeys, providerKeys, path, query });
  });
});
