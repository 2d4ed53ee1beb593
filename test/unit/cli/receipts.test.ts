import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterAll, describe, expect, it } from 'vitest';
import { main } from '../../../cli/main.ts';
import { createSigner } from '../../../src/signing/signer.ts';
import { createSigningKey } from '../../../src/signing/signing-key.ts';
import { startIssuer } from '../../support/jose.ts';

const directory = mkdtempSync(join(tmpdir(), 'gw-test-receipts-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));
function file(name: string, text: string): string {
  writeFileSync(join(directory, name), text);
  return join(directory, name);
}

const SECRET = 'a secret of thirty-two bytes and more';
const PEM = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
const BODY = '{"model":"gpt-4o"}';
const hmac = createSigner(createSigningKey({ type: 'hmac', secret: SECRET }));
const key = createSigningKey({ type: 'ed25519', secret: PEM });
const ed25519 = createSigner(key);
const claims = {
  jti: 'r-1',
  key_hash: `sha256:${'a'.repeat(64)}`,
  request_digest: hmac.digest(Buffer.from(BODY)),
  decision: 'deny',
  type: 'policy_denied',
  status: 403,
} as const;
const receipt = hmac.receipt(claims);
const signed = ed25519.receipt(claims);
const secretFile = file('secret.txt', `${SECRET}\n`);
const keySet = file('jwks.json', JSON.stringify(key.publicKeys));
const requestFile = file('body.json', BODY);

async function run(
  args: readonly string[],
  input = '',
): Promise<{ readonly code: number; readonly out: string; readonly err: string }> {
  const stdin = new PassThrough();
  stdin.end(input);
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const code = await main(['receipts', 'verify', ...args], {
    stdin: stdin as unknown as NodeJS.ReadStream,
    stdout,
    stderr,
    env: {},
  });
  const text = (stream: PassThrough): string => String((stream.read() as Buffer | null) ?? '');
  return { code, out: text(stdout), err: text(stderr) };
}

describe('gateway receipts verify', () => {
  it.each<[string, string[], string]>([
    ['with a secret', [receipt, '--secret-file', secretFile], ''],
    ['with a key set', [signed, '--jwks', keySet], ''],
    ['from standard input', ['-', '--jwks', keySet], `${signed}\n`],
    ['without an argument', ['--jwks', keySet], signed],
    ['with its request', [receipt, '--secret-file', secretFile, '--request', requestFile], ''],
    [
      'with the configured secret',
      [receipt, '--config', file('hmac.yaml', `signature: {enabled: true, secret: "${SECRET}"}`)],
      '',
    ],
    [
      'with the configured key',
      [
        signed,
        '--config',
        file('ed.yaml', `signature: {enabled: true, type: ed25519, secret: "${file('key.pem', PEM)}"}`),
      ],
      '',
    ],
  ])('shows the claims of a valid receipt, %s', async (_how, args, input) => {
    const table = await run(args, input);
    expect([table.code, table.out]).toEqual([0, expect.stringMatching(/^Valid\.\n[^]*policy_denied/)]);
    const json = await run([...args, '--output', 'json'], input);
    expect(JSON.parse(json.out)).toMatchObject({ valid: true, receipt: claims });
  });

  it('reads a key set from a listener', async () => {
    const issuer = await startIssuer(...(key.publicKeys?.keys.map((one) => ({ ...one })) ?? []));
    try {
      expect((await run([signed, '--jwks', issuer.url])).code).toBe(0);
    } finally {
      await issuer.close();
    }
  });

  it.each<[string, string[], RegExp]>([
    [
      'a forged receipt',
      [`${receipt.slice(0, -4)}AAAA`, '--secret-file', secretFile],
      /does not match this key/,
    ],
    ['nonsense', ['hello', '--jwks', keySet], /not a signed receipt/],
    [
      'a receipt for another request',
      [receipt, '--secret-file', secretFile, '--request', secretFile],
      /for another request/,
    ],
  ])('exits with 1 on %s', async (_what, args, reason) => {
    const { code, out } = await run([...args, '--output', 'json']);
    expect([code, JSON.parse(out)]).toEqual([1, { valid: false, reason: expect.stringMatching(reason) }]);
  });

  it.each<[string, string[], RegExp]>([
    ['no key', [receipt, '--config', file('none.yaml', '{}')], /give --jwks or --secret-file/],
    ['two keys', [receipt, '--jwks', keySet, '--secret-file', secretFile], /not both/],
    ['a remote key set over http', [signed, '--jwks', 'http://a.example/jwks'], /https/],
    [
      'a file that does not exist',
      [signed, '--jwks', '/nowhere'],
      /--jwks: the file cannot be read \(ENOENT\)/,
    ],
    ['an empty secret', [receipt, '--secret-file', file('empty', '\n')], /is empty/],
  ])('exits with 2 on %s', async (_what, args, message) => {
    const { code, err } = await run(args);
    expect([code, err]).toEqual([2, expect.stringMatching(message)]);
  });
});
