import { describe, expect, it } from 'vitest';
import { createServerCredentials } from '../../../../src/checks/mcp-inspector/server-credentials.ts';
import { event, inspector, messagesIn, result, textResult } from './rig.ts';

const RULE = 'server_credential';
const base64 = (text: string): string => Buffer.from(text).toString('base64');

describe('how a credential may be written', () => {
  const KEY = 'zK9q-w3E+r7T/y2U=4i';
  const bytes = [...Buffer.from(KEY)];
  const each = (write: (code: number) => string): string => bytes.map(write).join('');
  const hex = (code: number, digits = 2): string => code.toString(16).padStart(digits, '0');

  it.each<[string, string]>([
    ['unchanged', KEY],
    ['in lower case', KEY.toLowerCase()],
    ['in upper case', KEY.toUpperCase()],
    ['with one letter escaped as in JSON', KEY.replace('z', String.raw`\u007a`)],
    ['with its slash escaped as in JSON', KEY.replace('/', String.raw`\/`)],
    ['as JSON in JSON', JSON.stringify(JSON.stringify({ a: KEY.replace('z', String.raw`\u007A`) }))],
    ['with JavaScript escapes', each((code) => String.raw`\x${hex(code)}`)],
    ['with escapes in braces', each((code) => String.raw`\u{${hex(code)}}`)],
    ['with long escapes', each((code) => String.raw`\U${hex(code, 8)}`)],
    ['with octal escapes', each((code) => `\\${code.toString(8).padStart(3, '0')}`)],
    ['with one HTML entity', KEY.replace('z', '&#122;')],
    ['with unterminated HTML entities', each((code) => `&#x${hex(code, 6)}`)],
    ['with named entities', KEY.replace('=', '&equals;').replace('+', '&plus;')],
    ['with one letter percent-encoded', KEY.replace('z', '%7A')],
    ['percent-encoded as in URLs', encodeURIComponent(KEY)],
    ['percent-encoded completely', each((code) => `%${hex(code)}`)],
    ['percent-encoded twice', KEY.replace('z', '%257A')],
    ['percent-encoded three times', KEY.replace('z', '%25257A')],
    ['in %u', each((code) => `%u${hex(code, 4)}`)],
    ['with an entity for a percent sign', KEY.replace('z', '&#37;7A')],
    ['quoted-printable', KEY.replace('=', '=3D')],
    ['in fullwidth', KEY.replaceAll(/[a-z]/g, (c) => String.fromCharCode(c.charCodeAt(0) + 0xfee0))],
    ['with an invisible character', [...KEY].join('\u200b')],
    ['with a soft hyphen', KEY.replace('q', 'q\u00ad')],
    ['in mathematical letters', KEY.replace('z', '\u{1d433}').replace('9', '\u{1d7d7}')],
    ['with letters of another script', KEY.replace('y', '\u0443').replace('E', '\u0415')],
    ['as words of one letter', [...KEY].join(' ')],
    ['with dashes', [...KEY].join('-')],
    ['as concatenated quoted strings', `${KEY.slice(0, 7)}" + "${KEY.slice(7)}`],
    ['split over two lines', `${KEY.slice(0, 9)}\n${KEY.slice(9)}`],
    ['in Base64', base64(KEY)],
    ['in Base64, at another offset', base64(`a ${KEY} b`)],
    ['in Base64 with line breaks', base64(`secret ${KEY} secret`).replace(/(.{12})/g, '$1\r\n')],
    ['in URL-safe Base64', Buffer.from(`a${KEY}`).toString('base64url')],
    ['in Base64 in Base64', base64(`the key is ${base64(`the key is ${KEY}`)}`)],
    ['in Base64 of Base64', base64(base64(KEY))],
    ['in Base64 of UTF-16', Buffer.from(KEY, 'utf16le').toString('base64')],
    ['in hexadecimal digits of UTF-16', Buffer.from(KEY, 'utf16le').toString('hex')],
    ['in hexadecimal digits', Buffer.from(KEY).toString('hex')],
    ['in upper-case hexadecimal digits', Buffer.from(KEY).toString('hex').toUpperCase()],
    ['in hexadecimal digits with colons', bytes.map((code) => hex(code)).join(':')],
    ['as a list of bytes', JSON.stringify(bytes)],
    ['as a C byte array', bytes.map((code) => `0x${hex(code)}`).join(', ')],
  ])('%s', async (_how, written) => {
    for (const headers of [{ 'X-Pat': KEY }, { Authorization: `Bearer ${KEY}` }]) {
      const { denial } = await inspector({ server: { headers } }).whole(textResult(`got: ${written}.`));
      expect(denial?.details).toMatchObject({ rule: RULE });
    }
  });

  it.each<[string, (code: number) => string]>([
    ['percent-encoded', (code) => `%${hex(code)}`],
    ['escaped as in JSON', (code) => String.raw`\u${hex(code, 4)}`],
    ['in HTML entities', (code) => `&#${String(code)};`],
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

  it('is removed in place, and nothing else', async () => {
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
      'a URL',
      { content: [{ type: 'resource_link', uri: `https://a.test/?code=${encodeURIComponent(KEY)}` }] },
    ],
    ['_meta', { _meta: { 'a/b': KEY } }],
  ])('is found in %s', async (_place, said) => {
    const { denial } = await inspector({ server: { headers: { 'X-Pat': KEY } } }).whole(
      result(said as Record<string, unknown>),
    );
    expect(denial?.details).toMatchObject({ rule: RULE });
  });

  it('is found in the data of an error, and as a number', async () => {
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
    ['in another letter case', { etag: `"${KEY.toLowerCase()}"` }],
    ['percent-encoded', { link: `<https://a.test/?code=${encodeURIComponent(KEY)}>` }],
    ['a header name', { [`x-${'Kq7x2Lm9'.toLowerCase()}`]: '1' }],
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
  ])('does not pass in parts over several events: %s', async (_what, message) => {
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

  it('that was masked in one event does not cut later ones', async () => {
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
