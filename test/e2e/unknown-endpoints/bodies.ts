import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { startGateway } from '../../support/gateway.ts';
import { send, type Reply } from '../../support/http.ts';
import { gateway, provider, UNKNOWN } from './rig.ts';

export function otherBodies(): void {
  const BOUNDARY = 'X-BOUNDARY';
  const MAIL = 'write to jane.doe@corp.io';
  const part = (header: string, value: string): string =>
    `--${BOUNDARY}\r\nContent-Disposition: form-data; name="f"\r\n${header}\r\n\r\n${value}\r\n--${BOUNDARY}--\r\n`;
  function inForm(file: Buffer): Buffer[] {
    const [before = '', after = ''] = part('Content-Type: application/octet-stream', '§').split('§');
    return [Buffer.from(before), file, Buffer.from(after)];
  }
  const FORM = `multipart/form-data; boundary=${BOUNDARY}`;
  const form = (...fields: readonly (readonly [name: string, value: string])[]): string =>
    fields
      .map(
        ([name, value]) =>
          `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
      )
      .join('') + `--${BOUNDARY}--\r\n`;
  const purpose = ['purpose', 'assistants'] as const;

  async function post(
    type: string,
    body: string | Buffer,
    key?: { rawKey: string },
    path = UNKNOWN,
  ): Promise<Reply> {
    const { rawKey } = key ?? (await gateway.createKey({}));
    return send(gateway.baseUrl, {
      path,
      headers: {
        authorization: `Bearer ${rawKey}`,
        'x-gateway-provider-key': 'sk-provider-0123456789',
        'content-type': type,
      },
      body,
    });
  }

  it.each<[string, string, string | Buffer]>([
    ['a form with a file', FORM, form(purpose, ['file', 'Grüße\r\n\tand words'])],
    ['an url-encoded form', 'application/x-www-form-urlencoded', 'purpose=x&text=a%20b'],
    ['text', 'text/plain; charset=utf-8', 'hello'],
    ['text under any type', 'application/octet-stream', 'hello'],
  ])('passes byte for byte: %s', async (_what, type, body) => {
    expect((await post(type, body)).headers['x-gateway-request-id']).toBeDefined();
    const seen = provider.requests.at(-1);
    expect(seen).toMatchObject({ method: 'POST', path: '/v1/files' });
    expect(seen?.headers['content-type']).toBe(type);
    expect(seen?.body.equals(Buffer.from(body))).toBe(true);
  });

  it('is searched for the proxy key: overwritten if plain, refused if encoded', async () => {
    const key = await gateway.createKey({});
    await post(FORM, form(purpose, ['file', `my key is ${key.rawKey}.`]), key);
    const seen = provider.requests.at(-1)?.body.toString() ?? '';
    expect(seen).toContain(`my key is ${'*'.repeat(key.rawKey.length)}.`);

    const before = provider.requests.length;
    const written = key.rawKey.replaceAll('-', '%2D');
    for (const [type, body] of [
      ['application/x-www-form-urlencoded', `key=${written}`],
      [FORM, form(['file', Buffer.from(`key ${key.rawKey} key`).toString('base64')])],
    ] as const) {
      const reply = await post(type, body, key);
      expect([reply.status, reply.body]).toEqual([400, expect.stringContaining('proxy key')]);
    }
    expect(provider.requests.length).toBe(before);
  });

  it.each<[string, number, string, string]>([
    ['JSON by another name', 400, 'text/plain', '{"purpose":"x"}'],
    ['JSON of another kind', 415, 'application/vnd.api+json', '{"purpose":"x"}'],
    ['an unsupported character set', 415, 'text/plain; charset=utf-16', 'hello'],
    ['two types', 415, 'text/plain, text/html', 'hello'],
    ['no type at all', 415, 'hello', 'hello'],
    ['nothing', 400, FORM, ''],
  ])('is refused if it is %s: %i', async (_what, status, type, body) => {
    const before = provider.requests.length;
    expect((await post(type, body)).status).toBe(status);
    expect(provider.requests.length).toBe(before);
  });

  it.each<[string, string, string | Buffer]>([
    ['UTF-16', 'text/plain', Buffer.from(MAIL, 'utf16le')],
    ['UTF-16 with its mark', 'text/plain', Buffer.from(`\ufeff${MAIL}`, 'utf16le')],
    ['UTF-32', 'text/plain', Buffer.from([...MAIL].flatMap((letter) => [letter.charCodeAt(0), 0, 0, 0]))],
    ['Latin-1', 'text/plain', Buffer.from(`é ${MAIL}`, 'latin1')],
    ['gzip', 'application/octet-stream', gzipSync(MAIL)],
    ['deflate', 'application/octet-stream', deflateSync(MAIL)],
    ['brotli', 'application/octet-stream', brotliCompressSync(MAIL)],
    ['any bytes', 'application/octet-stream', Buffer.from([0, 1, 2, 200])],
    ['a form with UTF-16 in a file', FORM, Buffer.concat(inForm(Buffer.from(MAIL, 'utf16le').swap16()))],
    ['a form with gzip in a file', FORM, Buffer.concat(inForm(gzipSync(MAIL)))],
    [
      'a part in base64',
      FORM,
      part('Content-Transfer-Encoding: base64', Buffer.from(MAIL).toString('base64')),
    ],
    [
      'a part in quoted-printable',
      FORM,
      part('content-transfer-encoding:quoted-printable', 'jane=2Edoe=40corp.io'),
    ],
    [
      'a part whose coding is folded',
      FORM,
      part('Content-Transfer-Encoding:\r\n base64', 'amFuZS5kb2VAY29ycC5pbw=='),
    ],
    ['a part in UTF-7', FORM, part('Content-Type: text/plain; charset="utf-7"', 'jane.doe+AEA-corp.io')],
    ['a part with a coding', FORM, part('Content-Encoding: gzip', 'x')],
    ['a field that names the charset', FORM, form(['_charset_', 'utf-7'], ['x', 'jane.doe+AEA-corp.io'])],
    ['words of a header', FORM, part('X-Note: =?utf-8?B?amFuZS5kb2VAY29ycC5pbw==?=', 'x')],
  ])('is refused if it cannot be read: %s', async (_what, type, body) => {
    const before = provider.requests.length;
    const reply = await post(type, body);
    expect([reply.status, reply.body]).toEqual([415, expect.stringContaining('unsupported_media_type')]);
    expect(provider.requests.length).toBe(before);
  });

  it('is refused if a header declares an encoding', async () => {
    const { rawKey } = await gateway.createKey({});
    const before = provider.requests.length;
    const reply = await send(gateway.baseUrl, {
      path: UNKNOWN,
      headers: {
        authorization: `Bearer ${rawKey}`,
        'x-gateway-provider-key': 'sk-provider-0123456789',
        'content-type': 'text/plain',
        'content-transfer-encoding': 'base64',
      },
      body: Buffer.from(MAIL).toString('base64'),
    });
    expect(reply.status).toBe(415);
    expect(provider.requests.length).toBe(before);
  });

  it('is refused for a key with a budget, and at a known endpoint', async () => {
    const before = provider.requests.length;
    const poor = await gateway.createKey({}, { daily: 1 });
    expect((await post(FORM, form(purpose), poor)).status).toBe(403);
    expect((await post(FORM, form(purpose), undefined, '/openai/v1/chat/completions')).status).toBe(415);
    expect(provider.requests.length).toBe(before);
  });
}

export function textsOfOtherBodies(): void {
  it('is searched like any other: a secret is refused under `requests`', async () => {
    const searching = await startGateway({
      config: {
        providers: { openai: { base_url: provider.url } },
        proxy: { unknown_endpoints: 'allow' },
        server: { dlp: { enabled: true, requests: 'deny' } },
      },
    });
    try {
      const { rawKey } = await searching.createKey({});
      const post = (text: string): Promise<Reply> =>
        send(searching.baseUrl, {
          path: UNKNOWN,
          headers: {
            authorization: `Bearer ${rawKey}`,
            'x-gateway-provider-key': 'sk-provider-0123456789',
            'content-type': 'multipart/form-data; boundary=b',
          },
          body: `--b\r\nContent-Disposition: form-data; name="t"\r\n\r\n${text}\r\n--b--\r\n`,
        });
      const before = provider.requests.length;
      for (const text of [
        'the card 4242 4242 4242 4242',
        'jane.doe%40corp.io',
        'jane.doe%2540corp.io',
        'jane.doe&#64;corp.io',
        'jane.doe&#x40;corp.io',
        '{"mail":"jane.doe\\u0040corp.io"}',
      ]) {
        expect((await post(text)).status, text).toBe(403);
      }
      expect(provider.requests.length).toBe(before);
      await post('hello');
      expect(provider.requests.length).toBe(before + 1);
    } finally {
      await searching.stop();
    }
  });
}
