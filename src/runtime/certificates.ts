import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';

import type { Config } from '../config/schema.ts';

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;

/** Returns the configuration key and path of each certificate file. */
export function certificateFiles({
  server,
  redis,
  providers,
}: Config): (readonly [key: string, file: string])[] {
  const files: (readonly [string, string | undefined])[] = [
    ['server.tls.cert_file', server.tls.cert_file],
    ['server.extproc.tls.cert_file', server.extproc.tls.cert_file],
    ['server.extproc.tls.ca_file', server.extproc.tls.ca_file],
    ['redis.tls.cert_file', redis.tls.cert_file],
    ['redis.tls.ca_file', redis.tls.ca_file],
    ...Object.entries(providers).map(
      ([name, { ca_file }]) => [`providers.${name}.ca_file`, ca_file] as const,
    ),
  ];
  return files.flatMap(([key, file]) => (file === undefined ? [] : [[key, file] as const]));
}

/** @throws Error if the file cannot be read, or a certificate in it cannot be parsed */
export function readCertificates(file: string): X509Certificate[] {
  const pems = readFileSync(file, 'utf8').match(CERTIFICATE) ?? [];
  return pems.map((pem) => new X509Certificate(pem));
}

/** Returns the certificate that ends first. */
export function firstToEnd(certificates: readonly X509Certificate[]): X509Certificate | undefined {
  return certificates.toSorted((a, b) => Date.parse(a.validTo) - Date.parse(b.validTo))[0];
}

/** Ends of certificates in Unix seconds, by configuration key. 0 if a file holds no readable certificate. */
export type CertificateEnds = ReadonlyMap<string, number>;

const READ_AGAIN_MS = 60_000;

/**
 * Returns a function that returns the certificates' ends. It reads the files at most once a minute. Envoy and the
 * workers read them when they start: for a renewed file the old end stays until the gateway is restarted.
 */
export function watchCertificateEnds(config: Config, nowMs: () => number = Date.now): () => CertificateEnds {
  const files = certificateFiles(config);
  const read = (): CertificateEnds => new Map(files.map(([key, file]) => [key, endOf(file)]));
  const atStart = read();
  let ends = atStart;
  let readAt = nowMs();
  return () => {
    if (nowMs() - readAt < READ_AGAIN_MS) return ends;
    readAt = nowMs();
    const now = read();
    ends = new Map(Array.from(atStart, ([key, end]) => [key, Math.min(end, now.get(key) ?? end)]));
    return ends;
  };
}

function endOf(file: string): number {
  try {
    const first = firstToEnd(readCertificates(file));
    return first === undefined ? 0 : Date.parse(first.validTo) / 1_000;
  } catch {
    return 0; // missing, or no PEM: an alert must fire
  }
}
