import { describe, expect, it } from 'vitest';
import { maskSecrets } from '../../../../src/detectors/mask.ts';
import { makeSecret, seededRandom } from './samples.ts';
import { spansOf } from './spans.ts';

/** Numbers every line but the first, as printed files have. */
function numbered(text: string, before: (line: number) => string): string {
  return text
    .split('\n')
    .map((line, at) => (at === 0 ? line : before(at + 1) + line))
    .join('\n');
}

describe('private keys', () => {
  const random = seededRandom(5);
  const { secret: pem } = makeSecret('pem_private_key', random);
  const kinds = ['RSA', 'EC', 'DSA', 'OPENSSH', 'ENCRYPTED'];

  it.each(kinds)('of kind %s are found', (kind) => {
    const key = pem.replaceAll('PRIVATE KEY', `${kind} PRIVATE KEY`);
    expect(spansOf(`> ${key}\n`)).toEqual([{ rule: 'pem_private_key', found: key }]);
  });

  it('are found with the headers of old encryption', () => {
    const key = pem.replace(
      '-----\n',
      '-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0123456789ABCDEF\n\n',
    );
    expect(spansOf(key)).toEqual([{ rule: 'pem_private_key', found: key }]);
  });

  it.each([
    ['quoted', '\n> '],
    ['in a comment', '\n// '],
    ['on one line', ' '],
    ['as strings in source code', '\\n" +\n  "'],
    ['in a list of JSON', '","'],
  ])('are found with these headers %s', (_how, lineBreak) => {
    const headers = 'Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0123456789ABCDEF0123456789ABCDEF\n\n';
    const key = pem.replace('-----\n', `-----\n${headers}`).replaceAll('\n', lineBreak);
    expect(maskSecrets(`> ${key}\n`)).toBe('> ***\n');
  });

  it('are found as PGP blocks', () => {
    const key = pem
      .replaceAll('PRIVATE KEY', 'PGP PRIVATE KEY BLOCK')
      .replace('-----\n', '-----\nVersion: GnuPG v2\n\n')
      .replace('\n-----END', '\n=aB3d\n-----END');
    expect(spansOf(key)).toEqual([{ rule: 'pem_private_key', found: key }]);
  });

  it.each([
    ['on one line', pem.replaceAll('\n', ' ')],
    ['with Windows line ends', pem.replaceAll('\n', '\r\n')],
    ['as strings in source code', pem.replaceAll('\n', '" +\n  "')],
    ['indented', pem.replaceAll('\n', '\n    ')],
    ['in comments', pem.replaceAll('\n', '\n// ')],
    ['with line breaks of HTML', pem.replaceAll('\n', '<br />\n')],
    ['in numbered lines', numbered(pem, (line) => `${String(line).padStart(6)}\t`)],
    ['in numbered lines with arrows', numbered(pem, (line) => `${String(line).padStart(5)}→`)],
    ['in numbered lines with colons', numbered(pem, (line) => `${String(line)}: `)],
  ])('are found %s', (_how, key) => {
    expect(spansOf(key)).toEqual([{ rule: 'pem_private_key', found: key }]);
  });

  it('are masked if cut anywhere, without the prose after them', () => {
    const body = pem.slice(0, pem.indexOf('\n-----END'));
    for (let length = 80; length <= body.length; length += 1) {
      expect(maskSecrets(body.slice(0, length)).trimEnd()).toBe('***');
    }
    expect(maskSecrets(`${body.slice(0, 92)} and so on.`)).toBe('*** and so on.');
  });

  it('are not found in a public key, a certificate, a header alone or words between the lines', () => {
    for (const text of [
      pem.replaceAll('PRIVATE', 'PUBLIC'),
      pem.replaceAll('PRIVATE KEY', 'CERTIFICATE'),
      '-----BEGIN PRIVATE KEY-----',
      '-----BEGIN PRIVATE KEY-----\nput it here\n-----END PRIVATE KEY-----',
    ]) {
      expect(spansOf(text)).toEqual([]);
    }
  });
});

describe('JSON web tokens', () => {
  const segment = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const payload = segment({ sub: 'someone', iat: 1_700_000_000 });

  it('are found unsecured, and encrypted in five parts', () => {
    const unsecured = `${segment({ alg: 'none' })}.${payload}.`;
    const encrypted = `${segment({ alg: 'dir', enc: 'A256GCM' })}..48V1_ALb6US04U3b.${'aZ9'.repeat(20)}.XFBoMYUZodetZdvT`;
    expect(spansOf(unsecured)[0]?.found).toBe(unsecured);
    expect(spansOf(`t=${encrypted}&x`)[0]?.found).toBe(encrypted);
  });

  it('are found encoded again, with wrapped lines', () => {
    const token = Buffer.from(
      `${segment({ alg: 'RS256', kid: 'k1' })}.${payload}.${'q8Z'.repeat(60)}`,
    ).toString('base64');
    const wrapped = token.replaceAll(/(.{64})(?=.)/g, '$1\n');
    expect(maskSecrets(`token: ${wrapped}\n`)).toBe('token: ***\n');
  });

  it('are found with a long header, but not in other JSON in base64', () => {
    const chain = Array.from({ length: 100 }, (_, at) => at * 7919).join('');
    const token = (header: unknown): string => `${segment(header)}.${payload}.${'q8Z'.repeat(15)}`;
    expect(spansOf(token({ alg: 'RS256', x5c: [chain] }))[0]?.found).toBe(
      token({ alg: 'RS256', x5c: [chain] }),
    );
    expect(spansOf(token({ items: [chain] }))).toEqual([]);
  });

  it('are found in padded base64 with the standard alphabet', () => {
    const plain = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64');
    const token = [plain({ alg: 'RS256' }), plain({ sub: 'ÿÿÿ>>>???', iat: 17 }), 'q8Z'.repeat(15)].join('.');
    expect(token).toMatch(/[+/].*=\./);
    expect(spansOf(`"${token}"`)[0]?.found).toBe(token);
  });

  it('are not found in a header alone or with a header that is not JSON', () => {
    expect(spansOf(segment({ alg: 'HS256', typ: 'JWT' }))).toEqual([]);
    expect(spansOf(`eyJbroken${payload}.${payload}.${payload}`)).toEqual([]);
  });
});
