import type { Script } from '../../support/fake-provider/index.ts';
import type { SendOptions } from '../../support/http.ts';
import {
  JSON_TYPE,
  MESSAGES,
  CHAT,
  STREAM,
  CLAUDE,
  GEMINI,
  CONVERSE,
  CHAT_PATH,
  MODEL,
  newProviderKey,
  unknownKey,
  header,
  bearer,
  byPath,
  byHeader,
  type Pair,
} from './rig.ts';

type Case = readonly [name: string, status: number, request: (pair: Pair) => SendOptions];

export const SUCCESSES: readonly Case[] = [
  ['header auth', 200, (pair) => byHeader(pair)],
  ['header auth, stream', 200, (pair) => byHeader(pair, STREAM)],
  ['path auth', 200, (pair) => byPath(pair)],
  ['path auth, stream', 200, (pair) => byPath(pair, STREAM)],
  [
    'path auth, chunked',
    200,
    (pair) => ({ path: `/${pair.proxyKey}${CHAT_PATH}`, headers: bearer(pair), body: CHAT, chunked: true }),
  ],
  [
    'a list of models',
    200,
    (pair) => ({ path: `/${pair.proxyKey}/openai/v1/models`, headers: bearer(pair) }),
  ],
  [
    'x-api-key',
    200,
    ({ proxyKey, providerKey }) => ({
      path: '/anthropic/v1/messages',
      headers: {
        'x-api-key': proxyKey,
        'x-gateway-provider-key': providerKey,
        'anthropic-version': '2023-06-01',
        ...JSON_TYPE,
      },
      body: CLAUDE,
    }),
  ],
  [
    'x-api-key under path auth',
    200,
    ({ proxyKey, providerKey }) => ({
      path: `/${proxyKey}/anthropic/v1/messages`,
      headers: { 'x-api-key': providerKey, 'anthropic-version': '2023-06-01', ...JSON_TYPE },
      body: CLAUDE,
    }),
  ],
  [
    'x-goog-api-key',
    200,
    ({ proxyKey, providerKey }) => ({
      path: '/gemini/v1beta/models/gemini-2.5-flash:generateContent',
      headers: { 'x-goog-api-key': proxyKey, 'x-gateway-provider-key': providerKey, ...JSON_TYPE },
      body: GEMINI,
    }),
  ],
  [
    '?key= with the proxy key',
    200,
    ({ proxyKey, providerKey }) => ({
      path: `/gemini/v1beta/models/gemini-2.5-flash:generateContent?alt=json&key=${proxyKey}`,
      headers: { 'x-gateway-provider-key': providerKey, ...JSON_TYPE },
      body: GEMINI,
    }),
  ],
  [
    '?key= with the provider key',
    200,
    ({ proxyKey, providerKey }) => ({
      path: `/${proxyKey}/gemini/v1beta/models/gemini-2.5-flash:generateContent?key=${providerKey}`,
      headers: JSON_TYPE,
      body: GEMINI,
    }),
  ],
  [
    'api-key',
    200,
    ({ proxyKey, providerKey }) => ({
      path: '/azure/openai/deployments/gpt-4o/chat/completions?api-version=2024-10-21',
      headers: { 'api-key': proxyKey, 'x-gateway-provider-key': providerKey, ...JSON_TYPE },
      body: CHAT,
    }),
  ],
  [
    'cohere',
    200,
    (pair) => ({
      path: '/cohere/v2/chat',
      headers: header(pair),
      body: JSON.stringify({ model: 'command-r', messages: MESSAGES }),
    }),
  ],
  [
    'bedrock with an API key',
    200,
    (pair) => ({ path: `/bedrock/model/${MODEL}/converse`, headers: header(pair), body: CONVERSE }),
  ],
  [
    'the proxy key in the prompt',
    200,
    (pair) => ({
      path: CHAT_PATH,
      headers: header(pair),
      body: CHAT.replace('"hi"', JSON.stringify(`my key is ${pair.proxyKey}.`)),
    }),
  ],
  [
    'trailers',
    200,
    (pair) => ({
      path: CHAT_PATH,
      headers: { ...header(pair), trailer: 'x-late' },
      body: CHAT,
      chunked: true,
      trailers: { 'x-late': pair.proxyKey, 'x-api-key': pair.providerKey },
    }),
  ],
];

function onPath(path: string, more: SendOptions = {}) {
  return (pair: Pair): SendOptions => ({
    headers: bearer(pair),
    body: CHAT,
    ...more,
    path: `/${pair.proxyKey}${path}`,
  });
}

