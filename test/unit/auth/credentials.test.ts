import { describe, expect, it } from 'vitest';
import { MAX_CANDIDATES } from '../../../src/auth/carried-key.ts';
import { extractCredentials, travellingKeys } from '../../../src/auth/credentials.ts';
import { quickestCpuMs } from '../../support/cpu-time.ts';

const PROXY = 'gw-0123456789012345678901234567890123456789012';

/** name, headers, target, proxy keys, provider keys, path, query */
const ROWS: [string, [string, string][], string, string[], string[], string, string][] = [
  [
    'a key in a header',
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
    'a key in the path',
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
    'a key in the query is removed from it',
    [],
    `/gemini/v1beta/models/m:generateContent?alt=sse&key=${PROXY}&x=1`,
    [PROXY],
    [],
    '/gemini/v1beta/models/m:generateContent',
    '?alt=sse&x=1',
  ],
  [
    'an encoded parameter name is decoded',
    [],
    '/gemini/m?%6bey=AIza1&KEY=AIza2&access_token=ya29.1',
    [],
    ['AIza1', 'AIza2', 'ya29.1'],
    '/gemini/m',
    '',
  ],
  [
    'other authorization schemes are ignored',
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
    'an empty bearer token is ignored',
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
      path,
      query,
    });
  });

  it('reads a long authorization of blanks quickly', () => {
    const blanks = `bearer x${' '.repeat(60_000)}\n`;
    expect(quickestCpuMs(() => extractCredentials([['authorization', blanks]], '/'))).toBeLessThan(20);
  });
});

const NOTHING = {
  path: '/v1/models',
  query: '',
  providerKey: undefined,
  headers: new Map(),
  travels: () => true,
};

describe('proxy keys in forwarded parts', () => {
  it.each([
    ['the path', { path: `/v1/models/${PROXY}` }],
    ['the query', { query: `?note=${encodeURIComponent(`"${PROXY}"`)}` }],
    ['the provider key', { providerKey: `AKIAIOSFODNN7EXAMPLE:${PROXY}` }],
    ['a provider key in another letter case', { providerKey: PROXY.replace('gw-', 'GW-') }],
    ['a header', { headers: new Map([['x-title', `my ${PROXY}`]]) }],
  ])('are searched for in %s', (_where, request) => {
    expect(travellingKeys({ ...NOTHING, ...request })).toEqual([PROXY]);
  });

  it('are not searched for in other parts', () => {
    const headers = new Map([
      ['authorization', `Basic ${btoa(`user:${PROXY}`)}`],
      ['x-title', 'soup'],
    ]);
    const travels = (name: string): boolean => name === 'x-title';
    expect(travellingKeys({ ...NOTHING, headers, travels })).toEqual([]);
  });

  it('are returned once each, and refused beyond the limit of lookups', () => {
    const some = (count: number): string =>
      Array.from({ length: count }, (_, nth) => `gw-${String(nth).padStart(43, '0')}`).join(' ');
    const most = some(MAX_CANDIDATES);
    expect(travellingKeys({ ...NOTHING, query: most, providerKey: most })).toHaveLength(MAX_CANDIDATES);
    expect(() => travellingKeys({ ...NOTHING, query: some(MAX_CANDIDATES + 1) })).toThrow(
      'the request contains a proxy key in a part that is forwarded upstream',
    );
    const apart = { query: most, providerKey: `gw-${'z'.repeat(43)}` };
    expect(() => travellingKeys({ ...NOTHING, ...apart })).toThrow('contains a proxy key');
  });
});
