import { randomBytes } from 'node:crypto';
import { it, expect } from 'vitest';
import { createKeyStore } from '../../../src/auth/key-store.ts';
import { expectRefusal } from '../budgets/rig.ts';
import { send } from '../../support/http.ts';
import { CHAT, chat, gateway, auth, forwarded, key, PROVIDER_KEY, provider, BODY } from './rig.ts';

function wrapped(rawKey: string): string[] {
  return [
    `"${rawKey}"`,
    `sk-${rawKey}`,
    `AKIAIOSFODNN7EXAMPLE:${rawKey}`,
    rawKey.replace('gw-', '%67w%2D'),
    rawKey.replace('gw-', '%2567w-'),
    btoa(`user:${rawKey}`),
  ];
}

export function credentials(): void {
  it.each<[string, Record<string, string>, string]>([
    ['no key at all', {}, CHAT],
    ['an unknown key', { authorization: `Bearer gw-${'x'.repeat(43)}` }, CHAT],
    ['a key that is not a proxy key', { authorization: 'Bearer sk-1' }, CHAT],
    ['no key, on a path that does not exist', {}, '/nowhere'],
    ['no key, with the wrong method and type', { 'content-type': 'text/plain' }, '/openai/v1/models'],
    ['an unknown key in the path', {}, `/gw-${'y'.repeat(43)}/openai/v1/chat/completions`],
  ])('401 invalid_key takes precedence over all other errors: %s', async (_name, headers, path) => {
    const reply = await chat({ headers, path });
    expectRefusal(reply, 401, 'invalid_key');
    expect(reply.body).toBe((await chat({ headers: {} })).body);
  });

  it('400 for two different proxy keys and for two different provider keys, 401 if one is unknown', async () => {
    const other = await gateway.createKey();
    expectRefusal(await chat({ headers: { ...auth, 'x-api-key': other.rawKey } }), 400, 'invalid_request');
    expectRefusal(await chat({ headers: { ...auth, 'api-key': 'sk-other' } }), 400, 'invalid_request');
    const unknown = `gw-${'z'.repeat(43)}`;
    expectRefusal(await chat({ headers: { ...auth, 'x-api-key': unknown } }), 401, 'invalid_key');
  });

  it('the same credential in two places is one', async () => {
    await forwarded({ headers: { ...auth, 'x-api-key': key.rawKey, 'api-key': PROVIDER_KEY } });
  });

  it('400 naming the header if the provider key is missing', async () => {
    const { 'x-gateway-provider-key': _gone, ...without } = auth;
    const reply = await chat({ headers: without });
    expectRefusal(reply, 400, 'invalid_request');
    expect(reply.body).toContain('X-Gateway-Provider-Key');
  });

  it('path auth: the key is in the path, and never reaches the provider', async () => {
    const request = await forwarded({
      path: `/${key.rawKey}${CHAT}`,
      headers: { authorization: `Bearer ${PROVIDER_KEY}`, 'content-type': 'application/json' },
    });
    expect(request.path).toBe('/v1/chat/completions');
    expect(JSON.stringify(request)).not.toContain(key.rawKey);
    expect(request.headers['authorization']).toBe(`Bearer ${PROVIDER_KEY}`);
  });

  it('a proxy key in another header or in the query is refused, in the prompt it is overwritten', async () => {
    expectRefusal(
      await chat({ headers: { ...auth, 'openai-organization': `my ${key.rawKey}` } }),
      400,
      'invalid_request',
    );
    expectRefusal(await chat({ path: `${CHAT}?note=${key.rawKey}` }), 400, 'invalid_request');
    const encoded = key.rawKey.replace('-', '%2d');
    expectRefusal(await chat({ path: `${CHAT}?note=${encoded}` }), 400, 'invalid_request');
    const escaped = JSON.stringify({
      model: 'gpt-4o',
      messages: [{ role: 'user', content: key.rawKey }],
    }).replace('gw-', 'gw\\u002d');
    expectRefusal(await chat({ body: escaped }), 400, 'invalid_request');
    const leaking = JSON.stringify({
      model: 'gpt-4o',
      messages: [{ role: 'user', content: `k=${key.rawKey}!` }],
    });
    const request = await forwarded({ body: leaking });
    expect(request.body.toString()).not.toContain(key.rawKey);
    expect(request.body.toString()).toContain(`k=${'*'.repeat(46)}!`);
  });

  it('a wrapped proxy key is refused in every place that is forwarded', async () => {
    const path = `/${key.rawKey}${CHAT}`;
    const json = { 'content-type': 'application/json' };
    const other = await gateway.createKey();
    const revoked = await gateway.createKey({ name: 'to-be-revoked' });
    const keys = createKeyStore(gateway.redis.client);
    await keys.revoke('to-be-revoked');
    const before = provider.requests.length;
    for (const value of [key.rawKey, other.rawKey, revoked.rawKey].flatMap(wrapped)) {
      for (const headers of [
        { authorization: `Bearer ${value}` },
        { 'x-api-key': value },
        { 'x-goog-api-key': value },
        { 'api-key': value },
        { 'x-gateway-provider-key': value },
        { 'x-gateway-provider-key': PROVIDER_KEY, 'openai-organization': value },
        { 'x-gateway-provider-key': PROVIDER_KEY, 'openai-project': `https://host/${value}` },
      ]) {
        expectRefusal(await chat({ path, headers: { ...json, ...headers } }), 400, 'invalid_request');
      }
      const encoded = encodeURIComponent(value);
      const sent = { ...json, 'x-gateway-provider-key': PROVIDER_KEY };
      for (const query of [`note=${encoded}`, `${encoded}=1`]) {
        expectRefusal(await chat({ path: `${path}?${query}`, headers: sent }), 400, 'invalid_request');
      }
      const inQuery = await chat({ path: `${path}?key=${encoded}`, headers: json });
      expectRefusal(inQuery, 400, 'invalid_request');
    }
    for (const raw of [key.rawKey, other.rawKey.replace('g', '%67')]) {
      const path = `/openai/v1/models/${raw}`;
      expectRefusal(await send(gateway.baseUrl, { path, headers: auth }), 400, 'invalid_request');
    }
    expect(provider.requests.slice(before)).toEqual([]);
  });

  it('a proxy key in a place that is not forwarded is neither refused nor sent', async () => {
    const path = `/${key.rawKey}${CHAT}`;
    const json = { 'content-type': 'application/json', 'x-gateway-provider-key': PROVIDER_KEY };
    for (const value of wrapped(key.rawKey)) {
      for (const stays of [{ authorization: `Basic ${value}` }, { cookie: `a=${value}` }]) {
        const request = await forwarded({ path, headers: { ...json, ...stays } });
        expect(JSON.stringify(request)).not.toContain(value);
      }
    }
  });

  it('a proxy key as the name of a session is refused: names are stored and recorded', async () => {
    for (const sessionId of [
      key.rawKey,
      `user:${key.rawKey}`,
      Buffer.from(key.rawKey).toString('base64url'),
    ]) {
      const headers = { ...auth, 'x-gateway-session-id': sessionId };
      expectRefusal(await chat({ headers }), 400, 'invalid_request');
    }
    expect(await gateway.redis.client.keys(`*${key.rawKey}*`)).toEqual([]);
    expect(gateway.logs()).not.toContain(key.rawKey);
  });

  it('random text in the form of a proxy key passes if no such key exists', async () => {
    for (let nth = 0; nth < 20; nth += 1) {
      const alike = `gw-${randomBytes(33).toString('base64url').slice(0, 43)}`;
      const token = `eyJhbGciOiJSUzI1NiJ9.${alike}.${randomBytes(256).toString('base64url')}${alike}`;
      const request = await forwarded({
        path: `${CHAT}?note=${alike}`,
        headers: { ...auth, 'x-gateway-provider-key': token, 'openai-organization': alike.toUpperCase() },
      });
      expect(request.headers['authorization']).toBe(`Bearer ${token}`);
    }
    const many = Array.from({ length: 33 }, (_, nth) => `gw-${String(nth).padStart(43, '0')}`).join(' ');
    expectRefusal(await chat({ headers: { ...auth, 'openai-organization': many } }), 400, 'invalid_request');
  });

  it('whether a text is a key is revealed only to holders of a key', async () => {
    const other = await gateway.createKey();
    const stranger = { ...auth, authorization: `Bearer gw-${'x'.repeat(43)}` };
    const known = await chat({ headers: { ...stranger, 'openai-organization': other.rawKey } });
    const unknown = await chat({ headers: { ...stranger, 'openai-organization': `gw-${'y'.repeat(43)}` } });
    expectRefusal(known, 401, 'invalid_key');
    expect([known.status, known.body]).toEqual([unknown.status, unknown.body]);
  });

  it('a proxy key in quotes is not a proxy key: 401 without another one', async () => {
    const before = provider.requests.length;
    const quoted = `"${key.rawKey}"`;
    for (const headers of [{ authorization: `Bearer ${quoted}` }, { 'x-api-key': quoted }]) {
      const reply = await chat({ headers: { 'content-type': 'application/json', ...headers } });
      expectRefusal(reply, 401, 'invalid_key');
    }
    expect(provider.requests.slice(before)).toEqual([]);
  });

  it('a key for one provider is useless for another', async () => {
    const foreign = await gateway.createKey({ provider: 'anthropic' });
    const headers = { ...auth, authorization: `Bearer ${foreign.rawKey}` };
    const reply = await chat({ headers });
    expectRefusal(reply, 403, 'policy_denied');
    expect(reply.headers['x-gateway-policy-block']).toBe('true');
  });

  it('a model outside allowed_models is 403, one inside passes', async () => {
    const limited = await gateway.createKey({ allowedModels: ['gpt-4o-*'] });
    const headers = { ...auth, authorization: `Bearer ${limited.rawKey}` };
    expectRefusal(await chat({ headers }), 403, 'policy_denied');
    await forwarded({ headers, body: BODY.replace('gpt-4o', 'gpt-4o-mini') });
  });

  it('a key with an empty list of models may use none, and only its own provider', async () => {
    const idle = await gateway.createKey({ allowedModels: [], allowedProviders: [] });
    const headers = { ...auth, authorization: `Bearer ${idle.rawKey}` };
    expectRefusal(await chat({ headers }), 403, 'policy_denied');
    const foreign = await chat({ headers, path: '/groq/openai/v1/chat/completions' });
    expectRefusal(foreign, 403, 'policy_denied');
  });
}

