import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createRedisSessionStore } from '../../../src/checks/session/redis-store.ts';
import { createRedisPinStore } from '../../../src/checks/mcp-inspector/redis-store.ts';
import { createKeyStore, type IssuedKey } from '../../../src/auth/key-store.ts';
import type { Role } from '../../../src/operator/sign-in/roles.ts';
import { createRawKey, hashKey } from '../../../src/auth/raw-key.ts';
import { quarantineKey } from '../../../src/redis/keys.ts';
import { call, DAY_MS } from '../../contracts/session-rig.ts';
import { startTestPage, type Asked, type PageAnswer } from '../../support/operator/page.ts';
import { startTestRedis } from '../../support/redis.ts';

const REASON = 'asked for in ticket 7';
let key: IssuedKey;

const redis = await startTestRedis();
afterAll(() => redis.close());
const page = await startTestPage(redis, { audit: { enabled: true, stdout: false } });
afterAll(() => page.close());
beforeEach(async () => {
  key = await createKeyStore(redis.client).create({ name: 'planner', provider: 'openai', owner: 'search' });
});
afterEach(() => redis.flush());

interface Recorded {
  readonly actor: { readonly user: { readonly uid: string; readonly name: string } };
  readonly api: { readonly operation: string };
  readonly unmapped: Readonly<Record<string, unknown>>;
}

async function records(): Promise<Recorded[]> {
  const entries = await redis.client.xrange('gateway:audit', '-', '+');
  return entries.map(([, fields]) => JSON.parse(fields[1] ?? '') as Recorded);
}

const idOf = () => encodeURIComponent(key.record.keyHash);

/** Every change of the API, by its path, and the lowest role that may make it. */
const CHANGES: readonly (readonly [Role, string, () => string, object])[] = [
  ['admin', 'POST', () => '/api/keys', { name: 'new', provider: 'groq' }],
  ['admin', 'POST', () => `/api/keys/${idOf()}/update`, { credentials: [] }],
  ['admin', 'POST', () => `/api/keys/${idOf()}/rotate`, {}],
  ['admin', 'POST', () => `/api/keys/${idOf()}/revoke`, {}],
  ['operator', 'POST', () => `/api/keys/${idOf()}/lock`, { for: '5m' }],
  ['operator', 'POST', () => `/api/keys/${idOf()}/release`, {}],
  ['operator', 'POST', () => `/api/keys/${idOf()}/reset-risk`, {}],
  ['operator', 'PUT', () => `/api/keys/${idOf()}/budget`, { limits: { daily: 5 } }],
  ['operator', 'POST', () => '/api/sessions/run-1/end', { key: 'planner' }],
  ['operator', 'POST', () => '/api/mcp/pins/files/read/accept', { digest: 'b'.repeat(64) }],
  ['approver', 'POST', () => '/api/escalations/0b7c1c9e-5d0f-4c57-9d3a-2f1a5a1f0c11/approve', {}],
  ['approver', 'POST', () => '/api/escalations/0b7c1c9e-5d0f-4c57-9d3a-2f1a5a1f0c11/deny', {}],
  ['admin', 'POST', () => '/api/tokens', { name: 'x', role: 'admin', expiresIn: '1h' }],
  ['admin', 'DELETE', () => '/api/tokens/0123456789abcdef', {}],
];

const BELOW: Readonly<Record<Role, readonly Role[]>> = {
  viewer: [],
  approver: ['viewer'],
  operator: ['viewer', 'approver'],
  admin: ['viewer', 'approver', 'operator'],
};

/** Everything in Redis but sessions of the page, which each request prolongs. */
async function stored(): Promise<Record<string, string>> {
  const keys = (await redis.client.keys('*')).filter((one) => !one.startsWith('gateway:ui_session')).sort();
  const dumps = await Promise.all(keys.map((one) => redis.client.dump(one)));
  return Object.fromEntries(keys.map((one, index) => [one, String(dumps[index])]));
}

