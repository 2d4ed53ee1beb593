import { generateKeyPairSync, X509Certificate } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { generate } from 'selfsigned';
import { firstToEnd, parseCertificates, pemProblems } from '../../../src/certificates/pem.ts';
import { createTestCa, type Identity, type TestCa } from '../../support/certs.ts';

const DAY_MS = 86_400_000;

let ca: TestCa;
let one: Identity;
let sooner: Identity;
beforeAll(async () => {
  ca = await createTestCa();
  one = await ca.issue('one');
  sooner = await ca.issue('sooner', ['localhost'], { from: Date.now() - DAY_MS, until: Date.now() + 60_000 });
});
afterAll(() => ca.close());

const SERVER = { path: 'server.tls', cert_file: 'c', key_file: 'k' };

it('accepts a chain whose first certificate has the key', () => {
  const chain = one.cert + ca.ca;
  expect(pemProblems(SERVER, { cert_file: chain, key_file: one.key })).toEqual([]);
  expect(pemProblems(SERVER, { cert_file: ca.ca + one.cert, key_file: one.key })).toEqual([
    { key: 'key_file', message: 'is not the key of the first certificate in cert_file' },
  ]);
});

it('reports every unusable file', () => {
  const files = { ...SERVER, ca_file: 'a' };
  expect(pemProblems(files, { cert_file: '', ca_file: one.key }).map(({ key }) => key)).toEqual([
    'cert_file',
    'key_file',
    'ca_file',
  ]);
  expect(pemProblems(SERVER, { cert_file: one.cert, key_file: encrypted() })).toEqual([
    { key: 'key_file', message: 'is not PEM: the file contains no private key, or one with a passphrase' },
  ]);
});

function encrypted(): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return privateKey
    .export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'secret' })
    .toString();
}

it('refuses keys that Envoy refuses, if Envoy or the sidecar serves with them', async () => {
  const weak = await generate([{ name: 'commonName', value: 'weak' }], { keyType: 'rsa', keySize: 1_024 });
  const texts = { cert_file: weak.cert, key_file: weak.private };
  expect(pemProblems(SERVER, texts)).toEqual([
    { key: 'key_file', message: 'has 1024 bits: Envoy accepts RSA keys of 2048 bits or more' },
  ]);
  expect(pemProblems({ ...SERVER, path: 'redis.tls' }, texts)).toEqual([]);
});

it('finds the certificate that expires first', () => {
  const found = firstToEnd(parseCertificates(one.cert + sooner.cert + ca.ca));
  expect(found?.serialNumber).toBe(new X509Certificate(sooner.cert).serialNumber);
});
