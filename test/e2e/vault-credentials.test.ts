import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestCa, type TestCa } from '../support/certs.ts';
import { createFakeProvider, type FakeProvider } from '../support/fake-provider/index.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { send } from '../support/http.ts';
import { found, mark } from '../support/secret-search.ts';
import { startVaultServer, type VaultServer } from '../support/vault-server.ts';

/** A credential that Vault holds, over TLS, while Vault is rotated, sealed and moved and its tokens expire. */

const JWT = 'eyJhbGciOiJSUzI1NiJ9.VnLx7Qm2Tz9Rk4Wd8Hs1.signature';
const KEYS = {
  first: 'sk-first-8Gk2pQ9vXw4ZtR7yLm3N',
  second: 'sk-second-H5s8Jd1aVf6Kc0PzQ2Bn',
  third: 'sk-third-W3e7Yu9IoP4aS6dF1gHj',
};
const PATH = 'secret/data/openai';

let folder: string;
let ca: TestCa;
let provider: FakeProvider;
let vault: VaultServer;
let active: VaultServer;
let gateway: TestGateway;
let rawKey: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gw-test-vault-'));
  writeFileSync(join(folder, 'jwt'), JWT);
  ca = await createTestCa();
  const { cert, key } = await ca.issue('vault', ['localhost']);
  [vault, active] = await Promise.all([
    startVaultServer({ jwt: JWT, tls: { cert, key } }),
    startVaultServer({ jwt: JWT, tls: { cert, key } }),
  ]);
  vault.secrets.set(PATH, { key: KEYS.first });
  provider = await createFakeProvider();
  const from = {
    vault: {
      address: vault.address,
      path: PATH,
      field: 'key',
      role: 'gateway',
      jwt_file: join(folder, 'jwt'),
      ca_file: ca.caFile,
    },
    ttl: '1s',
  };
  gateway = await startGateway({
    config: {
      providers: { openai: { base_url: provider.url } },
      credentials: { held: { provider: 'openai', from } },
    },
  });
  ({ rawKey } = await gateway.createKey({ credentials: ['held'] }));
});
afterAll(async () => {
  await gateway.stop();
  await Promise.all([vault.close(), active.close(), provider.close()]);
  ca.close();
  rmSync(folder, { recursive: true });
});

async function usedKey(): Promise<unknown> {
  const { status } = await send(gateway.baseUrl, {
    path: '/openai/v1/chat/completions',
    body: JSON.stringify({ model: 'gpt-4o', max_tokens: 5, messages: [{ role: 'user', content: 'hi' }] }),
    headers: { authorization: `Bearer ${rawKey}`, 'content-type': 'application/json' },
  });
  return [status, String(provider.requests.at(-1)?.headers['authorization']).replace('Bearer ', '')];
}

const failing = async (): Promise<boolean> =>
  /gateway_credential_failing\{credential="held"\} 1/.test(await gateway.metrics());

it('is used, and renewed after its rotation in Vault', async () => {
  expect(await usedKey()).toEqual([200, KEYS.first]);
  vault.secrets.set(PATH, { key: KEYS.second });
  await expect.poll(usedKey, { timeout: 10_000 }).toEqual([200, KEYS.second]);
});

it('stays in use while Vault is sealed, and is read again after its tokens expired', async () => {
  vault.isSealed = true;
  await expect.poll(failing, { timeout: 10_000 }).toBe(true);
  expect(await usedKey()).toEqual([200, KEYS.second]);
  await expect.poll(() => gateway.logs()).toContain('Vault is sealed or in maintenance (503)');
  vault.tokens.clear();
  vault.secrets.set(PATH, { key: KEYS.third });
  vault.isSealed = false;
  await expect.poll(usedKey, { timeout: 15_000 }).toEqual([200, KEYS.third]);
  expect(await failing()).toBe(false);
});

it('is read from the active node that a standby names', async () => {
  active.secrets.set(PATH, { key: KEYS.first });
  vault.movedTo = active.address;
  await expect.poll(usedKey, { timeout: 10_000 }).toEqual([200, KEYS.first]);
});

it('does not appear in logs and metrics, nor do tokens and the JWT', async () => {
  const marks = Object.entries({ ...KEYS, jwt: JWT }).map(([name, value]) => mark(name, value));
  const shown = `${gateway.logs()}${await gateway.metrics()}`;
  expect(found(marks, shown)).toEqual([]);
  expect(shown).not.toContain('hvs.');
});
