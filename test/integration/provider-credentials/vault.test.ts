import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { configSchema } from '../../../src/config/schema.ts';
import { messageOf } from '../../../src/errors.ts';
import type { Source } from '../../../src/provider-credentials/source.ts';
import { createVaultSource } from '../../../src/provider-credentials/vault.ts';
import { createTestCa, type TestCa } from '../../support/certs.ts';
import { startVaultServer, type VaultServer } from '../../support/vault-server.ts';

const JWT = 'eyJhbGciOiJSUzI1NiJ9.of-the-pod.signature';
const MINUTE_MS = 60_000;
const TOKEN_SECONDS = 3_600;
const LEASE_SECONDS = 600;

let folder: string;
let now: number;
let vault: VaultServer;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'vault-'));
  writeFileSync(join(folder, 'jwt'), `${JWT}\n`);
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});
beforeEach(async () => {
  now = 1_000_000;
  const times = { tokenSeconds: TOKEN_SECONDS, leaseSeconds: LEASE_SECONDS };
  vault = await startVaultServer({ jwt: JWT, now: () => now, ...times });
  vault.secrets.set('secret/data/openai', { key: 'sk-first', other: 'x' });
  vault.secrets.set('secret/openai', { key: 'sk-version-1' });
  vault.secrets.set('database/creds/llm', { key: 'sk-leased' });
});
afterEach(() => vault.close());

function source(own: object = {}): Source {
  const settings = {
    address: vault.address,
    path: 'secret/data/openai',
    field: 'key',
    role: 'gateway',
    jwt_file: join(folder, 'jwt'),
    ...own,
  };
  const { credentials } = configSchema.parse({
    credentials: { main: { provider: 'openai', from: { vault: settings } } },
  });
  const { vault: read } = credentials['main']?.from ?? {};
  if (read === undefined) throw new Error('the test needs a Vault source');
  return createVaultSource(read, 15 * MINUTE_MS, () => now);
}

const failureOf = (one: Source): Promise<string> => one.read().then(() => 'read', messageOf);

describe('a secret in Vault', () => {
  it('is read from KV version 2 and 1 by a role, after signing in', async () => {
    expect(await source().read()).toEqual({ value: 'sk-first', againInMs: 15 * MINUTE_MS });
    expect(vault.requests).toEqual(['POST auth/kubernetes/login', 'GET secret/data/openai']);
    expect(await source({ path: 'secret/openai' }).read()).toMatchObject({ value: 'sk-version-1' });
  });

  it('is read with the token in a file, which may be replaced', async () => {
    const file = join(folder, 'token');
    vault.tokens.set('hvs.old', now + 1_000);
    vault.tokens.set('hvs.new', now + MINUTE_MS);
    writeFileSync(file, 'hvs.old\n');
    const own = source({ role: undefined, token_file: file });
    expect(await own.read()).toMatchObject({ value: 'sk-first' });
    now += 2_000;
    expect(await failureOf(own)).toBe('Vault denies the token access to secret/data/openai (403)');
    writeFileSync(file, 'hvs.new');
    expect(await own.read()).toMatchObject({ value: 'sk-first' });
  });

  it('keeps its lease as long as Vault renews it, and is read again before the end', async () => {
    const own = source({ path: 'database/creds/llm' });
    vault.maxLeaseSeconds = 1_000;
    expect(await own.read()).toEqual({ value: 'sk-leased', againInMs: (LEASE_SECONDS * 1_000 * 2) / 3 });
    vault.secrets.set('database/creds/llm', { key: 'sk-leased-next' });
    now += 400_000;
    expect(await own.read()).toMatchObject({ value: 'sk-leased' });
    expect(vault.requests.at(-1)).toBe('PUT sys/leases/renew');
    now += 400_000;
    // 200 of 600 s remain: Vault will not renew the lease much longer.
    expect(await own.read()).toMatchObject({ value: 'sk-leased-next' });
  });

  it('renews its token, and signs in again when the token ends or is revoked', async () => {
    const own = source();
    await own.read();
    now += (TOKEN_SECONDS - 60) * 1_000;
    await own.read();
    expect(vault.requests.slice(-2)).toEqual(['POST auth/token/renew-self', 'GET secret/data/openai']);
    now += 2 * TOKEN_SECONDS * 1_000;
    await own.read();
    expect(vault.requests.at(-2)).toBe('POST auth/kubernetes/login');
    vault.tokens.clear();
    expect(await own.read()).toMatchObject({ value: 'sk-first' });
    expect(vault.requests.slice(-3)).toEqual([
      'GET secret/data/openai',
      'POST auth/kubernetes/login',
      'GET secret/data/openai',
    ]);
  });

  it('gets a new lease with a new token, since Vault revokes the leases of an old one', async () => {
    const own = source({ path: 'database/creds/llm' });
    await own.read();
    vault.tokens.clear();
    vault.secrets.set('database/creds/llm', { key: 'sk-leased-next' });
    now += 400_000;
    expect(await own.read()).toMatchObject({ value: 'sk-leased-next' });
  });
});

describe('a Vault that does not answer with the secret', () => {
  it.each<[string, () => Source | Promise<Source>, RegExp]>([
    [
      'is sealed',
      () => {
        vault.isSealed = true;
        return source();
      },
      /^Vault is sealed or in maintenance \(503\)$/,
    ],
    [
      'has no such secret',
      () => source({ path: 'secret/data/none' }),
      /^Vault has nothing at secret\/data\/none/,
    ],
    ['has no such field', () => source({ field: 'none' }), /has no string in the field none$/],
    [
      'does not know the role',
      () => source({ role: 'other' }),
      /denies the role other access to .* \(400\)$/,
    ],
    ['is not there', () => source({ address: 'http://127.0.0.1:1' }), /cannot be reached \(.*ECONNREFUSED/],
    [
      'cannot be signed in to',
      () => source({ jwt_file: join(folder, 'none') }),
      /cannot be read \(ENOENT\)$/,
    ],
  ])('%s', async (_what, make, reason) => {
    const message = await failureOf(await make());
    expect(message).toMatch(reason);
    expect(message).not.toMatch(/sk-|eyJ|hvs\./);
  });

  it('is a standby: the active node that it names is used, within limits', async () => {
    const active = await startVaultServer({ jwt: JWT, now: () => now });
    active.secrets.set('secret/data/openai', { key: 'sk-active' });
    vault.movedTo = active.address;
    expect(await source().read()).toMatchObject({ value: 'sk-active' });
    active.movedTo = vault.address;
    expect(await failureOf(source())).toBe('Vault redirects too often');
    vault.movedTo = 'http://192.0.2.1:8200';
    expect(await failureOf(source())).toMatch(/redirects to another host over http/);
    await active.close();
  });
});

describe('over TLS', () => {
  let ca: TestCa;
  beforeAll(async () => {
    ca = await createTestCa();
  });
  afterAll(() => {
    ca.close();
  });

  it('is verified by ca_file, and redirects to plain HTTP are never followed', async () => {
    const { cert, key } = await ca.issue('vault', ['localhost']);
    const secure = await startVaultServer({ jwt: JWT, now: () => now, tls: { cert, key } });
    secure.secrets.set('secret/data/openai', { key: 'sk-secure' });
    const at = { address: secure.address };
    expect(await source({ ...at, ca_file: ca.caFile }).read()).toMatchObject({ value: 'sk-secure' });
    expect(await failureOf(source(at))).toMatch(/cannot be reached \(.*certificate/);
    secure.movedTo = vault.address;
    expect(await failureOf(source({ ...at, ca_file: ca.caFile }))).toMatch(/that is not https/);
    await secure.close();
  });
});
