import type { ConnectionOptions } from 'node:tls';
import { latestPemTexts } from '../certificates/latest.ts';
import type { CoreConfig } from '../config/core.ts';

/**
 * Returns TLS options that ioredis reads at each connection, so that renewed files count from the next one.
 * @throws Error if a file cannot be used at the start
 */
export function redisTlsOptions(tls: CoreConfig['redis']['tls']): ConnectionOptions | undefined {
  if (!tls.enabled) return undefined;
  const latest = latestPemTexts({ path: 'redis.tls', ...tls });
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
