import { describe, expect, it } from 'vitest';
import { createServerCredentials } from '../../../../src/checks/mcp-inspector/server-credentials.ts';
import { event, inspector, messagesIn, result, textResult, type RigOptions } from './rig.ts';

/** No rule knows them: they are ordinary words. */
const TOKEN = 'of the one/server+alone';
const server = { headers: { Authorization: `Bearer ${TOKEN}`, 'X-Tenant': 'people-of-the-town' } };
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const RULE = 'server_credential';

describe("a server's own credential in its answer", () => {
  it.each<[string, string]>([
    ['as it is', `got: Bearer ${TOKEN}!`],
    ['percent-encoded', `got: ${encodeURIComponent(TOKEN)}`],
    ['percent-encoded, in lower case', `got: ${encodeURIComponent(TOKEN).toLowerCase()}`],
    ['in Base64', `got: ${base64(`Bearer ${TOKEN}`)}`],
    ['in Base64, a byte later', `got: ${base64(`a Bearer ${TOKEN} b`)}`],
    ['in Base64, two bytes later', `got: ${base64(`ab Bearer ${TOKEN}`)}`],
    ['in Base64 of addresses', `got: ${Buffer.from(`x?${TOKEN}?>~`).toString('base64url')}`],
    ['in hex', `got: ${Buffer.from(TOKEN).toString('hex')}`],
    ['with something unseen in it', `got: ${TOKEN.slice(0, 6)}\u200b${TOKEN.slice(6)}`],
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
    ['a text of an HTTP error', { status: 401, contentType: 'text/plain' }, `no such token: ${TOKEN}`],
    ['a JSON-RPC error', {}, JSON.stringify({ jsonrpc: '2.0', id: 1, error: { code: 1, message: TOKEN } })],
    ['structured content', {}, JSON.stringify(result({ structuredContent: { a: [{ b: TOKEN }] } }))],
    ['the name of a member', {}, JSON.stringify(result({ structuredContent: { [TOKEN]: 1 } }))],
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

  it.each<[string, NonNullable<RigOptions['server']>]>([
    ['the rule is suppressed', { ...server, suppress: [RULE] }],
    ['its group is suppressed', { ...server, suppress: ['secrets'] }],
    ['its header is public', { headers: { 'X-Tenant': TOKEN }, public: ['x-tenant'] }],
    ['it is another server’s', { headers: {} }],
  ])('is none where %s', async (_why, with_) => {
    const bytes = JSON.stringify(textResult(TOKEN));
    expect((await inspector({ server: with_ }).whole(bytes)).body).toBe(bytes);
  });

  it.each([{ 'x-debug': `Bearer ${TOKEN}` }, { 'www-authenticate': `Bearer sent="${base64(TOKEN)}"` }])(
    'refuses the answer where it stands in its headers: %j',
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

describe('how a credential may be written', () => {
  const KEY = 'zK9q-w3E+r7T/y2U=4i';
  const bytes = [...Buffer.from(KEY)];
  const each = (write: (code: number) => string): string => bytes.map(write).join('');
  const hex = (code: number, digits = 2): string => code.toString(16).padStart(digits, '0');

  it.each<[string, string]>([
    ['as it is', KEY],
    ['in lower case', KEY.toLowerCase()],
    ['in upper case', KEY.toUpperCase()],
    ['with one letter as JSON escapes it', KEY.replace('z', String.raw`\u007a`)],
    ['with its slash as JSON escapes it', KEY.replace('/', String.raw`\/`)],
    ['as JSON in JSON', JSON.stringify(JSON.stringify({ a: KEY.replace('z', String.raw`\u007A`) }))],
    ['in JavaScript', each((code) => String.raw`\x${hex(code)}`)],
    ['in braces', each((code) => String.raw`\u{${hex(code)}}`)],
    ['in long escapes', each((code) => String.raw`\U${hex(code, 8)}`)],
    ['in octal', each((code) => `\\${code.toString(8).padStart(3, '0')}`)],
    ['with one HTML entity', KEY.replace('z', '&#122;')],
    ['with HTML entities without an end', each((code) => `&#x${hex(code, 6)}`)],
    ['with named entities', KEY.replace('=', '&equals;').replace('+', '&plus;')],
    ['with one letter percent-encoded', KEY.replace('z', '%7A')],
    ['percent-encoded as addresses are', encodeURIComponent(KEY)],
    ['percent-encoded throughout', each((code) => `%${hex(code)}`)],
    ['percent-encoded twice', KEY.replace('z', '%257A')],
    ['percent-encoded three times', KEY.replace('z', '%25257A')],
    ['in %u', each((code) => `%u${hex(code, 4)}`)],
    ['an entity of a percent sign', KEY.replace('z', '&#37;7A')],
    ['quoted-printable', KEY.replace('=', '=3D')],
    ['in fullwidth', KEY.replaceAll(/[a-z]/g, (c) => String.fromCharCode(c.charCodeAt(0) + 0xfee0))],
    ['with something unseen in it', [...KEY].join('\u200b')],
    ['with a soft hyphen in it', KEY.replace('q', 'q\u00ad')],
    ['in mathematical letters', KEY.replace('z', '\u{1d433}').replace('9', '\u{1d7d7}')],
    ['with letters of another script', KEY.replace('y', '\u0443').replace('E', '\u0415')],
    ['in words of one letter', [...KEY].join(' ')],
    ['with dashes', [...KEY].join('-')],
    ['in quotes that are put together', `${KEY.slice(0, 7)}" + "${KEY.slice(7)}`],
    ['over two lines', `${KEY.slice(0, 9)}\n${KEY.slice(9)}`],
    ['in Base64', base64(KEY)],
    ['in Base64, elsewhere', base64(`a ${KEY} b`)],
    ['in Base64 over lines', base64(`secret ${KEY} secret`).replace(/(.{12})/g, '$1\r\n')],
    ['in Base64 of addresses', Buffer.from(`a${KEY}`).toString('base64url')],
    ['in Base64 in Base64', base64(`the key is ${base64(`the key is ${KEY}`)}`)],
    ['in hex', Buffer.from(KEY).toString('hex')],
    ['in upper-case hex', Buffer.from(KEY).toString('hex').toUpperCase()],
    ['in hex with colons', bytes.map((code) => hex(code)).join(':')],
    ['as a list of bytes', JSON.stringify(bytes)],
    ['as bytes in C', bytes.map((code) => `0x${hex(code)}`).join(', ')],
  ])('%s', async (_how, written) => {
    for (const headers of [{ 'X-Pat': KEY }, { Authorization: `Bearer ${KEY}` }]) {
      const { denial } = await inspector({ server: { headers } }).whole(textResult(`got: ${written}.`));
      expect(denial?.details).toMatchObject({ rule: RULE });
    }
  });

  it.each<[string, (code: number) => string]>([
    ['percent-encoded', (code) => `%${hex(code)}`],
    ['escaped as in JSON', (code) => String.raw`\u${hex(code, 4)}`],
    ['in entities', (code) => `&#${String(code)};`],
    ['in mathematical letters', (code) => (code === 122 ? '\u{1d433}' : String.fromCharCode(code))],
  ])('anywhere in a long text that is %s', async (_how, write) => {
    const filler = write(120);
    const { findAll } = createServerCredentials({ headers: { 'X-Pat': KEY }, url: 'https://a.test' });
    for (let before = 0; before < 40; before += 1) {
      const text = `${'-'.repeat(before)}${filler.repeat(Math.ceil(16_340 / filler.length))}${each(write)}`;
      const [found = []] = await findAll([text]);
      expect([before, found.length > 0]).toEqual([before, true]);
    }
  });

  it('is taken out where it stands, and nothing else is', async () => {
    const server = { headers: { 'X-Pat': KEY } };
    const said = `one %41 ${KEY} two %41 ${KEY.replace('z', '%7a')} three ${[...KEY].join(' ')} &amp; four`;
    const { body } = await inspector({ server, inspector: { secrets: 'mask' } }).whole(textResult(said));
    expect(JSON.parse(body)).toEqual(textResult('one %41 *** two %41 *** three *** &amp; four'));
  });

  it.each<[string, unknown]>([
    ['a member', { structuredContent: { deep: [{ key: KEY.toUpperCase() }] } }],
    ['two members', { structuredContent: { a: KEY.slice(0, 9), b: KEY.slice(9) } }],
    ['a list', { structuredContent: { lines: [KEY.slice(0, 9), KEY.slice(9)] } }],
    [
      'two texts',
      {
        content: [
          { type: 'text', text: KEY.slice(0, 9) },
          { type: 'text', text: KEY.slice(9) },
        ],
      },
    ],
    ['a resource', { contents: [{ uri: 'a:b', blob: base64(`x ${KEY}`) }] }],
    [
      'a picture',
      {
        content: [
          {
            type: 'image',
            mimeType: 'image/png',
            data: latin1Base64(`\x89PNG\0\xff${'\xfe'.repeat(999)}${KEY}`),
          },
        ],
      },
    ],
    [
      'bytes',
      {
        contents: [
          {
            uri: 'a:b',
            mimeType: 'application/zip',
            blob: latin1Base64(`\xff\0${'\xfe'.repeat(999)} ${KEY}`),
          },
        ],
      },
    ],
    [
      'an address',
      { content: [{ type: 'resource_link', uri: `https://a.test/?code=${encodeURIComponent(KEY)}` }] },
    ],
    ['_meta', { _meta: { 'a/b': KEY } }],
  ])('is found in %s', async (_place, said) => {
    const { denial } = await inspector({ server: { headers: { 'X-Pat': KEY } } }).whole(
      result(said as Record<string, unknown>),
    );
    expect(denial?.details).toMatchObject({ rule: RULE });
  });

  it('is found in the data of an error, and where it is a number', async () => {
    const error = { code: -32000, message: 'no', data: { sent: [KEY] } };
    const rig = inspector({ server: { headers: { 'X-Pat': KEY, 'X-Pin': '12345678' } } });
    const { denial } = await rig.whole({ jsonrpc: '2.0', id: 1, error });
    expect(denial?.details).toMatchObject({ rule: RULE });
    const number = await rig.whole(result({ structuredContent: { pin: 12_345_678 } }));
    expect(number.denial?.details).toMatchObject({ rule: RULE });
    expect((await rig.whole(result({ structuredContent: { pin: 12_345_679 } }))).denial).toBeUndefined();
  });

  it.each([
    ['a cache rule', { 'cache-control': `max-age=1, x="${KEY}"` }],
    ['other case', { etag: `"${KEY.toLowerCase()}"` }],
    ['percent-encoded', { link: `<https://a.test/?code=${encodeURIComponent(KEY)}>` }],
    ['the name of a header', { [`x-${'Kq7x2Lm9'.toLowerCase()}`]: '1' }],
  ])('refuses an answer in whose headers it is: %s', async (_what, headers) => {
    const { whole, head } = inspector({ server: { headers: { 'X-Pat': KEY, 'X-Other': 'Kq7x2Lm9' } } });
    const denied = { type: 'upstream_unavailable' };
    expect((await whole(textResult('soup'), { headers })).denial).toMatchObject(denied);
    expect(await head(headers)).toMatchObject(denied);
  });

  it.each<[string, (part: string) => object]>([
    [
      'a log',
      (data) => ({ jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data } }),
    ],
    [
      'progress',
      (message) => ({ jsonrpc: '2.0', method: 'notifications/progress', params: { progress: 1, message } }),
    ],
    ['texts', (text) => ({ jsonrpc: '2.0', method: 'x', params: { content: [{ text }] } })],
  ])('does not pass whole in parts over events: %s', async (_what, message) => {
    for (const parts of [
      [KEY.slice(0, 9), KEY.slice(9)],
      [KEY.slice(0, 3), KEY.slice(3, 6), KEY.slice(6)],
      [`x ${KEY.slice(0, 9)}`.toUpperCase(), `${KEY.slice(9)} y`],
    ]) {
      const rig = inspector({ server: { headers: { 'X-Pat': KEY } }, inspector: { secrets: 'mask' } });
      const { body, denial } = await rig.stream([
        ...parts.map((part) => event(message(part))),
        event(textResult('end')),
      ]);
      expect(denial).toMatchObject({ type: 'upstream_unavailable' });
      expect(body).not.toContain(parts.at(-1));
      expect(body).not.toContain('"end"');
      const trusted = inspector({ server: { headers: { 'X-Pat': KEY }, suppress: [RULE] } });
      expect((await trusted.stream(parts.map((part) => event(message(part))))).denial).toBeUndefined();
    }
  });

  it('that was masked in one event cuts none after it', async () => {
    const log = (data: string) =>
      event({ jsonrpc: '2.0', method: 'notifications/message', params: { data } });
    const rig = inspector({ server: { headers: { 'X-Pat': KEY } }, inspector: { secrets: 'mask' } });
    const { body, denial } = await rig.stream([
      log(KEY),
      log('next'),
      log(`again ${KEY}`),
      event(textResult('end')),
    ]);
    expect(denial).toBeUndefined();
    expect(messagesIn(body)).toMatchObject([
      { params: { data: '***' } },
      { params: { data: 'next' } },
      { params: { data: 'again ***' } },
      textResult('end'),
    ]);
  });

  it.each(['id', 'event', 'retry', ''])('does not pass in a field of an event: %s', async (field) => {
    const lines = `${field}: ${KEY}\ndata: ${JSON.stringify(textResult('soup'))}\n\n`;
    const { body } = await inspector({ server: { headers: { 'X-Pat': KEY } } }).stream([lines]);
    expect(body).not.toContain(KEY);
  });
});

function latin1Base64(text: string): string {
  return Buffer.from(text, 'latin1').toString('base64');
}

describe('what is taken for a credential', () => {
  const isKnown = (headers: Record<string, string>, text: string, url = 'https://mcp.test/mcp'): boolean =>
    createServerCredentials({ headers, url }).isIn(text);

  it.each<[string, Record<string, string>, string]>([
    ['a bare key', { 'X-Api-Key': 'abcd1234efgh' }, 'abcd1234efgh'],
    ['a password', { Authorization: `Basic ${base64('soup:bread-and-butter-4')}` }, 'bread-and-butter-4'],
    [
      'a user with it',
      { Authorization: `Basic ${base64('soup:bread-and-butter-4')}` },
      base64('soup:bread-and-butter-4'),
    ],
    ['a cookie', { Cookie: 'theme=dark; sid=bread-and-butter-4' }, 'bread-and-butter-4'],
    ['a header of any name', { 'X-Pat': 'of-no-list' }, 'of-no-list'],
    ['a word', { 'X-Workspace': 'engineering' }, 'engineering'],
    ['a value with = at its end', { 'X-Functions-Key': 'aGVsbG8gd29ybGQ5OQ==' }, 'aGVsbG8gd29ybGQ5OQ=='],
    ['what it is the Base64 of', { 'X-Functions-Key': base64('bread and butter') }, 'bread and butter'],
    ['a value with = inside', { 'X-Key': 'left-part=right-part' }, 'left-part=right-part'],
    ['a value with ; inside', { 'X-Key': 'left; right=part' }, 'left; right=part'],
    ['a bearer without digits', { Authorization: 'Bearer swordfish' }, 'swordfish'],
    [
      'a key that is the user of Basic',
      { Authorization: `Basic ${base64('sk_test_4eC39Hq:')}` },
      'sk_test_4eC39Hq',
    ],
    [
      'Basic under another name',
      { 'X-Auth': `basic ${base64('soup:bread-and-butter')}` },
      'bread-and-butter',
    ],
    ['a named parameter', { Authorization: 'Token token="4eC39HqLyjWDarjt", v="1"' }, '4eC39HqLyjWDarjt'],
    ['a cookie in quotes', { cookie: 'a="bread-and-butter"' }, 'bread-and-butter'],
    ['a cookie with = in it', { cookie: 'a=bread=and=butter' }, 'bread=and=butter'],
    ['a percent-encoded cookie', { cookie: 'a=bread%20and%20butter' }, 'bread and butter'],
    ['a cookie without a name', { cookie: 'bread-and-butter' }, 'bread-and-butter'],
    ['a scheme of its own', { 'X-Auth': 'Soup bread-and-butter-4' }, 'bread-and-butter-4'],
  ])('%s', (_what, headers, text) => {
    expect(isKnown(headers, `a ${text} b`)).toBe(true);
  });

  it.each<[string, string, string]>([
    ['a parameter that says so', 'https://mcp.test/mcp?api_key=bread%204%20butter', 'bread 4 butter'],
    ['any other parameter', 'https://mcp.test/mcp?tenant=bread-and-butter', 'bread-and-butter'],
    ['a parameter with = in it', 'https://mcp.test/mcp?code=Kq7-x2Lm9==&v=1', 'Kq7-x2Lm9=='],
    ['a parameter without a name', 'https://mcp.test/mcp?k7Hq29sLm33xZ', 'k7Hq29sLm33xZ'],
    ['a signature among others', 'https://mcp.test/mcp?sv=2021&sig=a%2Fb%2Bc1234d%3D&se=9', 'a/b+c1234d='],
    ['a signature as it is written', 'https://mcp.test/mcp?sig=a%2Fb%2Bc1234d%3D', 'a%2Fb%2Bc1234d%3D'],
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
    ['a short value of a header', { 'X-Pin': 'abc1234' }, 'https://mcp.test/mcp', 'abc1234'],
    ['a short parameter', {}, 'https://mcp.test/mcp?v=2026-01', '2026-01'],
    ['a scheme', { Authorization: 'Negotiate bread-and-butter-4' }, 'https://mcp.test/mcp', 'Negotiate'],
    ['words of the path', {}, 'https://mcp.test/model-context-protocol-v2/mcp', 'model-context-protocol-v2'],
  ])('and what is not: %s', (_what, headers, url, text) => {
    expect(isKnown(headers, text, url)).toBe(false);
  });

  it('takes time that grows with the text alone', async () => {
    const token = 'ab'.repeat(2_000);
    const { findAll } = createServerCredentials({
      headers: { Authorization: `Bearer ${token}c` },
      url: 'https://a.test',
    });
    const began = performance.now();
    expect(await findAll(['ab'.repeat(1_000_000)])).toEqual([[]]);
    expect(performance.now() - began).toBeLessThan(2_000);
  });
});
