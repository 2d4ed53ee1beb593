import { describe, expect, it } from 'vitest';
import { createServerCredentials } from '../../../../src/checks/mcp-inspector/server-credentials.ts';
import { event, inspector, messagesIn, result, textResult, type RigOptions } from './rig.ts';
import { threadCpuMs } from '../../../support/cpu-time.ts';

/** Ordinary words that no rule matches. */
const TOKEN = 'of the one/server+alone';
const server = { headers: { Authorization: `Bearer ${TOKEN}`, 'X-Tenant': 'people-of-the-town' } };
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const RULE = 'server_credential';

describe("a server's own credential in its answer", () => {
  it.each<[string, string]>([
    ['unchanged', `got: Bearer ${TOKEN}!`],
    ['percent-encoded', `got: ${encodeURIComponent(TOKEN)}`],
    ['percent-encoded, in lower case', `got: ${encodeURIComponent(TOKEN).toLowerCase()}`],
    ['in Base64', `got: ${base64(`Bearer ${TOKEN}`)}`],
    ['in Base64, one byte later', `got: ${base64(`a Bearer ${TOKEN} b`)}`],
    ['in Base64, two bytes later', `got: ${base64(`ab Bearer ${TOKEN}`)}`],
    ['in URL-safe Base64', `got: ${Buffer.from(`x?${TOKEN}?>~`).toString('base64url')}`],
    ['in hexadecimal digits', `got: ${Buffer.from(TOKEN).toString('hex')}`],
    ['with an invisible character', `got: ${TOKEN.slice(0, 6)}\u200b${TOKEN.slice(6)}`],
    ['with entities', `got: ${TOKEN.replace('/', '&#47;')}`],
    ['in JSON in a text', JSON.stringify({ headers: { authorization: `Bearer ${TOKEN}` } })],
  ])('is a secret: %s', async (_form, text) => {
    const rig = inspector({ server });
    const { denial } = await rig.whole(textResult(text));
    expect(denial?.details).toMatchObject({ rule: RULE });
    expect(JSON.stringify(denial)).toContain('***');
    expect(JSON.stringify(denial)).not.toMatch(/server.{1,3}alone/);
    expect(rig.leaks).toHaveLength(1);
    expect(JSON.stringify([rig.audited, rig.leaks[0]?.findings])).not.toContain('alone');
  });

  it.each<[string, Parameters<ReturnType<typeof inspector>['whole']>[1], string]>([
    ['the text of an HTTP error', { status: 401, contentType: 'text/plain' }, `no such token: ${TOKEN}`],
    ['a JSON-RPC error', {}, JSON.stringify({ jsonrpc: '2.0', id: 1, error: { code: 1, message: TOKEN } })],
    ['structured content', {}, JSON.stringify(result({ structuredContent: { a: [{ b: TOKEN }] } }))],
    ['a member name', {}, JSON.stringify(result({ structuredContent: { [TOKEN]: 1 } }))],
  ])('is a secret in %s', async (_place, options, said) => {
    const { denial, body } = await inspector({ server }).whole(said, options);
    expect(denial?.details).toMatchObject({ rule: RULE });
    expect(body).toBe('');
  });

  it('is masked in a stream, in its comments too', async () => {
    const { body } = await inspector({ server }).stream([
      `: hello ${TOKEN}\n\n`,
      event({ jsonrpc: '2.0', method: 'notifications/message', params: { data: TOKEN } }),
      event(textResult(TOKEN)),
    ]);
    expect(body).not.toContain(TOKEN);
    expect(messagesIn(body)).toMatchObject([{ params: { data: '***' } }, { error: { code: -32001 } }]);
  });

  it.each([
    ['after a text', (first: string, rest: string) => [said(first), `: ${rest}\n\n`]],
    ['before a text', (first: string, rest: string) => [`: ${first}\n\n`, said(rest)]],
  ])('does not pass if it continues in a comment %s', async (_where, events) => {
    const first = TOKEN.slice(0, TOKEN.length / 2);
    const rest = TOKEN.slice(first.length);
    const { body } = await inspector({ server }).stream([...events(first, rest), event(textResult('b'))]);
    expect(body).not.toContain(rest);
  });

  it.each<[string, NonNullable<RigOptions['server']>]>([
    ['the rule is suppressed', { ...server, suppress: [RULE] }],
    ['its group is suppressed', { ...server, suppress: ['secrets'] }],
    ['its header is public', { headers: { 'X-Tenant': TOKEN }, public: ['x-tenant'] }],
    ['it belongs to another server', { headers: {} }],
  ])('does not exist if %s', async (_why, with_) => {
    const bytes = JSON.stringify(textResult(TOKEN));
    expect((await inspector({ server: with_ }).whole(bytes)).body).toBe(bytes);
  });

  it.each([{ 'x-debug': `Bearer ${TOKEN}` }, { 'www-authenticate': `Bearer sent="${base64(TOKEN)}"` }])(
    'refuses the answer if it is in the headers: %j',
    async (headers) => {
      const { whole, head } = inspector({ server });
      expect((await whole(textResult('soup'), { headers })).denial).toMatchObject({
        type: 'upstream_unavailable',
      });
      expect(await head(headers)).toMatchObject({ type: 'upstream_unavailable' });
      expect(await head({ 'x-debug': 'soup' })).toBeUndefined();
    },
  );
});