export const REFUSALS_AND_ODDITIES: readonly Case[] = [
  ['an unknown provider', 404, onPath('/acme/v1/chat/completions')],
  ['nothing but the key', 404, onPath('')],
  ['an MCP server', 404, onPath('/mcp/files/tools/call')],
  ['an unreadable endpoint', 403, onPath('/openai/v1/files')],
  ['an encoded slash', 400, onPath('/openai/v1/chat%2Fcompletions')],
  ['a body that is not JSON', 400, onPath(CHAT_PATH, { body: '{"model":' })],
  ['no model', 400, onPath(CHAT_PATH, { body: '{"messages":[]}' })],
  ['too large', 413, onPath(CHAT_PATH, { body: JSON.stringify({ x: 'y'.repeat(60_000) }) })],
  ['too large, chunked', 413, onPath(CHAT_PATH, { body: Buffer.alloc(17_000_000, 32), chunked: true })],
  [
    'a wrong type',
    415,
    (pair) => ({ ...onPath(CHAT_PATH)(pair), headers: { ...bearer(pair), 'content-type': 'text/plain' } }),
  ],
  [
    'a body that is not JSON, with keys in it',
    400,
    (pair) => ({
      path: CHAT_PATH,
      headers: header(pair),
      body: `{"key": ${pair.providerKey} ${pair.proxyKey}}`,
    }),
  ],
  [
    'keys as duplicate members',
    400,
    ({ proxyKey, providerKey, ...pair }) => ({
      path: CHAT_PATH,
      headers: header({ proxyKey, providerKey, ...pair }),
      body: `{"${providerKey}":1,"${providerKey}":2,"${proxyKey}":3,"${proxyKey}":4}`,
    }),
  ],
  [
    'no provider key',
    400,
    ({ proxyKey }) => ({ path: `/${proxyKey}${CHAT_PATH}`, headers: JSON_TYPE, body: CHAT }),
  ],
  [
    'two provider keys',
    400,
    (pair) => ({
      path: CHAT_PATH,
      headers: { ...header(pair), 'x-api-key': newProviderKey('two provider keys, second') },
      body: CHAT,
    }),
  ],
  [
    'a second, unknown proxy key',
    401,
    (pair) => ({
      path: `/${pair.proxyKey}${CHAT_PATH}`,
      headers: { ...bearer(pair), 'x-api-key': unknownKey('second') },
      body: CHAT,
    }),
  ],
  [
    'the proxy key in the query',
    400,
    (pair) => ({ path: `${CHAT_PATH}?note=${pair.proxyKey}`, headers: header(pair), body: CHAT }),
  ],
  [
    'the proxy key in another header',
    400,
    (pair) => ({ path: CHAT_PATH, headers: { ...header(pair), 'user-agent': pair.proxyKey }, body: CHAT }),
  ],
  [
    'the proxy key in a referer, which does not travel',
    200,
    (pair) => ({
      path: CHAT_PATH,
      headers: { ...header(pair), referer: `http://gateway/${pair.proxyKey}/openai/` },
      body: CHAT,
    }),
  ],
  [
    'Basic authorization',
    401,
    ({ proxyKey, providerKey }) => ({
      path: CHAT_PATH,
      headers: {
        authorization: `Basic ${Buffer.from(`user:${proxyKey}`).toString('base64')}`,
        'x-gateway-provider-key': providerKey,
        ...JSON_TYPE,
      },
      body: CHAT,
    }),
  ],
  [
    "a client's own SigV4",
    401,
    ({ proxyKey, providerKey }) => ({
      path: CHAT_PATH,
      headers: {
        authorization: `AWS4-HMAC-SHA256 Credential=${proxyKey}/x, Signature=${providerKey}`,
        ...JSON_TYPE,
      },
      body: CHAT,
    }),
  ],
  [
    'a malformed AWS credential',
    400,
    (pair) => ({
      path: `/bedrock/model/${MODEL}/converse`,
      headers: { ...header(pair), 'x-gateway-provider-key': `AKIAFAKEFAKEFAKEFAKE:${pair.providerKey}:x:y` },
      body: CONVERSE,
    }),
  ],
  [
    'an unknown key in the path',
    401,
    (pair) => ({ path: `/${unknownKey('path')}${CHAT_PATH}`, headers: bearer(pair), body: CHAT }),
  ],
  [
    'an unknown key in a header',
    401,
    ({ providerKey }) => ({
      path: CHAT_PATH,
      headers: {
        authorization: `Bearer ${unknownKey('header')}`,
        'x-gateway-provider-key': providerKey,
        ...JSON_TYPE,
      },
      body: CHAT,
    }),
  ],
  [
    'a key behind dot segments and double slashes',
    200,
    (pair) => ({
      path: `/x/..//${pair.proxyKey}/./openai//v1/chat/completions`,
      headers: bearer(pair),
      body: CHAT,
    }),
  ],
  [
    'a percent-encoded key in the path',
    200,
    (pair) => ({ path: `/%67w-${pair.proxyKey.slice(3)}${CHAT_PATH}`, headers: bearer(pair), body: CHAT }),
  ],
  [
    'a key in the wrong segment',
    401,
    (pair) => ({ path: `/openai/${pair.proxyKey}/v1/chat/completions`, headers: bearer(pair), body: CHAT }),
  ],
  ...['GET', 'PUT', 'DELETE', 'OPTIONS', 'TRACE', 'PATCH'].map((method): Case => [
    method,
    405,
    ({ proxyKey, providerKey }) => ({
      method,
      path: `/${proxyKey}${CHAT_PATH}`,
      headers: { authorization: `Bearer ${providerKey}` },
    }),
  ]),
  [
    'an upgrade',
    426,
    ({ proxyKey, providerKey }) => ({
      path: `/${proxyKey}/openai/v1/responses`,
      headers: { authorization: `Bearer ${providerKey}`, connection: 'Upgrade', upgrade: 'websocket' },
    }),
  ],
];

export const FAILURES: readonly (readonly [string, number, Script, string])[] = [
  ["the provider's 401", 401, { status: 401 }, CHAT],
  ["the provider's 500", 500, { status: 500 }, STREAM],
  ['a provider that resets', 502, { breakOff: { at: 'before_headers', how: 'reset' } }, CHAT],
  ['a provider that breaks off', 502, { breakOff: { at: 1, how: 'reset' } }, CHAT],
  ['a provider that is silent', 504, { hold: new Promise(() => undefined) }, CHAT],
  ['a provider that stalls in a stream', 200, { breakOff: { at: 3, how: 'stall' } }, STREAM],
];
