import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { afterAll, beforeAll, expect, it } from 'vitest';

import { diagnoseCertificates } from '../../../../cli/doctor/certificates.ts';
import { defaultConfig } from '../../../support/default-config.ts';
import { createTestCa, type Identity, type TestCa } from '../../../support/certs.ts';

const DAY_MS = 86_400_000;
let ca: TestCa;
let own: Identity;
beforeAll(async () => {
  ca = await createTestCa();
  own = await ca.issue('gateway');
});
afterAll(() => ca.close());

function diagnosed(file: string, afterDays: number) {
  const config = defaultConfig({ server: { tls: { cert_file: file, key_file: own.keyFile } } });
  return diagnoseCertificates(config, Date.now() + afterDays * DAY_MS);
}

it.each([
  [0, 'warn', /^server\.tls\.cert_file: valid until \d{4}-\d\d-\d\d \(days left: \d\); renew/],
  [2_000, 'fail', /expired on/],
  [-2_000, 'fail', /not valid before/],
])('a certificate of a day is reported after %i days', (afterDays, status, message) => {
  expect(diagnosed(own.certFile, afterDays)).toEqual([
    { check: 'certificates', status, message: expect.stringMatching(message) },
  ]);
});

it('names a file without a certificate, and reports nothing without a file', () => {
  const empty = join(ca.caFile, '..', 'empty.pem');
  writeFileSync(empty, 'nothing\n');
  expect(diagnosed(empty, 0)).toMatchObject([
    { status: 'fail', message: expect.stringContaining('contains no certificate') },
  ]);
  expect(diagnosed('/no/such.pem', 0)).toMatchObject([{ status: 'fail' }]);
  expect(diagnoseCertificates(defaultConfig(), Date.now())).toEqual([]);
});
