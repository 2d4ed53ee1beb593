import { expect, it } from 'vitest';
import { isShown } from '../../src/shown-headers.ts';

it.each([
  ['request-id', true],
  ['x-request-id', true],
  ['openai-processing-ms', true],
  ['openai', false],
  ['anthropic-ratelimit-requests-limit', true],
  ['x-ratelimit-limit-requests', true],
  ['ratelimit', true],
  ['x-amzn-errortype', true],
  ['x-amzn-remapped-www-authenticate', false],
  ['x-amz-website-redirect-location', false],
  ['x-gateway-request-cost', false],
  ['mcp-session-id', false],
  ['set-cookie', false],
  ['', false],
])('of a provider: %s', (name, shown) => {
  // Twice: the second answer is remembered.
  expect([isShown(name, 'v', 'provider'), isShown(name, 'v', 'provider')]).toEqual([shown, shown]);
});

it.each([
  ['mcp-session-id', true],
  ['mcp-protocol-version', true],
  ['retry-after', true],
  ['request-id', false],
  ['x-ratelimit-limit', false],
  ['www-authenticate', false],
])('of an MCP server: %s', (name, shown) => {
  isShown(name, 'v', 'provider');
  expect(isShown(name, 'v', 'mcp')).toBe(shown);
});

it.each([
  ['no-cache', true],
  ['No-Store, No-Transform', true],
  ['private,max-age=0 , must-revalidate', true],
  ['public', false],
  ['no-cache, public', false],
  ['max-age=0, s-maxage=60', false],
  ['max-age=01', false],
  ['private, x=secret', false],
  ['no-cache="set-cookie, x"', false],
  ['', false],
])('Cache-Control: %s', (value, shown) => {
  for (const source of ['provider', 'mcp'] as const)
    expect(isShown('cache-control', value, source)).toBe(shown);
});

it('remembers at most as many names as it has room for, and drops none wrongly', () => {
  for (let n = 0; n < 2_000; n += 1) expect(isShown(`x-made-up-${String(n)}`, 'v', 'provider')).toBe(false);
  expect(isShown('request-id', 'v', 'provider')).toBe(true);
});
