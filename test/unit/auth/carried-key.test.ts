import { describe, expect, it } from 'vitest';
import { addProxyKeys, carriesProxyKey, MAX_CANDIDATES } from '../../../src/auth/carried-key.ts';
import { quickestCpuMs } from '../../support/cpu-time.ts';

const KEY = 'gw-0123456789abcdefghijABCDEFGHIJ_-_-_-_-_-012';
const base64 = Buffer.from(`user:${KEY}`).toString('base64');

function keysIn(text: string): Set<string> {
  const candidates = new Set<string>();
  addProxyKeys(text, candidates);
  return candidates;
}

describe('a carried proxy key', () => {
  it.each([
    ['unchanged', KEY],
    ['in quotes', `"${KEY}"`],
    ['within a longer word', `x${KEY}yz`],
    ['in a URL', `https://h/${KEY}/v1?x=1`],
    ['with an upper-case prefix', KEY.replace('gw', 'GW')],
    ['percent-encoded in part', KEY.replace('-', '%2D')],
    ['percent-encoded completely', KEY.replaceAll(/./g, (one) => `%${one.charCodeAt(0).toString(16)}`)],
    ['percent-encoded twice', KEY.replace('gw-', '%2567w%252d')],
    ['percent-encoded three times', KEY.replace('g', '%252567')],
    ['after an incomplete percent escape', `100% of ${KEY.replace('w', '%77')}`],
    ['in Basic credentials', `Basic ${base64}`],
    ['in URL-safe Base64', `Basic ${Buffer.from(KEY).toString('base64url')}`],
    ['in percent-encoded Base64', encodeURIComponent(base64)],
    ...[1, 2, 3].map((chars) => [
      `in Base64 with ${String(chars)} letters before it`,
      'a'.repeat(chars) + base64,
    ]),
    ['in MCP’s encoding of header values', `=?base64?${base64}?=`],
  ])('is found %s', (_name, text) => {
    expect(keysIn(text)).toContain(KEY);
    expect(carriesProxyKey(text)).toBe(true);
  });

  it.each([
    ['a shorter word', KEY.slice(0, -1)],
    ['other keys', `sk-proj-${'a1B2'.repeat(40)}`],
    [
      'Base64 of other text',
      Buffer.from('the quick brown fox jumps over the lazy dog'.repeat(4)).toString('base64'),
    ],
    ['percent signs', '%%%2%zz%67w-'],
  ])('is not found in %s', (_name, text) => {
    expect(carriesProxyKey(text)).toBe(false);
  });

  it('is found after the beginning of another key', () => {
    expect(keysIn(`gw-x${KEY}`)).toContain(KEY);
    expect(keysIn(`gw-gw-${KEY}gw-`)).toContain(KEY);
  });

  it('is one of a limited number of candidates', () => {
    expect(keysIn('gw-'.repeat(60_000)).size).toBeLessThanOrEqual(MAX_CANDIDATES + 1);
    const many = Array.from({ length: 99 }, (_, nth) => `gw-${String(nth).padStart(43, '0')}`).join(' ');
    expect(keysIn(many).size).toBe(MAX_CANDIDATES + 1);
    expect(keysIn(Buffer.from(many).toString('base64')).size).toBe(MAX_CANDIDATES + 1);
  });

  it.each([['%'], ['%25'], ['g'], ['gw-'], ['%67w-'], ['gw-aaaa,'], ['A']])(
    'takes linear time in 60,000 characters of %s',
    (pump) => {
      const text = pump.repeat(60_000 / pump.length);
      expect(quickestCpuMs(() => carriesProxyKey(text))).toBeLessThan(20);
    },
  );
});