describe('a role', () => {
  it.each(CHANGES)('%s or more may %s %o', async (lowest, method, path, body) => {
    const before = await stored();
    for (const role of BELOW[lowest]) {
      const visitor = await page.visitor({ role });
      const refused = await visitor.ask(path(), { method, body: { reason: REASON, ...body } });
      expect(refused.status).toBe(403);
      expect(refused.json()).toMatchObject({ type: 'forbidden' });
    }
    expect(await stored()).toEqual(before);
    const visitor = await page.visitor({ role: lowest });
    expect((await visitor.ask(path(), { method, body: { reason: REASON, ...body } })).status).not.toBe(403);
  });

  it('of an owner changes nothing, even of his own keys', async () => {
    const before = await stored();
    const visitor = await page.visitor({ role: 'viewer', owner: 'search' });
    for (const [, method, path, body] of CHANGES)
      expect((await visitor.ask(path(), { method, body: { reason: REASON, ...body } })).status).toBe(403);
    expect(await stored()).toEqual(before);
  });

  it('cannot be raised by the request', async () => {
    const visitor = await page.visitor({ role: 'viewer' });
    const body = { reason: REASON, role: 'admin', who: { role: 'admin' } };
    const headers = { 'x-role': 'admin', 'x-forwarded-user': 'root', 'x-http-method-override': 'GET' };
    const answer = await visitor.ask(`/api/keys/${idOf()}/revoke?role=admin`, {
      method: 'POST',
      body,
      headers,
    });
    expect(answer.status).toBe(403);
    expect((await createKeyStore(redis.client).find('planner')).revokedAt).toBeUndefined();
  });
});

describe('a change', () => {
  async function change(path: string, body: object, asked: Asked = {}): Promise<PageAnswer> {
    const visitor = await page.visitor({ role: 'admin', subject: 'ada-1', name: 'Ada' });
    return visitor.ask(path, { method: 'POST', body: { reason: REASON, ...body }, ...asked });
  }

  it('is on record with who made it, why, and from where', async () => {
    const answer = await change(`/api/keys/${idOf()}/lock`, { for: '5m' });
    expect(answer.status).toBe(200);
    expect(answer.json()).toMatchObject({ changed: true, key: { name: 'planner', locked: true } });
    expect(await redis.client.exists(quarantineKey(key.record.keyHash))).toBe(1);
    const [record, ...others] = await records();
    expect(others).toEqual([]);
    expect(record).toMatchObject({
      actor: { user: { uid: 'oidc:ada-1', name: 'Ada' } },
      api: { operation: 'quarantine set' },
      unmapped: { reason: REASON, role: 'admin', key_hash: key.record.keyHash },
    });
    expect(JSON.stringify(record)).toContain('127.0.0.1');
  });

  it('masks a secret that was written as its reason', async () => {
    const secret = createRawKey();
    await change(`/api/keys/${idOf()}/lock`, { for: '5m', reason: `leaked ${secret}` });
    expect(JSON.stringify(await records())).not.toContain(secret);
  });

  it('needs a reason', async () => {
    for (const reason of ['', '   ', undefined, 'x'.repeat(201), 7]) {
      const answer = await change(`/api/keys/${idOf()}/revoke`, { reason });
      expect(answer.status).toBe(400);
      expect(answer.json()).toMatchObject({ type: 'invalid_request' });
    }
    expect(await records()).toEqual([]);
  });

  it('that changes nothing says so and leaves no record', async () => {
    await change(`/api/keys/${idOf()}/revoke`, {});
    const again = await change(`/api/keys/${idOf()}/revoke`, {});
    expect(again.json()).toMatchObject({ changed: false, key: { status: 'revoked' } });
    expect(await records()).toHaveLength(1);
  });

  it.each([
    ['/api/keys/nobody/revoke', {}, 404, /no key has "nobody"/],
    ['/api/keys', { name: 'planner', provider: 'groq' }, 409, /an active key has the name/],
    ['/api/keys', { name: 'new', provider: 'groq', credentials: ['team'] }, 400, /"team" is not in the conf/],
    ['/api/keys', { name: 'new', provider: 'groq', expiresIn: '0s' }, 400, /longer than zero/],
    ['/api/keys', { name: 'new\u202E', provider: 'groq' }, 400, /name/],
    ['/api/sessions/run-1/end', { key: 'nobody' }, 404, /no key has/],
    ['/api/escalations/0b7c1c9e-5d0f-4c57-9d3a-2f1a5a1f0c11/approve', {}, 409, /is waiting/],
    ['/api/mcp/pins/files/read/accept', { digest: 'b'.repeat(64) }, 409, /has not changed/],
  ])('%s is refused in words: %o', async (path, body, status, words) => {
    const answer = await change(path, body);
    expect(answer.status).toBe(status);
    expect(answer.json<{ detail: string }>().detail).toMatch(words);
    expect(await records()).toEqual([]);
  });

  it('sets, removes and blocks by budgets', async () => {
    const path = `/api/keys/${idOf()}/budget`;
    await change(path, { limits: { daily: 5, hourly: 0 } }, { method: 'PUT' });
    await change(path, { limits: { daily: null } }, { method: 'PUT' });
    expect((await records()).map(({ unmapped }) => unmapped['limits_usd'])).toMatchObject([
      { daily: 5, hourly: 0 },
      { daily: null, hourly: 0 },
    ]);
  });

  it('ends a session, and accepts the definition of a tool', async () => {
    const sessions = createRedisSessionStore({
      client: redis.client,
      deadlineMs: 2_500,
      ttlMs: DAY_MS,
      maxPerKey: 0,
    });
    await sessions.open(call({ keyHash: key.record.keyHash, sessionId: 'run-1' }));
    const ended = await change('/api/sessions/run-1/end', { key: key.record.keyHash });
    expect(ended.json()).toEqual({ changed: true });
    const pins = createRedisPinStore({ client: redis.client, deadlineMs: 2_500 });
    await pins.show('files', [{ name: 'read it', digest: 'a'.repeat(64) }]);
    await pins.show('files', [{ name: 'read it', digest: 'b'.repeat(64) }]);
    const accepted = await change('/api/mcp/pins/files/read%20it/accept', { digest: 'b'.repeat(16) });
    expect(accepted.json()).toEqual({
      server: 'files',
      accepted: [{ tool: 'read it', digest: 'b'.repeat(64) }],
    });
  });
});

