import { describe, expect, it } from 'vitest';
import { parseBytes } from '../../../src/pipeline/bytes-body.ts';
import { opaque } from '../../../src/providers/dialects/opaque.ts';
import { parsed } from '../../support/exchange.ts';

const exchange = {
  ...parsed({ body: { model: 'm', messages: [] } }),
  endpoint: { operation: 'unknown', dialect: opaque },
} as const;

const read = (body: string) => parseBytes(exchange, Buffer.from(body)).request;

describe('a body other than JSON', () => {
  it.each([
    ['as written', 'a form', ['a form']],
    ['without percent-encoding', 'a%40b+c', ['a%40b+c', 'a@b c']],
    ['with a plus as a space', 'a=4111+1111+b', ['a=4111+1111+b', 'a=4111 1111 b']],
    ['after any number of encodings', 'a%2540b', ['a%2540b', 'a%40b', 'a@b']],
    ['with HTML entities decoded', 'a&#64;b &#x40;c', ['a&#64;b &#x40;c', 'a@b @c']],
    ['with JSON escapes decoded', '--x\n{"a":"b\\u0040c"}', ['--x\n{"a":"b\\u0040c"}', '--x\n{"a":"b@c"}']],
    ['with an entity beyond Unicode', 'a&#x110000;', ['a&#x110000;']],
  ])('is read %s', (_how, body, texts) => {
    expect(read(body).texts.map(({ text }) => text)).toEqual(texts);
  });

  it.each([
    ['--b\r\nContent-Disposition: form-data; name="tools[0][type]"\r\n\r\nmcp', ['tools']],
    ['--b\r\nContent-Disposition: form-data; name=tools\r\n\r\n[]', ['tools']],
    ['a=1&tools[0][type]=mcp', ['tools']],
    ['a=1&%74ools=mcp', ['tools']],
    ['tools=mcp', ['tools']],
    ['--b\r\n\r\n{"x":[{"type" : "code_interpreter"}]}', ['code_interpreter']],
    ['--b\r\n\r\n{"x":[{"type":"code\\u005finterpreter"}]}', ['code_interpreter']],
    ['the tools of a trade, type: mcp', []],
    ['--b\r\n\r\n{"type":"function"}', []],
  ])('requests the provider’s tools: %s', (body, types) => {
    const { hostedTools } = read(body);
    expect(hostedTools.map(({ type }) => type)).toEqual(types);
    expect(hostedTools.every(({ forced, remove }) => forced && remove.length === 0)).toBe(true);
  });

  it.each([
    'plain',
    'Grüße\t\r\n',
    'Content-Transfer-Encoding: 8bit\r\n\r\nx',
    'content-transfer-encoding: Binary\r\n\r\nx',
    'Content-Type: text/plain; charset=UTF-8\r\n\r\nx',
    'Content-Type: text/plain; charset="us-ascii"\r\n\r\nx',
    'see content-transfer-encoding: base64 in the middle of a line',
  ])('is readable: %s', (body) => {
    expect(read(body).texts[0]?.text).toBe(body);
  });

  it.each([
    'a\u0000b',
    'a\u001bb',
    'a\u007fb',
    'Content-Transfer-Encoding: base64\r\n\r\nx',
    'Content-Transfer-Encoding:\r\n\tbase64\r\n\r\nx',
    'content-encoding: br\r\n\r\nx',
    'Content-Type: text/plain; charset=utf-16le\r\n\r\nx',
    "Content-Type: text/plain; charset*=utf-8''utf-7\r\n\r\nx",
    'Content-Type: text/plain;\r\n charset = utf-7\r\n\r\nx',
    'name="_charset_"\r\n\r\nutf-7',
    'Subject: =?UTF-8?B?eA==?=',
  ])('is not readable: %j', (body) => {
    expect(() => read(body)).toThrow('cannot read this body');
  });

  it.each([[[0xff, 0xfe, 0x61, 0x00]], [[0x1f, 0x8b, 0x08]], [[0xe9, 0x20]]])(
    'is not readable: bytes %j',
    (bytes) => {
      expect(() => parseBytes(exchange, Buffer.from(bytes))).toThrow('cannot read this body');
    },
  );
});
