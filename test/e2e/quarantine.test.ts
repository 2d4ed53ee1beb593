import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import OpenAI, { APIError } from 'openai';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createFakeProvider, type FakeProvider } from '../support/fake-provider/index.ts';
import { startGateway, type TestGateway, type TestKey } from '../support/gateway.ts';
import { send, sendRaw, type Reply } from '../support/http.ts';
import { cli, expectRefusal } from './budgets/rig.ts';

/** docs/risk.md, "States and transitions" and "Errors": how a locked or blocked key is refused. */
const CHAT = '/openai/v1/chat/completions';
const PROVIDER_KEY = 'sk-provider-0123456789';
const BODY = JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content: 'hi' }] });
const TWO_MIB = 2_097_152;

let provider: FakeProvider;
let gateway: TestGateway;
/** On the same Redis. */
let inShadow: TestGateway;
let withoutRisk: TestGateway;
let key: TestKey;

beforeAll(async () => {
  provider = await createFakeProvider();
  const providers = { openai: { base_url: provider.url } };
  gateway = await startGateway({ config: { providers } });
  const { redis } = gateway;
  [inShadow, withoutRisk] = await Promise.all([
    startGateway({ redis, config: { providers, server: { shadow_mode: true } } }),
    startGateway({ redis, config: { providers, risk_profile: { enabled: false } } }),
  ]);
});
afterAll(async () => {
  await Promise.all([inShadow.stop(), withoutRisk.stop()]);
  await gateway.stop();
  await provider.close();
});
beforeEach(async () => {
  provider.behave({});
  key = await gateway.createKey();
});

function headers(): Record<string, string> {
  return {
    authorization: `Bearer ${key.rawKey}`,
    'x-gateway-provider-key': PROVIDER_KEY,
    'content-type': 'application/json',
  };
}

function ask(target = gateway): Promise<Reply> {
  return send(target.baseUrl, { path: CHAT, body: BODY, headers: headers() });
}

async function expectPasses(target = gateway): Promise<void> {
  expect((await ask(target)).status).toBe(200);
}

/** Runs an operator's command; returns its standard output. */
async function operator(...args: string[]): Promise<string> {
  const { code, stdout } = await cli(gateway, ...args);
  expect(code).toBe(0);
  return stdout;
}

const profile = (): string => `gateway:risk_profile:${key.keyHash}`;
const lock = (): string => `gateway:quarantine:${key.keyHash}`;

function openai(): OpenAI {
  return new OpenAI({
    apiKey: key.rawKey,
    baseURL: `${gateway.baseUrl}/openai/v1`,
    defaultHeaders: { 'X-Gateway-Provider-Key': PROVIDER_KEY },
    maxRetries: 0,
  });
}

function complete(client: OpenAI): Promise<unknown> {
  return client.chat.completions.create({ model: 'gpt-4o', messages: [{ role: 'user', content: 'hi' }] });
}

/** Head and body as curl prints them. */
function curl(): Promise<string> {
  const sent = Object.entries(headers()).flatMap(([name, value]) => ['-H', `${name}: ${value}`]);
  const args = ['-s', '-i', '--max-time', '10', ...sent, '-d', BODY, `${gateway.baseUrl}${CHAT}`];
  return new Promise((resolve, reject) => {
    execFile('curl', args, (error, stdout) => (error === null ? resolve(stdout) : reject(error)));
  });
}

