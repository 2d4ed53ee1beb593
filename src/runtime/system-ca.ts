import { access, writeFile } from 'node:fs/promises';
import { rootCertificates } from 'node:tls';

import type { Environment } from '../config/environment.ts';

const BUNDLES = [
  '/etc/ssl/certs/ca-certificates.crt',
  '/etc/pki/tls/certs/ca-bundle.crt',
  '/etc/ssl/ca-bundle.pem',
  '/etc/ssl/cert.pem',
];

/** Returns the first readable CA file: `$SSL_CERT_FILE` or the system's. Otherwise, writes Node's CAs to `fallback`. */
export async function systemCaFile(environment: Environment, fallback: string): Promise<string> {
  const configured = environment['SSL_CERT_FILE'];
  for (const file of configured === undefined || configured === '' ? BUNDLES : [configured, ...BUNDLES]) {
    const readable = await access(file).then(
      () => true,
      () => false,
    );
    if (readable) return file;
  }
  await writeFile(fallback, `${rootCertificates.join('\n')}\n`, { mode: 0o600 });
  return fallback;
}
