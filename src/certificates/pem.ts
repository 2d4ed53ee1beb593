import { createPrivateKey, X509Certificate, type KeyObject } from 'node:crypto';

import { PEM_KEYS, type PemFiles, type PemKey } from './pem-files.ts';

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;

/** Contents of the files of one group. A file that cannot be read is missing. */
export type PemTexts = { readonly [Key in PemKey]?: string };

/** A file that cannot be used. */
export interface PemProblem {
  readonly key: PemKey;
  readonly message: string;
}

/** Parses every certificate of a PEM text. @throws Error if one cannot be parsed */
export function parseCertificates(pem: string): X509Certificate[] {
  return (pem.match(CERTIFICATE) ?? []).map((one) => new X509Certificate(one));
}

/** Returns the certificate that ends first. */
export function firstToEnd(certificates: readonly X509Certificate[]): X509Certificate | undefined {
  return certificates.toSorted((a, b) => Date.parse(a.validTo) - Date.parse(b.validTo))[0];
}

/** Returns why the files of a group cannot be used; empty if they can. */
export function pemProblems(files: PemFiles, texts: PemTexts): readonly PemProblem[] {
  const problems: PemProblem[] = [];
  for (const key of PEM_KEYS) {
    const problem = files[key] === undefined ? undefined : fileProblem(key, texts[key]);
    if (problem !== undefined) problems.push({ key, message: problem });
  }
  if (problems.length > 0) return problems;
  const { cert_file: cert, key_file: key } = texts;
  if (cert === undefined || key === undefined) return [];
  const [leaf] = parseCertificates(cert);
  const privateKey = createPrivateKey(key);
  if (leaf?.checkPrivateKey(privateKey) !== true) {
    return [{ key: 'key_file', message: 'is not the key of the first certificate in cert_file' }];
  }
  // Redis has limits of its own.
  const refused = files.path.startsWith('server.') ? refusedByEnvoy(privateKey) : undefined;
  return refused === undefined ? [] : [{ key: 'key_file', message: refused }];
}

function fileProblem(key: PemKey, text: string | undefined): string | undefined {
  if (text === undefined) return 'names a file that is missing or cannot be read';
  return key === 'key_file' ? privateKeyProblem(text) : certificateProblem(text);
}

function certificateProblem(text: string): string | undefined {
  try {
    return parseCertificates(text).length > 0 ? undefined : 'is not PEM: the file holds no certificate';
  } catch {
    return 'holds a certificate that cannot be parsed';
  }
}

function privateKeyProblem(text: string): string | undefined {
  try {
    createPrivateKey(text);
    return undefined;
  } catch {
    return 'is not PEM: the file holds no private key, or one with a passphrase';
  }
}

const MIN_RSA_BITS = 2_048;

/** BoringSSL's limits, so that Envoy accepts every pair that is accepted here. */
function refusedByEnvoy({ asymmetricKeyType: type, asymmetricKeyDetails }: KeyObject): string | undefined {
  const { modulusLength = 0, namedCurve = '' } = asymmetricKeyDetails ?? {};
  if (type === 'rsa' && modulusLength < MIN_RSA_BITS)
    return `has ${String(modulusLength)} bits: Envoy accepts RSA keys of 2048 bits or more`;
  if (type === 'ec' && !['prime256v1', 'secp384r1', 'secp521r1'].includes(namedCurve))
    return `is on the curve ${namedCurve}: Envoy accepts P-256, P-384 and P-521`;
  return undefined;
}
