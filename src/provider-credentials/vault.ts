import * as z from 'zod';
import { latestPemTexts } from '../certificates/pem.ts';
import type { CredentialSettings } from '../config/sections/credentials.ts';
import { readSecretFile, type ReadValue, type Source } from './source.ts';
import { askVault, type VaultAddress, type VaultAnswer, type VaultRequest } from './vault-request.ts';

type VaultSettings = NonNullable<CredentialSettings['from']['vault']>;

/** Fraction of the lifetime after which leases and tokens are renewed. */
const RENEW_AT = 2 / 3;
const MIN_MS = 1_000;

const tokenSchema = z.object({
  auth: z.object({
    client_token: z.string().min(1).max(65_536),
    lease_duration: z.number().min(0),
    renewable: z.boolean(),
  }),
});
const leaseFields = {
  lease_id: z.string().max(4_096).default(''),
  lease_duration: z.number().min(0).default(0),
  renewable: z.boolean().default(false),
};
const secretSchema = z.object({ ...leaseFields, data: z.record(z.string(), z.unknown()) });
const renewedSchema = z.object(leaseFields);

interface Token {
  readonly value: string;
  readonly isRenewable: boolean;
  readonly renewAt: number;
  readonly endsAt: number;
}

interface Lease {
  readonly id: string;
  readonly value: string;
  /** As first granted. Near the end of the maximum lifetime, Vault grants less. */
  readonly grantedMs: number;
  readonly endsAt: number;
}

/** Thrown if Vault refuses the token, or a request made with the token. */
class Refused extends Error {}

/**
 * Reads a field of a secret from HashiCorp Vault or OpenBao (KV version 1 and 2, and engines with leases), renews
 * leases and tokens, and signs in again when a token expires.
 * @throws Error if `ca_file` cannot be used
 */
export function createVaultSource(
  settings: VaultSettings,
  refreshMs: number,
  now: () => number = Date.now,
): Source {
  const pem = latestPemTexts({ path: 'credentials.*.from.vault', ca_file: settings.ca_file });
  const vault: VaultAddress = { address: settings.address, ca: () => pem().ca_file };
  let token: Token | undefined;
  let lease: Lease | undefined;

  function forget(): void {
    token = undefined;
    lease = undefined;
  }

  async function ask(request: VaultRequest): Promise<unknown> {
    return readable(await askVault(vault, request), settings);
  }

  async function tokenNow(): Promise<string> {
    if (settings.token_file !== undefined) return (await readSecretFile(settings.token_file)).trim();
    if (token !== undefined && now() >= token.renewAt) token = await renewedToken(token);
    // Vault revokes a token's leases together with the token.
    if (token === undefined) lease = undefined;
    token ??= await signIn();
    return token.value;
  }

  async function signIn(): Promise<Token> {
    const jwt = (await readSecretFile(settings.jwt_file)).trim();
    const body = { role: settings.role, jwt };
    return tokenOf(await ask({ method: 'POST', path: `auth/${settings.mount}/login`, body }));
  }

  /** Returns undefined if the token cannot be renewed. */
  async function renewedToken({ value, isRenewable, endsAt }: Token): Promise<Token | undefined> {
    if (!isRenewable || now() >= endsAt) return undefined;
    try {
      return tokenOf(await ask({ method: 'POST', path: 'auth/token/renew-self', token: value, body: {} }));
    } catch (cause) {
      if (cause instanceof Refused) return undefined;
      throw cause;
    }
  }

  function tokenOf(answer: unknown): Token {
    const read = tokenSchema.safeParse(answer);
    if (!read.success) throw new Error(`Vault returned no token for the role ${settings.role ?? ''}`);
    const { client_token: value, lease_duration: seconds, renewable: isRenewable } = read.data.auth;
    const endsAt = seconds === 0 ? Infinity : now() + seconds * 1_000;
    return { value, isRenewable, endsAt, renewAt: now() + (endsAt - now()) * RENEW_AT };
  }

  /** Returns undefined if the secret must be read again. */
  async function renewedLease({ id, value, grantedMs, endsAt }: Lease): Promise<Lease | undefined> {
    if (now() >= endsAt) return undefined;
    const body = { lease_id: id, increment: Math.round(grantedMs / 1_000) };
    const answer = await ask({ method: 'PUT', path: 'sys/leases/renew', token: await tokenNow(), body });
    const read = renewedSchema.safeParse(answer);
    const leftMs = read.success ? read.data.lease_duration * 1_000 : 0;
    return leftMs < grantedMs / 2 ? undefined : { id, value, grantedMs, endsAt: now() + leftMs };
  }

  async function readSecret(): Promise<ReadValue> {
    const answer = await ask({ method: 'GET', path: settings.path, token: await tokenNow() });
    const read = secretSchema.safeParse(answer);
    const value = read.success ? fieldOf(read.data.data, settings.field) : undefined;
    if (!read.success || value === undefined)
      throw new Error(`Vault's ${settings.path} has no string in the field ${settings.field}`);
    const { lease_id: id, lease_duration: seconds, renewable } = read.data;
    if (id === '' || seconds === 0) return { value, againInMs: refreshMs };
    const grantedMs = seconds * 1_000;
    lease = renewable ? { id, value, grantedMs, endsAt: now() + grantedMs } : undefined;
    return { value, againInMs: renewInMs(grantedMs) };
  }

  async function readNow(): Promise<ReadValue> {
    await tokenNow();
    const held = lease;
    if (held === undefined) return readSecret();
    const renewed = await renewedLease(held).catch((cause: unknown) => {
      if (cause instanceof Refused) return undefined;
      throw cause;
    });
    lease = renewed;
    return renewed === undefined
      ? readSecret()
      : { value: renewed.value, againInMs: renewInMs(renewed.endsAt - now()) };
  }

  return {
    async read() {
      try {
        return await readNow();
      } catch (cause) {
        if (!(cause instanceof Refused)) throw cause;
        // The token may have expired or been revoked, so sign in again, once.
        forget();
        return await readNow();
      }
    },
  };
}

function renewInMs(leftMs: number): number {
  return Math.max(MIN_MS, leftMs * RENEW_AT);
}

/** KV version 2 wraps the secret and adds metadata. */
function fieldOf(data: Readonly<Record<string, unknown>>, field: string): string | undefined {
  const { data: wrapped, metadata } = data;
  const isWrapped = typeof wrapped === 'object' && wrapped !== null && typeof metadata === 'object';
  const fields = isWrapped ? (wrapped as Readonly<Record<string, unknown>>) : data;
  const value = Object.hasOwn(fields, field) ? fields[field] : undefined;
  return typeof value === 'string' ? value : undefined;
}

function readable({ status, body }: VaultAnswer, { path, role }: VaultSettings): unknown {
  if (status >= 200 && status < 300) return body;
  if (status === 503) throw new Error('Vault is sealed or in maintenance (503)');
  if (status === 404) throw new Error(`Vault has nothing at ${path} (404)`);
  const who = role === undefined ? 'the token' : `the role ${role}`;
  const refused = `Vault denies ${who} access to ${path} (${String(status)})`;
  throw status === 400 || status === 403 ? new Refused(refused) : new Error(refused);
}