describe('a value that counts as a credential', () => {
  const isKnown = (headers: Record<string, string>, text: string, url = 'https://mcp.test/mcp'): boolean =>
    createServerCredentials({ headers, url }).isIn(text);

  it.each<[string, Record<string, string>, string]>([
    ['a bare key', { 'X-Api-Key': 'abcd1234efgh' }, 'abcd1234efgh'],
    ['a password', { Authorization: `Basic ${base64('soup:bread-and-butter-4')}` }, 'bread-and-butter-4'],
    [
      'a user name with a password',
      { Authorization: `Basic ${base64('soup:bread-and-butter-4')}` },
      base64('soup:bread-and-butter-4'),
    ],
    ['a cookie', { Cookie: 'theme=dark; sid=bread-and-butter-4' }, 'bread-and-butter-4'],
    ['a header with any name', { 'X-Pat': 'of-no-list' }, 'of-no-list'],
    ['a word', { 'X-Workspace': 'engineering' }, 'engineering'],
    ['a value that ends with =', { 'X-Functions-Key': 'aGVsbG8gd29ybGQ5OQ==' }, 'aGVsbG8gd29ybGQ5OQ=='],
    [
      'the decoded form of a Base64 value',
      { 'X-Functions-Key': base64('bread and butter') },
      'bread and butter',
    ],
    ['a value that contains =', { 'X-Key': 'left-part=right-part' }, 'left-part=right-part'],
    ['a value that contains ;', { 'X-Key': 'left; right=part' }, 'left; right=part'],
    ['a bearer token without digits', { Authorization: 'Bearer swordfish' }, 'swordfish'],
    [
      'a key as the user name of Basic',
      { Authorization: `Basic ${base64('sk_test_4eC39Hq:')}` },
      'sk_test_4eC39Hq',
    ],
    ['Basic in another header', { 'X-Auth': `basic ${base64('soup:bread-and-butter')}` }, 'bread-and-butter'],
    ['a named parameter', { Authorization: 'Token token="4eC39HqLyjWDarjt", v="1"' }, '4eC39HqLyjWDarjt'],
    ['a cookie in quotes', { cookie: 'a="bread-and-butter"' }, 'bread-and-butter'],
    ['a cookie that contains =', { cookie: 'a=bread=and=butter' }, 'bread=and=butter'],
    ['a percent-encoded cookie', { cookie: 'a=bread%20and%20butter' }, 'bread and butter'],
    ['a cookie without a name', { cookie: 'bread-and-butter' }, 'bread-and-butter'],
    ['an unknown scheme', { 'X-Auth': 'Soup bread-and-butter-4' }, 'bread-and-butter-4'],
  ])('%s', (_what, headers, text) => {
    expect(isKnown(headers, `a ${text} b`)).toBe(true);
  });

  it.each<[string, string, string]>([
    ['a parameter whose name says so', 'https://mcp.test/mcp?api_key=bread%204%20butter', 'bread 4 butter'],
    ['any other parameter', 'https://mcp.test/mcp?tenant=bread-and-butter', 'bread-and-butter'],
    ['a parameter that contains =', 'https://mcp.test/mcp?code=Kq7-x2Lm9==&v=1', 'Kq7-x2Lm9=='],
    ['a parameter without a name', 'https://mcp.test/mcp?k7Hq29sLm33xZ', 'k7Hq29sLm33xZ'],
    [
      'a signature among other parameters',
      'https://mcp.test/mcp?sv=2021&sig=a%2Fb%2Bc1234d%3D&se=9',
      'a/b+c1234d=',
    ],
    ['a signature as written', 'https://mcp.test/mcp?sig=a%2Fb%2Bc1234d%3D', 'a%2Fb%2Bc1234d%3D'],
    [
      'an id in the path',
      'https://mcp.test/708c50b9-a15d-4b94-9d3c-1f6a4b7e0c11/mcp',
      '708c50b9-a15d-4b94-9d3c-1f6a4b7e0c11',
    ],
    ['an opaque segment', 'https://mcp.test/s/NzA4YzUwYjktYTE1ZC00Yjk0/mcp', 'NzA4YzUwYjktYTE1ZC00Yjk0'],
  ])('in an address: %s', (_what, url, text) => {
    expect(isKnown({}, `a ${text} b`, url)).toBe(true);
  });

  it.each<[string, Record<string, string>, string, string]>([
    ['a short value', { Authorization: 'Bearer soup' }, 'https://mcp.test/mcp', 'soup'],
    ['a short header value', { 'X-Pin': 'abc1234' }, 'https://mcp.test/mcp', 'abc1234'],
    ['a short parameter', {}, 'https://mcp.test/mcp?v=2026-01', '2026-01'],
    ['a scheme', { Authorization: 'Negotiate bread-and-butter-4' }, 'https://mcp.test/mcp', 'Negotiate'],
    ['words in the path', {}, 'https://mcp.test/model-context-protocol-v2/mcp', 'model-context-protocol-v2'],
  ])('does not count: %s', (_what, headers, url, text) => {
    expect(isKnown(headers, text, url)).toBe(false);
  });

  it('takes time proportional to the text', async () => {
    const token = 'ab'.repeat(2_000);
    const { findAll } = createServerCredentials({
      headers: { Authorization: `Bearer ${token}c` },
      url: 'https://a.test',
    });
    const began = threadCpuMs();
    expect(await findAll(['ab'.repeat(1_000_000)])).toEqual([[]]);
    expect(threadCpuMs() - began).toBeLessThan(2_000);
  });
});

function said(data: string): string {
  return event({ jsonrpc: '2.0', method: 'notifications/message', params: { data } });
}
