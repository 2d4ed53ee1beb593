import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFakeProvider, type FakeProvider } from '../support/fake-provider/index.ts';
import { startGateway, type TestGateway, type TestKey } from '../support/gateway.ts';
import { send, type Reply } from '../support/http.ts';
import {
  AUDIENCE,
  createKeyPair,
  goodClaims,
  ISSUER,
  signToken,
  startIssuer,
  type Json,
  type TestIssuer,
} from '../support/jose.ts';
import { expectRefusal } from './budgets/rig.ts';

/** JWT claims that choose credentials of the gateway and budgets that several keys share. */

const KEYS = { own: 'sk-of-the-key-5f1b', claimed: 'sk-of-the-claim-9c2d' };
const pair = createKeyPair('ES256');
let provider: FakeProvider;
let issuer: TestIssuer;
let gateway: TestGateway;
let key: TestKey;

beforeAll(async () => {
  [provider, issuer] = await Promise.all([createFakeProvider(), startIssuer(pair.jwk)]);
  gateway = await startGateway({
    config: {
      providers: { openai: { base_url: provider.url } },
      zsp: { enabled: true, jwt_only: true, issuer: ISSUER, audience: AUDIENCE, jwks_url: issuer.url },
      credentials: {
        own: { provider: 'openai', from: { env: 'TEST_OWN_KEY' } },
        claimed: { provider: 'openai', from: { env: 'TEST_CLAIMED_KEY' } },
      },
      budgets: [
        { name: 'search', match: { claims: { team: 'sea*' } }, daily: 0 },
        { name: 'interns', match: { claims: { groups: 'interns', country: 'AT' } }, daily: 0 },
      ],
    },
    env: { TEST_OWN_KEY: KEYS.own, TEST_CLAIMED_KEY: KEYS.claimed },
  });
  key = await gateway.createKey({ credentials: ['own'] });
});
afterAll(async () => {
  await gateway.stop();
  await Promise.all([provider.close(), issuer.close()]);
});

function ask(claims: Json): Promise<Reply> {
  const token = signToken(pair, { ...goodClaims(), gateway_key_hash: key.keyHash, ...claims });
  return send(gateway.baseUrl, {
    path: '/openai/v1/chat/completions',
    body: JSON.stringify({ model: 'gpt-4o', max_tokens: 10, messages: [{ role: 'user', content: 'hi' }] }),
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
  });
}

async function usedKey(claims: Json): Promise<unknown> {
  expect((await ask(claims)).status).toBe(200);
  return provider.requests.at(-1)?.headers['authorization'];
}

describe('the claim gateway_credentials', () => {
  it('names the credential instead of the key, as a name or a list', async () => {
    expect(await usedKey({})).toBe(`Bearer ${KEYS.own}`);
    expect(await usedKey({ gateway_credentials: 'claimed' })).toBe(`Bearer ${KEYS.claimed}`);
    expect(await usedKey({ gateway_credentials: ['other-provider', 'claimed'] })).toBe(
      `Bearer ${KEYS.claimed}`,
    );
  });

  it('has no fallback: an unknown name gets 503, and no credential an error', async () => {
    expectRefusal(await ask({ gateway_credentials: 'elsewhere' }), 503, 'credential_unavailable');
    expectRefusal(await ask({ gateway_credentials: [] }), 400, 'invalid_request');
    expectRefusal(await ask({ gateway_credentials: { openai: 'claimed' } }), 401, 'invalid_key');
  });
});

describe('a shared budget that matches by claims', () => {
  it('counts the requests whose JWT has all of them', async () => {
    const refused = await ask({ team: 'search' });
    expectRefusal(refused, 429, 'budget_exceeded');
    expect(refused.body).toContain('search');
    expectRefusal(await ask({ groups: ['staff', 'interns'], country: 'AT' }), 429, 'budget_exceeded');
    for (const other of [{ team: 'maps' }, { groups: ['interns'] }, { groups: 'staff', country: 'AT' }]) {
      expect((await ask(other)).status).toBe(200);
    }
  });

  it('refuses a JWT whose claim cannot be compared', async () => {
    expectRefusal(await ask({ team: { name: 'search' } }), 401, 'invalid_key');
    expectRefusal(await ask({ team: Array(1_001).fill('maps') }), 401, 'invalid_key');
  });
});
