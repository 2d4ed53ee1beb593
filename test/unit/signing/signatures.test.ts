import { generateKeyPairSync, hash, verify } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSigner as createFastSigner, createVerifier } from 'fast-jwt';
import { afterAll, describe, expect, it } from 'vitest';
import { createSigner } from '../../../src/signing/signer.ts';
import { createSigningKey, isWeakSecret } from '../../../src/signing/signing-key.ts';
import type { Receipt } from '../../../src/signing/receipt.ts';
import { verifyReceipt, type ReceiptKey } from '../../../src/signing/verify-receipt.ts';
import { part } from '../../support/jose.ts';

const NOW = Date.UTC(2026, 10, 23, 12);
const SECRET = 'a secret of thirty-two bytes and more';
const pair = generateKeyPairSync('ed25519');
const PEM = pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
const PUBLIC_PEM = pair.publicKey.export({ type: 'spki', format: 'pem' }).toString();
const hmac = createSigningKey({ type: 'hmac', secret: SECRET });
const ed25519 = createSigningKey({ type: 'ed25519', secret: PEM });
const directory = mkdtempSync(join(tmpdir(), 'gw-test-signing-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const KINDS = [
  ['hmac', hmac, SECRET, 'HS256'],
  ['ed25519', ed25519, PUBLIC_PEM, 'EdDSA'],
] as const;

function headerOf(jws: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(jws.split('.')[0] ?? '', 'base64url').toString()) as Record<string, unknown>;
}

describe.each(KINDS)('a request signed with %s', (_kind, key, verifyingKey, alg) => {
  const signer = createSigner(key, () => NOW);
  const verifier = createVerifier({ key: verifyingKey, algorithms: [alg], complete: true });

  it('is verified with its bytes inserted (RFC 7515 appendix F)', async () => {
    const body = Buffer.from('{"model":"gpt-4o","messages":[{"role":"user","content":"Grüße 你好"}]}');
    const [header = '', payload, signature = ''] = (await signer.request(body, 'r-1')).split('.');
    expect(payload).toBe('');
    const jws = `${header}.${body.toString('base64url')}.${signature}`;
    expect(verifier(jws)).toMatchObject({
      header: { alg, kid: key.kid, typ: 'gateway-request+jws', iat: NOW / 1_000, jti: 'r-1' },
      payload: { model: 'gpt-4o' },
    });
    const changed = Buffer.from(body.toString().replace('gpt-4o', 'gpt-4O'));
    expect(() => verifier(`${header}.${changed.toString('base64url')}.${signature}`)).toThrow(/signature/);
  });

  it.each([0, 1, 2, 3, 196_607, 196_608, 196_609, 400_000])(
    'is signed completely with %i bytes',
    async (bytes) => {
      const body = Buffer.alloc(bytes, 'x');
      const [header = '', , signature = ''] = (await signer.request(body, 'r')).split('.');
      const input = Buffer.from(`${header}.${body.toString('base64url')}`);
      if (alg === 'EdDSA') {
        expect(verify(null, input, pair.publicKey, Buffer.from(signature, 'base64url'))).toBe(true);
      } else {
        const { createHmac } = await import('node:crypto');
        expect(signature).toBe(createHmac('sha256', SECRET).update(input).digest('base64url'));
      }
    },
  );
});

const RECEIPT: Omit<Receipt, 'iat'> = {
  jti: 'r-1',
  key_hash: `sha256:${'a'.repeat(64)}`,
  request_digest: `sha256:${'b'.repeat(64)}`,
  decision: 'allow',
  status: 200,
  cost_usd: 0.25,
};
const publicKeys = { keys: [...(ed25519.publicKeys?.keys ?? [])] };

describe.each([
  ['hmac', hmac, SECRET, 'HS256', { secret: SECRET }],
  ['ed25519', ed25519, PUBLIC_PEM, 'EdDSA', { keys: publicKeys }],
] as const)('a receipt signed with %s', (_kind, key, verifyingKey, alg, receiptKey) => {
  const signer = createSigner(key, () => NOW);
  const receipt = signer.receipt(RECEIPT);

  it('is a JWS that other libraries verify, and this program', async () => {
    expect(createVerifier({ key: verifyingKey, algorithms: [alg] })(receipt)).toEqual({
      ...RECEIPT,
      iat: NOW / 1_000,
    });
    expect(headerOf(receipt)).toEqual({ alg, kid: key.kid, typ: 'gateway-receipt+jwt' });
    expect(await verifyReceipt(receipt, receiptKey)).toEqual({
      valid: true,
      receipt: { ...RECEIPT, iat: NOW / 1_000 },
      kid: key.kid,
    });
  });

  it('is not valid if one of its characters is changed', async () => {
    for (let at = 0; at < receipt.length; at += 11) {
      if (receipt[at] === '.') continue;
      const changed = receipt.slice(0, at) + (receipt[at] === 'A' ? 'B' : 'A') + receipt.slice(at + 1);
      expect(await verifyReceipt(changed, receiptKey)).toMatchObject({ valid: false });
    }
  });

  it('cannot be a signed body', async () => {
    const body = Buffer.from(JSON.stringify({ ...RECEIPT, iat: NOW / 1_000 }));
    const [header = '', , signature = ''] = (await signer.request(body, 'r')).split('.');
    const forged = `${header}.${body.toString('base64url')}.${signature}`;
    expect(await verifyReceipt(forged, receiptKey)).toEqual({
      valid: false,
      reason: 'it is signed by this key, but it is not a receipt (typ is not gateway-receipt+jwt)',
    });
  });
});