describe('docs/risk.md: a key locked by an operator', () => {
  it('is 403 quarantined at its next request, for the openai SDK and for curl', async () => {
    const client = openai();
    await complete(client);
    expect(await operator('quarantine', 'set', key.keyHash)).toContain('is locked for 1h, until ');

    const failure: unknown = await complete(client).catch((error: unknown) => error);
    if (!(failure instanceof APIError)) throw new Error('was not refused', { cause: failure });
    expect(failure.status).toBe(403);
    const said =
      /^this proxy key is locked for another 1 h, until \S+Z: an operator has locked it\. An operator can release it: gateway quarantine release [0-9a-f]{12}$/;
    expect(failure.error).toMatch(said);
    expect((failure.headers as Headers).get('retry-after')).toBeNull();

    const printed = await curl();
    expect(printed).toMatch(/^HTTP\/1\.1 403 /);
    expect(printed).not.toMatch(/\r\nretry-after:/i);
    expect(printed).toMatch(/\r\nx-should-retry: false\r\n/i);
    expect(JSON.parse(printed.split('\r\n\r\n')[1] ?? '')).toEqual({
      error: expect.stringMatching(said) as string,
      type: 'quarantined',
    });
  });

  it('shows the command that releases it, and an operator’s reason; the command works as printed', async () => {
    await operator('quarantine', 'set', key.keyHash, '--reason', 'until Ann has looked at it');
    const { error } = JSON.parse((await ask()).body) as { error: string };
    expect(error).toContain(': an operator has locked it: until Ann has looked at it. ');
    const command = /gateway (quarantine release \S+)$/.exec(error)?.[1]?.split(' ') ?? [];
    expect(await operator(...command)).toContain('is released');
    await expectPasses();
  });

  it('shows no value of a lock that the gateway did not write', async () => {
    await gateway.redis.client.set(lock(), 'secret found in a tool response', 'EX', 3_600);
    const reply = await ask();
    expectRefusal(reply, 403, 'quarantined');
    expect(reply.body).not.toContain('tool response');
    expect(reply.headers).not.toHaveProperty('x-gateway-block-reason');
  });

  it('is rejected before its body is read: of 2 MiB none is sent', async () => {
    await operator('quarantine', 'set', key.keyHash, '--for', '10m');
    const lines = Object.entries(headers()).map(([name, value]) => `${name}: ${value}\r\n`);
    const head = `POST ${CHAT} HTTP/1.1\r\nHost: x\r\nContent-Length: ${TWO_MIB}\r\n${lines.join('')}\r\n`;
    const started = performance.now();
    const reply = await sendRaw(gateway.port, head, 500);
    expect(reply).toMatch(/^HTTP\/1\.1 403 /);
    expect(reply).toContain('"type":"quarantined"');
    expect(performance.now() - started).toBeLessThan(2_000);
    expect(provider.requests.some((request) => request.body.length > 1_000_000)).toBe(false);
  });

  it('is refused by every gateway from the next request on, and served by all once released', async () => {
    await expectPasses(inShadow);
    await operator('quarantine', 'set', key.keyHash);
    for (const each of [gateway, inShadow, withoutRisk]) expectRefusal(await ask(each), 403, 'quarantined');
    expect(await operator('quarantine', 'release', key.keyHash)).toContain('is released');
    for (const each of [gateway, inShadow, withoutRisk]) await expectPasses(each);
  });

  it('is listed, with the remaining time', async () => {
    await operator('quarantine', 'set', key.keyHash, '--for', '90s');
    const { locks } = JSON.parse(await operator('quarantine', 'list', '--output', 'json')) as {
      locks: object[];
    };
    expect(locks).toContainEqual(expect.objectContaining({ key_hash: key.keyHash, lock_ttl_seconds: 90 }));
  });

  it('may finish its open stream; its next call is refused', async () => {
    let letGo = (): void => undefined;
    const until = new Promise<void>((resolve) => (letGo = resolve));
    provider.behave({ outputTokens: 12, holdStream: { afterPieces: 3, until } });
    const stream = await openai().chat.completions.create({
      model: 'gpt-4o',
      stream: true,
      messages: [{ role: 'user', content: 'hi' }],
    });
    let words = 0;
    let finished = '';
    for await (const chunk of stream) {
      words += chunk.choices[0]?.delta.content === undefined ? 0 : 1;
      finished = chunk.choices[0]?.finish_reason ?? finished;
      if (words !== 2) continue;
      await operator('quarantine', 'set', key.keyHash);
      expectRefusal(await ask(), 403, 'quarantined');
      letGo();
    }
    expect(words).toBeGreaterThanOrEqual(12);
    expect(finished).toBe('stop');
    expectRefusal(await ask(), 403, 'quarantined');
  });
});

describe('states: quarantined -> normal', () => {
  it('after the lock’s time-to-live', async () => {
    await operator('quarantine', 'set', key.keyHash, '--for', '1500ms');
    const reply = await ask();
    expectRefusal(reply, 403, 'quarantined');
    expect(reply.body).toMatch(/ for another [12] s, until /);
    await sleep(2_000);
    await expectPasses();
  });

  it('after the deletion of the lock key', async () => {
    await operator('quarantine', 'set', key.keyHash);
    expectRefusal(await ask(), 403, 'quarantined');
    await gateway.redis.client.del(lock());
    await expectPasses();
  });

  it('with its current score: above 75 without a lock passes, and 24 clean hours subtract 5', async () => {
    const dayAgo = Date.now() - 86_400_001;
    await gateway.redis.client.hset(profile(), { risk_score: '90', scored_at: String(dayAgo) });
    await expectPasses();
    const shown = JSON.parse(await operator('risk', 'show', key.keyHash, '--output', 'json')) as object;
    expect(shown).toMatchObject({ risk_score: 85, quarantine_active: false });
  });
});

describe('docs/refusals.md: 403 with reason agent_risk_blocked', () => {
  it.each([
    ['a score above the permanent threshold', { risk_score: '91' }],
    ['a block that outlives its score', { risk_score: '0', blocked_at: '1760000000000' }],
  ])('%s, on every gateway, until an operator resets it', async (_name, fields) => {
    await gateway.redis.client.hset(profile(), fields);
    for (const each of [gateway, inShadow]) {
      const reply = await ask(each);
      expectRefusal(reply, 403, 'agent_risk_blocked');
      expect(reply.headers['x-gateway-block-reason']).toBe('agent_risk_blocked');
    }
    expect(await operator('risk', 'reset', key.keyHash)).toContain('has a risk score of 0');
    await expectPasses();
  });

  it('states: quarantined -> permanently blocked is reported although the lock exists too', async () => {
    await gateway.redis.client.hset(profile(), { risk_score: '95', blocked_at: String(Date.now()) });
    await operator('quarantine', 'set', key.keyHash);
    const reply = await ask();
    expectRefusal(reply, 403, 'agent_risk_blocked');
    expect(reply.headers).not.toHaveProperty('retry-after');
    await operator('risk', 'reset', key.keyHash);
    expectRefusal(await ask(), 403, 'quarantined');
  });

  it('risk_profile.enabled: false ignores score and block, while a manual lock still applies', async () => {
    await gateway.redis.client.hset(profile(), { risk_score: '100', blocked_at: '1760000000000' });
    expectRefusal(await ask(gateway), 403, 'agent_risk_blocked');
    await expectPasses(withoutRisk);
    await operator('quarantine', 'set', key.keyHash);
    expectRefusal(await ask(withoutRisk), 403, 'quarantined');
  });
});
