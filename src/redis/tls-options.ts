import type { ConnectionOptions } from 'node:tls';
import type { PemFiles } from '../certificates/pem-files.ts';
import { pemProblems, type PemTexts } from '../certificates/pem.ts';
import { readPemTexts } from '../certificates/read.ts';
import type { CoreConfig } from '../config/core.ts';

/**
 * Returns TLS options that ioredis reads at each connection, so that renewed files count from the next one. Files
 * that cannot be used leave the contents before them in force.
 * @throws Error if a file cannot be used at the start
 */
export function redisTlsOptions(tls: CoreConfig['redis']['tls']): ConnectionOptions | undefined {
  if (!tls.enabled) return undefined;
  const files: PemFiles = { path: 'redis.tls', ...tls };
  let inForce = readPemTexts(files);
  const [first] = pemProblems(files, inForce);
  if (first !== undefined) throw new Error(`redis.tls.${first.key} ${first.message}`);
  function latest(): PemTexts {
    const now = readPemTexts(files);
    if (pemProblems(files, now).length === 0) inForce = now;
    return inForce;
  }
  return {
    minVersion: 'TLSv1.2',
    ...(tls.server_name === undefined ? {} : { servername: tls.server_name }),
    get ca() {
      return latest().ca_file;
    },
    get cert() {
      return latest().cert_file;
    },
    get key() {
      return latest().key_file;
    },
  };
}
