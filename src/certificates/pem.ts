import { createPrivateKey, X509Certificate, type KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** Files of one settings group: a certificate with its key, a CA, or all three. */
export interface PemFiles {
  /** Dotted path of the group, such as `server.tls` or `providers.openai`. */
  readonly path: string;
  readonly cert_file?: string | undefined;
  readonly key_file?: string | undefined;
  readonly ca_file?: string | undefined;
}

export type PemKey = 'cert_file' | 'key_file' | 'ca_file';

export const PEM_KEYS: readonly PemKey[] = ['cert_file', 'key_file', 'ca_file'];

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;

/** File contents of one group, without unreadable files. */
export type PemTexts = { readonly [Key in PemKey]?: string };

export interface PemProblem {
  readonly key: PemKey;
  readonly message: string;
}

/** @throws Error if a certificate cannot be parsed */
export function parseCertificates(pem: string): X509Certificate[] {
  return (pem.match(CERTIFICATE) ?? []).map((text) => new X509Certificate(text));
}

export function firstToEnd(certificates: readonly X509Certificate[]): X509Certificate | undefined {
  return certificates.toSorted((a, b) => Date.parse(a.validTo) - Date.parse(b.validTo))[0];
}

/** Returns the reasons why a group's files cannot be used. */
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
  const refused = files.path.startsWith('server.') ? refusedByEnvoy(privateKey) : undefined;
  return refused === undefined ? [] : [{ key: 'key_file', message: refused }];
}

function fileProblem(key: PemKey, text: string | undefined): string | undefined {
  if (text === undefined) return 'names a file that is missing or cannot be read';
  return key === 'key_file' ? privateKeyProblem(text) : certificateProblem(text);
}

function certificateProblem(text: string): string | undefined {
  try {
    return parseCertificates(text).length > 0 ? undefined : 'is not PEM: the file contains no certificate';
  } catch {
    return 'contains a certificate that cannot be parsed';
  }
}

function privateKeyProblem(text: string): string | undefined {
  try {
    createPrivateKey(text);
    return undefined;
  } catch {
    return 'is not PEM: the file contains no private key, or one with a passphrase';
  }
}

const MIN_RSA_BITS = 2_048;

/** Applies BoringSSL's limits, because Envoy must accept every pair that is accepted here. */
function refusedByEnvoy({ asymmetricKeyType: type, asymmetricKeyDetails }: KeyObject): string | undefined {
  const { modulusLength = 0, namedCurve = '' } = asymmetricKeyDetails ?? {};
  if (type === 'rsa' && modulusLength < MIN_RSA_BITS)
    return `has ${String(modulusLength)} bits: Envoy accepts RSA keys of 2048 bits or more`;
  if (type === 'ec' && !['prime256v1', 'secp384r1', 'secp521r1'].includes(namedCurve))
    return `is on the curve ${namedCurve}: Envoy accepts P-256, P-384 and P-521`;
  return undefined;
}

export function readPemTexts(files: PemFiles): PemTexts {
  return Object.fromEntries(
    PEM_KEYS.flatMap((key) => {
      const file = files[key];
      const text = file === undefined ? undefined : textOf(file);
      return text === undefined ? [] : [[key, text] as const];
    }),
  );
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined; // reported by `pemProblems`
  }
}

/**
 * Returns a function that rereads a group's files and returns the newest usable contents.
 * @throws Error if a file cannot be used at start
 */
export function latestPemTexts(files: PemFiles): () => PemTexts {
  let inForce = readPemTexts(files);
  const [first] = pemProblems(files, inForce);
  if (first !== undefined) throw new Error(`${files.path}.${first.key} ${first.message}`);
  return () => {
    const now = readPemTexts(files);
    if (pemProblems(files, now).length === 0) inForce = now;
    return inForce;
  };
}
