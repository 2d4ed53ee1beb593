import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { generate } from 'selfsigned';

/** One key pair as files and as text, PEM. */
export interface Identity {
  readonly certFile: string;
  readonly keyFile: string;
  readonly cert: string;
  readonly key: string;
}

/** Unix ms. */
export interface Validity {
  readonly from: number;
  readonly until: number;
}

/** A certificate authority for one test. */
export interface TestCa {
  readonly caFile: string;
  readonly ca: string;
  /** Issues a certificate for these names and addresses, for servers and clients. */
  issue(name: string, hosts?: readonly string[], valid?: Validity): Promise<Identity>;
  close(): void;
}

/** Creates a CA in a temporary folder; `close` removes it with all its certificates. */
export async function createTestCa(): Promise<TestCa> {
  const directory = mkdtempSync(join(tmpdir(), 'gw-test-certs-'));
  const authority = await generate([{ name: 'commonName', value: 'gateway test CA' }], {
    keyType: 'ec',
    algorithm: 'sha256',
    notAfterDate: new Date(Date.now() + 86_400_000),
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
    ],
  });
  const caFile = join(directory, 'ca.pem');
  writeFileSync(caFile, authority.cert);
  return {
    caFile,
    ca: authority.cert,
    issue: async (name, hosts = ['localhost', '127.0.0.1', '::1'], valid = aroundNow()) => {
      const leaf = await generate([{ name: 'commonName', value: name }], {
        keyType: 'ec',
        algorithm: 'sha256',
        notBeforeDate: new Date(valid.from),
        notAfterDate: new Date(valid.until),
        ca: { key: authority.private, cert: authority.cert },
        extensions: [
          { name: 'basicConstraints', cA: false },
          { name: 'keyUsage', digitalSignature: true, critical: true },
          { name: 'extKeyUsage', serverAuth: true, clientAuth: true },
          {
            name: 'subjectAltName',
            altNames: hosts.map((host) =>
              isIP(host) === 0 ? { type: 2, value: host } : { type: 7, ip: host },
            ),
          },
        ],
      });
      const certFile = join(directory, `${name}.crt.pem`);
      const keyFile = join(directory, `${name}.key.pem`);
      writeFileSync(certFile, leaf.cert);
      writeFileSync(keyFile, leaf.private, { mode: 0o600 });
      return { certFile, keyFile, cert: leaf.cert, key: leaf.private };
    },
    close: () => {
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

function aroundNow(): Validity {
  return { from: Date.now() - 60_000, until: Date.now() + 86_400_000 };
}
