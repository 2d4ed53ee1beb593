import type { Environment } from '../../config/environment.ts';
import { SourceError, type ReadValue, type Source } from '../source.ts';
import type { Grant, Granted } from './ask.ts';

export type Cloud = 'aws' | 'azure' | 'gcp';

const TIMEOUT_MS = 10_000;
const RENEW_AT = 2 / 3;
const MIN_MS = 5_000;
const UNKNOWN_LIFE_MS = 900_000;
/** Limits how long a credential with a wrong expiry, for example in other units, stays in use. */
const MAX_MS = 3_600_000;

export async function createWorkloadSource(cloud: Cloud, environment: Environment): Promise<Source> {
  const grant = await grantOf(cloud, environment);
  return {
    async read() {
      const granted = await inTime(grant).catch((cause: unknown) => {
        throw new Error(`the workload identity of ${cloud} provides no credential (${reasonOf(cause)})`);
      });
      return valueOf(granted);
    },
  };
}

async function grantOf(cloud: Cloud, environment: Environment): Promise<Grant> {
  switch (cloud) {
    case 'aws':
      return (await import('./aws.ts')).createAwsGrant(environment);
    case 'azure':
      return (await import('./azure.ts')).createAzureGrant(environment);
    case 'gcp':
      return (await import('./gcp.ts')).createGcpGrant(environment);
  }
}

function valueOf({ value, endsAt: given }: Granted): ReadValue {
  const endsAt = given !== undefined && Number.isFinite(given) ? given : undefined;
  const leftMs = endsAt === undefined ? UNKNOWN_LIFE_MS : endsAt - Date.now();
  return { value, againInMs: Math.min(MAX_MS, Math.max(MIN_MS, leftMs * RENEW_AT)), endsAt };
}

/** Limits the time of a grant, so that a silent cloud does not delay other sources. */
async function inTime(grant: Grant): Promise<Granted> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new SourceError('no answer in 10 s')), TIMEOUT_MS);
  try {
    return await Promise.race([grant(), late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

const PLAIN_NAME = /^[A-Za-z_]{1,64}$/;

/** SDK error messages may quote tokens; error names do not. */
function reasonOf(cause: unknown): string {
  if (cause instanceof SourceError) return cause.message;
  if (!(cause instanceof Error)) return 'an unknown failure';
  const { code } = cause as { readonly code?: unknown };
  const known = typeof code === 'string' ? code : cause.name;
  return PLAIN_NAME.test(known) ? known : 'an unknown failure';
}
