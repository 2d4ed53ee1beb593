import { copyFileSync, rmSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { watchCertificateEnds } from '../../../src/runtime/certificates.ts';
import { createTestCa, type TestCa } from '../../support/certs.ts';
import { defaultConfig } from '../../support/default-config.ts';

const DAY_MS = 86_400_000;
/** Certificates have whole seconds. */
const START_MS = Math.floor(Date.now() / 1_000) * 1_000;

let ca: TestCa;
beforeAll(async () => {
  ca = await createTestCa();
});
afterAll(() => ca.close());

async function endingAfter(days: number) {
  return ca.issue(`days-${String(days)}`, ['localhost'], { from: START_MS, until: START_MS + days * DAY_MS });
}

it('tells when the certificates end that Envoy and the workers have read at their start', async () => {
  const [soon, late, sooner] = [await endingAfter(5), await endingAfter(300), await endingAfter(2)];
  const config = defaultConfig({ server: { tls: { cert_file: soon.certFile, key_file: soon.keyFile } } });
  let nowMs = START_MS;
  const ends = watchCertificateEnds(config, () => nowMs);
  const days = (): number => ((ends().get('server.tls.cert_file') ?? NaN) * 1_000 - START_MS) / DAY_MS;
  expect([...ends().keys()]).toEqual(['server.tls.cert_file']);
  expect(days()).toBe(5);

  copyFileSync(late.certFile, soon.certFile);
  nowMs += 61_000;
  expect(days(), 'renewed, but not in use before a restart').toBe(5);
  copyFileSync(sooner.certFile, soon.certFile);
  expect(days(), 'not read again within a minute').toBe(5);
  nowMs += 61_000;
  expect(days()).toBe(2);
  rmSync(soon.certFile);
  nowMs += 61_000;
  expect(ends().get('server.tls.cert_file'), 'a file that is gone').toBe(0);
});
