import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, expect, it } from 'vitest';
import { createApiTokens } from '../../../src/operator/sign-in/tokens.ts';
import { startTestPage, type Asked, type PageAnswer } from '../../support/operator/page.ts';
import { startTestRedis } from '../../support/redis.ts';

const HOUR_MS = 3_600_000;
const REASON = 'for the nightly report';

const redis = await startTestRedis();
afterAll(() => redis.close());
const page = await startTestPage(redis, { audit: { enabled: true, stdout: false } });
afterAll(() => page.close());
afterEach(() => redis.flush());

interface Made {
  readonly raw_token: string;
  readonly token: { readonly id: string };
}

async function make(body: object): Promise<PageAnswer> {
  const admin = await page.visitor({ role: 'admin' });
  return admin.ask('/api/tokens', {
    method: 'POST',
    body: { reason: REASON, name: 'nightly', role: 'viewer', expiresIn: '1h', ...body },
  });
}

function asToken(token: string, path: string, { headers = {}, ...asked }: Asked = {}): Promise<PageAnswer> {
  return page.ask(path, { ...asked, headers: { authorization: `Bearer ${token}`, ...headers } });
}

it('is shown once, listed without its value, and recorded without its value', async () => {
  const made = (await make({})).json<Made>();
  const admin = await page.visitor({ role: 'admin' });
  const listed = await admin.ask('/api/tokens');
  expect(listed.json()).toMatchObject({
    items: [{ id: made.token.id, name: 'nightly', role: 'viewer', owner: null, created_by: 'Ada' }],
  });
  const trail = JSON.stringify(await redis.client.xrange('gateway:audit', '-', '+'));
  expect(trail).toContain('tokens create');
  for (const text of [listed.text, trail]) expect(text).not.toContain(made.raw_token);
  expect(page.logs()).not.toContain(made.raw_token);
});

it('opens the API with its role, without a CSRF token, since no browser sends it automatically', async () => {
  const { raw_token: token } = (await make({ role: 'operator' })).json<Made>();
  expect((await asToken(token, '/api/me')).json()).toMatchObject({
    name: 'nightly',
    role: 'operator',
    signed_in_by: 'token',
    csrf_token: null,
  });
  const answer = await asToken(token, '/api/operations', {
    method: 'POST',
    body: { calls: [{ operation: 'setBudget', arguments: { limits: { daily: 5 } } }] },
  });
  expect(answer.status).toBe(200);
});

it('is judged alone: a wrong token is refused even with a valid session', async () => {
  const admin = await page.visitor({ role: 'admin' });
  for (const authorization of [
    'Bearer gwapi_x',
    'Bearer',
    'Basic YWRtaW46YWRtaW4=',
    `Bearer ${'A'.repeat(49)}`,
  ]) {
    const answer = await admin.ask('/api/me', { headers: { authorization } });
    expect(answer.status).toBe(401);
    expect(answer.json()['type']).toBe('not_signed_in');
  }
});

it('ends at its expiry, and when it is revoked', async () => {
  const tokens = createApiTokens({ client: redis.client, deadlineMs: 2_000 });
  const short = await tokens.create({
    name: 'short',
    role: 'viewer',
    owner: undefined,
    createdBy: 'Ada',
    lifeMs: 200,
  });
  expect((await asToken(short.secret, '/api/me')).status).toBe(200);
  await delay(220);
  expect((await asToken(short.secret, '/api/me')).status).toBe(401);

  const { raw_token: token, token: made } = (await make({})).json<Made>();
  const admin = await page.visitor({ role: 'admin' });
  const revoked = await admin.ask(`/api/tokens/${made.id}`, { method: 'DELETE', body: { reason: REASON } });
  expect(revoked.json()).toEqual({ changed: true });
  expect((await asToken(token, '/api/me')).status).toBe(401);
});

it('creates no other token, so none outlives its own end', async () => {
  const { raw_token: token } = (await make({ role: 'admin' })).json<Made>();
  const answer = await asToken(token, '/api/tokens', {
    method: 'POST',
    body: { reason: REASON, name: 'longer', role: 'admin', expiresIn: '300d' },
  });
  expect(answer.status).toBe(403);
  expect((await createApiTokens({ client: redis.client, deadlineMs: 2_000 }).list()).length).toBe(1);
});