export function lockAndRisk(): void {
  it('403 quarantined during the lock, with the time left and no reason; no Retry-After, which agents would wait for', async () => {
    const locked = await gateway.createKey();
    const headers = { ...auth, authorization: `Bearer ${locked.rawKey}` };
    await gateway.redis.client.set(`gateway:quarantine:${locked.keyHash}`, 'because of something', 'EX', 100);
    const reply = await chat({ headers });
    expectRefusal(reply, 403, 'quarantined');
    expect(reply.body).toContain('this proxy key is locked for another 2 min');
    expect(reply.headers).not.toHaveProperty('retry-after');
    expect(reply.body).not.toContain('because');
    await gateway.redis.client.del(`gateway:quarantine:${locked.keyHash}`);
    await forwarded({ headers });
  });

  it('403 agent_risk_blocked above the permanent threshold, and not at it', async () => {
    const risky = await gateway.createKey();
    const headers = { ...auth, authorization: `Bearer ${risky.rawKey}` };
    await gateway.redis.client.hset(`gateway:risk_profile:${risky.keyHash}`, 'risk_score', '91');
    const reply = await chat({ headers });
    expectRefusal(reply, 403, 'agent_risk_blocked');
    await gateway.redis.client.hset(`gateway:risk_profile:${risky.keyHash}`, 'risk_score', '90');
    await forwarded({ headers });
  });
}
