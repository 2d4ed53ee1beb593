import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { send, type Reply, type SendOptions } from '../support/http.ts';
import { freePort } from '../support/ports.ts';

/** `server.error_format`: Envoy's own answers have the format of the client's API too. */
const ID = /^[0-9a-f-]{36}$/;
const CONVERSE = '/bedrock/model/us.anthropic.claude-3-haiku-20240307-v1:0/converse';

const PROVIDERS = ['openai', 'anthropic', 'gemini', 'bedrock', 'cohere'] as const;
type Name = (typeof PROVIDERS)[number];

const BODIES: Readonly<Record<Name, { readonly path: string; readonly body: object }>> = {
  openai: {
    path: '/openai/v1/chat/completions',
    body: { model: 'gpt-4o', messages: [{ role: 'user', content: 'hi' }] },
  },
  anthropic: {
    path: '/anthropic/v1/messages',
    body: { model: 'claude-3-haiku-20240307', max_tokens: 9, messages: [{ role: 'user', content: 'hi' }] },
  },
  gemini: {
    path: '/gemini/v1beta/models/gemini-2.5-flash:generateContent',
    body: { contents: [{ parts: [{ text: 'hi' }] }] },
  },
  bedrock: { path: CONVERSE, body: { messages: [{ role: 'user', content: [{ text: 'hi' }] }] } },
  cohere: {
    path: '/cohere/v2/chat',
    body: { model: 'command-r', messages: [{ role: 'user', content: 'hi' }] },
  },
};

const NATIVE: Readonly<Record<Name, (message: string, code: number) => object>> = {
  openai: (message) => ({ error: { message, param: null } }),
  anthropic: (message) => ({ message, error: { message } }),
  gemini: (message, code) => ({ error: { message, code } }),
  bedrock: (message) => ({ message }),
  cohere: (message) => ({ message }),
};

async function startRig(error_format: 'native' | 'gateway') {
  const unreachable = await freePort();
  const base_url = `http://127.0.0.1:${String(unreachable)}`;
  const gateway = await startGateway({
    config: {
      server: { error_format, read_timeout: '1s' },
      providers: Object.fromEntries(PROVIDERS.map((name) => [name, { base_url }])),
    },
  });
  const key = await gateway.createKey({ provider: 'openai', allowedProviders: [...PROVIDERS] });
  return { gateway, key };
}

describe.each(['native', 'gateway'] as const)('server.error_format: %s', (format) => {
  let rig: { gateway: TestGateway; key: { rawKey: string } };
  beforeAll(async () => {
    rig = await startRig(format);
  });
  afterAll(async () => {
    await rig.gateway.stop();
  });

  function ask(
    name: Name,
    auth: 'header' | 'path',
    more: Pick<SendOptions, 'bodyAfter'> = {},
  ): Promise<Reply> {
    const { path, body: usual } = BODIES[name];
    const { rawKey } = rig.key;
    const headers =
      auth === 'header'
        ? { authorization: `Bearer ${rawKey}`, 'x-gateway-provider-key': 'provider-key-0123' }
        : { authorization: 'Bearer provider-key-0123' };
    return send(rig.gateway.baseUrl, {
      method: 'POST',
      path: auth === 'header' ? path : `/${rawKey}${path}`,
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(usual),
      ...more,
    });
  }

  function expectShape(name: Name, reply: Reply, status: number, type: string, message: string): void {
    expect(reply.status).toBe(status);
    const body = JSON.parse(reply.body) as Record<string, unknown>;
    if (format === 'native') {
      expect(body).toMatchObject({ ...NATIVE[name](message, status), type });
      expect(body['request_id']).toBe(reply.headers['x-gateway-request-id']);
    } else {
      expect(body).toEqual({ error: message, type, ...(name === 'bedrock' && { message }) });
    }
    expect(reply.headers['content-type']).toBe('application/json');
    expect(reply.headers['x-gateway-error-type']).toBe(type);
    expect(reply.headers['x-gateway-request-id']).toMatch(ID);
    expect(reply.headers['x-request-id']).toBe(reply.headers['x-gateway-request-id']);
    if (name === 'anthropic' && (format === 'native' || status !== 503))
      expect(reply.headers['request-id']).toBe(reply.headers['x-request-id']);
    if (name !== 'bedrock') return;
    expect(reply.headers['x-amzn-errortype']).toMatch(/^[A-Z][A-Za-z]+Exception$/);
    expect(reply.headers['x-amzn-requestid']).toBe(reply.headers['x-request-id']);
  }

  describe.each(['header', 'path'] as const)('with %s auth', (auth) => {
    it.each(PROVIDERS)('%s: an unreachable provider', async (name) => {
      const reply = await ask(name, auth);
      expectShape(name, reply, 502, 'upstream_unavailable', 'the provider cannot be reached');
      expect(reply.headers).not.toHaveProperty('x-should-retry');
    });

    it.each(PROVIDERS)('%s: a request that does not arrive in time', async (name) => {
      const reply = await ask(name, auth, { bodyAfter: delay(3_000) });
      expectShape(name, reply, 408, 'request_timeout', 'the request did not arrive in time');
    });
  });

  it('a wrong key', async () => {
    const reply = await send(rig.gateway.baseUrl, {
      method: 'POST',
      path: '/anthropic/v1/messages',
      headers: { authorization: 'Bearer x', 'content-type': 'application/json' },
      body: '{}',
    });
    expectShape('anthropic', reply, 401, 'invalid_key', 'invalid proxy key');
    expect(reply.headers['x-should-retry']).toBe('false');
  });

  it('no policy service', async () => {
    process.kill(rig.gateway.workers()[0]?.pid ?? 0, 'SIGKILL');
    const asked = PROVIDERS.flatMap((name) => [
      [name, ask(name, 'header')] as const,
      [name, ask(name, 'path')] as const,
    ]);
    for (const [name, reply] of asked) {
      expectShape(name, await reply, 503, 'gateway_unavailable', 'the policy service is unavailable');
    }
  });
});