it('raises no role by an operation: neither a change, nor the first request of a session', async () => {
  const { raw_token: viewer } = (await make({})).json<Made>();
  const { raw_token: approver } = (await make({ role: 'approver' })).json<Made>();
  const { raw_token: operator } = (await make({ role: 'operator' })).json<Made>();
  const owned = (await make({ owner: 'search' })).json<Made>();
  const call = (token: string, operation: string, given: object = {}) =>
    asToken(token, '/api/operations', { method: 'POST', body: { calls: [{ operation, arguments: given }] } });
  // The first use of a token is recorded.
  await call(viewer, 'readClock');
  const before = await redis.client.dbsize();
  const refused: readonly (readonly [string, string, object?])[] = [
    [viewer, 'lockKey', { reference: 'planner', forMs: 1_000 }],
    [viewer, 'setBudget', { limits: { daily: null } }],
    [viewer, 'sessions.read', { keyHash: 'sha256:0', sessionId: 'run-1' }],
    [viewer, 'answerEscalation', { id: 'x', decision: 'approve' }],
    [approver, 'releaseKey', { reference: 'planner' }],
    [operator, 'createKey', { name: 'mine', provider: 'openai' }],
    [operator, 'rotateKey', { reference: 'planner', graceMs: 0 }],
    [owned.raw_token, 'keys.list'],
    [owned.raw_token, 'readClock'],
  ];
  for (const [token, operation, given] of refused)
    expect((await call(token, operation, given)).status).toBe(403);
  // A forbidden call blocks the allowed ones of its request.
  const mixed = await asToken(viewer, '/api/operations', {
    method: 'POST',
    body: { calls: [{ operation: 'readClock' }, { operation: 'lockKey', arguments: {} }] },
  });
  expect(mixed.status).toBe(403);
  for (const operation of ['constructor', '__proto__', 'audit.append', 'keys.create'])
    expect((await call(viewer, operation)).status).toBe(400);
  expect(await redis.client.dbsize()).toBe(before);
});

it.each([
  [{ expiresIn: '0s' }, /longer than zero/],
  [{ expiresIn: '400d' }, /366d/],
  [{ expiresIn: undefined }, /expiresIn/],
  [{ role: 'root' }, /role/],
  [{ name: 'a\u200Bdmin' }, /invisible/],
  [{ role: 'operator', owner: 'search' }, /viewer/],
])('cannot be created from %o', async (body, words) => {
  const answer = await make(body);
  expect(answer.status).toBe(400);
  expect(answer.json<{ detail: string }>().detail).toMatch(words);
});

it('lists page by page', async () => {
  const tokens = createApiTokens({ client: redis.client, deadlineMs: 2_000 });
  for (let nth = 0; nth < 5; nth += 1)
    await tokens.create({
      name: `t${String(nth)}`,
      role: 'viewer',
      owner: undefined,
      createdBy: 'x',
      lifeMs: HOUR_MS,
    });
  const admin = await page.visitor({ role: 'admin' });
  const names: string[] = [];
  let cursor = '';
  do {
    const answer = await admin.ask(`/api/tokens?limit=2${cursor}`);
    const { items, next } = answer.json<{ items: { name: string }[]; next?: string }>();
    names.push(...items.map(({ name }) => name));
    cursor = next === undefined ? '' : `&cursor=${next}`;
  } while (cursor !== '');
  expect(names.toSorted()).toEqual(['t0', 't1', 't2', 't3', 't4']);
});

it('reads a bounded amount in one request, and only what its operations name', async () => {
  const { raw_token: token } = (await make({})).json<Made>();
  const keyHash = `sha256:${'0'.repeat(64)}`;
  const account = { name: 'daily', ledger: 'windows', calendar: 'day', idleMs: 1 };
  const ask = (calls: readonly object[]) =>
    asToken(token, '/api/operations', { method: 'POST', body: { calls } });
  const spend = { operation: 'spend.read', arguments: { keyHash, firstDay: 10_000, lastDay: 10_099 } };
  const status = (given: object) => ({ operation: 'budgets.status', arguments: { keyHash, ...given } });
  expect((await ask(Array.from({ length: 40 }, () => spend))).status).toBe(200);
  expect((await ask([status({ accounts: [account] })])).status).toBe(200);
  const refused: readonly (readonly object[])[] = [
    Array.from({ length: 41 }, () => spend),
    Array.from({ length: 101 }, () => ({ operation: 'readClock' })),
    Array.from({ length: 9 }, () => ({ operation: 'sessions.list', arguments: { keyHash } })),
    [],
    [status({ accounts: [{ ...account, ledger: 'session:run-1' }] })],
    [status({ accounts: [], keyHash: `x}:{${keyHash}` })],
    [{ operation: 'audit.before', arguments: { id: '+', count: 1_001 } }],
  ];
  for (const calls of refused) expect((await ask(calls)).status).toBe(400);
});