describe('a receipt is not valid', () => {
  const good = createSigner(ed25519, () => NOW).receipt(RECEIPT);
  function forge(
    key: string,
    { claims = { ...RECEIPT, iat: 1 }, algorithm = 'EdDSA' as 'EdDSA' | 'HS256' } = {},
  ): string {
    const header = { alg: algorithm, typ: 'gateway-receipt+jwt', kid: ed25519.kid };
    return createFastSigner({ key, algorithm, header })({ ...claims });
  }
  const other = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();

  it.each<[string, string, ReceiptKey, RegExp]>([
    [
      'by another secret',
      createSigner(hmac).receipt(RECEIPT),
      { secret: `${SECRET}!` },
      /does not match this key/,
    ],
    ['by another key of the same kid', forge(other), { keys: publicKeys }, /does not match this key/],
    ['with a key that is not in the set', good, { keys: { keys: [] } }, /no key with its kid/],
    [
      'with the public key as a secret',
      forge(PUBLIC_PEM.slice(30), { algorithm: 'HS256' }),
      { keys: publicKeys },
      /algorithm/,
    ],
    ['of a key pair, checked with a secret', good, { secret: SECRET }, /algorithm/],
    [
      'unsigned',
      `${part({ alg: 'none', typ: 'gateway-receipt+jwt' })}.${part(RECEIPT)}.`,
      { keys: publicKeys },
      /algorithm/,
    ],
    [
      'with other content',
      forge(PEM, { claims: { hello: 1 } as never }),
      { keys: publicKeys },
      /its content is not a receipt/,
    ],
    ['that is not a JWS', 'hello', { keys: publicKeys }, /not a signed receipt/],
    ['that is empty', '', { keys: publicKeys }, /not a signed receipt/],
    ['that is too long', 'x'.repeat(20_000), { keys: publicKeys }, /too long/],
  ])('%s', async (_what, receipt, key, reason) => {
    expect(await verifyReceipt(receipt, key)).toEqual({
      valid: false,
      reason: expect.stringMatching(reason),
    });
  });
});

describe('a signing key', () => {
  it('may be in a file', () => {
    const file = join(directory, 'key.pem');
    writeFileSync(file, PEM);
    expect(createSigningKey({ type: 'ed25519', secret: file }).kid).toBe(ed25519.kid);
  });

  it('shows only its public half, with its thumbprint', () => {
    const { x = '' } = pair.publicKey.export({ format: 'jwk' });
    const kid = hash('sha256', `{"crv":"Ed25519","kty":"OKP","x":"${x}"}`, 'base64url');
    expect(publicKeys).toEqual({
      keys: [{ kty: 'OKP', crv: 'Ed25519', x, kid, alg: 'EdDSA', use: 'sig' }],
    });
    expect(hmac.publicKeys).toBeUndefined();
  });

  it.each<[string, string, RegExp]>([
    ['a missing file', '/nowhere/key.pem', /missing or cannot be read/],
    ['a word', 'hunter2', /missing or cannot be read/],
    ['a public key', PUBLIC_PEM, /must be an Ed25519 private key/],
    ['half a key', PEM.slice(0, 60), /must be an Ed25519 private key/],
    [
      'a key of an unsupported type',
      generateKeyPairSync('ec', { namedCurve: 'P-256' })
        .privateKey.export({ type: 'pkcs8', format: 'pem' })
        .toString(),
      /must be an Ed25519 private key/,
    ],
  ])('cannot be %s, which the refusal does not repeat', (_what, secret, reason) => {
    const make = () => createSigningKey({ type: 'ed25519', secret });
    expect(make).toThrow(reason);
    expect(make).not.toThrow(secret.slice(-20));
  });

  it.each([
    ['hmac', 'x'.repeat(31), true, true],
    ['hmac', 'x'.repeat(32), true, false],
    ['hmac', 'x', false, false],
    ['ed25519', 'key.pem', true, false],
  ] as const)('of %s %j, enabled %j, is weak: %j', (type, secret, enabled, weak) => {
    expect(isWeakSecret({ enabled, type, secret })).toBe(weak);
  });
});