describe('an Idempotency-Key', () => {
  const headers = { 'idempotency-key': 'one-of-the-page' };

  it('makes one change for several requests, also concurrent ones, and gives all the same answer', async () => {
    const visitor = await page.visitor({ role: 'admin' });
    const lock = () =>
      visitor.ask(`/api/keys/${idOf()}/lock`, {
        method: 'POST',
        body: { reason: REASON, for: '5m' },
        headers,
      });
    const answers = await Promise.all([lock(), lock(), lock(), lock()]);
    const good = answers.filter(({ status }) => status === 200);
    expect(good.length).toBeGreaterThan(0);
    // The others came while it was under way, and changed nothing.
    for (const { status } of answers) expect([200, 409]).toContain(status);
    const later = await lock();
    expect(later.text).toBe(good[0]?.text);
    expect(later.headers['idempotency-replayed']).toBe('true');
    expect(await records()).toHaveLength(1);
  });

  it('creates one key for two concurrent requests, and only one answer contains the raw key', async () => {
    const visitor = await page.visitor({ role: 'admin' });
    const create = () =>
      visitor.ask('/api/keys', {
        method: 'POST',
        body: { reason: REASON, name: 'new', provider: 'groq' },
        headers,
      });
    const [one, other] = await Promise.all([create(), create()]);
    const [good, ...more] = [one, other].filter(({ status }) => status === 200);
    expect(more).toEqual([]);
    const { raw_key: rawKey, key: made } = good?.json<{ raw_key: string; key: { key_hash: string } }>() ?? {};
    expect(made?.key_hash).toBe(hashKey(rawKey ?? ''));
    const later = await create();
    expect(later.status).toBe(409);
    expect(later.json<{ detail: string }>().detail).toMatch(/only the first answer contained the secret/);
    const values = Object.values(await stored()).join('\n');
    expect(values).not.toContain(rawKey);
    expect(await redis.client.zcard('gateway:keys')).toBe(2);
  });

  it('identifies one request: with another request or person, it is a different key', async () => {
    const visitor = await page.visitor({ role: 'admin' });
    const lockFor = (time: string, who = visitor) =>
      who.ask(`/api/keys/${idOf()}/lock`, { method: 'POST', body: { reason: REASON, for: time }, headers });
    expect((await lockFor('5m')).status).toBe(200);
    const other = await lockFor('6m');
    expect(other.status).toBe(409);
    expect(other.json<{ detail: string }>().detail).toMatch(/used for another change/);
    const bob = await page.visitor({ role: 'operator', subject: 'bob' });
    expect((await lockFor('6m', bob)).status).toBe(200);
    expect(await records()).toHaveLength(2);
  });

  it('may be used again after a refusal, which changed nothing', async () => {
    const visitor = await page.visitor({ role: 'admin' });
    const create = () =>
      visitor.ask('/api/keys', {
        method: 'POST',
        body: { reason: REASON, name: 'planner', provider: 'groq' },
        headers,
      });
    expect((await create()).status).toBe(409);
    await createKeyStore(redis.client).revoke('planner');
    expect((await create()).status).toBe(200);
  });

  it('and their answers are bounded: 300 changes of a person in a minute', async () => {
    const visitor = await page.visitor({ role: 'operator', subject: 'busy' });
    const release = () =>
      visitor.ask(`/api/keys/${idOf()}/release`, { method: 'POST', body: { reason: REASON } });
    for (let round = 0; round < 30; round += 1) await Promise.all(Array.from({ length: 10 }, release));
    const refused = await release();
    expect(refused.status).toBe(429);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    const bad = await visitor.ask(`/api/keys/${idOf()}/release`, {
      method: 'POST',
      body: { reason: REASON },
      headers: { 'idempotency-key': 'x'.repeat(129) },
    });
    expect(bad.status).toBe(400);
  });
});

