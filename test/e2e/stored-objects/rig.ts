import { expect } from 'vitest';
import type { ConfigInput } from '../../../src/config/schema.ts';
import { PROVIDER_NAMES, providers } from '../../../src/providers/registry.ts';
import { startGateway, type TestGateway, type TestKey } from '../../support/gateway.ts';
import { send, type Reply } from '../../support/http.ts';
import { createProviderAccount, type ProviderAccount } from '../../support/provider-account.ts';

/** Two keys on one account at every provider: those without a key of their own use a credential of the gateway. */
export interface SharedAccounts {
  readonly gateway: TestGateway;
  readonly account: ProviderAccount;
  readonly ada: TestKey;
  readonly bob: TestKey;
  ask(key: TestKey, path: string, body?: unknown): Promise<Reply>;
  /** Sends it as Ada, with this answer of the provider. */
  make(path: string, body: unknown, answer: unknown): Promise<Reply>;
  /** Ada may, Bob may not, and Bob's request does not arrive. */
  expectAdas(path: string, body?: unknown): Promise<void>;
  /** No key may, and nothing arrives. */
  expectNobodys(path: string, body?: unknown): Promise<void>;
  close(): Promise<void>;
}

const HELD = 'held-8Gk2pQ9vXw4ZtR7yLm3N';

export async function startSharedAccounts(
  proxy: NonNullable<ConfigInput['proxy']>,
  models: NonNullable<ConfigInput['models']> = {},
): Promise<SharedAccounts> {
  const account = await createProviderAccount();
  const keyed = PROVIDER_NAMES.filter((name) => providers[name].needsKey);
  const gateway = await startGateway({
    config: {
      providers: Object.fromEntries(PROVIDER_NAMES.map((name) => [name, { base_url: account.url }])),
      credentials: Object.fromEntries(
        keyed.map((provider) => [provider, { provider, from: { env: 'TEST_HELD_KEY' } }]),
      ),
      models,
      proxy,
    },
    env: { TEST_HELD_KEY: HELD },
  });
  const rights = { credentials: [...keyed], allowedProviders: [...PROVIDER_NAMES] };
  const ada = await gateway.createKey(rights);
  const bob = await gateway.createKey(rights);

  function ask(key: TestKey, path: string, body?: unknown): Promise<Reply> {
    return send(gateway.baseUrl, {
      path,
      method: body === undefined ? 'GET' : 'POST',
      ...(body !== undefined && { body: JSON.stringify(body) }),
      headers: {
        authorization: `Bearer ${key.rawKey}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
    });
  }

  async function expectRefused(key: TestKey, path: string, body: unknown): Promise<void> {
    const before = account.arrived.length;
    const { status, body: refusal } = await ask(key, path, body);
    expect([status, refusal]).toEqual([404, expect.stringContaining('proxy.shared_objects')]);
    expect(account.arrived.length).toBe(before);
  }

  return {
    gateway,
    account,
    ada,
    bob,
    ask,
    async make(path, body, answer) {
      account.fixed = answer;
      const reply = await ask(ada, path, body);
      account.fixed = undefined;
      expect([reply.status, reply.body]).toEqual([200, expect.anything()]);
      return reply;
    },
    async expectAdas(path, body) {
      await expectRefused(bob, path, body);
      const { status, body: answer } = await ask(ada, path, body);
      expect([status, answer]).toEqual([200, expect.anything()]);
    },
    async expectNobodys(path, body) {
      await expectRefused(ada, path, body);
    },
    async close() {
      await gateway.stop();
      await account.close();
    },
  };
}
