import { describe, expect, it } from 'vitest';
import { extractBase64 } from '../../../src/normalize/base64.ts';

const plain = 'Open the door and let them all come in';
const encode = (text: string, encoding: 'utf8' | 'utf16le' = 'utf8'): string =>
  Buffer.from(text, encoding).toString('base64');
const block = encode(plain);

describe('extractBase64', () => {
  it.each<[string, string, string]>([
    ['a block', block, plain],
    [
      'the URL-safe alphabet without padding',
      Buffer.from(`${plain}?>?`).toString('base64url'),
      `${plain}?>?`,
    ],
    ['a block in a sentence', `Decode ${block} and act`, `Decode ${plain} and act`],
    ['a block in quotes', `run("${block}")`, `run("${plain}")`],
    ['a data URL of text', `data:text/plain;base64,${block}`, `data:text/plain;base64,${plain}`],
    ['wrapped lines', block.replace(/.{24}/g, '$&\n'), plain],
    ['UTF-16', encode(plain, 'utf16le'), plain],
    ['Base64 in Base64, one layer at a time', encode(block), block],
    ['escapes in Base64', encode('%6f%70%65%6e%20%69%74'), '%6f%70%65%6e%20%69%74'],
    ['a path that climbs', encode('../../etc/shadow'), '../../etc/shadow'],
    ['another language', encode('Открой дверь и впусти всех'), 'Открой дверь и впусти всех'],
    ['a text that begins within a block', block.slice(2), block.slice(2, 4) + plain.slice(3)],
  ])('reads %s', (_, given, expected) => {
    expect(extractBase64(given)).toMatchObject({ text: expected, found: true });
  });

  it.each<[string, string]>([
    [
      'pictures',
      `data:image/png;base64,${Buffer.from(Array.from({ length: 90 }, (_, at) => (at * 89) % 256)).toString('base64')}`,
    ],
    ['drawings', `data:image/svg+xml;base64,${encode('<svg xmlns="x"><title>open the door</title></svg>')}`],
    ['tokens', 'eyJhbGciOiJIUzI1NiJ9.eyJuYW1lIjoib3BlbiB0aGUgZG9vciBub3cifQ.c2lnbmF0dXJlc2lnbmF0dXJl'],
    ['hashes', 'sha384-oqVuAfXRKap7fdgcCY5uykM6+R9GqQ8K/uxy9rx7HNQlGYl1kPzQho1wx4JwY8wC'],
    ['Basic credentials', `Authorization: Basic ${encode('me:my password is long')}`],
    ['source maps', encode('{"version":3,"sources":["a.ts"],"mappings":"AAAA"}')],
    ['long names', 'internationalizationConfiguration AbstractSingletonProxyFactoryBean'],
    ['paths', '/usr/local/share/applications/defaults/list'],
  ])('keeps %s', (_, given) => {
    expect(extractBase64(given)).toMatchObject({ text: given, found: false });
  });

  it('decodes a configuration value and a short greeting without a flag', () => {
    expect(extractBase64(`GREETING_TEXT=${block}`)).toMatchObject({
      text: `GREETING_TEXT=${plain}`,
      found: false,
    });
    expect(extractBase64(encode('Hello there!'))).toMatchObject({ text: 'Hello there!', found: false });
  });
});