it('a change without the CSRF token, or of another site, is refused and not made', async () => {
  const visitor = await page.visitor({ role: 'admin' });
  const before = await stored();
  const attempts: readonly Asked['headers'][] = [
    { 'x-csrf-token': '' },
    { 'x-csrf-token': 'x'.repeat(43) },
    { origin: 'https://evil.example' },
    { 'sec-fetch-site': 'cross-site' },
    { 'content-type': 'text/plain' },
  ];
  for (const headers of attempts) {
    const answer = await visitor.ask(`/api/keys/${idOf()}/revoke`, {
      method: 'POST',
      body: { reason: REASON },
      headers: headers ?? {},
    });
    expect([403, 415]).toContain(answer.status);
  }
  expect(await stored()).toEqual(before);
});

describe('a change in trouble', () => {
  it('that the audit trail cannot take is made, and says that it has no record', async () => {
    await redis.client.set('gateway:audit', 'not a stream');
    const visitor = await page.visitor({ role: 'operator' });
    const lock = () =>
      visitor.ask(`/api/keys/${idOf()}/lock`, {
        method: 'POST',
        body: { reason: REASON, for: '5m' },
        headers: { 'idempotency-key': 'once' },
      });
    const answer = await lock();
    expect(answer.status).toBe(503);
    expect(answer.json<{ detail: string }>().detail).toMatch(/was made.*has no record/);
    expect(await redis.client.exists(quarantineKey(key.record.keyHash))).toBe(1);
    await expect.poll(() => page.logs()).toContain('a change is missing from the audit trail');
    // Asked again, it is not made again.
    expect((await lock()).json()).toMatchObject({ changed: true });
  });

  it('is refused without Redis, and makes up for it once Redis is back', async () => {
    const visitor = await page.visitor({ role: 'operator' });
    const lock = () =>
      visitor.ask(`/api/keys/${idOf()}/lock`, { method: 'POST', body: { reason: REASON, for: '5m' } });
    await redis.pause();
    try {
      const answer = await lock();
      expect(answer.status).toBe(503);
      expect(answer.json()['type']).toBe('redis_unavailable');
    } finally {
      await redis.resume();
    }
    await expect.poll(async () => (await lock()).status).toBe(200);
  });
});

it('each change is described with its reason, its headers and its role', async () => {
  const viewer = await page.visitor({ role: 'viewer' });
  type Described = {
    readonly 'x-role': string;
    readonly parameters: readonly { readonly name: string }[];
    readonly requestBody: {
      readonly content: { readonly 'application/json': { readonly schema: { readonly required: string[] } } };
    };
  };
  const { paths } = (await viewer.ask('/api/openapi.json')).json<{
    paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  }>();
  for (const [role, method, path] of CHANGES) {
    const segments = path().split('/');
    const [, operations] =
      Object.entries(paths).find(([described]) => {
        const parts = described.split('/');
        return (
          method.toLowerCase() in (paths[described] ?? {}) &&
          parts.length === segments.length &&
          parts.every((part, at) => part.startsWith('{') || part === segments[at])
        );
      }) ?? [];
    const described = operations?.[method.toLowerCase()];
    expect(described?.['x-role']).toBe(role);
    expect(described?.parameters.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['X-CSRF-Token', 'Idempotency-Key']),
    );
    expect(described?.requestBody.content['application/json'].schema.required).toContain('reason');
  }
});
