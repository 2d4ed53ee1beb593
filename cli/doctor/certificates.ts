import type { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';

import { certificateFiles } from '../../src/certificates/files.ts';
import { firstToEnd, parseCertificates } from '../../src/certificates/pem.ts';
import type { Config } from '../../src/config/schema.ts';
import { fail, ok, warn, type Diagnosis } from './finding.ts';

const DAY_MS = 86_400_000;
/** With fewer days left, an expiry is reported as a warning. */
const SOON_DAYS = 21;

/** Checks the validity of the configured certificates. For a file with several, reports the earliest expiry. */
export function diagnoseCertificates(config: Config, nowMs: number): Diagnosis[] {
  return certificateFiles(config).map(([key, file]) => diagnoseFile(key, file, nowMs));
}

function diagnoseFile(key: string, file: string, nowMs: number): Diagnosis {
  let certificates: X509Certificate[];
  try {
    certificates = parseCertificates(readFileSync(file, 'utf8'));
  } catch {
    return fail('certificates', `${key}: ${file} cannot be read as PEM`);
  }
  const first = firstToEnd(certificates);
  if (first === undefined) return fail('certificates', `${key}: ${file} contains no certificate`);
  const late = certificates.find(({ validFrom }) => Date.parse(validFrom) > nowMs);
  if (late !== undefined) return fail('certificates', `${key}: is not valid before ${day(late.validFrom)}`);
  const days = Math.floor((Date.parse(first.validTo) - nowMs) / DAY_MS);
  const until = `${key}: valid until ${day(first.validTo)}`;
  if (days < 0) return fail('certificates', `${key}: expired on ${day(first.validTo)}; renew ${file}`);
  return days < SOON_DAYS
    ? warn('certificates', `${until} (days left: ${String(days)}); renew ${file}`)
    : ok('certificates', `${until} (days left: ${String(days)})`);
}

function day(text: string): string {
  return new Date(text).toISOString().slice(0, 10);
}
