import { afterAll, beforeAll, expect, it } from 'vitest';

import { createKeyStore } from '../../../src/auth/key-store.ts';
import { ROLES, type Role } from '../../../src/operator/sign-in/roles.ts';
import { startTestPage, type TestPage, type Visitor } from '../../support/operator/page.ts';
import { startTestRedis, type TestRedis } from '../../support/redis.ts';

interface Operation {
  readonly 'x-role'?: Role;
  readonly 'x-owners'?: boolean;
}

let redis: TestRedis;
let page: TestPage;
let owner: Visitor;
const people = new Map<Role, Visitor>();
let operations: { method: string; path: string; role: Role; owners: boolean }[];

beforeAll(async () => {
  redis = await startTestRedis();
  await createKeyStore(redis.client).create({ name: 'planner', provider: 'openai', owner: 'ada' });
  page = await startTestPage(redis, { audit: { enabled: true, stdout: false } });
  for (const role of ROLES) people.set(role, await page.visitor({ subject: role, role }));
  owner = await page.visitor({ subject: 'ada', owner: 'ada' });
  const { paths } = (await owner.ask('/api/openapi.json')).json<{
    paths: Record<string, Record<string, Operation>>;
  }>();
  operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { 'x-role': role, 'x-owners': owners = false }]) =>
      role === undefined ? [] : [{ method: method.toUpperCase(), path, role, owners }],
    ),
  );
});
afterAll(async () => {
  await page.close();
  await redis.close();
});

function at(path: string): string {
  return path.replaceAll(/\{\w+\}/g, 'planner');
}

function stateOfRedis(): Promise<unknown> {
  return redis.client.call('DEBUG', 'DIGEST');
}

it('has routes of every role', () => {
  expect(new Set(operations.map(({ role }) => role))).toEqual(new Set(ROLES));
  expect(operations.length).toBeGreaterThan(25);
});

it('refuses each route to every lower role, and does nothing', async () => {
  const before = await stateOfRedis();
  let refused = 0;
  for (const { method, path, role } of operations) {
    for (const lower of ROLES.slice(0, ROLES.indexOf(role))) {
      const body = { reason: 'because', limits: { daily: 1 }, for: '1h' };
      const answer = await people.get(lower)?.ask(at(path), { method, ...(method !== 'GET' && { body }) });
      expect([method, path, lower, answer?.status]).toEqual([method, path, lower, 403]);
      expect(answer?.json()).toMatchObject({ type: 'forbidden' });
      refused += 1;
    }
  }
  expect(refused).toBeGreaterThan(20);
  expect(await stateOfRedis()).toEqual(before);
});

it('refuses owners everything beyond their own keys', async () => {
  for (const { method, path, owners } of operations) {
    if (owners) continue;
    const answer = await owner.ask(at(path), { method, ...(method !== 'GET' && { body: {} }) });
    expect([method, path, answer.status]).toEqual([method, path, 403]);
  }
});

it('refuses requests without a session, and changes without its token', async () => {
  const before = await stateOfRedis();
  for (const { method, path } of operations) {
    const body = method === 'GET' ? {} : { body: {} };
    expect([path, (await page.ask(at(path), { method, ...body })).status]).toEqual([path, 401]);
    if (method === 'GET') continue;
    const headers = { 'x-csrf-token': 'wrong' };
    const answer = await people.get('admin')?.ask(at(path), { method, body: {}, headers });
    expect(answer?.json()).toMatchObject({ type: 'cross_site_request', status: 403 });
  }
  expect(await stateOfRedis()).toEqual(before);
});

it('answers an owner about others’ keys as about unknown ones', async () => {
  const keys = createKeyStore(redis.client);
  const { record } = await keys.create({ name: 'hidden', provider: 'openai', owner: 'bob' });
  const start = record.keyHash.slice('sha256:'.length, 'sha256:'.length + 12);
  // The start of one hash, and the name of another key.
  await keys.create({ name: start, provider: 'openai', owner: 'bob' });
  const told = async (reference: string) =>
    (await owner.ask(`/api/keys/${reference}`)).text.replaceAll(reference, 'KEY');
  const ofNone = await told('nothing');
  expect(ofNone).toContain('not_found');
  expect(await told('hidden')).toBe(ofNone);
  expect(await told(start)).toBe(ofNone);
});
